//! Exercise 4 of section 10.3: a causal mask for sentences that are padded,
//! here of 4 and of 2 tokens in 4 places.

use ch10_1::{Dev, Tensor3};
use ch10_3::*;
use dfdx::prelude::*;
use support::row;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let x: Tensor3<2, 4, 3> = dev.sample_normal();
    let lens = [4, 2];
    // A pair must be of the past, and no pad: a query that is a pad attends to
    // the words.
    let mask = Mask::<2, 4, 4>::from_fn(|b, q, k| k <= q && k < lens[b]);
    let run = |x: Tensor3<2, 4, 3>| {
        let (q, k, v) = (x.clone(), x.clone(), x);
        DotProductAttention::default().forward(q, k, v, &mask)
    };
    let got = run(x.clone());
    for (b, rows) in got.weights.array().iter().enumerate() {
        for (q, weights) in rows.iter().enumerate() {
            let cells = weights.map(|x| format!("{x:.4}"));
            row(&format!("sentence {b}, query {q}"), 22, &cells);
        }
    }
    // Another last token: only the last output of sentence 0 changes, and of
    // sentence 1, where it is a pad, only the output of the pad itself.
    let mut other = x.array();
    for sentence in &mut other {
        sentence[3] = [5.0, -5.0, 5.0];
    }
    let (before, after) = (got.output.array(), run(dev.tensor(other)).output);
    for (before, after) in before.iter().zip(after.array()) {
        assert_eq!(before[..3], after[..3]);
        assert_ne!(before[3], after[3]);
    }
}
