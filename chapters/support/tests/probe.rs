//! A program as a section has them, for the tests of what happens to one.

use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use support::{
    Labels, Mark, ModelFile, Plot, Progress, RunArgs, Series, heading, line_plots,
    note, printable, read_whole, refuse_same, row, seeds, show_heatmaps,
};

/// Runs into walls
#[derive(clap::Parser)]
#[command(mut_arg("seed", |seed| seed.default_value("7")))]
struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// What it learns from
    #[arg(long, value_name = "FILE", global = true)]
    data: Option<PathBuf>,
    /// Where the model is saved
    #[arg(long, value_name = "FILE", global = true)]
    model: Option<PathBuf>,
    /// Train for N epochs
    #[arg(long, value_name = "N", default_value_t = 20, global = true)]
    #[arg(value_parser = support::number(1..=100_000))]
    epochs: usize,
    /// Sample at this temperature
    #[arg(long, value_name = "T", default_value_t = 1.0)]
    #[arg(value_parser = support::real(0.01..=100.0))]
    temperature: f32,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Trains, or reads the model, and prints
    Train,
    /// Prints its seeds
    Seeds,
    /// Prints what is worth a record
    Record,
    /// Fails with this text
    Fail {
        /// The text
        text: String,
    },
    /// Makes a mistake
    Panic,
}

fn main() -> ExitCode {
    support::run("support_probe", |args: Args| match &args.command {
        None => draw(&args),
        Some(Command::Train) => train(&args),
        Some(Command::Seeds) => {
            println!("{:?}", seeds(args.run.seed, 3).collect::<Vec<_>>());
            Ok(())
        }
        Some(Command::Record) => {
            if !args.run.print_settings(&(args.epochs, args.run.seed), b"data") {
                println!("after hours");
            }
            Ok(())
        }
        Some(Command::Fail { text }) => bail!("{text}"),
        Some(Command::Panic) => panic!("a b c\nd e f"),
    })
}

fn train(args: &Args) -> Result<()> {
    let data = match &args.data {
        Some(path) => read_whole(path)?,
        None => b"the book's".to_vec(),
    };
    if let (Some(data), Some(model)) = (&args.data, &args.model) {
        refuse_same(("--data", "--model"), data, model)?;
    }
    let settings = (args.epochs, args.temperature, args.run.seed);
    let file = ModelFile::new(args.model.clone(), "support_probe", &settings, &data);
    let model = match file.load()? {
        Some(model) => model,
        None => {
            file.check()?;
            note("no model yet: training");
            let mut progress = Progress::new("training", args.epochs);
            (0..args.epochs).for_each(|i| progress.step(1.0 / (i + 1) as f32));
            let header = format!("{{\"__metadata__\":{{\"about\":\"{settings:?}\"}}}}");
            let length = (header.len() as u64).to_le_bytes();
            let model = [&length[..], header.as_bytes(), &data].concat();
            file.save(&model)?;
            model
        }
    };
    heading("Model");
    println!("{}", support::printable(&String::from_utf8_lossy(&model[8..])));
    row("epochs", 8, &[args.epochs]);
    Ok(())
}

fn draw(args: &Args) -> Result<()> {
    args.run.check_out()?;
    heading("Figures");
    println!("seed {}", args.run.seed);
    let heads = [[[0.0; 10]; 10]; 8];
    let mut heads = [heads];
    for (h, head) in heads[0].iter_mut().enumerate() {
        for (q, row) in head.iter_mut().enumerate() {
            for (k, weight) in row.iter_mut().enumerate() {
                *weight = 1.0 / (1.0 + (q as f32 - k as f32 + h as f32 - 4.0).powi(2));
            }
        }
    }
    let titles = (0..8).map(|h| format!("Head {h}")).collect();
    let labels = Labels { titles, ..Labels::default() };
    args.run.figure("heads", &show_heatmaps(&heads, &labels)?)?;
    let words = ["the", "red", "car", "is", "new", ".", "<eos>"];
    let french = ["la", "voiture", "rouge", "est", "neuve", ".", "<eos>"];
    let weights = [0, 2, 1, 3, 4, 5, 6].map(|best: usize| {
        std::array::from_fn::<f32, 7, _>(|k| if k == best { 0.88 } else { 0.02 })
    });
    let labels = Labels::tokens(&french, &words);
    args.run.figure("words", &show_heatmaps(&weights, &labels)?)?;
    let two = [weights, weights];
    let titles = vec!["layer 1".into(), "layer 2".into()];
    let labels = Labels { titles, ..labels };
    args.run.figure("two", &show_heatmaps(&two, &labels)?)?;
    let many: Vec<Vec<f32>> = (0..50)
        .map(|q| (0..49).map(|k| (-((q - k) as f32 / 9.0).powi(2)).exp()).collect())
        .collect();
    let titles = vec!["without weights".into(), "trained".into()];
    let labels = Labels { titles, ..Labels::default() };
    args.run.figure("many", &show_heatmaps(&[many.clone(), many][..], &labels)?)?;
    let curve = |n: usize| (0..60).map(move |i| (f64::from(i) / 10.0, n));
    let wave = |n| curve(n).map(|(x, n)| (x, (x + n as f64 / 2.0).sin()));
    let points = |n| wave(n).step_by(6);
    let series = vec![
        Series::new("truth", Mark::Line, wave(0)),
        Series::new("prediction", Mark::Dashes, wave(1)),
        Series::new("another prediction", Mark::Dashes, wave(2)),
        Series::new("samples", Mark::Dots, points(1)),
        Series::new("measured", Mark::LineDots, points(4)),
    ];
    let labels = ("temperature in °C", "largest weight");
    let plot = Plot { labels, series, ..Plot::default() };
    args.run.figure("curves", &line_plots(std::slice::from_ref(&plot), 1)?)?;
    let panels =
        [1, 2, 3].map(|n| Plot { title: format!("panel {n}"), ..plot.clone() });
    args.run.figure("panels", &line_plots(&panels, 2)?)?;
    let names = ["none", "head 0", "head 1", "head 2", "head 3"];
    let losses = |by: f64| (0..5).map(move |i| (f64::from(i), by * f64::from(i + 1)));
    let plot = Plot {
        title: "four heads".into(),
        labels: ("masked out", "loss in nats"),
        categories: names.map(String::from).to_vec(),
        series: vec![
            Series::new("left neighbour", Mark::Dots, losses(0.3)),
            Series::new("partner", Mark::Dots, losses(0.2)),
        ],
        ..Plot::default()
    };
    args.run.figure("categories", &line_plots(&[plot], 1)?)?;
    let power =
        |p: f64| (0..20).map(move |i| 2f64.powi(i)).map(move |n| (n, n.powf(p)));
    let plot = Plot {
        labels: ("tokens", "ms"),
        log: (true, true),
        series: vec![
            Series::new("attention", Mark::LineDots, power(2.0)),
            Series::new("recurrent", Mark::LineDots, power(1.0)),
        ],
        ..Plot::default()
    };
    args.run.figure("log", &line_plots(&[plot], 1)?)?;
    let file = args.run.out.as_deref().unwrap_or(Path::new("the book's"));
    println!("in {}", printable(&file.display().to_string()));
    Ok(())
}
