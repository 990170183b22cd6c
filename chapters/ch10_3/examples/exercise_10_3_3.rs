//! Exercise 3 of section 10.3: the sum of a query and a key as a score, when
//! their widths agree. The query cancels out.

use ch10_1::{Dev, Tensor3, Tensor4};
use ch10_3::*;
use dfdx::prelude::*;
use support::row;

/// Scores of 3 queries for 5 pairs, as the sum of all numbers in q + k; bent
/// by tanh, or straight.
fn sum_score(
    queries: &Tensor3<1, 3, 4>,
    keys: &Tensor3<1, 5, 4>,
    bent: bool,
) -> Tensor3<1, 3, 5> {
    let queries: Tensor4<1, 3, 5, 4> = queries.clone().broadcast::<_, Axis<2>>();
    let keys: Tensor4<1, 3, 5, 4> = keys.clone().broadcast::<_, Axis<1>>();
    let both = queries + keys;
    let both = if bent { both.tanh() } else { both };
    both.sum::<_, Axis<3>>()
}

fn main() {
    let dev = Dev::seed_from_u64(0);
    let queries: Tensor3<1, 3, 4> = dev.sample_normal();
    let keys: Tensor3<1, 5, 4> = dev.sample_normal();
    let columns = keys.clone().permute::<Rank3<1, 4, 5>, _>();
    let product = queries.clone().matmul(columns) / 2.0;
    let scores = [
        ("sum", sum_score(&queries, &keys, false)),
        ("sum of tanh", sum_score(&queries, &keys, true)),
        ("dot product", product),
    ];
    for (name, scores) in scores {
        let [rows] = masked_softmax(scores, &Mask::none()).array();
        for (q, weights) in rows.iter().enumerate() {
            let cells = weights.map(|x| format!("{x:.4}"));
            row(&format!("{name}, query {q}"), 22, &cells);
        }
        let pairs = rows[0].iter().zip(&rows[1]);
        let gap = pairs.fold(0.0, |gap: f32, (a, b)| gap.max((a - b).abs()));
        assert_eq!(gap < 1e-6, name == "sum", "queries 0 and 1: {gap}");
    }
}
