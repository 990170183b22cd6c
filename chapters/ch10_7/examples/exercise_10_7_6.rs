//! Pictures without a convolution: patches in the place of words. Which shape
//! is in the picture?
//!
//! Worked answer to exercise 6 of section 10.7. A picture has eight by eight
//! pixels with noise, and one of four shapes of three by three at a random place.

use ch10_2::parameters;
use ch10_3::{Linear, Mask};
use ch10_7::training::train_steps;
use ch10_7::{LayerNorm, NormPosition, TransformerEncoder};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::greedy::argmax;
use support::{Progress, row};

const SIDE: usize = 8;
/// A patch is PATCH by PATCH pixels; there are PATCHES in a picture.
const PATCH: usize = 2;
const PIXELS: usize = PATCH * PATCH;
const PATCHES: usize = (SIDE / PATCH) * (SIDE / PATCH);
const B: usize = 32;
const STEPS: usize = 600;
const M: usize = 32;

const SHAPES: [[&str; 3]; 4] = [
    ["###", "#.#", "###"],
    [".#.", "###", ".#."],
    ["#.#", ".#.", "#.#"],
    ["###", ".#.", ".#."],
];

type Patches = [[f32; PIXELS]; PATCHES];

/// Noise, and a shape somewhere in it; which of the four it is.
fn picture(rng: &mut StdRng) -> (Patches, usize) {
    let mut picture = [[0f32; SIDE]; SIDE];
    let pixels = picture.as_flattened_mut().iter_mut();
    pixels.for_each(|pixel| *pixel = rng.gen_range(-0.2..0.2));
    let mut draw = |below: u32| rng.gen_range(0..below) as usize;
    let (shape, top, left) = (draw(4), draw(SIDE as u32 - 2), draw(SIDE as u32 - 2));
    for (y, line) in SHAPES[shape].iter().enumerate() {
        for (x, _) in line.bytes().enumerate().filter(|(_, ink)| *ink == b'#') {
            picture[top + y][left + x] += 1.0;
        }
    }
    (patches(&picture), shape)
}

/// The patches of a picture, line by line, each with its pixels line by line.
fn patches(picture: &[[f32; SIDE]; SIDE]) -> Patches {
    let across = SIDE / PATCH;
    let pixel = |patch: usize, n: usize| {
        let (y, x) = (patch / across * PATCH, patch % across * PATCH);
        picture[y + n / PATCH][x + n % PATCH]
    };
    std::array::from_fn(|patch| std::array::from_fn(|n| pixel(patch, n)))
}

/// B pictures.
fn pictures<const B: usize>(rng: &mut StdRng) -> [(Patches, usize); B] {
    std::array::from_fn(|_| picture(rng))
}

struct Classifier {
    /// Takes the place of the vectors of words.
    patch: Linear<PIXELS, M>,
    encoder: TransformerEncoder<M, 4, 8, 64>,
    norm: LayerNorm<M>,
    shape: Linear<M, 4>,
    /// A control: no positions, and each patch attends to itself alone.
    alone: bool,
}

parameters! { Classifier { patch, encoder, norm, shape } }

impl Classifier {
    fn new(dev: &Dev, alone: bool) -> Self {
        Classifier {
            patch: Linear::with_bias(dev),
            encoder: TransformerEncoder::new(dev, 1, 2, 0.0, NormPosition::Pre),
            norm: LayerNorm::new(dev),
            shape: Linear::with_bias(dev),
            alone,
        }
    }

    /// For each picture and shape a logit.
    fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        pictures: &[(Patches, usize); B],
        tape: T,
    ) -> Tensor2<B, 4, T> {
        let patches = pictures.each_ref().map(|(patches, _)| *patches);
        let patches: Tensor3<B, PATCHES, PIXELS> =
            self.norm.gamma.device().tensor(patches);
        let x = self.patch.forward(patches.put_tape(tape));
        let mut x = match self.alone {
            true => x,
            false => self.encoder.embedding.positions.forward(x),
        };
        let mask = Mask::from_fn(|_, q, k| q == k || !self.alone);
        for block in &self.encoder.blocks {
            x = block.forward(x, &mask).output;
        }
        let x: Tensor2<B, M, T> = self.norm.forward(x).mean::<_, Axis<1>>();
        let x: Tensor3<1, B, M, T> = x.reshape();
        self.shape.forward(x).reshape()
    }
}

fn trained(name: &str, alone: bool) -> Vec<f64> {
    let mut rng = StdRng::seed_from_u64(1);
    let new = pictures::<500>(&mut rng);
    let right = |model: &Classifier| {
        let logits = model.forward(&new, NoneTape).array();
        let found = logits.iter().map(|row| argmax(row)).zip(&new);
        found.filter(|(ours, (_, shape))| ours == shape).count() as f64 / 500.0
    };
    let mut progress = Progress::new(name, STEPS);
    let batch = || [pictures::<B>(&mut rng), pictures(&mut rng)];
    let loss = |model: &Classifier, part: &[(Patches, usize); B]| {
        let logits = model.forward(part, OwnedTape::default());
        let label = |shape| std::array::from_fn(|n| f32::from(n == shape));
        let labels: [[f32; 4]; B] = part.each_ref().map(|(_, shape)| label(*shape));
        cross_entropy_with_logits_loss(logits, model.norm.gamma.device().tensor(labels))
    };
    let mut shares = Vec::new();
    let on_step = |step: usize, loss, model: &Classifier| {
        progress.step(loss / 2.0);
        if step.is_multiple_of(STEPS / 6) {
            shares.push(right(model));
        }
    };
    let new = |dev: &Dev| Classifier::new(dev, alone);
    train_steps(STEPS, 0.003, 0, new, batch, loss, on_step);
    shares
}

fn main() {
    println!("{PATCHES} patches of {PIXELS} pixels, pictures right");
    row("step", 6, &["all", "alone"]);
    let [all, alone] =
        [("all", false), ("alone", true)].map(|(name, alone)| trained(name, alone));
    for (n, both) in all.iter().zip(&alone).enumerate() {
        let cells = [both.0, both.1].map(|share| format!("{share:.3}"));
        row(&((n + 1) * STEPS / 6).to_string(), 6, &cells);
    }
    assert!(all[5] > 0.98 && alone[5] > 0.98, "{all:?} {alone:?}");
}
