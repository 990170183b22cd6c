//! The table of positions, drawn, and the rotation that turns one row of it
//! into another.

use anyhow::Result;
use ch10_6::{PositionalEncoding, frequency, rotate};
use dfdx::prelude::AsArray;
use kernels::Dev;
use support::{
    Labels, Mark, Plot, RunArgs, Series, Spread, heading, line_plots, show_heatmaps,
    spread,
};

/// Sixty positions in rows of width 32.
type Table = PositionalEncoding<60, 32>;

pub fn main(run: &RunArgs, dev: &Dev) -> Result<()> {
    digits();
    let table = Table::new(dev, 0.0);
    columns(run, &table)?;
    relative(&table);
    alike(run, &table)
}

fn digits() {
    heading("Zero to seven in binary digits");
    for i in 0..8 {
        println!("{i}  {i:03b}");
    }
}

fn columns(run: &RunArgs, encoding: &Table) -> Result<()> {
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
    run.figure("table", &show_heatmaps(&table, &labels)?)
}

/// From every position to every other one by rotation: the largest error of
/// any entry.
fn relative(encoding: &Table) {
    heading("From position to position by rotation");
    let table = encoding.table.array();
    let mut worst = 0f32;
    for (i, from) in table.iter().enumerate() {
        for (to, expected) in table.iter().enumerate() {
            let got = rotate(from, to as f64 - i as f64);
            let errors = got.iter().zip(expected).map(|(a, b)| (a - b).abs());
            worst = errors.fold(worst, f32::max);
        }
    }
    println!("pairs of positions {}", 60 * 60);
    println!("largest error      {worst:.0e}");
}

/// The dot product of two rows: the same wherever the two stand.
fn alike(run: &RunArgs, encoding: &Table) -> Result<()> {
    heading("How alike two positions are");
    let table = encoding.table.array();
    let dot = |i: usize, offset: usize| -> f32 {
        let pairs = table[i].iter().zip(&table[i + offset]);
        pairs.map(|(a, b)| a * b).sum()
    };
    let range = |offset: usize| spread((0..60 - offset).map(|i| dot(i, offset)));
    println!("offset  least    most");
    for offset in (0..=16).chain([24, 32, 40, 48]) {
        let Spread { least, most, .. } = range(offset);
        println!("{offset:>5}{least:>8.3}{most:>8.3}");
    }
    let points = (0..60).map(|offset| (offset as f64, f64::from(range(offset).least)));
    let plot = Plot {
        labels: ("Offset", "Dot product"),
        series: vec![Series::new("dot product", Mark::Line, points)],
        ..Plot::default()
    };
    run.figure("alike", &line_plots(&[plot], 1)?)
}
