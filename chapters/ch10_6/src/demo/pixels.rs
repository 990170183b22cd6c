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
use plotters::coord::Shift;
use plotters::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{GRID, Mark, Plot, Progress, Run, SERIES, Series};
use support::{draw, heading, line_plots, px};

type Pictures = Tensor<Rank4<3, 16, 12, 15>, f32, Dev>;

pub fn pixels(run: &Run, dev: &Dev, steps: usize) -> Result<()> {
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
    shapes(run, steps)
}
// ANCHOR_END: sight

// ANCHOR: seers
/// Pictures that no model was trained on.
type Test = Album<256>;

fn shapes(run: &Run, steps: usize) -> Result<()> {
    heading("What is the other shape?");
    println!("model   without attention      with     gamma");
    let (mut series, mut models) = (Vec::new(), Vec::new());
    let marks = [Mark::Line, Mark::Dashes, Mark::LineDots];
    for (n, mark) in (0..).zip(marks) {
        let seed = run.seed.wrapping_add(n);
        let (seer, test, gammas) = trained(seed, true, steps)?;
        let (blind, ..) = trained(seed, false, steps)?;
        print!("{n:>5}{:>20.4}", right(&blind, &test, false));
        print!("{:>10.4}", right(&seer, &test, true));
        println!("{:>10.4}", seer.attention.gamma.array());
        let points = gammas.into_iter().step_by(10);
        series.push(Series::new(&format!("model {n}"), mark, points));
        models.push((seer, test));
    }
    let labels = ("step", "gamma");
    let plot = Plot { labels, series, ..Plot::default() };
    run.figure("gamma", &line_plots(&[plot], 1)?)?;
    looks(run, &models[0].0, &models[0].1)
}
// ANCHOR_END: seers

// ANCHOR: seer_trained
/// Gamma after each step.
type Trace = Vec<(f64, f64)>;

/// A model, the test that its seed gives, and how gamma moved.
fn trained(seed: u64, look: bool, steps: usize) -> Result<(Seer, Test, Trace)> {
    let dev = Dev::seed_from_u64(seed);
    let mut rng = StdRng::seed_from_u64(seed);
    let test = Album::new(&dev, &mut rng);
    let mut seer = Seer::new(&dev);
    let what = if look { "with attention" } else { "without attention" };
    let (mut progress, mut trace) = (Progress::new(what, steps), vec![]);
    matching::train(&mut seer, &mut rng, steps, look, |step, loss, gamma| {
        progress.step(loss);
        trace.push((step as f64, f64::from(gamma)));
    })?;
    Ok((seer, test, trace))
}
// ANCHOR_END: seer_trained

// ANCHOR: looks
/// How much weight a centre gives to the other shape, to its own, and to the
/// paper: on average over pictures of two kinds, and of one.
fn looks(run: &Run, seer: &Seer, test: &Test) -> Result<()> {
    heading("Where a shape looks");
    let seen = seer.seen(test.views.clone());
    let weights = seer.attention.forward(seen).weights.as_vec();
    let maps: Vec<_> = weights.chunks(PIXELS * PIXELS).collect();
    let two = |p: &Picture| p.kinds[0] != p.kinds[1];
    println!("shapes         other     own   paper");
    for (name, differ) in [("of two kinds", true), ("of one kind", false)] {
        let pairs = test.pictures.iter().zip(&maps);
        let pairs = pairs.filter(|(picture, _)| two(picture) == differ);
        let parts: Vec<[f32; 3]> =
            pairs.flat_map(|(picture, map)| shares(picture, map)).collect();
        let sum = |i: usize| parts.iter().map(|part| part[i]).sum::<f32>();
        let [other, own, paper] = [0, 1, 2].map(|i| sum(i) / parts.len() as f32);
        println!("{name:<12}{other:>8.3}{own:>8.3}{paper:>8.3}");
    }
    let b = test.pictures.iter().position(two).unwrap_or(0);
    run.figure("looks", &drawn(&test.pictures[b], maps[b])?)
}

/// What one pixel gives to all pixels.
fn row(map: &[f32], query: usize) -> &[f32] {
    &map[query * PIXELS..][..PIXELS]
}

/// For each centre, the weight of the other shape, of its own, of the rest.
fn shares(picture: &Picture, map: &[f32]) -> [[f32; 3]; 2] {
    let [a, b] = picture.centres;
    [[a, b], [b, a]].map(|[query, other]| {
        let on = |centre: usize| -> f32 {
            let pixels = around(centre).flatten();
            pixels.map(|pixel| row(map, query)[pixel]).sum()
        };
        [on(other), on(query), 1.0 - on(other) - on(query)]
    })
}
// ANCHOR_END: looks

// ANCHOR: drawn
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The width of a pixel in a figure.
const CELL: f64 = 28.0;

/// Two corners of the pixel in the drawing of one query, and its centre.
fn place(n: usize, pixel: usize) -> [(i32, i32); 3] {
    let (row, column) = ((pixel / SIDE) as f64, (pixel % SIDE) as f64);
    let left = 8.0 + n as f64 * (SIDE as f64 * CELL + 28.0);
    [0.0, 1.0, 0.5]
        .map(|part| (px(left + (column + part) * CELL), px(8.0 + (row + part) * CELL)))
}

/// A line around all that lies between two pixels.
fn frame(area: &Area, n: usize, pixels: [usize; 2], style: ShapeStyle) -> Result<()> {
    let [from, to] = [place(n, pixels[0])[0], place(n, pixels[1])[1]];
    let corners = [from, (to.0, from.1), to, (from.0, to.1), from];
    Ok(area.draw(&PathElement::new(corners.to_vec(), style))?)
}

/// The picture once for each centre: the shapes in grey, the centre framed,
/// and on each pixel a disc whose area is its weight.
fn drawn(picture: &Picture, map: &[f32]) -> Result<String> {
    draw(492, 240, |area| {
        for (n, &query) in picture.centres.iter().enumerate() {
            for (pixel, weight) in row(map, query).iter().enumerate() {
                let [from, to, middle] = place(n, pixel);
                if picture.ink[pixel] > 0.5 {
                    area.draw(&Rectangle::new([from, to], GRID.filled()))?;
                }
                let radius = px(CELL * f64::from(weight.sqrt()) / 2.0);
                let colour = SERIES[1].filled();
                area.draw(&Circle::new(middle, radius, colour))?;
            }
            frame(area, n, [0, PIXELS - 1], GRID.stroke_width(4))?;
            frame(area, n, [query, query], SERIES[0].stroke_width(12))?;
        }
        Ok(())
    })
}
// ANCHOR_END: drawn
