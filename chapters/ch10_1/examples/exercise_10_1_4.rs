//! What leaves the weights as they are, and what does not.
//!
//! Worked answer to exercise 4 of section 10.1.

use ch10_1::*;
use dfdx::prelude::*;

/// The largest difference between two sets of weights.
fn apart(a: &Tensor2<1, 5>, b: &Tensor2<1, 5>) -> f32 {
    (a.clone() - b.clone()).abs().max::<Rank0, _>().array()
}

fn main() {
    let dev = Dev::default();
    let query: Tensor2<1, 2> = dev.tensor([[1.0, 2.0]]);
    let scores = score(query.clone(), dev.tensor(KEYS));
    let weights = attention_weights(scores.clone(), 1.0);

    let doubled = attention_weights(score(query * 2.0, dev.tensor(KEYS)), 1.0);
    let halved = attention_weights(scores.clone(), 0.5);
    let raised = attention_weights(scores + 10.0, 1.0);

    println!("query doubled          {:.4}", apart(&doubled, &weights));
    println!("temperature halved     {:.4}", apart(&halved, &weights));
    println!("the two of them        {:.4}", apart(&doubled, &halved));
    println!("10 added to each score {:.4}", apart(&raised, &weights));
    assert!(apart(&doubled, &weights) > 0.2);
    assert!(apart(&doubled, &halved) < 1e-6);
    assert!(apart(&raised, &weights) < 1e-5);
}
