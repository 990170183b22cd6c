// ANCHOR: main
//! The telling run of section 10.2: three estimators of one curve, the last
//! of them trained; then the questions of `beyond.rs`. Calls and prints:
//! what is called is in `lib.rs`, what all parts share in `setting.rs`.

mod beyond;
mod setting;

use anyhow::Result;
use ch10_1::{Dev, Labels, show_heatmaps};
use ch10_2::*;
use dfdx::prelude::*;
use setting::{N, Q, Setting, fit, picture};
use std::process::ExitCode;
use support::{Mark, Run, Series, heading, row};

fn main() -> ExitCode {
    let about = "Attention pooling: Nadaraya-Watson kernel regression";
    support::old::run("ch10_2", about, 0, |run| {
        let s = Setting::new(run.seed);
        data(&s);
        average_pooling(run, &s)?;
        nadaraya_watson(run, &s)?;
        batches(&s.dev);
        let w = training(run, &s)?;
        trained(run, &s, &w)?;
        beyond::three_estimators(&s, &w);
        beyond::own_key(&s)?;
        beyond::kernels_and_widths(run, &s)?;
        beyond::more_data(run, &s)?;
        beyond::ten_seeds(run.seed)
    })
}
// ANCHOR_END: main

// ANCHOR: data
fn data(s: &Setting) {
    heading("Data");
    let (x, y) = (s.train.x.array(), s.train.y.array());
    let clean = truth(s.train.x.clone()).array();
    row("first five", 12, &["x", "y", "truth"]);
    for i in 0..5 {
        row("", 12, &[x[i], y[i], clean[i]].map(|v| format!("{v:.4}")));
    }
}
// ANCHOR_END: data

// ANCHOR: average_pooling
fn average_pooling(run: &Run, s: &Setting) -> Result<()> {
    heading("Average pooling");
    let weights = uniform_weights(&s.dev);
    let output = pool(weights, s.train.y.clone());
    fit(run, s, "average", &output)
}
// ANCHOR_END: average_pooling

// ANCHOR: nadaraya_watson
fn nadaraya_watson(run: &Run, s: &Setting) -> Result<()> {
    heading("Nadaraya-Watson");
    let weights = gaussian_weights(s.differences());
    println!("weights {:?}", weights.shape().concrete());
    let output = pool(weights, s.train.y.clone());
    fit(run, s, "non_parametric", &output)
}
// ANCHOR_END: nadaraya_watson

// ANCHOR: batches
fn batches(dev: &Dev) {
    heading("Batched matrix multiplication");
    let weights: Tensor<Rank3<2, 1, 4>, f32, Dev> = dev.ones();
    let values: Tensor<Rank3<2, 4, 6>, f32, Dev> = dev.ones();
    let output: Tensor<Rank3<2, 1, 6>, f32, Dev> = pool_batch(weights, values);
    println!("(2, 1, 4) by (2, 4, 6): {:?}", output.shape().concrete());
    let weights: Tensor<Rank2<2, 10>, f32, Dev> = dev.ones() * 0.1;
    let counted: Vec<f32> = (0..20u8).map(f32::from).collect();
    let values: Tensor<Rank2<2, 10>, f32, Dev> = dev.tensor(counted);
    let output = pool_own(weights, values).array();
    println!("means of 0 to 9 and of 10 to 19: {output:.1?}");
}
// ANCHOR_END: batches

// ANCHOR: training
fn training(run: &Run, s: &Setting) -> Result<Parameter> {
    heading("Training");
    let pairs: Pairs<N, { N - 1 }> = Pairs::others(&s.train);
    let mut w = s.start.clone();
    println!("w starts at {:.4}", w.array());
    let history = train(&mut w, &pairs, 0.5, 5)?;
    row("epoch", 6, &["loss", "then w"]);
    for (epoch, (loss, w)) in (1..).zip(&history) {
        let cells = [format!("{loss:.2}"), format!("{w:.4}")];
        row(&format!("{epoch}"), 6, &cells);
    }
    let points = (1..6).map(f64::from);
    let points = points.zip(history.iter().map(|e| e.0.into()));
    let series = vec![Series::new("", Mark::LineDots, points)];
    picture(run, "loss", ("epoch", "sum of squared errors"), series)?;
    Ok(w)
}
// ANCHOR_END: training

// ANCHOR: trained
fn trained(run: &Run, s: &Setting, w: &Parameter) -> Result<()> {
    heading("The trained form");
    let panels = [s.start.clone(), s.dev.ones(), w.clone()];
    let titles = panels.clone().map(|w| format!("w = {:.4}", w.array()));
    let weights = panels.map(|w| parametric_weights(w, s.differences()));
    let output = pool(weights[2].clone(), s.train.y.clone());
    fit(run, s, "parametric", &output)?;
    let labels = Labels {
        keys: "Sorted training inputs",
        queries: "Sorted testing inputs",
        titles: titles.to_vec(),
        ..Labels::default()
    };
    let panels: Tensor<Rank3<3, Q, N>, f32, Dev> = weights.stack();
    let panels: Tensor<Rank4<1, 3, Q, N>, f32, Dev> = panels.reshape();
    run.figure("weights", &show_heatmaps(&panels, &labels)?)
}
// ANCHOR_END: trained
