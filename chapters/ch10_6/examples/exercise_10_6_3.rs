//! A layer that learns how much each head attends to each offset, to the left
//! or to the right, and one with the sines and cosines: both learn on short
//! sequences, and are asked about long ones.
//!
//! Worked answer to exercise 3 of section 10.6. A number for each head and
//! offset, added to the score: Raffel et al. 2020, "Exploring the Limits of
//! Transfer Learning with a Unified Text-to-Text Transformer", section 2.1.

use ch10_2::parameters;
use ch10_2::parameters::{Parameters, step};
use ch10_3::{Adam, Linear, uniform};
use ch10_5::{KeyValues, MultiHeadAttention, merge_heads, split_heads};
use ch10_6::PositionalEncoding;
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3, Tensor4};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use support::Progress;

/// Words of the language, width of a row, heads and their width.
const WORDS: usize = 10;
const M: usize = 32;
const H: usize = 2;
const D: usize = 16;

/// Offsets that are told apart: -4 and less, -3, … 3, 4 and more.
const FAR: usize = 4;
const OFFSETS: usize = 2 * FAR + 1;

/// Words as one-hot rows.
type Words<const B: usize, const S: usize, T = NoneTape> = Tensor3<B, S, WORDS, T>;

/// A layer of two heads, with a bias for each head and offset; or without, and
/// with sines and cosines.
#[derive(Clone, Debug)]
struct Model {
    words: Linear<WORDS, M>,
    layer: MultiHeadAttention<M, H, D>,
    bias: Option<Tensor2<H, OFFSETS>>,
    output: Linear<M, WORDS>,
}

parameters! { Model { words, layer, bias, output } }

impl Model {
    fn new(dev: &Dev, relative: bool) -> Self {
        Model {
            words: Linear::new(dev),
            layer: MultiHeadAttention::new(dev, 0.0),
            bias: relative.then(|| uniform(dev, 0.3)),
            output: Linear::with_bias(dev),
        }
    }

    /// For each query and key, the bias of their offset: (H, S, S). Longer
    /// sequences have no further parameters.
    fn biases<const S: usize, T: Tape<f32, Dev>>(
        bias: &Tensor2<H, OFFSETS>,
    ) -> Tensor3<H, S, S, T> {
        let mut one_hot = vec![0.0; OFFSETS * S * S];
        for pair in 0..S * S {
            let (query, key) = (pair / S, pair % S);
            let offset = (key + FAR).saturating_sub(query).min(2 * FAR);
            one_hot[offset * S * S + pair] = 1.0;
        }
        let one_hot: Tensor<(Const<OFFSETS>, usize), f32, Dev> =
            Dev::default().tensor_from_vec(one_hot, (Const, S * S));
        bias.retaped::<T>().matmul(one_hot).reshape_like(&Default::default())
    }

    fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        words: Words<B, S, T>,
    ) -> Words<B, S, T> {
        let mut x: Tensor3<B, S, M, T> = self.words.forward(words);
        if self.bias.is_none() {
            let dev = Dev::default();
            x = PositionalEncoding::<32, M>::new(&dev, 0.0).forward(x);
        }
        let KeyValues { keys, values } =
            self.layer.project_kv(x.retaped::<T>(), x.retaped::<T>());
        let queries: Tensor4<B, H, S, D, T> = split_heads(self.layer.w_q.forward(x));
        let keys: Tensor4<B, H, S, D, T> = split_heads(keys);
        let values: Tensor4<B, H, S, D, T> = split_heads(values);
        let keys: Tensor4<B, H, D, S, T> = keys.permute();
        let mut scores = (queries / (D as f32).sqrt()).matmul(keys);
        if let Some(bias) = &self.bias {
            scores = scores + Self::biases::<S, T>(bias).broadcast();
        }
        let found = scores.softmax::<Axis<3>>().matmul(values);
        let merged: Tensor3<B, S, M, T> = merge_heads(found);
        self.output.forward(self.layer.w_o.forward(merged))
    }
}

/// Words at random, and for each position the word to its left; the first has
/// none, and is not asked.
fn task<const B: usize, const S: usize>(
    rng: &mut StdRng,
) -> (Words<B, S>, Words<B, S>) {
    let (mut words, mut left) = (vec![0.0; B * S * WORDS], vec![0.0; B * S * WORDS]);
    for i in 0..B * S {
        let word = rng.gen_range(0..WORDS as u32) as usize;
        words[i * WORDS + word] = 1.0;
        if i % S < S - 1 {
            left[(i + 1) * WORDS + word] = 1.0;
        }
    }
    let tensor = |cells| Dev::default().tensor_from_vec(cells, Default::default());
    (tensor(words), tensor(left))
}

/// The share of right answers on sequences of length S.
fn right<const S: usize>(model: &Model) -> f32 {
    let (words, left) = task::<100, S>(&mut StdRng::seed_from_u64(1));
    let (logits, left) = (model.forward(words).as_vec(), left.as_vec());
    let best = |row: &[f32]| (0..WORDS).max_by(|&a, &b| row[a].total_cmp(&row[b]));
    let pairs = logits.chunks(WORDS).zip(left.chunks(WORDS));
    let asked = pairs.filter(|(_, left)| left.contains(&1.0));
    let right = asked.filter(|(logits, left)| best(logits) == best(left));
    right.count() as f32 / (100 * (S - 1)) as f32
}

fn trained(seed: u64, relative: bool) -> Model {
    const STEPS: usize = 400;
    let mut rng = StdRng::seed_from_u64(seed + 1000);
    let mut model = Model::new(&Dev::seed_from_u64(seed), relative);
    let mut adam = Adam::new(model.count(), 0.01);
    let name = if relative { "relative" } else { "sines and cosines" };
    let mut progress = Progress::new(name, STEPS);
    for _ in 0..STEPS {
        let (words, left) = task::<32, 8>(&mut rng);
        let logits = model.forward(words.leaky_trace());
        let loss = cross_entropy_with_logits_loss(logits, left);
        progress.step(step(&mut model, &mut adam, loss));
    }
    model
}

fn main() {
    println!("positions            seed   length 8   length 24   biases doubled");
    let mut biases = Vec::new();
    for (name, relative) in [("sines and cosines", false), ("relative", true)] {
        for seed in 0..3 {
            let mut model = trained(seed, relative);
            let (short, long) = (right::<8>(&model), right::<24>(&model));
            print!("{name:<21}{seed:>4}{short:>11.3}{long:>12.3}");
            assert!(short > 0.95, "both learn the task");
            assert!(if relative { long > 0.9 } else { long < 0.5 });
            biases.extend(model.bias.clone());
            // Larger margins leave less for the keys that do not matter.
            model.bias = model.bias.map(|bias| bias * 2.0);
            if relative {
                let doubled = right::<24>(&model);
                print!("{doubled:>17.3}");
                assert!(doubled > 0.99);
            }
            println!();
        }
    }
    println!();
    println!("bias of each offset, -4 to 4, seed 0");
    for (h, head) in biases[0].array().iter().enumerate() {
        let numbers = head.iter().map(|bias| format!("{bias:7.2}"));
        println!("head {h}  {}", numbers.collect::<String>());
    }
}
