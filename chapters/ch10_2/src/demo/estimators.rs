//! The data, average pooling, Nadaraya-Watson, and a batched product.

use super::{N, Q, Setting, sorted_inputs};
use anyhow::Result;
use ch10_1::{Dev, Tensor2, Tensor3};
use ch10_2::*;
use dfdx::prelude::*;
use support::{RunArgs, heading, row, show_heatmaps};

pub fn data(s: &Setting) {
    heading("Data");
    let (x, y) = (s.train.x.array(), s.train.y.array());
    let truth = truth(s.train.x.clone()).array();
    row("first five", 12, &["x", "y", "truth"]);
    for i in 0..5 {
        row("", 12, &[x[i], y[i], truth[i]].map(|v| format!("{v:.4}")));
    }
}

pub fn average_pooling(s: &Setting) {
    heading("Average pooling");
    let output = pool(uniform_weights(&s.dev), s.train.y.clone());
    println!("mean squared error {:.4}", mse(output, &s.truth));
}

pub fn nadaraya_watson(run: &RunArgs, s: &Setting) -> Result<()> {
    heading("Nadaraya-Watson");
    // ANCHOR: nadaraya_watson
    let u: Tensor2<Q, N> = differences(s.x.clone(), s.train.x.clone());
    let weights: Tensor2<Q, N> = gaussian_weights(u);
    let output = pool(weights.clone(), s.train.y.clone());
    // ANCHOR_END: nadaraya_watson
    println!("weights {:?}", weights.shape().concrete());
    s.fit(run, "non_parametric", &output)?;
    let svg = show_heatmaps(&weights.array(), &sorted_inputs(Vec::new()))?;
    run.figure("non_parametric_weights", &svg)
}

pub fn batches(dev: &Dev) {
    heading("Batched matrix multiplication");
    let weights: Tensor3<2, 1, 4> = dev.ones();
    let values: Tensor3<2, 4, 6> = dev.ones();
    let output: Tensor3<2, 1, 6> = pool_batch(weights, values);
    println!("(2, 1, 4) by (2, 4, 6): {:?}", output.shape().concrete());
    let weights: Tensor2<2, 10> = dev.ones() * 0.1;
    let values: Tensor2<2, 10> = dev.tensor(std::array::from_fn(|row| {
        std::array::from_fn(|column| (10 * row + column) as f32)
    }));
    let output = pool_own(weights, values).array();
    println!("means of 0 to 9 and of 10 to 19: {output:.1?}");
}
