// ANCHOR: sight
//! The telling run, over pixels: what the layer does, and a task on which it
//! helps. Section 10.6.

use anyhow::Result;
use ch10_1::Dev;
use ch10_3::Attended;
use ch10_6::matching::{self, Seer, right};
use ch10_6::pixels::{PixelAttention, to_picture, to_rows};
use ch10_6::shapes::{Album, PIXELS, Picture, SIDE, around};
use dfdx::prelude::*;
use plotters::prelude::{Circle, Rectangle};
use plotters::style::Color;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{GRID, Mark, Plot, Progress, Run, SERIES, Series};
use support::{draw, heading, line_plots, px};

type Pictures = Tensor<Rank4<3, 16, 12, 15>, f32, Dev>;

pub fn pixels(run: &Run, dev: &Dev) -> Result<()> {
    heading("Self-attention over pixels");
    let x: Pictures = dev.sample_normal();
    let rows: Tensor<Rank3<3, 180, 16>, f32, Dev> = to_rows(x.clone());
    let mut layer: PixelAttention<16, 2> = PixelAttention::new(dev);
    for gamma in [0.0, 0.5] {
        layer.gamma = dev.tensor(gamma);
        let Attended { output, weights } = layer.forward(rows.clone());
        let output: Pictures = to_picture(output);
        println!("gamma {gamma}");
        println!("  output  {:?}", output.shape().concrete());
        println!("  weights {:?}", weights.shape().concrete());
        let same = output.array() == x.array();
        println!("  output is the input: {same}");
        assert_eq!(same, gamma == 0.0);
    }
    shapes(run)
}
// ANCHOR_END: sight

// ANCHOR: seers
/// Pictures that no model was trained on.
type Test = Album<256>;

fn shapes(run: &Run) -> Result<()> {
    heading("What is the other shape?");
    println!("{:>8}{:>20}{:>12}{:>9}", "model", "without attention", "with", "gamma");
    let (mut series, mut models) = (Vec::new(), Vec::new());
    for (n, mark) in [Mark::Line, Mark::Dashes, Mark::LineDots].into_iter().enumerate() {
        let seed = run.seed.wrapping_add(n as u64);
        let mut gammas = Vec::new();
        let (seer, test) = trained(seed, true, &mut gammas)?;
        let (blind, _) = trained(seed, false, &mut Vec::new())?;
        let shares = [right(&blind, &test, false), right(&seer, &test, true)];
        let gamma = seer.attention.gamma.array();
        println!("{n:>8}{:>20.4}{:>12.4}{gamma:>9.4}", shares[0], shares[1]);
        let every = gammas.into_iter().step_by(10);
        series.push(Series::new(&format!("model {n}"), mark, every));
        models.push((seer, test));
    }
    let labels = ("step", "gamma");
    let plot = Plot { labels, series, ..Plot::default() };
    run.figure("gamma", &line_plots(&[plot], 1)?)?;
    looks(run, &models[0].0, &models[0].1)
}
// ANCHOR_END: seers

// ANCHOR: seer_trained
/// A trained model and its test; `gammas` gets gamma after each step.
fn trained(
    seed: u64,
    look: bool,
    gammas: &mut Vec<(f64, f64)>,
) -> Result<(Seer, Test)> {
    const STEPS: usize = 300;
    let dev = Dev::seed_from_u64(seed);
    let mut rng = StdRng::seed_from_u64(seed);
    let test = Album::new(&dev, &mut rng);
    let mut seer = Seer::new(&dev);
    let what = if look { "with attention" } else { "without attention" };
    let mut progress = Progress::new(what, STEPS);
    matching::train(&mut seer, &mut rng, STEPS, look, |step, loss, gamma| {
        progress.step(loss);
        gammas.push((step as f64, f64::from(gamma)));
    })?;
    Ok((seer, test))
}
// ANCHOR_END: seer_trained

// ANCHOR: looks
/// How much weight the centres of shapes give to the other shape, to their
/// own, and to the paper: on average over shapes of different kinds, and over
/// those that are alike.
fn looks(run: &Run, seer: &Seer, test: &Test) -> Result<()> {
    heading("Where a shape looks");
    let seen = seer.seen(test.views.clone());
    let weights = seer.attention.forward(seen).weights.as_vec();
    let row = |b: usize, q: usize| &weights[(b * PIXELS + q) * PIXELS..][..PIXELS];
    println!("{:<18}{:>8}{:>8}{:>8}", "two shapes", "other", "own", "paper");
    for (name, alike) in [("of different kinds", false), ("of one kind", true)] {
        let all = test.pictures.iter().enumerate();
        let chosen = all.filter(|(_, p)| (p.kinds[0] == p.kinds[1]) == alike);
        let parts: Vec<[f32; 3]> = chosen
            .flat_map(|(b, p)| p.centres.map(|q| shares(p, q, row(b, q))))
            .collect();
        let mean = |i: usize| parts.iter().map(|part| part[i]).sum::<f32>() / parts.len() as f32;
        println!("{name:<18}{:>8.3}{:>8.3}{:>8.3}", mean(0), mean(1), mean(2));
    }
    let b = test.pictures.iter().position(|p| p.kinds[0] != p.kinds[1]).unwrap_or(0);
    let picture = &test.pictures[b];
    let rows = picture.centres.map(|q| row(b, q));
    run.figure("looks", &drawn(picture, rows)?)
}

/// The weight of the other shape, of the query's own, and of the rest.
fn shares(picture: &Picture, query: usize, row: &[f32]) -> [f32; 3] {
    let on = |centre: usize| -> f32 {
        around(centre).flatten().map(|pixel| row[pixel]).sum()
    };
    let [a, b] = picture.centres;
    let (own, other) = (on(query), on(if query == a { b } else { a }));
    [other, own, 1.0 - own - other]
}
// ANCHOR_END: looks

// ANCHOR: drawn
/// The picture once for each query: its shapes in grey, the query framed, and
/// on each pixel a disc with an area in proportion to its weight.
fn drawn(picture: &Picture, rows: [&[f32]; 2]) -> Result<String> {
    const CELL: f64 = 28.0;
    draw(492, 240, |area| {
        for (n, row) in rows.into_iter().enumerate() {
            let corner = |pixel: usize, down: f64| {
                let x = 8.0 + 252.0 * n as f64 + CELL * ((pixel % SIDE) as f64 + down);
                (px(x), px(8.0 + CELL * ((pixel / SIDE) as f64 + down)))
            };
            let frame = |from, to, colour, wide: f64| {
                let ends = [corner(from, 0.0), corner(to, 1.0)];
                let style = Color::stroke_width(&colour, px(wide) as u32);
                area.draw(&Rectangle::new(ends, style))
            };
            for (pixel, weight) in row.iter().enumerate() {
                let ends = [corner(pixel, 0.0), corner(pixel, 1.0)];
                if picture.ink[pixel] > 0.5 {
                    area.draw(&Rectangle::new(ends, GRID.filled()))?;
                }
                let radius = px(CELL * f64::from(weight.sqrt()) / 2.0);
                let disc = Circle::new(corner(pixel, 0.5), radius, SERIES[1].filled());
                area.draw(&disc)?;
            }
            frame(0, PIXELS - 1, GRID, 1.0)?;
            let query = picture.centres[n];
            frame(query, query, SERIES[0], 3.0)?;
        }
        Ok(())
    })
}
// ANCHOR_END: drawn
