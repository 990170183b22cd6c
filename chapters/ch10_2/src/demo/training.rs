//! The training of `w`, and what it came to.

use super::{N, Setting, line, sorted_inputs};
use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_2::*;
use dfdx::prelude::*;
use support::{Mark, Plot, RunArgs, Series, heading, line_plots, row, show_heatmaps};

pub type Others = TrainingSet<N, { N - 1 }>;

pub fn training(run: &RunArgs, s: &Setting) -> Result<GaussianAttention> {
    heading("Training");
    let set = Others::leave_one_out(&s.train);
    let mut model = s.start.clone();
    for (name, parameter) in model.parameters() {
        println!("parameter {name:?} of shape {:?}", parameter.dims());
    }
    let gradients = loss(&model, &set, OwnedTape::default()).backward();
    let gradient = gradients.get(&model.w).array();
    println!("w starts at {:.4}, its gradient is {gradient:.4}", model.w.array());
    // ANCHOR: train
    let history = train(&mut model, &set, LR, EPOCHS);
    // ANCHOR_END: train
    row("epoch", 6, &["loss", "then w"]);
    for (epoch, (loss, w)) in (1..).zip(&history) {
        let cells = [format!("{loss:.2}"), format!("{w:.4}")];
        row(&format!("{epoch}"), 6, &cells);
    }
    let points = (1..6).map(f64::from);
    let points = points.zip(history.iter().map(|e| e.0.into()));
    let series = vec![Series::new("", Mark::LineDots, points)];
    let labels = ("epoch", "sum of squared errors");
    let plot = Plot { labels, series, ..Plot::default() };
    run.figure("loss", &line_plots(&[plot], 1)?)?;
    let plots: Vec<Plot> = support::seeds(run.seed, 2).map(loss_over_w).collect();
    run.figure("loss_over_w", &line_plots(&plots, 2)?)?;
    run.figure("near_0", &line_plots(&[near_0()], 1)?)?;
    Ok(model)
}

/// The loss from w = 0 to 20, and where five steps lead.
fn loss_over_w(seed: u64) -> Plot {
    let series = loss_and_steps(seed, (0..=200).map(|i| i as f32 / 10.0));
    Plot {
        title: format!("seed {seed}"),
        labels: ("w", "loss"),
        series,
        ..Plot::default()
    }
}

/// A sample whose loss rises on both sides of w = 0, on a scale that shows it.
fn near_0() -> Plot {
    let series = loss_and_steps(70, (-40..=40).map(|i| i as f32 / 200.0));
    Plot { labels: ("w", "loss"), series, ..Plot::default() }
}

/// The loss at each of `ws`, and where a training starts and gets to.
fn loss_and_steps(seed: u64, ws: impl Iterator<Item = f32>) -> Vec<Series> {
    let s = Setting::new(seed);
    let set = Others::leave_one_out(&s.train);
    let at = |w: f32| (w.into(), loss(&s.model(w), &set, NoneTape).array().into());
    let mut model = s.start.clone();
    let history = train(&mut model, &set, LR, EPOCHS);
    let visited = std::iter::once(s.start.w.array()).chain(history.iter().map(|e| e.1));
    vec![
        Series::new("loss", Mark::Line, ws.map(at)),
        Series::new("start and five steps", Mark::LineDots, visited.map(at)),
    ]
}

pub fn trained(run: &RunArgs, s: &Setting, model: &GaussianAttention) -> Result<()> {
    heading("The trained form");
    let models = [&s.start, model];
    let titles = models.map(|model| format!("w = {:.4}", model.w.array()));
    let weights = models.map(|model| model.weights(s.differences()));
    let output = pool(weights[1].clone(), s.train.y.clone());
    s.fit(run, "parametric", &output)?;
    let panels = weights.map(|weights| weights.array());
    let svg = show_heatmaps(&panels, &sorted_inputs(titles.to_vec()))?;
    run.figure("weights", &svg)
}

pub fn three_estimates(
    run: &RunArgs,
    s: &Setting,
    model: &GaussianAttention,
) -> Result<()> {
    heading("Three estimates");
    row("", 16, &["MSE"]);
    let models = [
        ("average", &s.model(0.0)),
        ("fixed width", &s.model(1.0)),
        ("trained", model),
    ];
    let mut series = s.truth_and_data();
    for (name, model) in models.into_iter().rev() {
        let output = pool(model.weights(s.differences()), s.train.y.clone());
        series.push(line(name, Mark::Line, &s.x, &output));
    }
    for (name, model) in models {
        row(name, 16, &[format!("{:.4}", s.error(model))]);
    }
    let plot = Plot { labels: ("x", "y"), series, ..Plot::default() };
    run.figure("three_estimates", &line_plots(&[plot], 1)?)
}

pub fn entropies(s: &Setting, model: &GaussianAttention) {
    heading("How many keys");
    row("", 16, &["w", "1/w", "entropy", "e^entropy", "MSE"]);
    let models = [
        ("average", &s.model(0.0)),
        ("at the start", &s.start),
        ("non-parametric", &s.model(1.0)),
        ("trained", model),
    ];
    for (name, model) in models {
        let weights = model.weights(s.differences());
        let entropy = entropy(weights).mean::<Rank0, _>().array();
        let (w, error) = (model.w.array(), s.error(model));
        let (width, keys) = (w.recip(), entropy.exp());
        print!("{name:<16}{w:>10.4}{width:>10.4}{entropy:>10.4}");
        println!("{keys:>10.1}{error:>10.4}");
    }
}

pub fn own_key(s: &Setting) {
    heading("A point as its own key");
    let others = Others::leave_one_out(&s.train);
    let all = TrainingSet::with_self(&s.train);
    row("keys:", 8, &["others", "", "", "all", "", ""]);
    row("epochs", 8, &["loss", "w", "MSE", "loss", "w", "MSE"]);
    for epochs in [1, 5, 20, 100, 500] {
        let cells = [after(epochs, s, &others), after(epochs, s, &all)].concat();
        let cells: Vec<String> = cells.iter().map(|v| format!("{v:.3}")).collect();
        row(&epochs.to_string(), 8, &cells);
    }
}

/// The loss on this set, w and the error at the test inputs, after so many
/// epochs.
fn after<const K: usize>(
    epochs: usize,
    s: &Setting,
    set: &TrainingSet<N, K>,
) -> [f32; 3] {
    let mut model = s.start.clone();
    train(&mut model, set, LR, epochs);
    [loss(&model, set, NoneTape).array(), model.w.array(), s.error(&model)]
}
