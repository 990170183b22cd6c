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

/// B pictures as patches, and which shape is in each.
struct Pictures<const B: usize> {
    patches: Vec<f32>,
    shapes: [usize; B],
}

impl<const B: usize> Pictures<B> {
    fn new(rng: &mut StdRng) -> Self {
        let (mut patches, mut shapes) = (Vec::new(), [0; B]);
        for shape in &mut shapes {
            *shape = rng.gen_range(0..4u32) as usize;
            let [top, left] =
                [0; 2].map(|_: usize| rng.gen_range(0..=SIDE as u32 - 3) as usize);
            for at in 0..PATCHES * PIXELS {
                let (patch, pixel) = (at / PIXELS, at % PIXELS);
                let across = SIDE / PATCH;
                let y = patch / across * PATCH + pixel / PATCH;
                let x = patch % across * PATCH + pixel % PATCH;
                let inside =
                    (top..top + 3).contains(&y) && (left..left + 3).contains(&x);
                let ink =
                    inside && SHAPES[*shape][y - top].as_bytes()[x - left] == b'#';
                patches.push(f32::from(ink) + rng.gen_range(-0.2..0.2));
            }
        }
        Pictures { patches, shapes }
    }
}

struct Classifier {
    /// Takes the place of the vectors of words.
    patch: Linear<PIXELS, M>,
    encoder: TransformerEncoder<M, 4, 8, 64>,
    norm: LayerNorm<M>,
    shape: Linear<M, 4>,
}

parameters! { Classifier { patch, encoder, norm, shape } }

impl Classifier {
    fn new(dev: &Dev) -> Self {
        Classifier {
            patch: Linear::with_bias(dev),
            encoder: TransformerEncoder::new(dev, 1, 2, 0.0, NormPosition::Pre),
            norm: LayerNorm::new(dev),
            shape: Linear::with_bias(dev),
        }
    }

    /// For each picture and shape a logit.
    fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        patches: Tensor3<B, PATCHES, PIXELS, T>,
    ) -> Tensor2<B, 4, T> {
        let x = self.patch.forward(patches);
        let mut x = self.encoder.embedding.positions.forward(x);
        for block in &self.encoder.blocks {
            x = block.forward(x, &Mask::none()).output;
        }
        let x: Tensor2<B, M, T> = self.norm.forward(x).mean::<_, Axis<1>>();
        let x: Tensor3<1, B, M, T> = x.reshape();
        self.shape.forward(x).reshape()
    }
}

fn main() {
    let mut rng = StdRng::seed_from_u64(1);
    let new: Pictures<500> = Pictures::new(&mut rng);
    println!("{PATCHES} patches of {PIXELS} pixels");
    row("step", 6, &["right"]);
    let right = |model: &Classifier| {
        let dev = model.norm.gamma.device();
        let patches: Tensor3<500, PATCHES, PIXELS> =
            dev.tensor_from_vec(new.patches.clone(), Default::default());
        let logits = model.forward(patches).array();
        let found = logits.iter().map(|row| seq2seq::greedy::argmax(row));
        found.zip(new.shapes).filter(|(ours, shape)| ours == shape).count() as f64
            / 500.0
    };
    let mut progress = Progress::new("pictures", STEPS);
    let batch = || [Pictures::<B>::new(&mut rng), Pictures::new(&mut rng)];
    let loss = |model: &Classifier, part: &Pictures<B>| {
        let dev = model.norm.gamma.device();
        let patches: Tensor3<B, PATCHES, PIXELS> =
            dev.tensor_from_vec(part.patches.clone(), Default::default());
        let logits = model.forward(patches.leaky_trace());
        let right: [[f32; 4]; B] =
            part.shapes.map(|shape| std::array::from_fn(|n| f32::from(n == shape)));
        cross_entropy_with_logits_loss(logits, dev.tensor(right))
    };
    let on_step = |step: usize, loss, model: &Classifier| {
        progress.step(loss / 2.0);
        if step.is_multiple_of(STEPS / 6) {
            row(&step.to_string(), 6, &[format!("{:.3}", right(model))]);
        }
    };
    let model = train_steps(STEPS, 0.003, 0, Classifier::new, batch, loss, on_step);
    assert!(right(&model) > 0.9);
}
