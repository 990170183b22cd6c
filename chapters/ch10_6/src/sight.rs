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
use plotters::prelude::{
    Circle, DrawingArea, PathElement, Rectangle, SVGBackend,
};
use plotters::coord::Shift;
use plotters::style::Color;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{GRID, Mark, Plot, Progress, Run, SERIES, Series};
use support::{draw, heading, line_plots, px};

pub fn pixels(run: &Run, dev: &Dev) -> Result<()> {
    heading("Self-attention over pixels");
    let x: Tensor<Rank4<3, 16, 12, 15>, f32, Dev> = dev.sample_normal();
    let mut layer: PixelAttention<16, 2> = PixelAttention::new(dev);
    let rows: Tensor<Rank3<3, 180, 16>, f32, Dev> = to_rows(x.clone());
    println!("gamma  largest change");
    for gamma in [0.0, 0.5] {
        layer.gamma = dev.tensor(gamma);
        let Attended { output, weights } = layer.forward(rows.clone());
        let output: Tensor<Rank4<3, 16, 12, 15>, f32, Dev> = to_picture(output);
        let change = (output - x.clone()).abs().max::<Rank0, _>().array();
        println!("{gamma:>5}  {change:>14.4}");
        assert!(gamma != 0.0 || change == 0.0, "gamma 0 changes nothing");
        assert_eq!(weights.shape().concrete(), [3, 180, 180]);
    }
    shapes(run)
}
// ANCHOR_END: sight

// ANCHOR: seers
/// Pictures that no model was trained on.
type Test = Album<256>;

fn shapes(run: &Run) -> Result<()> {
    heading("What is the other shape?");
    println!("{:>18}{:>17}{:>9}", "without attention", "with", "gamma");
    let mut series = Vec::new();
    let mut first = None;
    for seed in run.seed..run.seed + 3 {
        let mut gammas = Vec::new();
        let (seer, test, with) = trained(seed, true, &mut gammas)?;
        let (.., without) = trained(seed, false, &mut Vec::new())?;
        let gamma = seer.attention.gamma.array();
        println!("{without:>18.4}{with:>17.4}{gamma:>9.4}");
        let mark = [Mark::Line, Mark::Dashes, Mark::LineDots][series.len()];
        series.push(Series::new(&format!("seed {seed}"), mark, gammas));
        first.get_or_insert((seer, test));
    }
    let labels = ("step", "gamma");
    let plot = Plot { labels, series, ..Plot::default() };
    run.figure("gamma", &line_plots(&[plot], 1)?)?;
    first.map_or(Ok(()), |(seer, test)| looks(run, &seer, &test))
}

/// Trains a model, and tells its share of right answers on the test.
fn trained(
    seed: u64,
    look: bool,
    gammas: &mut Vec<(f64, f64)>,
) -> Result<(Seer, Test, f32)> {
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
    let right = right(&seer, &test, look);
    Ok((seer, test, right))
}
// ANCHOR_END: seers

// ANCHOR: looks
/// How much weight the centres of shapes give to the other shape, to their
/// own, and to the paper.
fn looks(run: &Run, seer: &Seer, test: &Test) -> Result<()> {
    heading("Where a shape looks");
    let seen = seer.seen(test.views.clone());
    let weights = seer.attention.forward(seen).weights.as_vec();
    let row = |b: usize, q: usize| &weights[(b * PIXELS + q) * PIXELS..][..PIXELS];
    println!("{:<18}{:>7}{:>7}{:>7}", "kinds", "other", "own", "paper");
    for (name, alike) in [("different", false), ("alike", true)] {
        let (mut sums, mut count) = ([0.0; 3], 0.0);
        for (b, picture) in test.pictures.iter().enumerate() {
            if (picture.kinds[0] == picture.kinds[1]) != alike {
                continue;
            }
            let [one, other] = picture.centres;
            for (q, far) in [(one, other), (other, one)] {
                let part = |centre| around(centre).flatten().map(|p| row(b, q)[p]).sum::<f32>();
                let (own, far) = (part(q), part(far));
                sums = [sums[0] + far, sums[1] + own, sums[2] + 1.0 - far - own];
                count += 1.0;
            }
        }
        let [other, own, paper] = sums.map(|sum| sum / count);
        println!("{name:<18}{other:>7.3}{own:>7.3}{paper:>7.3}");
    }
    Ok(())
}
// ANCHOR_END: looks
