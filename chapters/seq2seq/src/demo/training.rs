//! A short training of a model with one context for all steps, and what it
//! makes of sentences that it was trained with and of others.

use anyhow::Result;
use ch10_2::parameters::Parameters;
use kernels::Dev;
use seq2seq::bleu::bleu;
use seq2seq::context::FixedContext;
use seq2seq::corpus::PAIRS;
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::text::Pair;
use seq2seq::train::{BATCH, STEPS, Schedule, train};
use seq2seq::translator::{Config, Translator};
use support::{Mark, Plot, Progress, RunArgs, Series, heading, line_plots, row, seeds};

/// Embeddings and states of 32 numbers; one context for all steps.
type Model = Translator<32, 32, FixedContext>;

/// Layers and dropout as d2l has them.
const CONFIG: Config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.1 };

/// A constant learning rate.
const SCHEDULE: Schedule =
    Schedule { epochs: 200, lr: 0.005, final_lr_fraction: 1.0, warm_up: 0 };

/// The first 128 pairs of the corpus to train with.
fn few_pairs() -> Dataset {
    Dataset::book().first(128)
}

/// Trains and translates.
pub fn training(run: &RunArgs) -> Result<()> {
    let dataset = few_pairs();
    let (mut model, losses) = trained(&dataset, run.seed, "training")?;
    heading("Sentences of the training");
    translations(&model, &dataset, &dataset.train);
    heading("New sentences of the same words");
    translations(&model, &dataset, &dataset.held_out);
    heading("A short training");
    println!("parameters {}", model.count());
    for (epoch, loss) in (1..).zip(&losses) {
        if epoch == 1 || epoch % 40 == 0 {
            row(&format!("epoch {epoch}"), 12, &[format!("{loss:.4}")]);
        }
    }
    let points = (1..).zip(&losses);
    let points = points.map(|(n, &loss)| (f64::from(n), f64::from(loss)));
    let plot = Plot {
        labels: ("Epoch", "Cross-entropy per token"),
        series: vec![Series::new("", Mark::Line, points)],
        ..Plot::default()
    };
    run.figure("loss", &line_plots(&[plot], 1)?)
}

/// Trains from several seeds, and prints how much comes out right, and how many
/// wrong translations of new sentences are training sentences.
pub fn by_heart(run: &RunArgs, count: usize) -> Result<()> {
    let depends =
        ("Translator<32, 32, FixedContext>", CONFIG, SCHEDULE, run.seed, count);
    run.print_settings(&depends, PAIRS.as_bytes());
    heading("BLEU-2 of the sentences of the training, and of new ones");
    row("seed", 6, &["training", "right", "new", "right", "wrong", "copied"]);
    let dataset = few_pairs();
    for seed in seeds(run.seed, count as u64) {
        let (model, _) = trained(&dataset, seed, &format!("seed {seed}"))?;
        let known = Evaluation::new(&model, &dataset, &dataset.train);
        let new = Evaluation::new(&model, &dataset, &dataset.held_out);
        let shares = [known.mean_bleu, known.exact, new.mean_bleu, new.exact];
        let shares = shares.map(|share| format!("{share:.2}"));
        let counts = [new.wrong, new.copied].map(|count| count.to_string());
        row(&seed.to_string(), 6, &[&shares[..], &counts].concat());
    }
    Ok(())
}

fn trained(dataset: &Dataset, seed: u64, what: &str) -> Result<(Model, Vec<f32>)> {
    let steps = SCHEDULE.epochs * dataset.train.len().div_ceil(BATCH);
    let mut progress = Progress::new(what, steps);
    let sizes = dataset.vocabularies.sizes();
    let model = |dev: &Dev| Model::new(dev, sizes, &CONFIG, FixedContext);
    let on_step = |loss, tokens| progress.step_of(tokens, loss);
    train(dataset, &SCHEDULE, seed, model, on_step, |_, _| ())
}

fn translations(model: &Model, dataset: &Dataset, pairs: &[Pair]) {
    let vocabularies = &dataset.vocabularies;
    for pair in pairs.iter().take(5) {
        let translation =
            model.translate::<STEPS>(vocabularies.source.encode(&pair.source));
        let ours = vocabularies.target.decode(&translation.tokens);
        println!("{:.2}  {}", bleu(&ours, &pair.target, 2), pair.source.join(" "));
        println!("      {}", ours.join(" "));
        if ours != pair.target {
            println!("not   {}", pair.target.join(" "));
        }
    }
    let evaluation = Evaluation::new(model, dataset, pairs);
    let Evaluation { sentences, mean_bleu, corpus_bleu, exact, wrong, copied } =
        evaluation;
    println!(
        "{sentences} sentences: BLEU-2 {mean_bleu:.2}, corpus BLEU {corpus_bleu:.2}"
    );
    println!("right as a whole: {exact:.2}");
    println!("{copied} of {wrong} wrong translations are training sentences");
}
