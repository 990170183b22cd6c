//! Which of two words comes first? Without positions, with the sines and
//! cosines, and with a table of positions that is learned.
//!
//! Worked answer to exercise 2 of section 10.6.

use anyhow::Result;
use ch10_1::Dev;
use ch10_3::{Attended, ValidLens, fan_in};
use ch10_5::{MultiHeadAttention, Projection};
use ch10_6::{PositionalEncoding, self_attend};
use dfdx::optim::{Adam, AdamConfig};
use dfdx::prelude::*;
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
    words: Tensor<Rank3<B, S, WORDS>, f32, Dev>,
    first: Tensor<Rank2<B, 2>, f32, Dev>,
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

/// Positions that are added: a row for each place. Trained if LEARNED.
#[derive(Clone, Debug)]
struct Positions<const LEARNED: bool> {
    table: Tensor<Rank2<S, M>, f32, Dev>,
}

impl<const LEARNED: bool> TensorCollection<f32, Dev> for Positions<LEARNED> {
    type To<E2: Dtype, D2: Device<E2>> = ();

    fn iter_tensors<V: ModuleVisitor<Self, f32, Dev>>(
        visitor: &mut V,
    ) -> Result<Option<()>, V::Err> {
        let mut options = TensorOptions::reset_with(fan_in);
        options.do_gradient_update = LEARNED;
        visitor.visit_fields(
            Self::tensor("table", |s| &s.table, |s| &mut s.table, options),
            |_| (),
        )
    }
}

/// Words become rows, positions are added, two heads attend, and the mean of
/// what comes out says which word was first.
#[derive(Clone, Debug)]
struct Model<const LEARNED: bool> {
    words: Projection<WORDS, M, false>,
    positions: Positions<LEARNED>,
    attention: MultiHeadAttention<M, M, M, 2, 16, M>,
    says: Projection<M, 2, true>,
}

support::layer! {
    Model<LEARNED: bool> {
        words: layer, positions: layer, attention: layer, says: layer,
    }
}

impl<const LEARNED: bool> Model<LEARNED> {
    /// `table` is where the positions start, and stay unless LEARNED.
    fn new(dev: &Dev, table: Tensor<Rank2<S, M>, f32, Dev>) -> Self {
        Model {
            words: Projection::new(dev),
            positions: Positions { table },
            attention: MultiHeadAttention::new(dev, 0.0),
            says: Projection::new(dev),
        }
    }

    fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        words: Tensor<Rank3<B, S, WORDS>, f32, Dev, T>,
    ) -> Tensor<Rank2<B, 2>, f32, Dev, T> {
        let rows: Tensor<Rank3<B, S, M>, f32, Dev, T> = self.words.forward(words);
        let places: Tensor<Rank3<B, S, M>, f32, Dev, T> =
            self.positions.table.retaped::<T>().broadcast();
        let Attended { output, .. } =
            self_attend(&self.attention, rows + places, &ValidLens::All);
        let mean: Tensor<Rank2<B, M>, f32, Dev, T> = output.mean::<_, Axis<1>>();
        let mean: Tensor<Rank3<1, B, M>, f32, Dev, T> = mean.reshape();
        self.says.forward(mean).reshape()
    }

    /// Trains, and gives the share of new sequences that it is right on.
    fn train(&mut self, name: &str) -> Result<f32> {
        const STEPS: usize = 300;
        let (dev, mut rng) = (Dev::default(), StdRng::seed_from_u64(1062));
        let config = AdamConfig { lr: 0.003, ..Default::default() };
        let mut adam = Adam::new(self, config);
        let mut progress = Progress::new(name, STEPS);
        for _ in 0..STEPS {
            let batch: Batch<64> = Batch::new(&dev, &mut rng);
            let said = self.forward(batch.words.trace(self.alloc_grads()));
            let loss = cross_entropy_with_logits_loss(said, batch.first);
            progress.step(loss.array());
            adam.update(self, &loss.backward())?;
        }
        let test: Batch<1000> = Batch::new(&dev, &mut rng);
        let said = self.forward(test.words).array();
        let pairs = said.iter().zip(test.first.array());
        let right = pairs.filter(|(a, b)| (a[0] > a[1]) == (b[0] > b[1]));
        Ok(right.count() as f32 / 1000.0)
    }
}

/// The rows of a table, each with its place, its nearest other row's place,
/// and how alike they are: the cosine of the angle between them.
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

fn main() -> Result<()> {
    let start = || Dev::seed_from_u64(1062);
    let dev = start();
    let sines: PositionalEncoding<S, M> = PositionalEncoding::new(&dev, 0.0);
    let without = Model::<false>::new(&start(), dev.zeros()).train("none")?;
    let fixed = Model::<false>::new(&start(), sines.table).train("fixed")?;
    let mut model = Model::<true>::new(&start(), dev.zeros());
    model.positions.reset_params();
    let parameters = model.positions.num_trainable_params();
    let learned = model.train("learned")?;
    println!("positions   parameters of them   right");
    println!("none                         0{without:>8.3}");
    println!("fixed                        0{fixed:>8.3}");
    println!("learned{parameters:>23}{learned:>8.3}");
    println!();
    println!("learned row   most like   cosine");
    let nearest = neighbours(&model.positions.table.array());
    for (row, other, cosine) in &nearest {
        println!("{row:>11}{other:>12}{cosine:>9.3}");
    }
    assert!((0.45..0.55).contains(&without));
    assert!(fixed > 0.98 && learned > 0.98);
    // Nobody said which positions are neighbours: most rows found out.
    let next = |near: &&(usize, usize, f32)| near.0.abs_diff(near.1) == 1;
    assert!(nearest.iter().filter(next).count() >= 6);
    Ok(())
}
