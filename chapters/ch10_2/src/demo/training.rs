//! The training of `w`, what it came to, and how much of that was luck.

use super::{N, Setting, series, sorted_inputs};
use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_2::*;
use dfdx::prelude::*;
use support::{Mark, Plot, RunArgs, Series, heading, line_plots, row, show_heatmaps};

type Others = TrainingSet<N, { N - 1 }>;

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
    Ok(model)
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
    let mut lines = vec![
        series("data", Mark::Dots, &s.train.x, &s.train.y),
        series("truth", Mark::Line, &s.x, &s.truth),
    ];
    let models = [
        ("average", &s.model(0.0)),
        ("fixed width", &s.model(1.0)),
        ("trained", model),
    ];
    for (name, model) in models {
        row(name, 16, &[format!("{:.4}", s.error(model))]);
        let output = pool(model.weights(s.differences()), s.train.y.clone());
        lines.push(series(name, Mark::Line, &s.x, &output));
    }
    let plot = Plot { labels: ("x", "y"), series: lines, ..Plot::default() };
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

pub fn ten_seeds(first: u64) {
    heading("Ten seeds");
    let ten = || support::seeds(first, 10).map(|seed| (seed, Setting::new(seed)));
    row("", 6, &["w", "loss", "loss", "w after", "w after", "best"]);
    row("seed", 6, &["start", "first", "fifth", "5", "100", "w"]);
    for (seed, s) in ten() {
        let set = Others::leave_one_out(&s.train);
        let mut model = s.start.clone();
        let history = train(&mut model, &set, LR, 100);
        // From 0.5 to 50, in steps of 1 %.
        let tried = (0..464).map(|i| s.model(0.5 * 1.01f32.powi(i)));
        let at = |model: &GaussianAttention| loss(model, &set, NoneTape).array();
        let best = tried.min_by(|a, b| at(a).total_cmp(&at(b)));
        let best = best.map_or(f32::NAN, |model| model.w.array());
        let [first, fifth] = [history[0].0, history[4].0];
        let ws = [history[4].1, model.w.array(), best];
        let cells = [&[s.start.w.array(), first, fifth], &ws[..]].concat();
        let cells: Vec<String> = cells.iter().map(|v| format!("{v:.3}")).collect();
        row(&seed.to_string(), 6, &cells);
    }
    row("MSE", 6, &["average", "w = 1", "after 5", "after 100"]);
    for (seed, s) in ten() {
        let set = Others::leave_one_out(&s.train);
        let trained = [EPOCHS, 100].map(|epochs| {
            let mut model = s.start.clone();
            train(&mut model, &set, LR, epochs);
            model
        });
        let models = [&s.model(0.0), &s.model(1.0), &trained[0], &trained[1]];
        let cells = models.map(|model| format!("{:.3}", s.error(model)));
        row(&seed.to_string(), 6, &cells);
    }
}
