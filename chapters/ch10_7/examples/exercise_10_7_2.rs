//! The additive score in the place of the scaled dot product: what does
//! self-attention cost then, and does it learn?
//!
//! Worked answer to exercise 2 of section 10.7. The task is to turn a row of
//! letters around.

use ch10_1::Dev;
use ch10_3::{AdditiveAttention, ValidLens};
use ch10_7::attention::{attend, see};
use ch10_7::{NormAt, TransformerEncoder, words};
use dfdx::prelude::*;
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::gru::{uniform, xavier};
use seq2seq::loss::{Words, logits};
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::train::{Adam, clip};
use support::Progress;

const S: usize = 16;
const LETTERS: usize = 10;
const STEPS: usize = 400;
const B: usize = 32;
/// The width of the model, of its only head, and of the additive score.
const M: usize = 32;

type Rows<T> = Tensor<Rank3<B, S, M>, f32, Dev, T>;
type Letters = [[usize; S]; B];

struct Model {
    encoder: TransformerEncoder<M, 1, M, 64>,
    /// Of the additive score; without it the score is the dot product.
    w_v: Option<Tensor<Rank1<M>, f32, Dev>>,
    w_out: Tensor<(usize, Const<M>), f32, Dev>,
    b_out: Tensor<(usize,), f32, Dev>,
}

impl Model {
    fn new(dev: &Dev, additive: bool) -> Self {
        let encoder = TransformerEncoder::new(dev, LETTERS, 1, 0.0, NormAt::Post);
        let w_v = additive.then(|| uniform(dev, xavier(M, 1)));
        let normal = rand_distr::StandardNormal;
        let w_out = dev.sample_like(&(LETTERS, Const), normal);
        let w_out = w_out / (M as f32).sqrt();
        Model { encoder, w_v, w_out, b_out: dev.zeros_like(&(LETTERS,)) }
    }

    fn words(&self) -> Words<'_, M> {
        (&self.w_out, &self.b_out)
    }

    /// What the attention finds. Both scores have projections of queries and
    /// keys; one takes their product, the other tanh of their sum.
    fn found<T: Tape<f32, Dev>>(&self, x: Rows<T>) -> Rows<T> {
        let attention = &self.encoder.blocks[0].attention;
        let seen = see(attention, x.retaped::<T>());
        let Some(w_v) = &self.w_v else {
            return attend(attention, x, seen, &ValidLens::All).output;
        };
        let score: AdditiveAttention<M, M, M> = AdditiveAttention {
            w_q: attention.w_q.weight.clone(),
            w_k: attention.w_k.weight.clone(),
            w_v: w_v.clone(),
            dropout: 0.0,
        };
        let queries: Rows<T> = attention.w_q.forward(x);
        let (keys, values) = (seen.keys, seen.values);
        let all = ValidLens::All;
        let found = score.forward_fused(queries, keys, values, &all);
        attention.w_o.forward(found.output)
    }

    fn rows<T: Tape<f32, Dev>>(&self, letters: &Letters, tape: T) -> Rows<T> {
        let (encoder, block) = (&self.encoder, &self.encoder.blocks[0]);
        let (vectors, positions) = (&encoder.embedding, &encoder.positions);
        let x = words::embed(letters, vectors, positions, 0, tape);
        let (x, tape) = x.split_tape();
        let found = self.found(x.clone().put_tape(tape));
        let y = block.around_attention.after(x, found);
        let (y, tape) = y.split_tape();
        let network = block.ffn.forward(y.clone().put_tape(tape));
        block.around_ffn.after(y, network)
    }

    fn right(&self, letters: &Letters) -> f64 {
        let rows = self.rows(letters, NoneTape);
        let logits = logits(rows, self.words()).as_vec();
        let answers = logits.chunks(LETTERS).map(|row| {
            let all = (0..LETTERS).max_by(|&a, &b| row[a].total_cmp(&row[b]));
            all.expect("there are letters")
        });
        let right = letters.iter().flat_map(|row| reversed(*row));
        let right = answers.zip(right).filter(|(a, b)| a == b).count();
        right as f64 / (B * S) as f64
    }
}

impl Parameters for Model {
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("encoder", self.encoder.parameters());
        if let Some(w_v) = &mut self.w_v {
            all.push(("w_v".into(), w_v));
        }
        all.push(("w_out".into(), &mut self.w_out));
        all.push(("b_out".into(), &mut self.b_out));
        all
    }
}

fn reversed(mut row: [usize; S]) -> [usize; S] {
    row.reverse();
    row
}

fn draw(random: &mut StdRng) -> Letters {
    let mut letter = || random.gen_range(0..LETTERS as u32) as usize;
    std::array::from_fn(|_| std::array::from_fn(|_| letter()))
}

/// Trains, and tells the share of right letters after 100, 200 and 400 steps.
fn train(name: &str, model: &mut Model, new: &Letters) -> Vec<f64> {
    let mut random = StdRng::seed_from_u64(0);
    let mut row = model.row();
    let mut adam = Adam::new(row.len(), 0.003);
    let mut progress = Progress::new(name.to_string(), STEPS);
    let mut shares = Vec::new();
    for step in 1..=STEPS {
        let letters = draw(&mut random);
        let labels = letters.map(reversed);
        let rows = model.rows(&letters, OwnedTape::default());
        let losses = words::losses(rows, model.words(), &labels, &[S; B]);
        let loss = losses.mean();
        progress.step(loss.array());
        let mut gradient = model.gradient(loss.backward());
        clip(&mut gradient, 1.0);
        adam.update(&mut row, &gradient);
        model.set_row(&row);
        if [STEPS / 4, STEPS / 2, STEPS].contains(&step) {
            shares.push(model.right(new));
        }
    }
    shares
}

fn main() {
    let new = draw(&mut StdRng::seed_from_u64(1));
    println!("score        parameters  products  tanh  right after 100, 200, 400");
    let mut seen = Vec::new();
    for (name, additive) in [("dot product", false), ("additive", true)] {
        let mut model = Model::new(&Dev::seed_from_u64(0), additive);
        let shares = train(name, &mut model, &new);
        let products = S * S * M;
        let bends = if additive { products } else { 0 };
        let count = model.count();
        let told = shares.iter().map(|share| format!("{share:7.3}"));
        let told: String = told.collect();
        println!("{name:12} {count:10} {products:9} {bends:5} {told}");
        seen.push((count, shares[2]));
    }
    assert_eq!(seen[1].0 - seen[0].0, M, "one weight for each hidden unit");
    assert!(seen.iter().all(|(_, share)| *share > 0.95), "{seen:?}");
}
