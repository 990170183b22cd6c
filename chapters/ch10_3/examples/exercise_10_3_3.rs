//! Exercise 3 of section 10.3: the sum of a query and a key as a score, when
//! their widths agree. The query cancels out.

use ch10_1::Dev;
use ch10_3::*;
use dfdx::prelude::*;
use support::row;

/// Scores of 3 queries for 5 pairs, as the sum of all numbers in q + k; bent
/// by tanh, or straight.
fn sum_score(
    queries: &Tensor<Rank3<1, 3, 4>, f32, Dev>,
    keys: &Tensor<Rank3<1, 5, 4>, f32, Dev>,
    bent: bool,
) -> Tensor<Rank3<1, 3, 5>, f32, Dev> {
    let queries: Tensor<Rank4<1, 3, 5, 4>, f32, Dev> =
        queries.clone().broadcast::<_, Axis<2>>();
    let keys: Tensor<Rank4<1, 3, 5, 4>, f32, Dev> =
        keys.clone().broadcast::<_, Axis<1>>();
    let both = queries + keys;
    let both = if bent { both.tanh() } else { both };
    both.sum::<_, Axis<3>>()
}

fn main() {
    let dev = Dev::seed_from_u64(0);
    let queries: Tensor<Rank3<1, 3, 4>, f32, Dev> = dev.sample_normal();
    let keys: Tensor<Rank3<1, 5, 4>, f32, Dev> = dev.sample_normal();
    let columns = keys.clone().permute::<Rank3<1, 4, 5>, _>();
    let product = queries.clone().matmul(columns) / 2.0;
    let scores = [
        ("sum", sum_score(&queries, &keys, false)),
        ("sum of tanh", sum_score(&queries, &keys, true)),
        ("dot product", product),
    ];
    for (name, scores) in scores {
        let [rows] = masked_softmax(scores, &ValidLens::All).array();
        for (q, weights) in rows.iter().enumerate() {
            let cells = weights.map(|x| format!("{x:.4}"));
            row(&format!("{name}, query {q}"), 22, &cells);
        }
        let pairs = rows[0].iter().zip(&rows[1]);
        let gap = pairs.fold(0.0, |gap: f32, (a, b)| gap.max((a - b).abs()));
        assert_eq!(gap < 1e-6, name == "sum", "queries 0 and 1: {gap}");
    }
}
