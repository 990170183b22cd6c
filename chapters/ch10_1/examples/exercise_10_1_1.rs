//! Who is query, key and value when a sentence is translated token by token?
//!
//! Worked answer to exercise 1 of section 10.1. The numbers are chosen, not
//! learned: section 10.4 learns them.

use ch10_1::*;
use dfdx::prelude::*;
use support::row;

const SOURCE: [&str; 3] = ["le", "chat", "noir"];
const TARGET: [&str; 3] = ["the", "cat", "black"];

/// A key for each source token: is it an article, a noun, an adjective?
const KEYS: [[f32; 3]; 3] = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
/// A value for each source token: which target token it speaks for.
const VALUES: [[f32; 3]; 3] = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];

/// The query: what English needs after what is written so far.
fn due(written: &[&str]) -> [f32; 3] {
    match written.last() {
        None => [1., 0., 0.],
        Some(&"the") => [0., 0., 1.],
        Some(_) => [0., 1., 0.],
    }
}

fn main() {
    let dev = Dev::default();
    let mut written = Vec::new();
    row("weights", 10, &SOURCE);
    for _ in 0..3 {
        let query: Tensor2<1, 3> = dev.tensor([due(&written)]);
        let (keys, values) = (dev.tensor(KEYS), dev.tensor(VALUES));
        let found = soft_attention(query, keys, values, 0.2);
        let [output] = found.output.array();
        let best = (0..3).max_by(|&a, &b| output[a].total_cmp(&output[b]));
        let next = TARGET[best.expect("there are three")];
        let [weights] = found.weights.array();
        row(next, 10, &weights.map(|w| format!("{w:.4}")));
        written.push(next);
    }
    assert_eq!(written, ["the", "black", "cat"]);
}
