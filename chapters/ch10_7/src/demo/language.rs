//! The decoder alone: a language model trained on the stories, and what it
//! writes.

use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_7::language_model::{PART, Setting, Storyteller, sample, train_storyteller};
use ch10_7::ngram::{NGrams, perplexity};
use ch10_7::stories::{STEPS, Stories, TEXT};
use dfdx::prelude::*;
use kernels::Dev;
use program::Job;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::vocab::BOS;
use support::{
    Labels, Mark, ModelFile, Plot, Progress, Series, heading, line_plots, note, row,
    show_heatmaps,
};

/// The flags of the training.
#[derive(clap::Args, Clone)]
pub struct Training {
    /// Train in N steps
    #[arg(long, value_name = "N", default_value_t = Setting::BOOK.steps, value_parser = support::number(10..=100_000))]
    steps: usize,
}

/// The flags of `write`.
#[derive(clap::Args)]
pub struct Args {
    /// How the story begins
    #[arg(default_value = "")]
    beginning: String,
    /// 0 takes the most probable token, 1 samples with its probability
    #[arg(long, value_name = "T", default_value_t = 0.5, value_parser = support::real(0.0..=100.0), allow_negative_numbers = true)]
    temperature: f32,
    /// Write at most N tokens
    #[arg(long, value_name = "N", default_value_t = 120, value_parser = support::number(1..=STEPS))]
    tokens: usize,
    #[command(flatten)]
    training: Training,
}

/// After so many steps: the perplexity of the steps since the entry before,
/// and of the validation stories.
type Entry = (usize, [f64; 2]);

fn train(stories: &Stories, steps: usize, seed: u64) -> (Storyteller, Vec<Entry>) {
    let mut progress = Progress::new("stories", steps);
    let (mut history, mut nats, mut count) = (Vec::new(), 0.0, 0);
    let on_step = |step, loss, tokens, model: &Storyteller| {
        progress.step_of(tokens, loss / tokens as f32);
        (nats, count) = (nats + f64::from(loss), count + tokens);
        if step % (steps / 10).max(1) == 0 {
            let validation = model.perplexity::<STEPS>(&stories.validation);
            history.push((step, [perplexity(nats, count), validation]));
            (nats, count) = (0.0, 0);
        }
    };
    let setting = Setting { steps, ..Setting::BOOK };
    (train_storyteller(stories, &setting, seed, on_step), history)
}

fn file(job: &Job, training: &Training, seed: u64) -> ModelFile {
    let steps = training.steps;
    let setting = Setting { steps, ..Setting::BOOK };
    let settings = (setting, seed, PART, "LanguageModel<64, 4, 16, 128>");
    let flags = format!("--steps {steps} --seed {seed}");
    ModelFile::new(&job.model, "ch10_7", &settings, TEXT.as_bytes(), flags)
}

/// Trains, compares with counting pairs, draws, and lets the model write.
pub fn language(job: &Job, args: &Training) -> Result<()> {
    job.run.check_out()?;
    let file = file(job, args, job.run.seed);
    file.check()?;
    heading("Decoder alone");
    let stories = Stories::book();
    row("", 12, &["stories", "tokens"]);
    for (name, part) in [
        ("training", &stories.train),
        ("validation", &stories.validation),
        ("held out", &stories.held_out),
    ] {
        row(name, 12, &[part.len(), part.iter().flatten().count()]);
    }
    println!("\ntokens in the vocabulary {}", stories.vocab_size());
    let (mut model, history) = train(&stories, args.steps, job.run.seed);
    program::save(&file, &mut model, &[&stories.vocab])?;
    println!("parameters               {}\n", model.count());
    println!("perplexity    training  validation");
    for (step, [training, validation]) in &history {
        println!("step {step:<7}{training:10.2}{validation:12.2}");
    }
    println!();
    let baseline = compare(&stories, &model);
    curve(job, &history, baseline)?;
    maps(job, &stories, &model)?;
    heading("Stories that it writes");
    let prompt = stories.prompt("One day the mole")?;
    for temperature in [0.0, 0.5, 1.0] {
        println!("temperature {temperature:.1}");
        let text = continued(&stories, &model, &prompt, temperature, 70, job.run.seed);
        lines(&text).iter().for_each(|line| println!("  {line}"));
    }
    Ok(())
}

/// Prints the perplexity of the model, and of those that count; returns that of
/// the trigrams on the validation stories.
fn compare(stories: &Stories, model: &Storyteller) -> f64 {
    row("perplexity", 14, &["validation", "held out", "κ"]);
    let parts = [&stories.validation, &stories.held_out];
    let mut last = f64::NAN;
    for (order, name) in [(1, "unigrams"), (2, "bigrams"), (3, "trigrams")] {
        let tune = [&stories.train[..], &stories.validation];
        let counted = NGrams::tuned(tune, stories.vocab_size(), order);
        let both = parts.map(|part| counted.perplexity(part));
        let kappas: Vec<_> = counted.pseudo_counts.iter().map(f64::to_string).collect();
        let mut cells = both.map(two_digits).to_vec();
        cells.extend((order > 1).then(|| kappas.join(", ")));
        row(name, 14, &cells);
        last = both[0];
    }
    let ours = parts.map(|part| two_digits(model.perplexity::<STEPS>(part)));
    row("language model", 14, &ours);
    last
}

fn two_digits(number: f64) -> String {
    format!("{number:.2}")
}

/// The subcommand `write`.
pub fn write(job: &Job, args: &Args) -> Result<()> {
    let stories = Stories::book();
    let prompt = stories.prompt(&args.beginning)?;
    let file = file(job, &args.training, 0);
    let new = || Storyteller::of_stories(&Dev::default(), &stories, &Setting::BOOK);
    let model = match program::saved(&file, new, &[&stories.vocab])? {
        Some(model) => model,
        None => {
            file.check()?;
            note(format_args!("no language model yet: training"));
            let (mut model, _) = train(&stories, args.training.steps, 0);
            program::save(&file, &mut model, &[&stories.vocab])?;
            model
        }
    };
    let Args { temperature, tokens, .. } = *args;
    let text = continued(&stories, &model, &prompt, temperature, tokens, job.run.seed);
    lines(&text).iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn continued(
    stories: &Stories,
    model: &Storyteller,
    prompt: &[usize],
    temperature: f32,
    most: usize,
    seed: u64,
) -> String {
    let mut rng = StdRng::seed_from_u64(seed);
    let choose = |logits: &[f32]| sample(logits, temperature, &mut rng);
    let written = model.generate::<STEPS>(prompt, most, choose);
    stories.text(&[prompt, &written].concat())
}

/// Draws the logarithm of the perplexity as training goes on.
fn curve(job: &Job, history: &[Entry], baseline: f64) -> Result<()> {
    let points = |which: usize| {
        let points = history.iter().map(move |(n, both)| (*n as f64, both[which].ln()));
        points.collect::<Vec<_>>()
    };
    let (first, last) = (history[0].0 as f64, history[history.len() - 1].0 as f64);
    let flat = [first, last].map(|step| (step, baseline.ln()));
    let plot = Plot {
        labels: ("Step", "Mean of -ln p, nats"),
        series: vec![
            Series::new("training", Mark::Line, points(0)),
            Series::new("validation", Mark::Line, points(1)),
            Series::new("validation, trigrams", Mark::Line, flat),
        ],
        ..Plot::default()
    };
    job.run.figure("stories", &line_plots(&[plot], 1)?)
}

/// Draws the weights of the last block's heads for the first tokens of a
/// validation story, and prints how much weight lies far back in all of them.
fn maps(job: &Job, stories: &Stories, model: &Storyteller) -> Result<()> {
    const S: usize = 18;
    let mut read = [BOS; S];
    read[1..].copy_from_slice(&stories.validation[0][..S - 1]);
    let (_, weights) = model.forward(&[read], &[S], NoneTape);
    let [heads] = weights[1].array();
    let tokens = read.map(|number| stories.vocab.tokens()[number].clone());
    let labels = Labels {
        keys: "Tokens so far",
        queries: "Last token",
        titles: (1..5).map(|head| format!("head {head}")).collect(),
        key_tokens: tokens.to_vec(),
        query_tokens: tokens.to_vec(),
        columns: 2,
    };
    job.run.figure("causal", &show_heatmaps(&heads, &labels)?)?;
    println!("\nweight on tokens five or more back, last block");
    let far = far_back(stories, model).map(two_digits);
    row("", 8, &["head 1", "head 2", "head 3", "head 4", "equal"]);
    row("", 8, &far);
    Ok(())
}

/// The mean weight of each head of the last block on tokens that are five or more
/// back, in the validation stories, where there are such tokens; and what it were
/// if all tokens so far had the same weight.
fn far_back(stories: &Stories, model: &Storyteller) -> [f64; 5] {
    let (mut far, mut rows) = ([0.0; 5], 0.0);
    for story in &stories.validation {
        let mut read = [BOS; STEPS];
        read[1..story.len()].copy_from_slice(&story[..story.len() - 1]);
        let (_, weights) = model.forward(&[read], &[story.len()], NoneTape);
        let weights = weights[1].as_vec();
        for q in 5..story.len() {
            rows += 1.0;
            far[4] += (q - 4) as f64 / (q + 1) as f64;
            for (head, far) in far[..4].iter_mut().enumerate() {
                let row = &weights[(head * STEPS + q) * STEPS..][..=q - 5];
                *far += f64::from(row.iter().sum::<f32>());
            }
        }
    }
    far.map(|sum| sum / rows)
}

/// A text in lines of at most 72 letters.
pub(super) fn lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let len = lines[last].chars().count() + word.chars().count();
        match &mut lines[last] {
            line if line.is_empty() => line.push_str(word),
            line if len < 72 => line.extend([" ", word]),
            _ => lines.push(word.to_string()),
        }
    }
    lines
}
