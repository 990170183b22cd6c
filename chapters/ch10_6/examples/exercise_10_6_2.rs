//! Which of two words comes first? Without positions, with the sines and
//! cosines, and with a table of positions that is learned.
//!
//! Worked answer to exercise 2 of section 10.6.

use ch10_2::parameters;
use ch10_2::parameters::{Parameters, step};
use ch10_3::{Adam, Linear, Mask, uniform};
use ch10_5::MultiHeadAttention;
use ch10_6::{PositionalEncoding, self_attention};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use support::Progress;

/// Words of a sequence, of the language, and the width of a row.
const S: usize = 8;
const WORDS: usize = 10;
const M: usize = 32;

/// Words 0 and 1 occur once in each sequence, among others: one-hot rows, and
/// for each sequence a 1 at the one of them that comes first.
struct Batch<const B: usize> {
    words: Tensor3<B, S, WORDS>,
    first: Tensor2<B, 2>,
}

impl<const B: usize> Batch<B> {
    fn new(dev: &Dev, rng: &mut StdRng) -> Self {
        let mut words = vec![0.0; B * S * WORDS];
        let mut first = vec![0.0; B * 2];
        for b in 0..B {
            let mut other = || rng.gen_range(2..WORDS as u32) as usize;
            let mut sequence: [usize; S] = std::array::from_fn(|_| other());
            (sequence[0], sequence[1]) = (0, 1);
            sequence.shuffle(rng);
            for (s, word) in sequence.iter().enumerate() {
                words[(b * S + s) * WORDS + word] = 1.0;
            }
            let found = sequence.iter().find(|&&word| word < 2);
            first[2 * b + found.copied().unwrap_or(0)] = 1.0;
        }
        let words = dev.tensor_from_vec(words, Default::default());
        Batch { words, first: dev.tensor_from_vec(first, Default::default()) }
    }
}

/// Words become rows, positions are added, two heads attend, and the mean of
/// what comes out says which word was first.
#[derive(Clone, Debug)]
struct Model {
    words: Linear<WORDS, M>,
    /// A row for each position, learned.
    learned: Option<Tensor2<S, M>>,
    /// A row for each position, fixed.
    fixed: Option<Tensor2<S, M>>,
    attention: MultiHeadAttention<M, 2, 16>,
    output: Linear<M, 2>,
}

parameters! { Model { words, learned, attention, output } }

impl Model {
    fn new(dev: &Dev) -> Self {
        Model {
            words: Linear::new(dev),
            learned: None,
            fixed: None,
            attention: MultiHeadAttention::new(dev, 0.0),
            output: Linear::with_bias(dev),
        }
    }

    fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        words: Tensor3<B, S, WORDS, T>,
    ) -> Tensor3<1, B, 2, T> {
        let mut rows = self.words.forward(words);
        for table in self.learned.iter().chain(&self.fixed) {
            rows = rows + table.retaped::<T>().broadcast();
        }
        let output = self_attention(&self.attention, rows, &Mask::none()).output;
        let mean: Tensor2<B, M, T> = output.mean::<_, Axis<1>>();
        self.output.forward(mean.reshape())
    }

    /// Trains, and gives the share of new sequences that it is right on.
    fn train(&mut self, name: &str) -> f32 {
        const STEPS: usize = 300;
        let (dev, mut rng) = (Dev::default(), StdRng::seed_from_u64(1062));
        let mut adam = Adam::new(self.count(), 0.003);
        let mut progress = Progress::new(name, STEPS);
        for _ in 0..STEPS {
            let batch: Batch<64> = Batch::new(&dev, &mut rng);
            let logits = self.forward(batch.words.leaky_trace());
            let first: Tensor3<1, 64, 2> = batch.first.reshape();
            let loss = cross_entropy_with_logits_loss(logits, first);
            progress.step(step(self, &mut adam, loss));
        }
        let test: Batch<1000> = Batch::new(&dev, &mut rng);
        let logits = self.forward(test.words).array()[0];
        let pairs = logits.iter().zip(test.first.array());
        let right = pairs.filter(|(a, b)| (a[0] > a[1]) == (b[0] > b[1]));
        right.count() as f32 / 1000.0
    }
}

/// The rows of a table: position, that of the nearest other row, and how alike
/// they are: the cosine of the angle between them.
fn neighbours(table: &[[f32; M]; S]) -> Vec<(usize, usize, f32)> {
    let dot = |a: usize, b: usize| -> f32 {
        let pairs = table[a].iter().zip(&table[b]);
        pairs.map(|(a, b)| a * b).sum()
    };
    let alike = |a: usize, b: usize| dot(a, b) / (dot(a, a) * dot(b, b)).sqrt();
    let nearest = |a: usize| {
        let others = (0..S).filter(|&b| b != a);
        let all = others.map(|b| (a, b, alike(a, b)));
        all.max_by(|x, y| x.2.total_cmp(&y.2))
    };
    (0..S).filter_map(nearest).collect()
}

fn main() {
    let start = || Dev::seed_from_u64(1062);
    let sines: PositionalEncoding<S, M> = PositionalEncoding::new(&start(), 0.0);
    let without = Model::new(&start()).train("none");
    let mut fixed = Model { fixed: Some(sines.table), ..Model::new(&start()) };
    let fixed = fixed.train("fixed");
    let table = uniform(&start(), 0.2);
    let mut model = Model { learned: Some(table), ..Model::new(&start()) };
    let learned = model.train("learned");
    let table = model.learned.expect("is learned");
    println!("positions   parameters of them   right");
    println!("none                         0{without:>8.3}");
    println!("fixed                        0{fixed:>8.3}");
    println!("learned{:>23}{learned:>8.3}", table.as_vec().len());
    println!();
    println!("learned row   most like   cosine");
    let nearest = neighbours(&table.array());
    for (row, other, cosine) in &nearest {
        println!("{row:>11}{other:>12}{cosine:>9.3}");
    }
    assert!((0.45..0.55).contains(&without));
    assert!(fixed > 0.98 && learned > 0.98);
    // Nothing says which positions are neighbours: most rows come out so.
    let next = |near: &&(usize, usize, f32)| near.0.abs_diff(near.1) == 1;
    assert!(nearest.iter().filter(next).count() >= 6);
}
