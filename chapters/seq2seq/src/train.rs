// ANCHOR: train_header
//! Interlude, training: Adam, clipping, and the batch split over workers.

use crate::parameters::Parameters;
use crate::vocab::Batch;
use ch10_1::Dev;
use ch10_3::loops::{add_scaled, dot};
use dfdx::prelude::*;
use support::Portable;
// ANCHOR_END: train_header

// ANCHOR: adam
/// Adam, with the constants of its paper: Kingma and Ba 2014, "Adam: A Method
/// for Stochastic Optimization", algorithm 1.
#[derive(Clone, Debug)]
pub struct Adam {
    rate: f32,
    means: Vec<f32>,
    squares: Vec<f32>,
    steps: i32,
}

impl Adam {
    /// For `count` parameters, with the learning rate `rate`.
    pub fn new(count: usize, rate: f32) -> Self {
        let zeros = vec![0.0; count];
        Adam { rate, means: zeros.clone(), squares: zeros, steps: 0 }
    }

    /// One step of all parameters against their gradients.
    pub fn update(&mut self, parameters: &mut [f32], gradients: &[f32]) {
        const BETAS: [f32; 2] = [0.9, 0.999];
        self.steps += 1;
        let [mean, square] = BETAS.map(|beta| 1.0 - beta.powi(self.steps));
        let (rate, root) = (self.rate / mean, square.sqrt());
        let memory = self.means.iter_mut().zip(&mut self.squares);
        for ((p, g), (m, s)) in parameters.iter_mut().zip(gradients).zip(memory) {
            *m += (1.0 - BETAS[0]) * (g - *m);
            *s += (1.0 - BETAS[1]) * (g * g - *s);
            *p -= rate * *m / (s.sqrt() / root + 1e-8);
        }
    }
}
// ANCHOR_END: adam

// ANCHOR: clip
/// Scales gradients down to the length `limit` if they are longer, all by the
/// same factor; gives the length they had.
pub fn clip(gradients: &mut [f32], limit: f32) -> f32 {
    let length = dot(gradients, gradients).sqrt();
    if length > limit {
        gradients.iter_mut().for_each(|g| *g *= limit / length);
    }
    length
}
// ANCHOR_END: clip

// ANCHOR: learner
/// A model that learns to translate: what training and scoring ask of it.
pub trait Learner: Parameters + Portable {
    /// The loss of each pair of a batch, with teacher forcing.
    fn loss<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B, S>,
        tape: T,
    ) -> Tensor<Rank1<B>, f32, Dev, T>;

    /// The translation of a row of tokens, of which so many count.
    fn answer<const S: usize>(&self, row: ([usize; S], usize)) -> Vec<usize>;
}
// ANCHOR_END: learner

// ANCHOR: training
/// A model in training. It exists once for each worker, equal but for the
/// random numbers of its dropout: a worker takes its part of a batch, and
/// after each step all have the same parameters.
pub struct Training<L> {
    models: Vec<L>,
    parameters: Vec<f32>,
    adam: Adam,
}

/// A loss, and how it was computed.
pub type Recorded = Tensor<Rank0, f32, Dev, OwnedTape<f32, Dev>>;
// ANCHOR_END: training

// ANCHOR: training_impl
impl<L: Parameters + Portable> Training<L> {
    /// Training from the start. `model` makes a model on a device.
    pub fn new(
        workers: usize,
        seed: u64,
        rate: f32,
        model: impl Fn(&Dev) -> L,
    ) -> Self {
        let devices = (seed..).take(workers).map(Dev::seed_from_u64);
        let mut models: Vec<_> = devices.map(|dev| model(&dev)).collect();
        let parameters = models[0].row();
        for model in &mut models[1..] {
            model.set_row(&parameters);
        }
        let adam = Adam::new(parameters.len(), rate);
        Training { models, parameters, adam }
    }

    /// Sets the learning rate from the next step on.
    pub fn set_rate(&mut self, rate: f32) {
        self.adam.rate = rate;
    }

    /// One step on a batch, a part of it for each worker, with the gradients
    /// clipped to the length 1. `loss` has the loss of a part; the result is
    /// their sum.
    pub fn step_on<P: Sync>(
        &mut self,
        parts: &[P],
        loss: impl Fn(&L, &P) -> Recorded + Sync,
    ) -> f32 {
        let work = self.models.iter_mut().zip(parts).collect();
        let done = support::in_parallel(work, |(model, part)| {
            let loss = loss(model, part);
            (loss.array(), model.gradient(loss.backward()))
        });
        // In the order of the workers, not in the order they finish in.
        let mut done = done.into_iter();
        let (mut loss, mut sum) = done.next().unwrap_or_default();
        for (part, gradients) in done {
            loss += part;
            add_scaled(&mut sum, 1.0, &gradients);
        }
        clip(&mut sum, 1.0);
        self.adam.update(&mut self.parameters, &sum);
        for model in &mut self.models {
            model.set_row(&self.parameters);
        }
        loss
    }

    /// The model at the end.
    pub fn into_model(mut self) -> L {
        self.models.swap_remove(0)
    }

    /// The model as it is now.
    pub fn model(&mut self) -> &mut L {
        &mut self.models[0]
    }
}

impl<L: Learner> Training<L> {
    /// The same on pairs. The result is the loss of each pair, summed.
    pub fn step<const B: usize, const S: usize>(
        &mut self,
        parts: &[Batch<B, S>],
    ) -> f32 {
        self.step_on(parts, |model, part| model.loss(part, OwnedTape::default()).sum())
    }
}
// ANCHOR_END: training_impl
