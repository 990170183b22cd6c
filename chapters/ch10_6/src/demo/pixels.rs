//! Attention over pixels: what the layer does, and a task on which it helps.

use anyhow::Result;
use ch10_6::pixels::{PixelAttention, to_picture, to_rows};
use ch10_6::task::classifier::{LR, STEPS, ShapeClassifier, accuracy, train};
use ch10_6::task::shapes::{PIXELS, Picture, SIDE, ShapeBatch, patch};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};
use plotters::coord::Shift;
use plotters::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{GRID, Mark, Plot, Progress, RunArgs, SERIES, Series, Spread};
use support::{draw, heading, line_plots, px, seeds, spread};

#[derive(clap::Args)]
pub struct Args {
    /// Train for N steps
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = support::number(1..=100_000))]
    steps: usize,
}

/// Pictures that no model was trained on.
type Test = ShapeBatch<256>;

/// A model, its seed's test, and gamma after each step.
struct Trained {
    model: ShapeClassifier,
    test: Test,
    gammas: Vec<(f64, f64)>,
}

pub fn main(run: &RunArgs, args: &Args) -> Result<()> {
    layer(&Dev::seed_from_u64(run.seed));
    heading("Which is the other shape?");
    println!("        without attention   with attention     gamma   gamma set to 0");
    let mut all = Vec::new();
    for (n, seed) in seeds(run.seed, 3).enumerate() {
        let with = trained(seed, true, (args.steps, LR));
        let without = trained(seed, false, (args.steps, LR));
        let gamma = with.model.attention.gamma.array();
        let mut closed = with.model.clone();
        closed.attention.gamma = Dev::default().zeros();
        print!("model {n}{:>18.4}", accuracy(&without.model, &without.test, false));
        print!("{:>17.4}{gamma:>10.4}", accuracy(&with.model, &with.test, true));
        println!("{:>17.4}", accuracy(&closed, &with.test, true));
        all.push(with);
    }
    let series = all.iter().enumerate().map(|(n, trained)| {
        let points = trained.gammas.iter().copied().step_by(5);
        Series::new(&format!("model {n}"), Mark::Line, points)
    });
    let plot =
        Plot { labels: ("step", "gamma"), series: series.collect(), ..Plot::default() };
    run.figure("gamma", &line_plots(&[plot], 1)?)?;
    attended(run, &all)
}

fn layer(dev: &Dev) {
    heading("Self-attention over pixels");
    let x: Tensor4<3, 16, 12, 15> = dev.sample_normal();
    let rows: Tensor3<3, 180, 16> = to_rows(x.clone());
    let mut layer: PixelAttention<16, 2> = PixelAttention::new(dev);
    for gamma in [0.0, 0.5] {
        layer.gamma = dev.tensor(gamma);
        let got = layer.forward(rows.clone());
        let output: Tensor4<3, 16, 12, 15> = to_picture(got.output);
        println!("gamma {gamma}");
        println!("  output  {:?}", output.shape().concrete());
        println!("  weights {:?}", got.weights.shape().concrete());
        println!("  output is the input: {}", output.array() == x.array());
    }
    channels_first(dev);
}

/// The weighted sum with channels first, where the weights stand on the right.
fn channels_first(dev: &Dev) {
    heading("Weights on the left, weights on the right");
    let scores: Tensor3<1, 180, 180> = dev.sample_normal();
    let weights = scores.softmax::<Axis<2>>();
    let rows: Tensor3<1, 180, 16> = dev.sample_normal();
    let left: Tensor3<1, 16, 180> = weights.clone().matmul(rows.clone()).permute();
    let channels: Tensor3<1, 16, 180> = rows.permute();
    let right = |weights| {
        let apart: Tensor3<1, 16, 180> =
            channels.clone().matmul(weights) - left.clone();
        apart.abs().max::<Rank0, _>().array()
    };
    let transposed: Tensor3<1, 180, 180> = weights.clone().permute();
    println!("A V against (Vᵀ Aᵀ)ᵀ   largest difference {:.4}", right(transposed));
    println!("A V against (Vᵀ A)ᵀ    largest difference {:.4}", right(weights));
}

/// Seeds that choose a rate, and seeds that are counted.
const CHOOSING: u64 = 2;
const COUNTED: u64 = 48;
/// Rates to choose from.
const RATES: [f32; 3] = [0.003, 0.01, 0.03];

/// A learning rate for each kind of model by pictures that judge nothing, then
/// many models of each kind from other seeds.
pub fn count(run: &RunArgs) -> Result<()> {
    run.print_settings(&(STEPS, RATES, CHOOSING, COUNTED), &[]);
    heading("Learning rates");
    print!("right on validation pictures, {STEPS} steps");
    RATES.iter().for_each(|rate| print!("{rate:>9}"));
    println!();
    let right =
        |model: &Trained, attention| accuracy(&model.model, &model.test, attention);
    let kinds = [("with attention", true), ("without attention", false)];
    for (name, attention) in kinds {
        print!("{name:<39}");
        for lr in RATES {
            let models = seeds(run.seed.wrapping_add(100), CHOOSING);
            let trained = |seed| trained(seed, attention, (STEPS, lr));
            let right = models.map(|seed| right(&trained(seed), attention));
            print!("{:>9.4}", spread(right).mean);
        }
        println!();
    }
    heading("Models of other seeds");
    println!("                           least  median    most");
    let models = || seeds(run.seed.wrapping_add(200), COUNTED);
    let with = models().map(|seed| trained(seed, true, (STEPS, LR)));
    let with: Vec<Trained> = with.collect();
    let without = models().map(|seed| trained(seed, false, (STEPS, LR)));
    let closed = with.iter().map(|one| {
        let mut model = one.model.clone();
        model.attention.gamma = Dev::default().zeros();
        accuracy(&model, &one.test, true)
    });
    let gammas: Vec<f32> =
        with.iter().map(|one| one.model.attention.gamma.array()).collect();
    let found: Vec<f32> = with.iter().map(|one| right(one, true)).collect();
    let good = found.iter().filter(|&&share| share > 0.9).count();
    three("right, with attention", found.into_iter());
    three("right, gamma set to 0", closed);
    three("right, without attention", without.map(|one| right(&one, false)));
    three("size of gamma", gammas.iter().map(|gamma| gamma.abs()));
    for (name, differ) in [("two kinds", true), ("one kind", false)] {
        let other = with.iter().map(|one| mean_shares(one, &maps(one), differ)[0]);
        three(&format!("weight: other, {name}"), other);
    }
    println!("with attention, right on more than 0.9: {good} of {COUNTED}");
    let positive = gammas.iter().filter(|&&gamma| gamma > 0.0).count();
    println!("gamma is positive in {positive} of {COUNTED}");
    starts(models().collect());
    Ok(())
}

/// How right models are after a hundred steps, by the start of gamma.
fn starts(seeds: Vec<u64>) {
    heading("The start of gamma, right after 100 steps");
    println!("                           least  median    most");
    let right = [0.0, 1.0, -1.0].map(|start| {
        let model = |&seed: &u64| {
            let dev = Dev::seed_from_u64(seed);
            let mut rng = StdRng::seed_from_u64(seed);
            let test: Test = ShapeBatch::new(&dev, &mut rng);
            let mut model = ShapeClassifier::new(&dev);
            model.attention.gamma = dev.tensor(start);
            train(&mut model, &mut rng, (100, LR), true, |_, _, _| ());
            accuracy(&model, &test, true)
        };
        let right: Vec<f32> = seeds.iter().map(model).collect();
        three(&format!("start at {start}"), right.iter().copied());
        right
    });
    for (name, other) in [("1", &right[1]), ("-1", &right[2])] {
        let better = right[0].iter().zip(other).filter(|(zero, other)| other > zero);
        println!("better from {name} than from 0: {} of {COUNTED}", better.count());
    }
}

/// Prints the least, the median and the most.
fn three(name: &str, numbers: impl Iterator<Item = f32>) {
    let Spread { least, median, most, .. } = spread(numbers);
    println!("{name:<25}{least:>8.3}{median:>8.3}{most:>8.3}");
}

fn trained(seed: u64, attention: bool, settings: (usize, f32)) -> Trained {
    let dev = Dev::seed_from_u64(seed);
    let mut rng = StdRng::seed_from_u64(seed);
    let test = ShapeBatch::new(&dev, &mut rng);
    let mut model = ShapeClassifier::new(&dev);
    let name = if attention { "with attention" } else { "without attention" };
    let (mut progress, mut gammas) = (Progress::new(name, settings.0), vec![]);
    train(&mut model, &mut rng, settings, attention, |step, loss, gamma| {
        progress.step(loss);
        gammas.push((step as f64, f64::from(gamma)));
    });
    Trained { model, test, gammas }
}

/// Prints where centres attend, and draws one picture.
fn attended(run: &RunArgs, all: &[Trained]) -> Result<()> {
    heading("Where a shape attends");
    println!("model   shapes         other     own    rest");
    for (n, trained) in all.iter().enumerate() {
        let maps = maps(trained);
        for (name, differ) in [("of two kinds", true), ("of one kind", false)] {
            let [other, own, rest] = mean_shares(trained, &maps, differ);
            println!("{n:>5}   {name:<12}{other:>8.3}{own:>8.3}{rest:>8.3}");
        }
    }
    let b = all[0].test.pictures.iter().position(two).unwrap_or(0);
    run.figure("shapes", &drawn(&all[0].test.pictures[b], &maps(&all[0])[b])?)
}

fn two(picture: &Picture) -> bool {
    picture.kinds[0] != picture.kinds[1]
}

/// The weights that a centre gives to the other shape, to its own and to the
/// rest, on average over the pictures of two kinds or of one.
fn mean_shares(trained: &Trained, maps: &[Vec<f32>], differ: bool) -> [f32; 3] {
    let pairs = trained.test.pictures.iter().zip(maps);
    let pairs = pairs.filter(|(picture, _)| two(picture) == differ);
    let parts: Vec<[f32; 3]> =
        pairs.flat_map(|(picture, map)| shares(picture, map)).collect();
    [0, 1, 2].map(|i| spread(parts.iter().map(|part| part[i])).mean)
}

/// The weights of each picture, a row of PIXELS for each pixel.
fn maps(trained: &Trained) -> Vec<Vec<f32>> {
    let features = trained.model.features(trained.test.patches.clone());
    let weights = trained.model.attention.forward(features).weights.as_vec();
    weights.chunks(PIXELS * PIXELS).map(<[f32]>::to_vec).collect()
}

/// The weights that one pixel gives.
fn row(map: &[f32], query: usize) -> &[f32] {
    &map[query * PIXELS..][..PIXELS]
}

/// For each centre, the weight of the other shape, of its own, of the rest.
fn shares(picture: &Picture, map: &[f32]) -> [[f32; 3]; 2] {
    let [a, b] = picture.centres;
    [[a, b], [b, a]].map(|[query, other]| {
        let on = |centre: usize| -> f32 {
            patch(centre).flatten().map(|pixel| row(map, query)[pixel]).sum()
        };
        [on(other), on(query), 1.0 - on(other) - on(query)]
    })
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The width of a pixel in a figure.
const CELL: f64 = 27.0;

/// Two corners of the pixel in the drawing of one query, and its centre.
fn corners(n: usize, pixel: usize) -> [(i32, i32); 3] {
    let (row, column) = ((pixel / SIDE) as f64, (pixel % SIDE) as f64);
    let left = 8.0 + n as f64 * (SIDE as f64 * CELL + 28.0);
    [0.0, 1.0, 0.5]
        .map(|part| (px(left + (column + part) * CELL), px(8.0 + (row + part) * CELL)))
}

/// A line around all that lies between two pixels.
fn frame(area: &Area, n: usize, pixels: [usize; 2], style: ShapeStyle) -> Result<()> {
    let [from, to] = [corners(n, pixels[0])[0], corners(n, pixels[1])[1]];
    let path = [from, (to.0, from.1), to, (from.0, to.1), from];
    Ok(area.draw(&PathElement::new(path.to_vec(), style))?)
}

/// The picture once for each centre: the shapes in grey, the centre framed,
/// and on each pixel a disc whose area is its weight.
fn drawn(picture: &Picture, map: &[f32]) -> Result<String> {
    draw(480, 232, |area| {
        for (n, &query) in picture.centres.iter().enumerate() {
            for (pixel, weight) in row(map, query).iter().enumerate() {
                let [from, to, middle] = corners(n, pixel);
                if picture.ink[pixel] > 0.5 {
                    area.draw(&Rectangle::new([from, to], GRID.filled()))?;
                }
                let radius = px(CELL * f64::from(weight.sqrt()) / 2.0);
                area.draw(&Circle::new(middle, radius, SERIES[1].filled()))?;
            }
            frame(area, n, [0, PIXELS - 1], GRID.stroke_width(4))?;
            frame(area, n, [query, query], SERIES[0].stroke_width(12))?;
        }
        Ok(())
    })
}
