//! What the norm does in a deep model: encoders of several depths learn to
//! reverse sequences, with the norm at either position and without it, and how
//! long the gradient of each block is meanwhile.

use super::reversal::held_out;
use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_7::EncoderBlock;
use ch10_7::NormPosition::{self, None, Post, Pre};
use ch10_7::reversal::{LEN, PART, Reverser, Sequence, random_sequence, reversed};
use ch10_7::training::train_steps;
use dfdx::tensor_ops::Backward;
use kernels::Dev;
use program::Job;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::train::WORKERS;
use support::{Mark, Plot, Progress, Series, heading, line_plots, row, seeds, spread};

/// What is trained: the norm, blocks, and steps.
const TRAININGS: [(NormPosition, usize, usize); 7] = [
    (Post, 1, 300),
    (Pre, 1, 300),
    (None, 1, 300),
    (Post, 6, 300),
    (Pre, 6, 300),
    (None, 6, 300),
    (Post, 6, 1200),
];
/// The learning rates of each. The figure shows the second.
const RATES: [f32; 4] = [0.001, 0.003, 0.01, 0.03];
/// Seeds of each.
const SEEDS: u64 = 12;
/// The steps whose gradients the figure shows.
const SHOWN: [usize; 4] = [0, 30, 100, 300];

/// The length of the gradient of each block after each step that is shown.
type Lengths = Vec<Vec<f64>>;

/// Trains all of them, prints the share of the symbols that are right, and
/// draws the gradients of six blocks.
pub fn depth(job: &Job) -> Result<()> {
    job.run.check_out()?;
    let settings = (TRAININGS, RATES, SEEDS, SHOWN, job.run.seed);
    job.run.print_settings(&settings, &[]);
    heading("Depth and the norm");
    row(
        "norm",
        6,
        &["blocks", "steps", "rate", "mean", "lowest", "highest", "learned"],
    );
    let mut plots = Vec::new();
    for (position, layers, steps) in TRAININGS {
        for rate in RATES {
            let train = |seed| training(position, layers, steps, rate, seed);
            let trained = seeds(job.run.seed, SEEDS).map(train);
            let (shares, lengths): (Vec<f64>, Vec<Lengths>) = trained.unzip();
            let learned = shares.iter().filter(|share| **share >= 0.99).count();
            let name = format!("{position:?}").to_lowercase();
            let cells = [layers.to_string(), steps.to_string(), rate.to_string()];
            let learned = [format!("{learned} of {SEEDS}")];
            row(&name, 6, &[&cells[..], &spread(shares).cells(3), &learned].concat());
            if layers > 1 && rate == RATES[1] && position != None {
                plots.push(plot(format!("{name}-norm, {steps} steps"), &lengths));
            }
        }
    }
    job.run.figure("gradients", &line_plots(&plots, 2)?)
}

/// The share of the symbols of held-out sequences that are right, and the
/// gradients on the way there.
fn training(
    position: NormPosition,
    layers: usize,
    steps: usize,
    rate: f32,
    seed: u64,
) -> (f64, Lengths) {
    let held_out = held_out(seed);
    let new = |dev: &Dev| Reverser::new(dev, layers, position);
    let mut rng = StdRng::seed_from_u64(seed);
    let batch = || -> [[Sequence; PART]; WORKERS] {
        std::array::from_fn(|_| std::array::from_fn(|_| random_sequence(&mut rng)))
    };
    let loss =
        |model: &Reverser, part: &[Sequence; PART]| model.loss(part, &Mask::none());
    let mut lengths = vec![gradients(new(&Dev::seed_from_u64(seed)))];
    let mut progress = Progress::new("reversing", steps);
    let model =
        train_steps(steps, rate, seed, new, batch, loss, |step, loss, model| {
            progress.step(loss / (WORKERS * PART) as f32);
            if SHOWN.contains(&step) {
                lengths.push(gradients(model.clone()));
            }
        });
    let (predicted, _) = model.predict(&held_out, &Mask::none());
    let right = held_out.map(|sequence| reversed(&sequence));
    let pairs = predicted.as_flattened().iter().zip(right.as_flattened());
    let right = pairs.filter(|(ours, right)| ours == right).count();
    (right as f64 / (held_out.len() * LEN) as f64, lengths)
}

/// The length of the gradient of the loss with respect to all parameters of a
/// block, for each block.
fn gradients(mut model: Reverser) -> Vec<f64> {
    let mut rng = StdRng::seed_from_u64(0);
    let part: [Sequence; PART] = std::array::from_fn(|_| random_sequence(&mut rng));
    let loss = model.loss(&part, &Mask::none()) / PART as f32;
    let gradients = loss.backward();
    let length = |block: &mut EncoderBlock<32, 1, 32, 64>| {
        let flat = block.flat_gradient(gradients.clone());
        flat.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt()
    };
    model.encoder.blocks.iter_mut().map(length).collect()
}

/// The mean over the trainings.
fn plot(title: String, trainings: &[Lengths]) -> Plot {
    let series = SHOWN.iter().enumerate().map(|(shown, step)| {
        let mean = |block: usize| {
            spread(trainings.iter().map(|lengths| lengths[shown][block])).mean
        };
        let blocks = 0..trainings[0][shown].len();
        let points = blocks.map(|block| (block as f64 + 1.0, mean(block)));
        Series::new(&format!("step {step}"), Mark::LineDots, points)
    });
    Plot {
        title,
        labels: ("Block", "Length of the gradient"),
        log: (false, true),
        series: series.collect(),
    }
}
