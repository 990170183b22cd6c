// ANCHOR: header
//! Interlude, training: a falling learning rate, clipping, and the batch split
//! over workers.

use crate::dataset::Dataset;
use crate::vocab::Batch;
use anyhow::{Result, bail, ensure};
use ch10_2::parameters::{Optimizer, Parameters};
use ch10_3::Adam;
use dfdx::prelude::*;
use kernels::{Dev, MaybeSend, Tensor0, Tensor1};
use rand::{SeedableRng, rngs::StdRng};
use rand_distr::Standard;
use std::cell::RefCell;
// ANCHOR_END: header

// ANCHOR: sizes
/// Steps of a sentence, its end included.
pub const STEPS: usize = 10;
/// Pairs in a batch.
pub const BATCH: usize = 64;
/// Workers that share a batch: as many whatever the machine, so that the
/// result is the same.
pub const WORKERS: usize = 2;
/// A worker's part of a batch.
pub const PART: usize = BATCH / WORKERS;
// ANCHOR_END: sizes

// ANCHOR: schedule
/// How long a model is trained, and with which learning rates.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    /// How often each pair is used.
    pub epochs: usize,
    /// The learning rate that it falls from.
    pub lr: f32,
    /// Share of it in the last epoch.
    pub final_lr_fraction: f32,
    /// Epochs at the start in which it rises.
    pub warm_up: usize,
}

impl Schedule {
    /// The learning rate of an epoch, counted from 0: after the warm-up it
    /// falls by the same amount each time.
    pub fn lr_of(&self, epoch: usize) -> f32 {
        if epoch < self.warm_up {
            return self.lr * (epoch + 1) as f32 / (self.warm_up + 1) as f32;
        }
        let last = self.epochs.saturating_sub(self.warm_up + 1).max(1);
        let gone = (epoch - self.warm_up) as f32 / last as f32;
        self.lr * (1.0 - (1.0 - self.final_lr_fraction) * gone)
    }
}
// ANCHOR_END: schedule

// ANCHOR: clip
/// Scales gradients down to the length `limit` if they are longer, all by the
/// same factor; returns the length before.
pub fn clip_gradients(gradients: &mut [f32], limit: f32) -> f32 {
    let squares: f64 = gradients.iter().map(|&g| f64::from(g) * f64::from(g)).sum();
    let length = squares.sqrt() as f32;
    if length > limit {
        gradients.iter_mut().for_each(|g| *g *= limit / length);
    }
    length
}
// ANCHOR_END: clip

// ANCHOR: model
/// A model that learns to translate.
pub trait Seq2SeqModel: Parameters + MaybeSend {
    /// The loss of each pair of a batch, with teacher forcing.
    fn loss<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor1<B, T>;

    /// The translation of a sentence, given as its tokens and its valid length.
    fn decode<const S: usize>(&self, source: ([usize; S], usize)) -> Vec<usize>;
}
// ANCHOR_END: model

// ANCHOR: trainer
/// A model in training. It exists once for each worker, equal but for the
/// random numbers of its dropout: a worker takes its part of a batch, and
/// after each step all have the same parameters.
pub struct Trainer<M> {
    models: Vec<M>,
    parameters: Vec<f32>,
    adam: Adam,
}

/// A scalar loss, with the tape that recorded how it was computed.
pub type Loss = Tensor0<OwnedTape<f32, Dev>>;

impl<M: Parameters + MaybeSend> Trainer<M> {
    /// Training from the start, by Adam with the learning rate `lr`. `model`
    /// makes a model on a device.
    ///
    /// # Panics
    /// There is no worker.
    pub fn new(workers: usize, seed: u64, lr: f32, model: impl Fn(&Dev) -> M) -> Self {
        let seeds = (0..workers as u64).map(|worker| seed.wrapping_add(worker));
        let mut models: Vec<M> =
            seeds.map(|seed| model(&Dev::seed_from_u64(seed))).collect();
        let parameters = models[0].flatten();
        for model in &mut models[1..] {
            model.load_flat(&parameters);
        }
        let adam = Adam::new(parameters.len(), lr);
        Trainer { models, parameters, adam }
    }
    // ANCHOR_END: trainer

    // ANCHOR: trainer_step
    /// One step on a batch, a part of it for each worker. `loss` computes the
    /// loss of a part; the result is their sum. The gradients are added, and
    /// clipped to the length 1.
    ///
    /// # Panics
    /// There are more parts than workers.
    pub fn step<P: Sync>(
        &mut self,
        parts: &[P],
        loss: impl Fn(&M, &P) -> Loss + Sync,
    ) -> f32 {
        assert!(parts.len() <= self.models.len(), "a part without a worker");
        let work = self.models.iter_mut().zip(parts).collect();
        let done = kernels::in_parallel(work, |(model, part): (&mut M, &P)| {
            let loss = loss(model, part);
            (loss.array(), model.flat_gradient(loss.backward()))
        });
        // In the order of the workers, not in the order they finish in.
        let (mut sum, mut gradients) = (0.0, vec![0.0; self.parameters.len()]);
        for (loss, part) in done {
            sum += loss;
            gradients.iter_mut().zip(&part).for_each(|(g, part)| *g += part);
        }
        clip_gradients(&mut gradients, 1.0);
        self.adam.update(&mut self.parameters, &gradients);
        for model in &mut self.models {
            model.load_flat(&self.parameters);
        }
        sum
    }
    // ANCHOR_END: trainer_step

    // ANCHOR: trainer_rest
    /// Sets the learning rate from the next step on.
    pub fn set_lr(&mut self, lr: f32) {
        self.adam.lr = lr;
    }

    /// The model as it is now.
    pub fn model(&self) -> &M {
        &self.models[0]
    }

    /// The model at the end.
    pub fn into_model(mut self) -> M {
        self.models.swap_remove(0)
    }

    /// Loads the parameters and the state of Adam that a training was left with.
    fn restore(&mut self, parameters: Vec<f32>, adam: Adam) {
        for model in &mut self.models {
            model.load_flat(&parameters);
        }
        (self.parameters, self.adam) = (parameters, adam);
    }
}
// ANCHOR_END: trainer_rest

// ANCHOR: train
/// Trains a model from the start on the training pairs of `dataset`, sentences
/// of [`STEPS`] steps. The result is the model, and the loss per token of each
/// epoch. `model` makes it on a device; `on_step` is called with the loss per
/// token and the number of tokens of each batch, `on_epoch` with the number of
/// each epoch that is done, from 1 on, and the model.
///
/// # Errors
/// There is no pair to train with.
pub fn train<M: Seq2SeqModel>(
    dataset: &Dataset,
    schedule: &Schedule,
    seed: u64,
    model: impl Fn(&Dev) -> M,
    on_step: impl FnMut(f32, usize),
    on_epoch: impl FnMut(usize, &M),
) -> Result<(M, Vec<f32>)> {
    train_with_steps::<STEPS, M>(dataset, schedule, seed, model, on_step, on_epoch)
}

/// A training, epoch by epoch, that can be left and resumed between two of them.
pub struct Training<M> {
    schedule: Schedule,
    trainer: Trainer<M>,
    rng: StdRng,
    /// The device of each worker, which draws the random numbers of its dropout.
    devices: Vec<Dev>,
    /// The loss per token of each epoch so far.
    pub losses: Vec<f32>,
}

impl<M: Seq2SeqModel> Training<M> {
    /// Begins a training: see [`train`].
    pub fn new(schedule: &Schedule, seed: u64, model: impl Fn(&Dev) -> M) -> Self {
        let devices = RefCell::new(Vec::new());
        let model = |dev: &Dev| {
            devices.borrow_mut().push(dev.clone());
            model(dev)
        };
        let trainer = Trainer::new(WORKERS, seed, schedule.lr, model);
        let (schedule, rng) = (*schedule, StdRng::seed_from_u64(seed));
        let devices = devices.into_inner();
        Training { schedule, trainer, rng, devices, losses: Vec::new() }
    }

    /// Returns the model as it is now.
    pub fn model(&mut self) -> &M {
        self.trainer.model()
    }

    /// Returns the model and the losses.
    pub fn finish(self) -> (M, Vec<f32>) {
        (self.trainer.into_model(), self.losses)
    }

    /// Returns the numbers that [`resume`](Self::resume) takes: the losses, the
    /// parameters, and the means and squares of Adam.
    pub fn state(&self) -> Vec<f32> {
        let Trainer { parameters, adam, .. } = &self.trainer;
        [&self.losses, parameters, &adam.means, &adam.squares].map(|x| &x[..]).concat()
    }

    /// Resumes a training after `epochs` epochs from its [`state`](Self::state); the
    /// other arguments are those that it began with. What follows is the same, to the
    /// last bit, as if it had not been left.
    ///
    /// # Errors
    /// If it is the state of another model, or there is no pair to train with.
    pub fn resume<const S: usize>(
        dataset: &Dataset,
        schedule: &Schedule,
        seed: u64,
        model: impl Fn(&Dev) -> M,
        epochs: usize,
        state: &[f32],
    ) -> Result<Self> {
        let mut training = Self::new(schedule, seed, &model);
        let count = training.trainer.parameters.len();
        ensure!(state.len() == epochs + 3 * count, "the state of another model");
        let (losses, state) = state.split_at(epochs);
        let [parameters, means, squares] =
            [0, 1, 2].map(|part| state[part * count..][..count].to_vec());
        // All random numbers that were drawn are drawn again: those of the order of
        // the pairs, and, for each part of a batch, those of the dropout.
        let (mut steps, mut parts) = (0, [0; WORKERS]);
        let mut first = None;
        for _ in 0..epochs {
            for batch in dataset.shuffled_batches::<S>(&mut training.rng)? {
                steps += 1;
                parts[..batch.len()].iter_mut().for_each(|parts| *parts += 1);
                first = first.or_else(|| batch.into_iter().next());
            }
        }
        if let Some(part) = &first {
            let drawn = drawn_for(part, seed, model)?;
            for (dev, parts) in training.devices.iter().zip(parts) {
                draw(dev, parts * drawn);
            }
        }
        let adam = Adam { lr: schedule.lr, means, squares, steps };
        training.trainer.restore(parameters, adam);
        training.losses = losses.to_vec();
        Ok(training)
    }
}

/// Draws random numbers as dropout does.
fn draw(dev: &Dev, count: usize) -> Vec<u32> {
    let drawn: Tensor<(usize,), u32, Dev> = dev.sample_like(&(count,), Standard);
    drawn.as_vec()
}

/// Returns how many random numbers the loss of a part draws: the same numbers come
/// after it as come after so many others of the same device.
fn drawn_for<const B: usize, const S: usize, M: Seq2SeqModel>(
    part: &Batch<B, S>,
    seed: u64,
    model: impl Fn(&Dev) -> M,
) -> Result<usize> {
    const SOME: usize = 4;
    let new = || {
        let dev = Dev::seed_from_u64(seed);
        (model(&dev), dev)
    };
    let (with, dev) = new();
    with.loss(part, OwnedTape::default());
    let after = draw(&dev, SOME);
    let (_, dev) = new();
    let mut all = draw(&dev, SOME);
    for drawn in 0..100_000 {
        if all.ends_with(&after) {
            return Ok(drawn);
        }
        all.append(&mut draw(&dev, 1));
    }
    bail!("its dropout draws too many numbers to be resumed")
}
// ANCHOR_END: train

// ANCHOR: train_with_steps
/// The same for sentences of S steps.
///
/// # Errors
/// As [`train`].
pub fn train_with_steps<const S: usize, M: Seq2SeqModel>(
    dataset: &Dataset,
    schedule: &Schedule,
    seed: u64,
    model: impl Fn(&Dev) -> M,
    mut on_step: impl FnMut(f32, usize),
    mut on_epoch: impl FnMut(usize, &M),
) -> Result<(M, Vec<f32>)> {
    let mut training = Training::new(schedule, seed, model);
    for epoch in 1..=schedule.epochs {
        training.epoch::<S>(dataset, &mut on_step)?;
        on_epoch(epoch, training.model());
    }
    Ok(training.finish())
}

impl<M: Seq2SeqModel> Training<M> {
    /// Trains with each pair once.
    ///
    /// # Errors
    /// If there is no pair to train with.
    pub fn epoch<const S: usize>(
        &mut self,
        dataset: &Dataset,
        mut on_step: impl FnMut(f32, usize),
    ) -> Result<()> {
        self.trainer.set_lr(self.schedule.lr_of(self.losses.len()));
        let (mut sum, mut count) = (0.0, 0);
        for parts in dataset.shuffled_batches::<S>(&mut self.rng)? {
            let tokens = parts.iter().map(Batch::target_tokens).sum();
            let loss = self.trainer.step(&parts, |model, part| {
                model.loss(part, OwnedTape::default()).sum()
            });
            // The loss of a pair is divided by the steps; here, by the tokens.
            let loss = loss * S as f32;
            on_step(loss / tokens as f32, tokens);
            (sum, count) = (sum + loss, count + tokens);
        }
        self.losses.push(sum / count as f32);
        Ok(())
    }
}
// ANCHOR_END: train_with_steps
