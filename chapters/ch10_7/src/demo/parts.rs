//! From a table of pairs to a Transformer: what each part of the language model
//! buys on the stories, each model trained at a rate of its own.

use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_7::decoder_of_today::{self, TodayDecoder, train_decoder};
use ch10_7::language_model::Setting;
use ch10_7::ngram::NGrams;
use ch10_7::parts::{DROPOUT, FFN, M, Parts, PartsModel, Variant, variants};
use ch10_7::stories::{Stories, TEXT};
use program::Job;
use support::{Progress, heading, row, seeds, spread};

/// The flags of `parts`.
#[derive(clap::Args)]
pub struct Args {
    /// Train one head with a residual connection and a network, and rotary positions
    #[arg(long)]
    more: bool,
}

/// Steps of each training.
const STEPS: usize = 600;
/// The learning rates that are tried.
const RATES: [f32; 4] = [0.004, 0.008, 0.016, 0.032];
/// Seeds to choose a rate with, and other ones to judge the choice with.
const SEEDS: [u64; 2] = [2, 5];

/// Other models: one head with more steps, and the same parts in another order.
fn others() -> [(Variant, usize); 3] {
    let [_, _, (.., attention), _, _, (.., residual), ..] = variants();
    let around = Parts { residual: true, ..attention };
    [
        (("one head, 2400 steps", 1, attention), 4 * STEPS),
        (("four heads, residual", 4, around), STEPS),
        (("two layers, no norm", 4, Parts { layers: 2, ..residual }), STEPS),
    ]
}

/// One head with the parts that four heads have in the table.
fn one_head() -> [(Variant, usize); 2] {
    let [_, _, (.., attention), _, _, (.., residual), ..] = variants();
    let around = Parts { residual: true, ..attention };
    [
        (("one head, residual", 1, around), STEPS),
        (("one head, residual, network", 1, residual), STEPS),
    ]
}

/// Trains a model in so many steps with this rate, from this seed.
type Train<'a> = Box<dyn Fn(f32, u64) -> Trained + 'a>;

/// A model of a table: its name, and how it is trained.
type Entry<'a> = (&'static str, Train<'a>);

fn entry<'a>(stories: &'a Stories, &one: &(Variant, usize)) -> Entry<'a> {
    (one.0.0, Box::new(move |lr, seed| Trained::new(stories, &one, lr, seed)))
}

/// Returns a printer of names and cells in columns.
fn columns(width: usize) -> impl Fn(&str, &[String]) {
    move |name, cells| row(name, width, cells)
}

/// Trains the models of the table, or those beside it: rates are chosen on the
/// validation stories, the stories held out judge.
pub fn parts(job: &Job, args: &Args) -> Result<()> {
    let stories = Stories::book();
    if args.more {
        return more(job, &stories);
    }
    let row = columns(22);
    let all = [&variants().map(|one| (one, STEPS))[..], &others()].concat();
    let settings = (&all, RATES, SEEDS, DROPOUT, M, FFN, job.run.seed);
    job.run.print_settings(&settings, TEXT.as_bytes());
    let all: Vec<Entry> = all.iter().map(|one| entry(&stories, one)).collect();
    let chosen = rates(job, &all, &row);

    heading("Part by part");
    header(&row);
    let mut nats = f64::NAN;
    for (order, name) in [(3, "trigrams"), (2, "bigrams")] {
        let tune = [&stories.train[..], &stories.validation];
        let counted = NGrams::tuned(tune, stories.vocab_size(), order);
        let found = [counted.perplexity(&stories.held_out)];
        nats = print(&row, name, counted.counts(), "", &found, None);
    }
    for (at, (one, rate)) in all.iter().zip(chosen).enumerate() {
        if at == variants().len() {
            heading("Otherwise");
        }
        let before = (at < variants().len()).then_some(nats);
        nats = judge(job, &row, one, rate, before);
    }
    Ok(())
}

/// Trains the models beside the table.
fn more(job: &Job, stories: &Stories) -> Result<()> {
    let row = columns(28);
    let settings = (one_head(), "rotary", STEPS, RATES, SEEDS, DROPOUT, M, FFN);
    job.run.print_settings(&(settings, job.run.seed), TEXT.as_bytes());
    let rotary = Box::new(|lr, seed| Trained::rotary(stories, lr, seed));
    let mut all: Vec<Entry> =
        one_head().iter().map(|one| entry(stories, one)).collect();
    all.push(("all, rotary positions", rotary));
    let chosen = rates(job, &all, &row);
    heading("Beside the table");
    header(&row);
    for (one, rate) in all.iter().zip(chosen) {
        judge(job, &row, one, rate, None);
    }
    Ok(())
}

fn header(row: &impl Fn(&str, &[String])) {
    let names = ["numbers", "rate", "mean", "lowest", "highest", "nats", "buys"];
    row("held out", &names.map(String::from));
}

/// Prints what each rate leads to, the mean over the seeds; returns the best rates.
fn rates(job: &Job, all: &[Entry], row: &impl Fn(&str, &[String])) -> Vec<f32> {
    heading("Rates on the validation stories");
    row("", &RATES.map(|rate| rate.to_string()));
    let best = |(name, train): &Entry| {
        let mean = |&rate: &f32| {
            let found =
                seeds(job.run.seed, SEEDS[0]).map(|seed| train(rate, seed).validation);
            spread(found).mean
        };
        let means: Vec<f64> = RATES.iter().map(mean).collect();
        let cells: Vec<_> = means.iter().map(|mean| format!("{mean:.2}")).collect();
        row(name, &cells);
        let best = RATES.iter().zip(means).min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(RATES[0], |(rate, _)| *rate)
    };
    all.iter().map(best).collect()
}

/// Trains a model from the seeds that judge, and prints its perplexities.
fn judge(
    job: &Job,
    row: &impl Fn(&str, &[String]),
    (name, train): &Entry,
    rate: f32,
    before: Option<f64>,
) -> f64 {
    let others = seeds(job.run.seed.wrapping_add(SEEDS[0]), SEEDS[1]);
    let trained: Vec<Trained> = others.map(|seed| train(rate, seed)).collect();
    let found: Vec<f64> = trained.iter().map(|one| one.held_out).collect();
    print(row, name, trained[0].numbers, &rate.to_string(), &found, before)
}

/// A trained model: how many numbers it learned, and its perplexities.
struct Trained {
    numbers: usize,
    validation: f64,
    held_out: f64,
}

impl Trained {
    fn new(
        stories: &Stories,
        ((_, heads, parts), steps): &(Variant, usize),
        lr: f32,
        seed: u64,
    ) -> Self {
        match heads {
            1 => Self::with_heads::<1, 64>(stories, parts, (*steps, lr), seed),
            _ => Self::with_heads::<4, 16>(stories, parts, (*steps, lr), seed),
        }
    }

    /// The language model with rotary positions.
    fn rotary(stories: &Stories, lr: f32, seed: u64) -> Self {
        let mut progress = Progress::new("stories", STEPS);
        let on_step = |_, loss, tokens, _: &TodayDecoder<M, 4, 4, 16, FFN>| {
            progress.step_of(tokens, loss / tokens as f32);
        };
        let before = decoder_of_today::Parts::BEFORE;
        let parts = decoder_of_today::Parts { rotary: true, ..before };
        let setting = Setting { steps: STEPS, lr, dropout: DROPOUT, ..Setting::BOOK };
        let mut model = train_decoder(stories, &parts, &setting, seed, on_step);
        Trained {
            numbers: model.count(),
            validation: model.perplexity(&stories.validation),
            held_out: model.perplexity(&stories.held_out),
        }
    }

    fn with_heads<const H: usize, const D: usize>(
        stories: &Stories,
        parts: &Parts,
        schedule: (usize, f32),
        seed: u64,
    ) -> Self {
        let mut progress = Progress::new("stories", schedule.0);
        let on_step = |_, loss, tokens, _: &_| {
            progress.step_of(tokens, loss / tokens as f32);
        };
        let mut model =
            PartsModel::<H, D>::trained(stories, parts, schedule, seed, on_step);
        Trained {
            numbers: model.count(),
            validation: model.perplexity(&stories.validation),
            held_out: model.perplexity(&stories.held_out),
        }
    }
}

/// Prints the perplexities of models from several seeds, and the mean of their
/// logarithms, which it returns, beside that of the row before.
fn print(
    row: &impl Fn(&str, &[String]),
    name: &str,
    numbers: usize,
    rate: &str,
    found: &[f64],
    before: Option<f64>,
) -> f64 {
    let nats = spread(found.iter().map(|perplexity| perplexity.ln())).mean;
    let mut cells = vec![numbers.to_string(), rate.to_string()];
    cells.extend(spread(found.iter().copied()).cells(2));
    cells.push(format!("{nats:.3}"));
    cells.extend(before.map(|before| format!("{:+.2}", before - nats)));
    row(name, &cells);
    nats
}
