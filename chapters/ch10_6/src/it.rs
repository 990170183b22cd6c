// ANCHOR: it
//! A model of two layers of self-attention that says what "it" means: section
//! 10.6.

use crate::encoding::PositionalEncoding;
use crate::self_attention::self_attend;
use crate::sentences::{Sentence, VOCABULARY, WORDS, number, vocabulary};
use anyhow::Result;
use ch10_1::Dev;
use ch10_3::{Attended, ValidLens, fan_in};
use ch10_5::{MultiHeadAttention, Projection};
use dfdx::optim::{Adam, AdamConfig};
use dfdx::prelude::*;
use rand::rngs::StdRng;

/// Width of the model.
pub const WIDTH: usize = 32;
/// Heads of each layer.
pub const HEADS: usize = 2;
/// Width of a head.
const HEAD: usize = WIDTH / HEADS;

type Layer = MultiHeadAttention<WIDTH, WIDTH, WIDTH, HEADS, HEAD, WIDTH>;
// ANCHOR_END: it

// ANCHOR: batch
/// B sentences as a model reads them.
pub struct Batch<const B: usize> {
    /// The sentences.
    pub sentences: Vec<Sentence>,
    /// For each word its number, 0 after the end.
    pub words: Tensor<Rank2<B, WORDS>, usize, Dev>,
    /// Words of each sentence.
    pub lens: [usize; B],
    /// The place of each "it".
    pub it: Tensor<Rank1<B>, usize, Dev>,
    /// The noun that is meant, one-hot.
    pub answers: Tensor<Rank3<B, 1, VOCABULARY>, f32, Dev>,
}

impl<const B: usize> Batch<B> {
    /// Numbers the words.
    pub fn new(dev: &Dev, sentences: Vec<Sentence>) -> Self {
        let mut words = [[0; WORDS]; B];
        let (mut lens, mut it) = ([0; B], [0; B]);
        let mut answers = vec![0.0; B * VOCABULARY];
        for (b, sentence) in sentences.iter().enumerate() {
            for (to, word) in words[b].iter_mut().zip(&sentence.words) {
                *to = number(word);
            }
            lens[b] = sentence.words.len();
            it[b] = sentence.place("it");
            answers[b * VOCABULARY + number(sentence.meant)] = 1.0;
        }
        Self {
            sentences,
            words: dev.tensor(words),
            lens,
            it: dev.tensor(it),
            answers: dev.tensor_from_vec(answers, Default::default()),
        }
    }
}
// ANCHOR_END: batch

// ANCHOR: reader
/// Words and their places, two layers of attention, and a map to the word
/// that "it" stands for.
#[derive(Clone, Debug)]
pub struct Reader {
    /// A row for each word: (VOCABULARY, WIDTH).
    pub words: Tensor<Rank2<VOCABULARY, WIDTH>, f32, Dev>,
    /// Every word looks at every word.
    pub first: Layer,
    /// "it" looks at every word.
    pub second: Layer,
    /// Reads the answer off.
    pub answer: Projection<WIDTH, VOCABULARY, true>,
    /// The places; none for a reader of words alone.
    pub places: Option<PositionalEncoding<WORDS, WIDTH>>,
}

support::layer! {
    Reader { words: fan_in, first: layer, second: layer, answer: layer }
}

impl Reader {
    /// A reader that knows nothing yet, and is told of places or not.
    pub fn new(dev: &Dev, places: bool) -> Self {
        let mut reader = Self {
            words: dev.zeros(),
            first: Layer::new(dev, 0.0),
            second: Layer::new(dev, 0.0),
            answer: Projection::new(dev),
            places: places.then(|| PositionalEncoding::new(dev, 0.0)),
        };
        reader.reset_params();
        reader
    }
}
// ANCHOR_END: reader

// ANCHOR: read
/// What a reader makes of sentences.
pub struct Read<const B: usize, T = NoneTape> {
    /// For each word, how likely "it" stands for it.
    pub logits: Tensor<Rank3<B, 1, VOCABULARY>, f32, Dev, T>,
    /// Where each word looks in the first layer.
    pub first: Tensor<Rank4<B, HEADS, WORDS, WORDS>, f32, Dev>,
    /// Where "it" looks in the second.
    pub second: Tensor<Rank4<B, HEADS, 1, WORDS>, f32, Dev>,
}

/// Between the layers: all words, and "it" by itself.
struct Between<const B: usize, T> {
    words: Tensor<Rank3<B, WORDS, WIDTH>, f32, Dev, T>,
    it: Tensor<Rank3<B, 1, WIDTH>, f32, Dev, T>,
    first: Tensor<Rank4<B, HEADS, WORDS, WORDS>, f32, Dev>,
}

impl Reader {
    /// The first layer: each word adds to itself what it finds.
    fn between<const B: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B>,
        tape: T,
    ) -> Between<B, T> {
        let words = self.words.clone().put_tape(tape);
        let x: Tensor<Rank3<B, WORDS, WIDTH>, f32, Dev, T> =
            words.gather(batch.words.clone()) * (WIDTH as f32).sqrt();
        let x = match &self.places {
            Some(places) => places.forward(x),
            None => x,
        };
        let same = x.retaped::<T>();
        let lens = ValidLens::PerExample(batch.lens);
        let Attended { output, weights } = self_attend(&self.first, x, &lens);
        let (words, tape) = (output + same).split_tape();
        let it: Tensor<Rank2<B, WIDTH>, f32, Dev, T> =
            words.clone().put_tape(tape).select(batch.it.clone());
        Between { words: words.retaped(), it: it.reshape(), first: weights }
    }

    /// Says for each word how likely "it" stands for it.
    pub fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        batch: &Batch<B>,
        tape: T,
    ) -> Read<B, T> {
        let Between { words, it, first } = self.between(batch, tape);
        let same = it.retaped::<T>();
        let lens = ValidLens::PerExample(batch.lens);
        let Attended { output, weights } =
            self.second.forward(it, words.retaped(), words, &lens);
        let logits = self.answer.forward(output + same);
        Read { logits, first, second: weights }
    }
}
// ANCHOR_END: read

// ANCHOR: ablation
impl Reader {
    /// The logits when the weights of "it" in the second layer are changed:
    /// `change` gets each sentence with the row of each head.
    pub fn reweighed<const B: usize>(
        &self,
        batch: &Batch<B>,
        mut change: impl FnMut(&Sentence, &mut [f32]),
    ) -> Tensor<Rank3<B, 1, VOCABULARY>, f32, Dev> {
        let Between { words, it, .. } = self.between(batch, NoneTape);
        let queries = self.second.queries(it.clone());
        let pairs = self.second.pairs(words.clone(), words);
        let values = pairs.values.clone();
        let lens = ValidLens::PerExample(batch.lens);
        let looked = self.second.look(queries, pairs, &lens);
        let mut rows = looked.weights.as_vec();
        for (i, row) in rows.chunks_exact_mut(WORDS).enumerate() {
            change(&batch.sentences[i / HEADS], row);
        }
        let weights: Tensor<Rank4<B, HEADS, 1, WORDS>, f32, Dev> =
            it.device().tensor_from_vec(rows, Default::default());
        let found = self.second.combine(weights.matmul(values));
        self.answer.forward(found + it)
    }
}

/// Sets the weights at some places to 0; the others are scaled to sum to 1,
/// unless they are all 0.
pub fn mask(row: &mut [f32], places: &[usize]) {
    places.iter().for_each(|&place| row[place] = 0.0);
    let sum: f32 = row.iter().sum();
    if sum > 0.0 {
        row.iter_mut().for_each(|weight| *weight /= sum);
    }
}
// ANCHOR_END: ablation

// ANCHOR: answers
/// The words that logits stand for, one for each sentence.
pub fn answers<const B: usize>(
    logits: &Tensor<Rank3<B, 1, VOCABULARY>, f32, Dev>,
) -> Vec<&'static str> {
    let words = vocabulary();
    let rows = logits.as_vec();
    let likeliest = |row: &[f32]| {
        let best = (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]));
        words[best.unwrap_or(0)]
    };
    rows.chunks(VOCABULARY).map(likeliest).collect()
}

/// The share of sentences whose answer is what "it" means.
pub fn right<const B: usize>(
    batch: &Batch<B>,
    logits: &Tensor<Rank3<B, 1, VOCABULARY>, f32, Dev>,
) -> f32 {
    let given = answers(logits);
    let pairs = batch.sentences.iter().zip(&given);
    pairs.filter(|(s, given)| s.meant == **given).count() as f32 / B as f32
}
// ANCHOR_END: answers

// ANCHOR: train_reader
/// Trains on sentences drawn anew with Adam, and calls `seen` with the loss
/// of each step, in nats for each sentence.
///
/// # Errors
/// What the optimiser reports.
pub fn train(
    reader: &mut Reader,
    rng: &mut StdRng,
    steps: usize,
    mut seen: impl FnMut(f32),
) -> Result<()> {
    const BATCH: usize = 64;
    let dev = Dev::default();
    let config = AdamConfig { lr: 0.003, ..Default::default() };
    let mut adam = Adam::new(reader, config);
    for _ in 0..steps {
        let drawn = (0..BATCH).map(|_| Sentence::draw(rng, false)).collect();
        let batch: Batch<BATCH> = Batch::new(&dev, drawn);
        let tape = OwnedTape::default();
        let Read { logits, .. } = reader.forward(&batch, tape);
        let loss = cross_entropy_with_logits_loss(logits, batch.answers);
        seen(loss.array());
        adam.update(reader, &loss.backward())?;
    }
    Ok(())
}
// ANCHOR_END: train_reader
