//! Page 10.6: positions that turn, sentences in other orders, and what "it"
//! refers to.

use crate::model::ModelFile;
use crate::{Candidate, Page, json, largest};
use anyhow::{Context, Result, ensure};
use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use ch10_6::task::sentences::{
    ANIMALS, CHASE, CROSS, FAST, Fact, Kind, LENGTH, LOCATIONS, Sentence,
    SentenceBatch, Style, WEAK, WIDE, vocabulary,
};
use ch10_6::{PositionalEncoding, rotate, self_attention};
use dfdx::prelude::*;
use kernels::{Dev, Tensor0, Tensor1, Tensor2, Tensor3};
use serde::{Deserialize, Serialize};

/// The model of the page "What it refers to".
pub type Coreference = ch10_6::task::sentences::Model;

/// Positions and columns of the table that is shown.
const POSITIONS: usize = 60;
const COLUMNS: usize = 32;
/// The words of the sentence whose order changes.
pub const WORDS: [&str; 3] = ["dog", "bites", "man"];
/// So many words are listed that "it" may refer to.
pub const LISTED: usize = 5;

/// The figures of section 10.6.
pub struct SelfAttentionPage {
    positions: PositionalEncoding<POSITIONS, COLUMNS>,
    /// A row for each of [`WORDS`], and a layer: those of the section's program.
    words: Tensor2<3, 8>,
    layer: MultiHeadAttention<8, 2, 4>,
    /// Of the page "What it refers to".
    pub coreference: Coreference,
}

/// What the figures ask.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// A row of the table, and the same turned: [`Turned`].
    Positions {
        /// Of the row, 0 to 59.
        position: usize,
        /// How far it is turned, in positions, which need not be whole.
        offset: f32,
    },
    /// A sentence in another order: [`Ordered`].
    Order {
        /// Indices of [`WORDS`], each once.
        order: [usize; 3],
        /// Whether positions are added to the rows.
        positions: bool,
        /// Whether a word attends only to those before it and to itself.
        causal: bool,
    },
    /// The [`Words`] that a sentence may have.
    Words {},
    /// What "it" refers to: [`Referred`].
    It(It),
}

/// A sentence with an "it", and which words it may not attend to.
#[derive(Deserialize)]
pub struct It {
    /// The animal that acts.
    pub agent: String,
    /// What is not done, as in "did not cross".
    pub verb: String,
    /// The animal or place that is acted on.
    pub patient: String,
    /// The reason.
    pub why: String,
    /// "was not crossed by" in place of "did not cross".
    pub passive: bool,
    /// Begins with the reason.
    pub reason_first: bool,
    /// Positions of words that "it" may not attend to in the second layer.
    pub hidden: Vec<usize>,
}

/// A row of the table and the same turned.
#[derive(Debug, Serialize)]
pub struct Turned {
    /// The row: sine and cosine in turn.
    pub row: Vec<f32>,
    /// The row, turned.
    pub turned: Vec<f32>,
    /// The dot product of the row with the turned one.
    pub dot: f32,
    /// The dot products of the row with every row of the table.
    pub dots: Vec<f32>,
    /// If the turned row is one of the table's: the largest difference from it.
    pub difference: Option<f32>,
}

/// What a layer makes of a sentence in another order.
#[derive(Debug, Serialize)]
pub struct Ordered {
    /// The words in their order.
    pub words: Vec<&'static str>,
    /// For each of them, the numbers of the layer's output.
    pub rows: Vec<[f32; 8]>,
    /// The same words' rows when the sentence is in its first order.
    pub first: Vec<[f32; 8]>,
    /// The largest difference between the two.
    pub difference: f32,
}

/// The words of the sentences with an "it".
#[derive(Debug, Serialize)]
pub struct Words {
    /// That act, and may be acted on.
    pub animals: Vec<&'static str>,
    /// That may be acted on.
    pub places: Vec<&'static str>,
    /// What is done to places.
    pub cross: Vec<&'static str>,
    /// What is done to animals.
    pub chase: Vec<&'static str>,
    /// What is said of the one that acts.
    pub weak: Vec<&'static str>,
    /// What is said of a place that is acted on.
    pub wide: Vec<&'static str>,
    /// What is said of an animal that is acted on.
    pub fast: Vec<&'static str>,
}

/// What "it" refers to, and where it attends.
#[derive(Debug, Serialize)]
pub struct Referred {
    /// The sentence.
    pub words: Vec<&'static str>,
    /// Where "it" stands.
    pub it: usize,
    /// The words with most probability: the first is the model's answer.
    pub likeliest: Vec<Candidate>,
    /// For each head of the first layer, the weights of "it".
    pub first: Vec<Vec<f32>>,
    /// The same of the second layer.
    pub second: Vec<Vec<f32>>,
}

impl Page for SelfAttentionPage {
    type Question = Question;

    fn new(model: &[u8]) -> Result<Self> {
        // The first numbers that the program draws.
        let dev = Dev::seed_from_u64(0);
        let words = dev.sample_normal();
        let layer = MultiHeadAttention::new(&dev, 0.0);
        let positions = PositionalEncoding::new(&dev, 0.0);
        let mut coreference = Kind::Full.model(&dev);
        ModelFile::new(model)?.load("", &mut coreference)?;
        Ok(SelfAttentionPage { positions, words, layer, coreference })
    }

    fn answer(&mut self, question: Question) -> Result<String> {
        match question {
            Question::Positions { position, offset } => {
                json(&self.turned(position, offset))
            }
            Question::Order { order, positions, causal } => {
                json(&self.ordered(order, positions, causal))
            }
            Question::Words {} => json(&words()),
            Question::It(it) => json(&self.referred(&it)?),
        }
    }
}

impl SelfAttentionPage {
    /// A row of the table, turned by `offset` positions.
    fn turned(&self, position: usize, offset: f32) -> Turned {
        let table = &self.positions.table;
        let dev = table.device();
        let row: Tensor1<COLUMNS> = table.clone().select(dev.tensor(position));
        let turned = rotate(&row.array(), f64::from(offset));
        let to = position as f32 + offset;
        let in_table = to.fract() == 0.0 && (0.0..POSITIONS as f32).contains(&to);
        let dots: Tensor1<POSITIONS> =
            row.clone().matmul(table.clone().permute::<Rank2<COLUMNS, POSITIONS>, _>());
        let dot: Tensor0 = (row.clone() * dev.tensor(turned)).sum();
        let difference = in_table.then(|| {
            let expected: Tensor1<COLUMNS> =
                table.clone().select(dev.tensor(to as usize));
            largest_difference([turned].as_slice(), &[expected.array()])
        });
        Turned {
            row: row.as_vec(),
            turned: turned.to_vec(),
            dot: dot.array(),
            dots: dots.as_vec(),
            difference,
        }
    }

    /// What the layer makes of the words in an order.
    fn ordered(&self, order: [usize; 3], positions: bool, causal: bool) -> Ordered {
        let output = |order: [usize; 3]| -> [[f32; 8]; 3] {
            let x = self.words.clone().gather(self.words.device().tensor([order]));
            let x: Tensor3<1, 3, 8> = match positions {
                true => PositionalEncoding::<60, 8>::new(x.device(), 0.0).forward(x),
                false => x,
            };
            let mask = if causal { Mask::causal() } else { Mask::none() };
            let [rows] = self_attention(&self.layer, x, &mask).output.array();
            rows
        };
        let first = output([0, 1, 2]);
        let (rows, first) = (output(order), order.map(|word| first[word]));
        Ordered {
            words: order.map(|word| WORDS[word]).to_vec(),
            difference: largest_difference(&rows, &first),
            rows: rows.to_vec(),
            first: first.to_vec(),
        }
    }

    /// What "it" refers to in a sentence, and where it attends.
    ///
    /// # Errors
    /// Both nouns are the same, or no word is left to attend to.
    fn referred(&self, it: &It) -> Result<Referred> {
        ensure!(it.agent != it.patient, "take two nouns, not the {} twice", it.agent);
        let sentence = sentence(it).context("there is a word that is in no list")?;
        let words = sentence.words.clone();
        let left = (0..words.len()).any(|k| !it.hidden.contains(&k));
        ensure!(left, "every word is masked: leave one that “it” may attend to");
        let at = sentence.position("it");
        let batch: SentenceBatch<1> =
            SentenceBatch::new(&Dev::default(), vec![sentence]);
        let masks = batch.without(std::slice::from_ref(&it.hidden));
        let output = self.coreference.forward(&batch.tokens, &masks, NoneTape);
        let cut = |row: &[f32; LENGTH]| row[..words.len()].to_vec();
        let ([first], [second]) = (output.first.array(), output.second.array());
        let known = vocabulary();
        let odds = output.logits.softmax::<Axis<2>>().as_vec();
        let candidate = |word: usize| Candidate {
            token: known[word].into(),
            probability: odds[word],
        };
        let likeliest = largest(&odds, LISTED).into_iter().map(candidate);
        Ok(Referred {
            it: at,
            likeliest: likeliest.collect(),
            first: first.iter().map(|rows| cut(&rows[at])).collect(),
            second: second.iter().map(|[row]| cut(row)).collect(),
            words,
        })
    }
}

/// The sentence that a question describes; none if a word is in no list.
fn sentence(it: &It) -> Option<Sentence> {
    let known = vocabulary();
    let known = |word: &str| known.iter().copied().find(|known| *known == word);
    let (agent, patient, why) =
        (known(&it.agent)?, known(&it.patient)?, known(&it.why)?);
    let verb = *CROSS.iter().chain(&CHASE).find(|verb| verb[0] == it.verb)?;
    let fact = Fact { agent, patient, verb, why, of_agent: WEAK.contains(&why) };
    let (passive, reason_first) = (it.passive, it.reason_first);
    Some(Sentence::new(&fact, &Style { passive, reason_first, opening: "" }))
}

fn words() -> Words {
    Words {
        animals: ANIMALS.to_vec(),
        places: LOCATIONS.to_vec(),
        cross: CROSS.iter().map(|verb| verb[0]).collect(),
        chase: CHASE.iter().map(|verb| verb[0]).collect(),
        weak: WEAK.to_vec(),
        wide: WIDE.to_vec(),
        fast: FAST.to_vec(),
    }
}

fn largest_difference<const N: usize>(these: &[[f32; N]], those: &[[f32; N]]) -> f32 {
    let pairs = these.as_flattened().iter().zip(those.as_flattened());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}
