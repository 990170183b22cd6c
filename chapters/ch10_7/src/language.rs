// ANCHOR: language_header
//! Section 10.7, decoder alone: a model of what comes next. The blocks are
//! those of the encoder; what makes a decoder of them is the mask.

use crate::attention::{Seen, attend, see};
use crate::bigram::perplexity;
use crate::decoder::{Masked, causal};
use crate::encoder::{EncoderBlock, TransformerEncoder};
use crate::norm::NormAt;
use crate::ops;
use crate::stories::{STEPS, Stories};
use ch10_1::Dev;
use ch10_3::Attended;
use dfdx::prelude::*;
use rand::{SeedableRng, rngs::StdRng, seq::SliceRandom};
use seq2seq::loss::Words;
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::train::Training;
use seq2seq::vocab::{BOS, PAD};
// ANCHOR_END: language_header

// ANCHOR: language_model
/// A decoder without an encoder: at each position of a story, a probability
/// for each token that may come next.
#[derive(Clone, Debug)]
pub struct LanguageModel<
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
> {
    /// Vectors of the tokens, their positions, and blocks.
    pub body: TransformerEncoder<M, H, D, FFN>,
    /// Added to the logits of the tokens.
    pub b_out: Tensor<(usize,), f32, Dev>,
}

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    LanguageModel<M, H, D, FFN>
{
    /// As training starts from it, for a vocabulary of so many `words`.
    pub fn new(dev: &Dev, words: usize, layers: usize, dropout: f32) -> Self {
        let body = TransformerEncoder::new(dev, words, layers, dropout, NormAt::Pre);
        LanguageModel { body, b_out: dev.zeros_like(&(words,)) }
    }

    /// What turns a row into logits. Each token has one vector, by which it
    /// is read and by which it is written.
    pub fn words(&self) -> Words<'_, M> {
        (&self.body.embedding, &self.b_out)
    }
}
// ANCHOR_END: language_model

// ANCHOR: over
/// A block of the encoder over what is masked: `written` turns the keys and
/// values of the Q positions of `x` into those of all P that count.
pub(crate) fn over<
    const B: usize,
    const Q: usize,
    const P: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    const FFN: usize,
    T: Tape<f32, Dev>,
>(
    block: &EncoderBlock<M, H, D, FFN>,
    x: Tensor<Rank3<B, Q, M>, f32, Dev, T>,
    written: impl FnOnce(Seen<B, Q, M, T>) -> Masked<B, Q, P, M, T>,
) -> Attended<Rank3<B, Q, M>, Rank4<B, H, Q, P>, T> {
    let (x, tape) = x.split_tape();
    let query = block.around_attention.before(x.clone().put_tape(tape));
    let own = written(see(&block.attention, query.retaped::<T>()));
    let own = attend(&block.attention, query, own.seen, &own.lens);
    let y = block.around_attention.after(x, own.output);
    let (y, tape) = y.split_tape();
    let row = block.around_ffn.before(y.clone().put_tape(tape));
    let output = block.around_ffn.after(y, block.ffn.forward(row));
    Attended { output, weights: own.weights }
}
// ANCHOR_END: over

// ANCHOR: language_forward
/// Rows of the last layer, and the weights of each layer.
pub type Rows<
    const B: usize,
    const H: usize,
    const Q: usize,
    const P: usize,
    const M: usize,
    T = NoneTape,
> = (Tensor<Rank3<B, Q, M>, f32, Dev, T>, Vec<Tensor<Rank4<B, H, Q, P>, f32, Dev>>);

impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    LanguageModel<M, H, D, FFN>
{
    /// All positions of B stories at once, of which the first `lens` count.
    ///
    /// # Panics
    /// As [`TransformerEncoder::forward`].
    pub fn forward<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        tokens: &[[usize; S]; B],
        lens: &[usize; B],
        tape: T,
    ) -> Rows<B, H, S, S, M, T> {
        let (words, positions) = (&self.body.embedding, &self.body.positions);
        let mut x = ops::embed(tokens, words, positions, 0, tape);
        let mut weights = Vec::new();
        for block in &self.body.blocks {
            let own = |seen| Masked { seen, lens: causal(lens) };
            let after = over(block, x, own);
            x = after.output;
            weights.push(after.weights);
        }
        (self.finish(x), weights)
    }

    pub(crate) fn finish<const B: usize, const Q: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<B, Q, M>, f32, Dev, T>,
    ) -> Tensor<Rank3<B, Q, M>, f32, Dev, T> {
        match &self.body.last {
            Some(norm) => norm.forward(x),
            None => x,
        }
    }
}
// ANCHOR_END: language_forward

// ANCHOR: language_loss
impl<const M: usize, const H: usize, const D: usize, const FFN: usize>
    LanguageModel<M, H, D, FFN>
{
    /// For each story the sum of -ln p over its tokens, in nats, each token
    /// after those before it. A story of more than S tokens is cut off.
    ///
    /// # Panics
    /// There are more than B stories.
    pub fn loss<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        stories: &[&Vec<usize>],
        tape: T,
    ) -> Tensor<Rank1<B>, f32, Dev, T> {
        let (mut read, mut next) = ([[PAD; S]; B], [[PAD; S]; B]);
        let mut lens = [0; B];
        for (b, story) in stories.iter().enumerate() {
            lens[b] = story.len().min(S);
            next[b][..lens[b]].copy_from_slice(&story[..lens[b]]);
            read[b][0] = BOS;
            read[b][1..].copy_from_slice(&next[b][..S - 1]);
        }
        let (rows, _) = self.forward(&read, &lens, tape);
        ops::losses(rows, self.words(), &next, &lens) * S as f32
    }

    /// The perplexity of stories, none of them longer than S.
    pub fn perplexity<const S: usize>(&self, stories: &[Vec<usize>]) -> f64 {
        let sum = |story: &Vec<usize>| {
            let nats = self.loss::<S, 1, _>(&[story], NoneTape).array()[0];
            let mean = f64::from(nats) / story.len() as f64;
            std::iter::repeat_n(mean, story.len())
        };
        perplexity(stories.iter().flat_map(sum))
    }
}
// ANCHOR_END: language_loss

// ANCHOR: language_train
/// Stories in a batch, and in the part of it that each worker takes.
pub const BATCH: usize = 8;
const PART: usize = BATCH / 2;
/// The model of the book: two blocks of four heads.
pub type Storyteller = LanguageModel<64, 4, 16, 128>;

/// A storyteller as training starts from it.
pub fn storyteller(dev: &Dev, stories: &Stories) -> Storyteller {
    LanguageModel::new(dev, stories.words(), 2, 0.2)
}

/// Trains a storyteller in so many `steps` of a batch each. After each, `seen`
/// is told the sum of -ln p, the number of tokens, and the model. The rate
/// rises over the first tenth of the steps and falls after that.
pub fn train(
    stories: &Stories,
    steps: usize,
    seed: u64,
    mut seen: impl FnMut(f32, usize, &Storyteller),
) -> Storyteller {
    const RATE: f32 = 0.004;
    let model = |dev: &Dev| storyteller(dev, stories);
    let mut training = Training::new(2, seed, RATE, model);
    let mut rng = StdRng::seed_from_u64(seed);
    let mut order: Vec<&Vec<usize>> = Vec::new();
    for step in 1..=steps {
        if order.len() < BATCH {
            order = stories.training.iter().collect();
            order.shuffle(&mut rng);
        }
        let share = step as f32 / steps as f32;
        training.set_rate(RATE * (10.0 * share).min(1.05 - share));
        let batch = order.split_off(order.len() - BATCH);
        let tokens = batch.iter().map(|story| story.len()).sum();
        let parts: Vec<&[&Vec<usize>]> = batch.chunks(PART).collect();
        let loss = training.step_on(&parts, |model, part| {
            model.loss::<STEPS, PART, _>(part, OwnedTape::default()).sum()
        });
        seen(loss, tokens, training.model());
    }
    training.into_model()
}
// ANCHOR_END: language_train

// ANCHOR: language_parameters
impl<const M: usize, const H: usize, const D: usize, const FFN: usize> Parameters
    for LanguageModel<M, H, D, FFN>
{
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("body", self.body.parameters());
        all.push(("b_out".into(), &mut self.b_out));
        all
    }
}
// ANCHOR_END: language_parameters
