//! The additive score in the place of the scaled dot product: what does
//! self-attention cost then, and does it learn?
//!
//! Worked answer to exercise 2 of section 10.7. The task is the reversal of
//! sequences.

use ch10_2::parameters;
use ch10_2::parameters::Parameters;
use ch10_3::{AdditiveAttention, Linear, Mask};
use ch10_7::reversal::{LEN, PART, SYMBOLS, Sequence, random_sequence, reversed};
use ch10_7::training::train_steps;
use ch10_7::{FeedForward, NormPosition, Residual, TokenEmbedding};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::greedy::argmax;
use seq2seq::loss::{OutputLayer, masked_cross_entropy};
use seq2seq::train::WORKERS;
use support::Progress;

const STEPS: usize = 400;
/// The width of the model, of its only head, and of the additive score.
const M: usize = 32;

/// One head: queries and keys are projected as in 10.5; the score is w_vᵀ
/// tanh(q + k), or qᵀk / √M where there is no w_v.
struct OneHead {
    score: AdditiveAttention<M, M, M>,
    additive: bool,
    w_value: Linear<M, M>,
    w_o: Linear<M, M>,
}

parameters! { OneHead { score, w_value, w_o } }

impl OneHead {
    fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<B, LEN, M, T>,
    ) -> Tensor3<B, LEN, M, T> {
        let values = self.w_value.forward(x.retaped::<T>());
        let none = Mask::none();
        let found = if self.additive {
            self.score.forward(x.retaped::<T>(), x, values, &none)
        } else {
            let queries = self.score.w_q.forward(x.retaped::<T>());
            let keys = self.score.w_k.forward(x);
            let dot = ch10_3::DotProductAttention { dropout: 0.0 };
            dot.forward(queries, keys, values, &none)
        };
        self.w_o.forward(found.output)
    }
}

/// A block of the encoder with that head.
struct Model {
    embedding: TokenEmbedding<M>,
    attention: OneHead,
    attention_residual: Residual<M>,
    feed_forward: FeedForward<M, 64>,
    feed_forward_residual: Residual<M>,
    output: OutputLayer<M>,
}

parameters! {
    Model {
        embedding, attention, attention_residual, feed_forward,
        feed_forward_residual, output
    }
}

impl Model {
    fn new(dev: &Dev, additive: bool) -> Self {
        let residual = || Residual::new(dev, 0.0, NormPosition::Post);
        let score = AdditiveAttention::new(dev, 0.0);
        let (w_value, w_o) = (Linear::new(dev), Linear::new(dev));
        Model {
            embedding: TokenEmbedding::new(dev, SYMBOLS, 0.0),
            attention: OneHead { score, additive, w_value, w_o },
            attention_residual: residual(),
            feed_forward: FeedForward::new(dev),
            feed_forward_residual: residual(),
            output: OutputLayer::new(dev, SYMBOLS),
        }
    }

    fn rows<const B: usize, T: Tape<f32, Dev>>(
        &self,
        sequences: &[Sequence; B],
        tape: T,
    ) -> Tensor3<B, LEN, M, T> {
        let x = self.embedding.forward(sequences, 0, tape);
        let attend = |x| (self.attention.forward(x), ());
        let (x, ()) = self.attention_residual.forward(x, attend);
        let network = |x| (self.feed_forward.forward(x), ());
        self.feed_forward_residual.forward(x, network).0
    }

    /// The share of the symbols that are right.
    fn right(&self, sequences: &[Sequence; 64]) -> f64 {
        let logits = self.output.logits(self.rows(sequences, NoneTape)).as_vec();
        let ours = logits.chunks(SYMBOLS).map(argmax);
        let wanted = sequences.iter().flat_map(reversed);
        let right = ours.zip(wanted).filter(|(a, b)| a == b).count();
        right as f64 / (64 * LEN) as f64
    }
}

fn main() {
    let mut rng = StdRng::seed_from_u64(1);
    let new: [Sequence; 64] = std::array::from_fn(|_| random_sequence(&mut rng));
    let mut ends = Vec::new();
    println!("score        parameters  products  tanh  right after 100, 200, 400");
    for (name, additive) in [("dot product", false), ("additive", true)] {
        let mut progress = Progress::new(name, STEPS);
        let mut rng = StdRng::seed_from_u64(0);
        let batch = || -> [[Sequence; PART]; WORKERS] {
            std::array::from_fn(|_| std::array::from_fn(|_| random_sequence(&mut rng)))
        };
        let loss = |model: &Model, part: &[Sequence; PART]| {
            let rows = model.rows(part, OwnedTape::default());
            let labels = part.each_ref().map(reversed);
            let OutputLayer { weight, bias } = &model.output;
            masked_cross_entropy(rows, weight, bias, &labels, &[LEN; PART]).sum()
        };
        let mut shares = Vec::new();
        let on_step = |step, loss, model: &Model| {
            progress.step(loss / (PART * WORKERS) as f32);
            if [100, 200, 400].contains(&step) {
                shares.push(model.right(&new));
            }
        };
        let model = |dev: &Dev| Model::new(dev, additive);
        let mut model = train_steps(STEPS, 0.003, 0, model, batch, loss, on_step);
        drop(progress);
        let products = LEN * LEN * M;
        // Without the additive score its w_v is there, but not used.
        let count = model.count() - if additive { 0 } else { M };
        let tanh = if additive { products } else { 0 };
        ends.push((count, shares[2]));
        let shares: String =
            shares.iter().map(|share| format!("{share:7.3}")).collect();
        println!("{name:12} {count:10} {products:9} {tanh:5} {shares}");
    }
    assert_eq!(ends[1].0 - ends[0].0, M, "one weight for each hidden unit");
    assert!(ends.iter().all(|(_, share)| *share > 0.95), "{ends:?}");
}
