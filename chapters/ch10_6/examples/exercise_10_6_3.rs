//! A layer that learns how much each head looks so many places to the left or
//! to the right, and one with the sines and cosines: both learn on short
//! sequences, and are asked about long ones.
//!
//! Worked answer to exercise 3 of section 10.6. A number for each head and
//! offset, added to the score: Raffel et al. 2020, "Exploring the Limits of
//! Transfer Learning with a Unified Text-to-Text Transformer", section 2.1.

use anyhow::Result;
use ch10_1::Dev;
use ch10_3::fan_in;
use ch10_5::{MultiHeadAttention, Pairs, Projection};
use ch10_6::PositionalEncoding;
use dfdx::optim::{Adam, AdamConfig};
use dfdx::prelude::*;
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
type Words<const B: usize, const S: usize, T = NoneTape> =
    Tensor<Rank3<B, S, WORDS>, f32, Dev, T>;

/// A layer of two heads, with a bias for each head and offset.
#[derive(Clone, Debug)]
struct Relative {
    layer: MultiHeadAttention<M, M, M, H, D, M>,
    bias: Tensor<Rank2<H, OFFSETS>, f32, Dev>,
}

support::layer! { Relative { layer: layer, bias: fan_in } }

impl Relative {
    /// For each query and key, the bias of their offset: (H, S, S). Longer
    /// sequences have no further parameters.
    fn biases<const S: usize, T: Tape<f32, Dev>>(
        &self,
    ) -> Tensor<Rank3<H, S, S>, f32, Dev, T> {
        let mut one_hot = vec![0.0; OFFSETS * S * S];
        for (pair, (query, key)) in
            (0..S).flat_map(|q| (0..S).map(move |k| (q, k))).enumerate()
        {
            let offset = (key + FAR).saturating_sub(query).min(2 * FAR);
            one_hot[offset * S * S + pair] = 1.0;
        }
        let one_hot: Tensor<(Const<OFFSETS>, usize), f32, Dev> =
            Dev::default().tensor_from_vec(one_hot, (Const, S * S));
        let biases = self.bias.retaped::<T>().matmul(one_hot);
        biases.reshape_like(&Default::default())
    }

    /// The biases are multiplied by `gate`: with 0 they do nothing, and are
    /// not trained.
    fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, S, M>, f32, Dev, T>,
        gate: f32,
    ) -> Tensor<Rank3<B, S, M>, f32, Dev, T> {
        let (keys, values) = (x.retaped::<T>(), x.retaped::<T>());
        let queries: Tensor<Rank4<B, H, S, D>, f32, Dev, T> = self.layer.queries(x);
        let Pairs { keys, values } = self.layer.pairs(keys, values);
        let keys: Tensor<Rank4<B, H, D, S>, f32, Dev, T> = keys.permute();
        let scores: Tensor<Rank4<B, H, S, S>, f32, Dev, T> =
            (queries / (D as f32).sqrt()).matmul(keys);
        let biases = (self.biases::<S, T>() * gate).broadcast();
        let weights = (scores + biases).softmax::<Axis<3>>();
        self.layer.combine(weights.matmul(values))
    }
}

/// Either says for each place which word stands one place to the left.
#[derive(Clone, Debug)]
struct Model<const RELATIVE: bool> {
    words: Projection<WORDS, M, false>,
    attention: Relative,
    says: Projection<M, WORDS, true>,
}

support::layer! {
    Model<RELATIVE: bool> { words: layer, attention: layer, says: layer }
}

impl<const RELATIVE: bool> Model<RELATIVE> {
    fn new(dev: &Dev) -> Self {
        let layer = MultiHeadAttention::new(dev, 0.0);
        Model {
            words: Projection::new(dev),
            attention: Relative { layer, bias: dev.zeros() },
            says: Projection::new(dev),
        }
    }

    fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        words: Words<B, S, T>,
    ) -> Words<B, S, T> {
        let rows: Tensor<Rank3<B, S, M>, f32, Dev, T> = self.words.forward(words);
        if RELATIVE {
            return self.says.forward(self.attention.forward(rows, 1.0));
        }
        let encoding: PositionalEncoding<32, M> =
            PositionalEncoding::new(&Dev::default(), 0.0);
        let rows = encoding.forward(rows);
        self.says.forward(self.attention.forward(rows, 0.0))
    }
}

/// Words at random, and for each place the word to its left; the first has
/// none, and is not asked.
fn task<const B: usize, const S: usize>(
    rng: &mut StdRng,
) -> (Words<B, S>, Words<B, S>) {
    let (mut words, mut left) = (vec![0.0; B * S * WORDS], vec![0.0; B * S * WORDS]);
    for place in 0..B * S {
        let word = rng.gen_range(0..WORDS as u32) as usize;
        words[place * WORDS + word] = 1.0;
        if place % S < S - 1 {
            left[(place + 1) * WORDS + word] = 1.0;
        }
    }
    let tensor = |cells| Dev::default().tensor_from_vec(cells, Default::default());
    (tensor(words), tensor(left))
}

/// The share of right answers on sequences of length S.
fn right<const S: usize, const RELATIVE: bool>(model: &Model<RELATIVE>) -> f32 {
    let (words, left) = task::<100, S>(&mut StdRng::seed_from_u64(1));
    let (said, left) = (model.forward(words).as_vec(), left.as_vec());
    let best = |row: &[f32]| (0..WORDS).max_by(|&a, &b| row[a].total_cmp(&row[b]));
    let pairs = said.chunks(WORDS).zip(left.chunks(WORDS));
    let asked = pairs.filter(|(_, left)| left.contains(&1.0));
    let right = asked.filter(|(said, left)| best(said) == best(left));
    right.count() as f32 / (100 * (S - 1)) as f32
}

fn trained<const RELATIVE: bool>(name: &str) -> Result<Model<RELATIVE>> {
    const STEPS: usize = 400;
    let mut rng = StdRng::seed_from_u64(1063);
    let mut model: Model<RELATIVE> = Model::new(&Dev::seed_from_u64(1063));
    let config = AdamConfig { lr: 0.01, ..Default::default() };
    let mut adam = Adam::new(&model, config);
    let mut progress = Progress::new(name, STEPS);
    for _ in 0..STEPS {
        let (words, left) = task::<32, 8>(&mut rng);
        let said = model.forward(words.trace(model.alloc_grads()));
        let loss = cross_entropy_with_logits_loss(said, left);
        progress.step(loss.array());
        adam.update(&mut model, &loss.backward())?;
    }
    Ok(model)
}

fn main() -> Result<()> {
    let absolute = trained::<false>("sines and cosines")?;
    let relative = trained::<true>("relative")?;
    let rows = [
        ("sines and cosines", [right::<8, _>(&absolute), right::<24, _>(&absolute)]),
        ("relative", [right::<8, _>(&relative), right::<24, _>(&relative)]),
    ];
    println!("positions            length 8   length 24");
    for (name, [short, long]) in rows {
        println!("{name:<21}{short:>8.3}{long:>12.3}");
    }
    println!();
    println!("bias of each offset, -4 to 4");
    for (h, head) in relative.attention.bias.array().iter().enumerate() {
        let numbers = head.iter().map(|bias| format!("{bias:7.2}"));
        println!("head {h}  {}", numbers.collect::<String>());
    }
    let [[short, long], [near, far]] = rows.map(|row| row.1);
    assert!(short > 0.95 && long < 0.7);
    assert!(near > 0.99 && far > 0.9);
    let left = FAR - 1;
    for head in relative.attention.bias.array() {
        let least = head[left] - 1.0;
        assert!((0..OFFSETS).all(|o| o == left || head[o] < least));
    }
    Ok(())
}
