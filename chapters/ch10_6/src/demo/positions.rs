// ANCHOR: positions
//! The table of positions, drawn, and what turns one row of it into another:
//! section 10.6.

use anyhow::Result;
use ch10_1::{Dev, Labels, show_heatmaps};
use ch10_6::{PositionalEncoding, frequency, turned};
use dfdx::prelude::*;
use support::{Mark, Plot, Run, Series, heading, line_plots};

/// Sixty positions in rows of width 32.
type Table = PositionalEncoding<60, 32>;

pub fn told(run: &Run, dev: &Dev) -> Result<()> {
    digits();
    let table: Table = PositionalEncoding::new(dev, 0.0);
    columns(run, &table)?;
    relative(&table);
    alike(&table);
    Ok(())
}
// ANCHOR_END: positions

// ANCHOR: digits
fn digits() {
    heading("Zero to seven in binary digits");
    for i in 0..8 {
        println!("{i}  {i:03b}");
    }
}
// ANCHOR_END: digits

// ANCHOR: columns
fn columns(run: &Run, encoding: &Table) -> Result<()> {
    heading("Positions as sines and cosines");
    let table = encoding.table.array();
    println!("column  positions to a turn");
    for column in [0, 6, 8, 16, 24, 30] {
        let turn = std::f64::consts::TAU / frequency(column / 2, 32);
        println!("{column:>2}, {:>2}{turn:>20.1}", column + 1);
    }
    let series = |column: usize| {
        let points = (0..).zip(&table);
        let points = points.map(|(i, row)| (f64::from(i), f64::from(row[column])));
        Series::new(&format!("column {column}"), Mark::Line, points)
    };
    let plot = Plot {
        labels: ("Position", "Entry"),
        series: (6..10).map(series).collect(),
        ..Plot::default()
    };
    run.figure("columns", &line_plots(&[plot], 1)?)?;
    let labels = Labels { keys: "Column", queries: "Position", ..Labels::default() };
    let map: Tensor<Rank4<1, 1, 60, 32>, f32, Dev> = encoding.table.clone().reshape();
    run.figure("table", &show_heatmaps(&map, &labels)?)
}
// ANCHOR_END: columns

// ANCHOR: relative
/// From every position to every other one by turning: the largest error of
/// any entry.
fn relative(encoding: &Table) {
    heading("From position to position by turning");
    let table = encoding.table.array();
    let mut worst = 0f32;
    for (i, from) in table.iter().enumerate() {
        for (to, expected) in table.iter().enumerate() {
            let got = turned(from, to as f64 - i as f64);
            let errors = got.iter().zip(expected).map(|(a, b)| (a - b).abs());
            worst = errors.fold(worst, f32::max);
        }
    }
    println!("pairs of positions {}", 60 * 60);
    println!("largest error      {worst:.0e}");
}
// ANCHOR_END: relative

// ANCHOR: alike
/// The dot product of two rows: the same wherever the two stand.
fn alike(encoding: &Table) {
    heading("How alike two positions are");
    let table = encoding.table.array();
    let dot = |i: usize, offset: usize| -> f32 {
        let pairs = table[i].iter().zip(&table[i + offset]);
        pairs.map(|(a, b)| a * b).sum()
    };
    println!("apart   least    most");
    for offset in [0, 1, 2, 3, 4, 8, 16, 32] {
        let all = (0..60 - offset).map(|i| dot(i, offset));
        let least = all.clone().fold(f32::INFINITY, f32::min);
        let most = all.fold(f32::NEG_INFINITY, f32::max);
        println!("{offset:>5}{least:>8.3}{most:>8.3}");
    }
}
// ANCHOR_END: alike
