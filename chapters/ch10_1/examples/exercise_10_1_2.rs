//! A random 10 by 10 matrix, softmax by row, drawn.
//!
//! Worked answer to exercise 2 of section 10.1.

use ch10_1::*;
use dfdx::prelude::*;
use std::process::ExitCode;
use support::{Labels, show_heatmaps};

/// The sum of each row.
fn sums(weights: &Tensor2<10, 10>) -> [f32; 10] {
    let sums: Tensor1<10> = weights.clone().sum::<_, Axis<1>>();
    sums.array()
}

fn main() -> ExitCode {
    let about = "Exercise 2 of section 10.1";
    support::run_plain("ch10_1", about, |run| {
        let dev = Dev::seed_from_u64(run.seed);
        let scores: Tensor2<10, 10> = dev.sample_normal();
        let rows = attention_weights(scores.clone(), 1.0);
        let columns = scores.softmax::<Axis<0>>();
        for (name, weights) in [("row", &rows), ("column", &columns)] {
            println!("sums of the rows, softmax by {name}:");
            println!("{}", sums(weights).map(|s| format!("{s:.4}")).join(" "));
        }
        assert!(sums(&rows).iter().all(|s| (s - 1.0).abs() < 1e-5));
        assert!(sums(&columns).iter().any(|s| (s - 1.0).abs() > 0.1));

        let titles = ["by row", "by column"].map(String::from).to_vec();
        let labels = Labels { titles, ..Labels::default() };
        run.figure(
            "exercise_2",
            &show_heatmaps(&[rows.array(), columns.array()], &labels)?,
        )
    })
}
