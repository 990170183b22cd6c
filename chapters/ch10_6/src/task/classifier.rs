//! A model that says at each shape of a picture which the other one is, with
//! attention over the pixels or without.

use super::shapes::{KINDS, PATCH, PIXELS, ShapeBatch};
use crate::pixels::PixelAttention;
use ch10_2::parameters;
use ch10_2::parameters::{Parameters, step};
use ch10_3::{Adam, AttentionOutput, Linear};
use dfdx::prelude::*;
use kernels::{Dev, Tensor0, Tensor3};
use rand::rngs::StdRng;

/// Channels of a pixel inside the model.
pub const CHANNELS: usize = 16;
/// The learning rate of the book's runs.
pub const LR: f32 = 0.01;
/// The steps of the book's runs.
pub const STEPS: usize = 300;

/// A convolution of three by three, attention over the pixels, and a linear
/// layer that scores the answers.
#[derive(Clone, Debug)]
pub struct ShapeClassifier {
    /// The convolution, as a linear layer on patches.
    pub convolution: Linear<PATCH, CHANNELS>,
    /// Brings pixels together.
    pub attention: PixelAttention<CHANNELS, 2>,
    /// From a pixel to a score for each shape.
    pub output: Linear<CHANNELS, KINDS>,
}

parameters! { ShapeClassifier { convolution, attention, output } }

impl ShapeClassifier {
    /// An untrained model.
    pub fn new(dev: &Dev) -> Self {
        Self {
            convolution: Linear::with_bias(dev),
            attention: PixelAttention::new(dev),
            output: Linear::with_bias(dev),
        }
    }

    /// The channels of each pixel, before attention.
    pub fn features<const B: usize, T: Tape<f32, Dev>>(
        &self,
        patches: Tensor3<B, PIXELS, PATCH, T>,
    ) -> Tensor3<B, PIXELS, CHANNELS, T> {
        self.convolution.forward(patches).relu()
    }

    /// Scores at each pixel, with attention or without.
    pub fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        patches: Tensor3<B, PIXELS, PATCH, T>,
        attention: bool,
    ) -> Tensor3<B, PIXELS, KINDS, T> {
        let features = self.features(patches);
        if !attention {
            return self.output.forward(features);
        }
        let AttentionOutput { output, .. } = self.attention.forward(features);
        self.output.forward(output)
    }
}

/// The cross-entropy of a batch, in nats a question.
pub fn loss<const B: usize, T: Tape<f32, Dev>>(
    logits: Tensor3<B, PIXELS, KINDS, T>,
    batch: &ShapeBatch<B>,
) -> Tensor0<T> {
    // dfdx takes the mean over all pixels, but only two of each picture ask.
    let questions_a_pixel = 2.0 / PIXELS as f32;
    cross_entropy_with_logits_loss(logits, batch.answers.clone()) / questions_a_pixel
}

/// Pictures in a batch.
const BATCH: usize = 32;

/// Compiled once, here, and not wherever a training is called.
fn train_step(
    model: &mut ShapeClassifier,
    adam: &mut Adam,
    batch: &ShapeBatch<BATCH>,
    attention: bool,
) -> f32 {
    let logits = model.forward(batch.patches.leaky_trace(), attention);
    step(model, adam, loss(logits, batch))
}

/// Trains on new pictures with Adam, and calls `on_step` with each step, from
/// 1, its loss, and gamma after it.
pub fn train(
    model: &mut ShapeClassifier,
    rng: &mut StdRng,
    (steps, lr): (usize, f32),
    attention: bool,
    mut on_step: impl FnMut(usize, f32, f32),
) {
    let dev = Dev::default();
    let mut adam = Adam::new(model.count(), lr);
    for i in 1..=steps {
        let batch = ShapeBatch::new(&dev, rng);
        let nats = train_step(model, &mut adam, &batch, attention);
        on_step(i, nats, model.attention.gamma.array());
    }
}

/// The share of questions whose likeliest answer is right.
pub fn accuracy<const B: usize>(
    model: &ShapeClassifier,
    batch: &ShapeBatch<B>,
    attention: bool,
) -> f32 {
    let logits = model.forward(batch.patches.clone(), attention).as_vec();
    let mut right = 0;
    for (logits, picture) in logits.chunks(PIXELS * KINDS).zip(&batch.pictures) {
        for (pixel, answer) in picture.questions() {
            let scores = &logits[pixel * KINDS..][..KINDS];
            right += usize::from(likeliest(scores) == answer);
        }
    }
    right as f32 / (2 * B) as f32
}

/// The index of the highest score; 0 if there are none.
pub fn likeliest(scores: &[f32]) -> usize {
    let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    best.unwrap_or(0)
}
