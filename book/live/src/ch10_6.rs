//! Page 10.6: positions that turn, sentences in other orders, and what "it"
//! refers to.

use crate::model::ModelFile;
use crate::{Page, within};
use anyhow::{Context, Result, ensure};
use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use ch10_6::task::sentences::{
    ANIMALS, CHASE, CROSS, FAST, Fact, Kind, LENGTH, LOCATIONS, Sentence,
    SentenceBatch, Style, WEAK, WIDE, answers, vocabulary,
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
    /// On the page that needs it.
    coreference: Option<Coreference>,
}

/// What the figures ask.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// A row of the table, and the same turned.
    Positions {
        /// Of the row, 0 to 59.
        position: usize,
        /// How far it is turned, in positions, which need not be whole.
        offset: f32,
    },
    /// A sentence in another order.
    Order {
        /// Indices of [`WORDS`], each once.
        order: [usize; 3],
        /// Whether positions are added to the rows.
        positions: bool,
        /// Whether a word attends only to those before it and to itself.
        causal: bool,
    },
    /// The words that a sentence may have.
    Words {},
    /// What "it" refers to.
    It(It),
}

/// A sentence with an "it", and which words it may not attend to.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
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

/// What they get.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of a row and the same turned.
    Positions(Turned),
    /// Of a sentence in another order.
    Order(Ordered),
    /// The words.
    Words(Words),
    /// Of a sentence with an "it".
    It(Referred),
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
    /// The model's answer.
    pub answer: &'static str,
    /// The words with most probability.
    pub likeliest: Vec<Likely>,
    /// For each head of the first layer, the weights of "it".
    pub first: Vec<Vec<f32>>,
    /// The same of the second layer.
    pub second: Vec<Vec<f32>>,
}

/// A word, and its probability.
#[derive(Debug, Serialize)]
pub struct Likely {
    /// The word.
    pub word: &'static str,
    /// From 0 to 1.
    pub probability: f32,
}

impl Page for SelfAttentionPage {
    type Question = Question;
    type Answer = Answer;

    fn new(model: &[u8]) -> Result<Self> {
        // The first numbers that the program draws.
        let dev = Dev::seed_from_u64(0);
        let words = dev.sample_normal();
        let layer = MultiHeadAttention::new(&dev, 0.0);
        let positions = PositionalEncoding::new(&dev, 0.0);
        let mut coreference = None;
        if !model.is_empty() {
            let mut model_of_page = Kind::Full.model(&dev);
            ModelFile::new(model)?.load("", &mut model_of_page)?;
            coreference = Some(model_of_page);
        }
        Ok(SelfAttentionPage { positions, words, layer, coreference })
    }

    fn answer(&mut self, question: Question) -> Result<Answer> {
        match question {
            Question::Positions { position, offset } => {
                self.turned(position, offset).map(Answer::Positions)
            }
            Question::Order { order, positions, causal } => {
                self.ordered(order, positions, causal).map(Answer::Order)
            }
            Question::Words {} => Ok(Answer::Words(words())),
            Question::It(it) => self.referred(&it).map(Answer::It),
        }
    }
}

impl SelfAttentionPage {
    /// A row of the table, turned by `offset` positions.
    ///
    /// # Errors
    /// There is no such row, or the offset is more than a table long.
    pub fn turned(&self, position: usize, offset: f32) -> Result<Turned> {
        let last = POSITIONS - 1;
        ensure!(position <= last, "the position is from 0 to {last}, not {position}");
        let offset = within("the offset", offset, -(last as f32)..=last as f32)?;
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
        Ok(Turned {
            row: row.as_vec(),
            turned: turned.to_vec(),
            dot: dot.array(),
            dots: dots.as_vec(),
            difference,
        })
    }

    /// What the layer makes of the words in an order.
    ///
    /// # Errors
    /// It is not an order of three words.
    pub fn ordered(
        &self,
        order: [usize; 3],
        positions: bool,
        causal: bool,
    ) -> Result<Ordered> {
        let whole = (0..3).all(|word| order.contains(&word));
        ensure!(whole, "an order has each of 0, 1 and 2 once, unlike {order:?}");
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
        Ok(Ordered {
            words: order.map(|word| WORDS[word]).to_vec(),
            difference: largest_difference(&rows, &first),
            rows: rows.to_vec(),
            first: first.to_vec(),
        })
    }

    /// What "it" refers to in a sentence, and where it attends.
    ///
    /// # Errors
    /// The page has no model; a word is not one that can stand in its place; or
    /// no word is left to attend to.
    pub fn referred(&self, it: &It) -> Result<Referred> {
        let model = self.coreference.as_ref();
        let model = model.context("this figure needs its model, and got none")?;
        let sentence = sentence(it)?;
        let words = sentence.words.clone();
        let left = (0..words.len()).any(|k| !it.hidden.contains(&k));
        ensure!(left, "every word is masked: leave one that “it” may attend to");
        let at = sentence.position("it");
        let batch: SentenceBatch<1> =
            SentenceBatch::new(&Dev::default(), vec![sentence]);
        let masks = batch.without(std::slice::from_ref(&it.hidden));
        let output = model.forward(&batch.tokens, &masks, NoneTape);
        let cut = |row: &[f32; LENGTH]| row[..words.len()].to_vec();
        let ([first], [second]) = (output.first.array(), output.second.array());
        let known = vocabulary();
        let [answer] = answers(&output.logits)[..] else {
            anyhow::bail!("one sentence has one answer");
        };
        let odds = output.logits.softmax::<Axis<2>>().as_vec();
        let likely = known.iter().zip(&odds);
        let mut likely: Vec<Likely> =
            likely.map(|(&word, &probability)| Likely { word, probability }).collect();
        likely.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        likely.truncate(LISTED);
        Ok(Referred {
            it: at,
            answer,
            likeliest: likely,
            first: first.iter().map(|rows| cut(&rows[at])).collect(),
            second: second.iter().map(|[row]| cut(row)).collect(),
            words,
        })
    }
}

/// The sentence that a question describes.
///
/// # Errors
/// A word is not one that can stand in its place.
fn sentence(it: &It) -> Result<Sentence> {
    let agent = known(&it.agent, &[&ANIMALS], "the one that acts")?;
    let patient = known(&it.patient, &[&ANIMALS, &LOCATIONS], "what is acted on")?;
    ensure!(agent != patient, "take two nouns, not the {agent} twice");
    let verbs = CROSS.iter().chain(&CHASE);
    let verb = verbs.copied().find(|verb| verb[0] == it.verb);
    let verb = verb.with_context(|| unknown(&it.verb, "the verb"))?;
    let why = known(&it.why, &[&WEAK, &WIDE, &FAST], "the reason")?;
    let fact = Fact { agent, patient, verb, why, of_agent: WEAK.contains(&why) };
    let (passive, reason_first) = (it.passive, it.reason_first);
    Ok(Sentence::new(&fact, &Style { passive, reason_first, opening: "" }))
}

fn known(word: &str, lists: &[&[&'static str]], what: &str) -> Result<&'static str> {
    let found = lists.iter().flat_map(|list| list.iter()).find(|known| **known == word);
    found.copied().with_context(|| unknown(word, what))
}

fn unknown(word: &str, what: &str) -> String {
    let word: String = word.chars().take(24).collect();
    format!("“{word}” cannot be {what} in these sentences; take a word of the list")
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
