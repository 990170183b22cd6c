// ANCHOR: order
//! Two sentences of the same words, before and after their positions are
//! added: section 10.6.

use ch10_1::Dev;
use ch10_3::{Attended, ValidLens};
use ch10_5::MultiHeadAttention;
use ch10_6::{PositionalEncoding, self_attend};
use dfdx::prelude::*;
use support::heading;

const WORDS: [&str; 3] = ["dog", "bites", "man"];

/// Two sentences, their words by number.
const SENTENCES: [[usize; 3]; 2] = [[0, 1, 2], [2, 1, 0]];

/// A row for each word of both sentences.
type Rows = Tensor<Rank3<2, 3, 8>, f32, Dev>;

/// The rows, drawn at random for each of the words, and a layer.
pub struct Order {
    x: Rows,
    layer: MultiHeadAttention<8, 8, 8, 2, 4, 8>,
}

impl Order {
    pub fn new(dev: &Dev) -> Self {
        let words: Tensor<Rank2<3, 8>, f32, Dev> = dev.sample_normal();
        let x: Rows = words.gather(dev.tensor(SENTENCES));
        Order { x, layer: MultiHeadAttention::new(dev, 0.0) }
    }
}
// ANCHOR_END: order

// ANCHOR: lost
impl Order {
    pub fn lost(&self) {
        heading("The order is lost");
        self.attended(self.x.clone());
    }

    /// Prints what the layer makes of each word of both sentences.
    fn attended(&self, x: Rows) {
        let Attended { output, .. } = self_attend(&self.layer, x, &ValidLens::All);
        let output = output.array();
        for (word, name) in WORDS.iter().enumerate() {
            for (sentence, rows) in SENTENCES.iter().zip(&output) {
                let said = sentence.map(|word| WORDS[word]).join(" ");
                let mut pairs = sentence.iter().zip(rows);
                let row = pairs.find(|(other, _)| **other == word);
                print!("{name:<6} in {said:<14}");
                for number in row.iter().flat_map(|(_, row)| &row[..4]) {
                    print!("{number:9.4}");
                }
                println!(" …");
            }
        }
    }
}
// ANCHOR_END: lost

// ANCHOR: kept
impl Order {
    pub fn kept(&self) {
        heading("The order, with positions");
        let encoding: PositionalEncoding<60, 8> =
            PositionalEncoding::new(self.x.device(), 0.0);
        self.attended(encoding.forward(self.x.clone()));
    }
}
// ANCHOR_END: kept
