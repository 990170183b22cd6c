//! Page 10.7: one token on its way through one block, and one of its heads: what
//! `EncoderBlock::forward` or `DecoderBlock::forward` computes, stage by stage.

use crate::ch10_7::TransformerPage;
use crate::language_model::LISTED;
use crate::one_head::OneHead;
use crate::sentence::Sentence;
use crate::{Candidate, Page, json, largest};
use anyhow::Result;
use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use ch10_7::feed_forward::FeedForward;
use ch10_7::norm::Residual;
use ch10_7::translator::{FFN, HEAD_WIDTH, HEADS, LAYERS, WIDTH};
use dfdx::prelude::*;
use kernels::Tensor3;
use seq2seq::train::STEPS;
use seq2seq::vocab::{BOS, PAD};
use serde::{Deserialize, Serialize};

/// A row of N numbers for each token.
type Rows<const N: usize> = Tensor3<1, STEPS, N>;

/// The translator of the section, and its vocabularies.
pub struct BlockPage(pub TransformerPage);

/// What the figure asks: the [`Way`] of a token.
#[derive(Deserialize)]
pub struct Question {
    /// In English.
    pub sentence: String,
    /// What the decoder has written so far; none for a token of the sentence,
    /// which is on its way through the encoder.
    pub written: Option<Vec<String>>,
    /// Which token: of the sentence, or of `<bos>` and what is written.
    pub at: usize,
    /// Which block, below 2.
    pub layer: usize,
    /// Which head, below 4.
    pub head: usize,
}

/// All numbers of a token in a block.
#[derive(Debug, Serialize)]
pub struct Way {
    /// The token.
    pub token: String,
    /// In the encoder one, in the decoder two: to what is written, and to what is
    /// read.
    pub attentions: Vec<Attended>,
    /// After them.
    pub network: Network,
    /// What may be written next, the most probable first; none but after the last
    /// block of the decoder.
    pub next: Vec<Candidate>,
}

/// A token in an attention with its residual connection.
#[derive(Debug, Serialize)]
pub struct Attended {
    /// Its row.
    pub x: Vec<f32>,
    /// The tokens that have a key and a value.
    pub tokens: Vec<String>,
    /// Whether the token may attend to them.
    pub allowed: Vec<bool>,
    /// From its query to what the head finds.
    pub head: OneHead,
    /// What all heads find, one after another.
    pub heads: Vec<f32>,
    /// That times W_o.
    pub attended: Vec<f32>,
    /// Its row, and what was attended to.
    pub sum: Vec<f32>,
    /// That sum, normalised.
    pub norm: Vec<f32>,
}

/// A token in the feed-forward network with its residual connection.
#[derive(Debug, Serialize)]
pub struct Network {
    /// The hidden units, after the ReLU.
    pub hidden: Vec<f32>,
    /// What they make.
    pub made: Vec<f32>,
    /// The row of before, and that.
    pub sum: Vec<f32>,
    /// That sum, normalised: what the block returns.
    pub norm: Vec<f32>,
}

impl Page for BlockPage {
    type Question = Question;

    fn new(model: &[u8]) -> Result<Self> {
        TransformerPage::new(model).map(BlockPage)
    }

    fn answer(&mut self, question: Question) -> Result<String> {
        let vocab = &self.0.vocabularies.source;
        let source = Sentence::new(&question.sentence, vocab)?.source;
        json(&match &question.written {
            None => self.read(source, &question),
            Some(written) => self.written(source, written, &question),
        })
    }
}

impl BlockPage {
    /// The way of a token of the sentence through a block of the encoder.
    fn read(&self, (source, len): ([usize; STEPS], usize), question: &Question) -> Way {
        let place = Place { at: question.at, head: question.head };
        let read = self.0.vocabularies.source.decode(&source);
        let mask = Mask::valid_lens([len]);
        let encoder = &self.0.model.encoder;
        let mut x = encoder.embedding.forward(&[source], 0, NoneTape);
        for block in &encoder.blocks[..question.layer] {
            x = block.forward(x, &mask).output;
        }
        let block = &encoder.blocks[question.layer];
        let (attention, residual) = (&block.self_attention, &block.attention_residual);
        let (attended, z) =
            place.attention(attention, residual, (x.clone(), x), (&mask, &read));
        let (network, _) =
            place.network(&block.feed_forward, &block.feed_forward_residual, z);
        let token = read[place.at].clone();
        Way { token, attentions: vec![attended], network, next: vec![] }
    }

    /// The way of `<bos>` or of a token that was written through a block of the
    /// decoder.
    fn written(
        &self,
        (source, len): ([usize; STEPS], usize),
        written: &[String],
        question: &Question,
    ) -> Way {
        let steps = written.len() + 1;
        let place = Place { at: question.at, head: question.head };
        let TransformerPage { vocabularies, model } = &self.0;
        let mut input = [PAD; STEPS];
        let numbers = written.iter().map(|token| vocabularies.target.number(token));
        let numbers = [BOS].into_iter().chain(numbers);
        input.iter_mut().zip(numbers).for_each(|(input, number)| *input = number);
        let read = vocabularies.source.decode(&source);
        let written = vocabularies.target.decode(&input);
        let (mask, causal) = (Mask::valid_lens([len]), Mask::causal_within([steps]));
        let (memory, _) = model.encoder.forward(&[source], &mask, NoneTape);
        let mut x = model.decoder.embedding.forward(&[input], 0, NoneTape);
        for block in &model.decoder.blocks[..question.layer] {
            x = block.forward(x, &causal, &memory, &mask).0;
        }
        let block = &model.decoder.blocks[question.layer];
        let (attention, residual) = (&block.self_attention, &block.attention_residual);
        let own = (&causal, &written[..]);
        let (first, x) = place.attention(attention, residual, (x.clone(), x), own);
        let (attention, residual) = (&block.cross_attention, &block.cross_residual);
        let cross = (&mask, &read[..]);
        let (second, z) = place.attention(attention, residual, (x, memory), cross);
        let (network, y) =
            place.network(&block.feed_forward, &block.feed_forward_residual, z);
        let last = question.layer + 1 == LAYERS;
        let next = if last { self.next(y, place.at) } else { vec![] };
        let token = written[place.at].clone();
        Way { token, attentions: vec![first, second], network, next }
    }

    /// What may be written after a token, by the rows of the last block.
    fn next(&self, rows: Rows<WIDTH>, at: usize) -> Vec<Candidate> {
        let vocab = &self.0.vocabularies.target;
        let logits = self.0.model.decoder.output.logits(rows);
        let shares = logits.softmax::<Axis<2>>().as_vec();
        let shares = &shares[at * vocab.size()..][..vocab.size()];
        let candidate = |token: usize| Candidate {
            token: vocab.tokens()[token].clone(),
            probability: shares[token],
        };
        largest(shares, LISTED).into_iter().map(candidate).collect()
    }
}

/// The token by its position, and the head.
struct Place {
    at: usize,
    head: usize,
}

impl Place {
    /// The token's numbers in an attention, and all rows after it.
    fn attention(
        &self,
        attention: &MultiHeadAttention<WIDTH, HEADS, HEAD_WIDTH>,
        residual: &Residual<WIDTH>,
        (x, memory): (Rows<WIDTH>, Rows<WIDTH>),
        (mask, tokens): (&Mask<1, STEPS, STEPS>, &[String]),
    ) -> (Attended, Rows<WIDTH>) {
        let place = (self.at, self.head);
        let (head, heads) = OneHead::new(attention, (x.clone(), memory), mask, place);
        let attended = attention.w_o.forward(heads.clone());
        let sum = x.clone() + attended.clone();
        let norm = residual.norm.forward(sum.clone());
        let stages = Attended {
            x: self.row(&x),
            tokens: tokens.to_vec(),
            allowed: (0..STEPS).map(|key| mask.allows(0, self.at, key)).collect(),
            head,
            heads: self.row(&heads),
            attended: self.row(&attended),
            sum: self.row(&sum),
            norm: self.row(&norm),
        };
        (stages, norm)
    }

    /// The token's numbers in the network, and all rows after it.
    fn network(
        &self,
        network: &FeedForward<WIDTH, FFN>,
        residual: &Residual<WIDTH>,
        z: Rows<WIDTH>,
    ) -> (Network, Rows<WIDTH>) {
        let hidden = network.first.forward(z.clone()).relu();
        let made = network.second.forward(hidden.clone());
        let sum = z + made.clone();
        let norm = residual.norm.forward(sum.clone());
        let stages = Network {
            hidden: self.row(&hidden),
            made: self.row(&made),
            sum: self.row(&sum),
            norm: self.row(&norm),
        };
        (stages, norm)
    }

    /// The row of the token.
    fn row<const N: usize>(&self, x: &Rows<N>) -> Vec<f32> {
        x.as_vec()[self.at * N..][..N].to_vec()
    }
}
