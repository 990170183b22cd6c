//! Two things on the desk with the same key: what does a query find?
//!
//! Worked answer to exercise 3 of section 10.1.

use ch10_1::*;
use dfdx::prelude::*;

fn main() {
    let dev = Dev::default();
    // The sixth thing is a second book: the same key, but a red cover.
    let [a, b, c, d, book] = KEYS;
    let keys = [a, b, c, d, book, book];
    let [a, b, c, d, value] = VALUES;
    let values = [a, b, c, d, value, [0.8, 1.0, 0.0, 0.2]];
    let values: Tensor2<6, 4> = dev.tensor(values);

    let query: Tensor2<1, 2> = dev.tensor([[1.0, 2.0]]);
    let scores = score(query, dev.tensor(keys));
    println!("temperature   first book  second book    red");
    for t in [1.0, 0.2, 0.05, 0.01] {
        let weights = attention_weights(scores.clone(), t);
        let [[.., first, second]] = weights.array();
        let [[red, ..]] = pool(weights, values.clone()).array();
        println!("{t:>11}{first:>13.4}{second:>13.4}{red:>7.4}");
        assert_eq!(first, second);
    }
    let [[red, ..]] =
        pool(attention_weights(scores.clone(), 0.01), values.clone()).array();
    assert!((red - 0.5).abs() < 1e-5, "the mean of 0.2 and 0.8");

    let [[red, ..]] = pool(hard_weights(scores), values).array();
    println!("hard attention{red:>30.4}");
    assert_eq!(red, 0.2);
}
