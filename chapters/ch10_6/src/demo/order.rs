//! Two sentences of the same words, before and after their positions are
//! added.

use anyhow::Result;
use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use ch10_6::{PositionalEncoding, self_attention};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
use support::{Labels, RunArgs, heading, show_heatmaps};

const WORDS: [&str; 3] = ["dog", "bites", "man"];

/// Two sentences; a word's id is its index in [`WORDS`].
const SENTENCES: [[usize; 3]; 2] = [[0, 1, 2], [2, 1, 0]];

/// A row for each word of both sentences.
type Rows = Tensor3<2, 3, 8>;

/// The rows, drawn at random for each of the words, and a layer.
pub struct Order {
    x: Rows,
    layer: MultiHeadAttention<8, 2, 4>,
}

impl Order {
    pub fn new(dev: &Dev) -> Self {
        let words: Tensor2<3, 8> = dev.sample_normal();
        let x = words.gather(dev.tensor(SENTENCES));
        Order { x, layer: MultiHeadAttention::new(dev, 0.0) }
    }

    pub fn lost(&self) {
        heading("The order is lost");
        self.print(self.x.clone());
    }

    /// Head 0's weights for both sentences.
    pub fn weights(&self, run: &RunArgs) -> Result<()> {
        heading("Weights for both sentences");
        let weights = self_attention(&self.layer, self.x.clone(), &Mask::none());
        let heads = weights.weights.array().map(|heads| heads[0]);
        let texts = SENTENCES.map(|sentence| sentence.map(|word| WORDS[word]));
        for (words, rows) in texts.iter().zip(&heads) {
            println!("{:<6}{}", "", words.map(|word| format!("{word:>8}")).concat());
            for (word, row) in words.iter().zip(rows) {
                println!("{word:<6}{}", row.map(|w| format!("{w:8.4}")).concat());
            }
        }
        let titles = texts.map(|words| words.join(" ")).into();
        let labels = Labels { titles, ..Labels::default() };
        run.figure("orders", &show_heatmaps(&heads, &labels)?)
    }

    pub fn with_positions(&self) {
        heading("The order, with positions");
        // ANCHOR: with_positions
        let encoding: PositionalEncoding<60, 8> =
            PositionalEncoding::new(self.x.device(), 0.0);
        self.print(encoding.forward(self.x.clone()));
        // ANCHOR_END: with_positions
    }

    /// Prints what the layer makes of each word of both sentences.
    fn print(&self, x: Rows) {
        let output = self_attention(&self.layer, x, &Mask::none()).output.array();
        for (word, name) in WORDS.iter().enumerate() {
            for (sentence, rows) in SENTENCES.iter().zip(&output) {
                let text = sentence.map(|word| WORDS[word]).join(" ");
                let mut pairs = sentence.iter().zip(rows);
                let row = pairs.find(|(other, _)| **other == word);
                print!("{name:<6} in {text:<14}");
                for number in row.iter().flat_map(|(_, row)| &row[..4]) {
                    print!("{number:9.4}");
                }
                println!(" …");
            }
        }
    }

    /// Five rows in all 120 orders: the largest difference between the layer's
    /// rows for an order and its rows for the first order, put in that order.
    pub fn in_all_orders(&self) {
        heading("Five rows in all orders");
        let dev = self.x.device();
        let x: Tensor2<5, 8> = dev.sample_normal();
        let encoding: PositionalEncoding<5, 8> = PositionalEncoding::new(dev, 0.0);
        let output = |order: [usize; 5], positions: bool, mask: &Mask<1, 5, 5>| {
            let x: Tensor3<1, 5, 8> = x.clone().gather(dev.tensor([order]));
            let x = if positions { encoding.forward(x) } else { x };
            self_attention(&self.layer, x, mask).output.array()[0]
        };
        let orders = permutations();
        println!("{:<28}largest difference", "");
        let cases = [
            ("plain", false, Mask::none()),
            ("causal mask", false, Mask::causal()),
            ("positions added", true, Mask::none()),
        ];
        for (name, positions, mask) in cases {
            let first = output([0, 1, 2, 3, 4], positions, &mask);
            let mut largest = 0f32;
            for order in &orders {
                let rows = output(*order, positions, &mask);
                for (row, &from) in rows.iter().zip(order) {
                    let apart =
                        row.iter().zip(&first[from]).map(|(a, b)| (a - b).abs());
                    largest = apart.fold(largest, f32::max);
                }
            }
            println!("{name:<28}{largest:>18.4}");
        }
    }
}

/// All orders of five.
pub fn permutations() -> Vec<[usize; 5]> {
    let digits = |n: usize| [n / 625, n / 125 % 5, n / 25 % 5, n / 5 % 5, n % 5];
    let all = (0..3125).map(digits);
    all.filter(|order| (0..5).all(|i| order.contains(&i))).collect()
}
