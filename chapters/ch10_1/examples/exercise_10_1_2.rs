//! A random 10 by 10 matrix, softmax by row, drawn.
//!
//! Worked answer to exercise 2 of section 10.1.

use ch10_1::*;
use dfdx::prelude::*;
use std::process::ExitCode;

fn main() -> ExitCode {
    support::old::run("ch10_1", "Exercise 2 of section 10.1", 0, |run| {
        let dev = Dev::seed_from_u64(run.seed);
        let scores: Tensor<Rank2<10, 10>, f32, Dev> = dev.sample_normal();
        let rows = scores.clone().softmax::<Axis<1>>();
        let columns = scores.softmax::<Axis<0>>();

        let sums: Tensor<Rank1<10>, f32, Dev> = rows.clone().sum::<_, Axis<1>>();
        println!("sums of the rows, softmax by row:");
        println!("{}", sums.array().map(|s| format!("{s:.4}")).join(" "));
        assert!(sums.array().iter().all(|s| (s - 1.0).abs() < 1e-5));

        let sums: Tensor<Rank1<10>, f32, Dev> = columns.clone().sum::<_, Axis<1>>();
        println!("sums of the rows, softmax by column:");
        println!("{}", sums.array().map(|s| format!("{s:.4}")).join(" "));
        assert!(sums.array().iter().any(|s| (s - 1.0).abs() > 0.1));

        let panels: Tensor<Rank4<1, 2, 10, 10>, f32, Dev> =
            [rows, columns].stack().reshape();
        let titles = ["by row", "by column"].map(String::from).to_vec();
        let labels = Labels { titles, ..Labels::default() };
        run.figure("exercise_2", &show_heatmaps(&panels, &labels)?)
    })
}
