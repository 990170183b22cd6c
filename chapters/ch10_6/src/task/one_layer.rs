//! Parameters set by hand: one layer finds what "it" refers to.

use super::sentences::{
    ANIMALS, CHASE, CROSS, FAST, Fact, LOCATIONS, Model, Sentence, SentenceBatch,
    Style, VOCABULARY, WEAK, WIDE, answers, id, vocabulary,
};
use crate::coreference::WIDTH;
use dfdx::prelude::*;
use kernels::Dev;
use std::f32::consts::TAU;

// ANCHOR: score
/// The score of a word as a key, in head 0 and in head 1, without its position.
fn score(word: &str) -> [f32; 2] {
    match word {
        _ if ANIMALS.contains(&word) => [30.0, 30.0],
        _ if LOCATIONS.contains(&word) => [0.0, 60.0],
        _ if WEAK.contains(&word) => [0.0, 100.0],
        _ if WIDE.contains(&word) || FAST.contains(&word) => [100.0, 0.0],
        _ => [0.0, 0.0],
    }
}

/// Position p adds this times cos(0.316 p) in head 0, and takes it away in head 1.
const EARLIER: f32 = 8.0;
// ANCHOR_END: score

/// A model with parameters set by hand, for one layer: the second. Columns 20 and
/// 22 of a word are its scores, 28 and 30 say which noun it is, and 18 marks "it".
pub fn by_hand() -> Model {
    let dev = Dev::default();
    let mut model = Model::new(&dev, true);
    let [mut embedding, mut output] = [[[0.0; WIDTH]; VOCABULARY]; 2];
    let root = (WIDTH as f32).sqrt();
    for (row, word) in embedding.iter_mut().zip(vocabulary()) {
        [row[20], row[22]] = score(word).map(|score| score / root);
    }
    for (n, noun) in ANIMALS.iter().chain(&LOCATIONS).enumerate() {
        let (sin, cos) = (TAU * n as f32 / 20.0).sin_cos();
        for row in [&mut embedding[id(noun)], &mut output[id(noun)]] {
            (row[28], row[30]) = (cos, sin);
        }
    }
    // A query of 4 in a head of width 16: the score is the number of the key.
    embedding[id("it")][18] = 4.0 / root;
    let [mut query, mut key, mut value, mut out] = [[[0.0; WIDTH]; WIDTH]; 4];
    for (head, sign) in [(0, 1.0), (1, -1.0)] {
        let at = 16 * head;
        query[at][18] = 1.0;
        key[at][20 + 2 * head] = 1.0;
        // Column 5 of the encoding is cos(0.316 p).
        key[at][5] = sign * EARLIER;
        (value[at][28], value[at + 1][30]) = (1.0, 1.0);
        (out[28][at], out[30][at + 1]) = (1.0, 1.0);
    }
    model.embedding = dev.tensor(embedding);
    model.second.w_q.weight = dev.tensor(query);
    model.second.w_k.weight = dev.tensor(key);
    model.second.w_v.weight = dev.tensor(value);
    model.second.w_o.weight = dev.tensor(out);
    model.output.weight = dev.tensor(output);
    model
}

/// Every sentence, with the first verb of its kind.
pub fn all_sentences() -> Vec<Sentence> {
    let kinds = [(&LOCATIONS, CROSS[0], &WIDE[..]), (&ANIMALS, CHASE[0], &FAST[..])];
    let mut all = Vec::new();
    for (patients, verb, whys) in kinds {
        let weak = WEAK.map(|why| (why, true)).into_iter();
        let whys: Vec<_> = weak.chain(whys.iter().map(|&why| (why, false))).collect();
        for agent in ANIMALS {
            for &patient in patients.iter().filter(|&&patient| patient != agent) {
                for &(why, of_agent) in &whys {
                    let fact = Fact { agent, patient, verb, why, of_agent };
                    let styles = Style::all(&fact);
                    all.extend(styles.map(|style| Sentence::new(&fact, &style)));
                }
            }
        }
    }
    all
}

/// How many of these sentences one layer of a model answers right.
pub fn count_right(model: &Model, sentences: &[Sentence]) -> usize {
    const B: usize = 512;
    let right = |part: &[Sentence]| {
        let whole = part.iter().cycle().take(B).cloned().collect();
        let batch: SentenceBatch<B> = SentenceBatch::new(&Dev::default(), whole);
        let output = model.forward(&batch.tokens, &batch.without_first(), NoneTape);
        let given = answers(&output.logits);
        part.iter().zip(given).filter(|(s, given)| s.meant == *given).count()
    };
    sentences.chunks(B).map(right).sum()
}
