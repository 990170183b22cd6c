//! From a table of pairs to a Transformer: what each part of the language model
//! buys on the stories, each model trained at a rate of its own.

use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_7::decoder_of_today::{Parts, TodayDecoder, train_decoder};
use ch10_7::language_model::Setting;
use ch10_7::ngram::NGrams;
use ch10_7::parts::{DROPOUT, FFN, M, PartsModel, Switches, variants};
use ch10_7::stories::{Stories, TEXT};
use program::Job;
use support::{Progress, heading, row, seeds, spread};

/// Steps of each training.
const STEPS: usize = 600;
/// Columns of a name.
const WIDTH: usize = 28;
/// The learning rates that are tried.
const RATES: [f32; 4] = [0.004, 0.008, 0.016, 0.032];
/// Seeds to choose a rate with, and other ones to judge the choice with.
const SEEDS: [u64; 2] = [2, 5];

/// A model of the table, and how long it is trained.
#[derive(Clone, Copy, Debug)]
struct Entry {
    name: &'static str,
    steps: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// So many heads, and these parts.
    Heads(usize, Switches),
    /// The language model with rotary positions.
    Rotary,
}

/// Returns the models of the table, each with one part more.
fn one_by_one() -> [Entry; 8] {
    let entry = |(name, heads, parts)| Entry {
        name,
        steps: STEPS,
        kind: Kind::Heads(heads, parts),
    };
    variants().map(entry)
}

/// Returns other models: one head with more steps, the same parts in another order,
/// and rotary positions.
fn others() -> [Entry; 6] {
    let [_, _, (.., attention), _, _, (.., residual), ..] = variants();
    let around = Switches { residual: true, ..attention };
    let two = Switches { layers: 2, ..residual };
    let entry = |name, steps, kind| Entry { name, steps, kind };
    [
        entry("one head, 2400 steps", 4 * STEPS, Kind::Heads(1, attention)),
        entry("one head, residual", STEPS, Kind::Heads(1, around)),
        entry("one head, residual, network", STEPS, Kind::Heads(1, residual)),
        entry("four heads, residual", STEPS, Kind::Heads(4, around)),
        entry("two layers, no norm", STEPS, Kind::Heads(4, two)),
        entry("all, rotary positions", STEPS, Kind::Rotary),
    ]
}

/// Trains them all: rates are chosen on the validation stories, the stories held
/// out judge.
pub fn parts(job: &Job) -> Result<()> {
    let stories = Stories::book();
    let all = [&one_by_one()[..], &others()].concat();
    let settings = (&all, RATES, SEEDS, DROPOUT, M, FFN, job.run.seed);
    job.run.print_settings(&settings, TEXT.as_bytes());
    heading("Rates on the validation stories");
    row("", WIDTH, &RATES);
    let chosen: Vec<f32> = all.iter().map(|one| best(job, &stories, one)).collect();

    heading("Part by part");
    row(
        "held out",
        WIDTH,
        &["numbers", "rate", "mean", "lowest", "highest", "nats", "buys"],
    );
    let mut nats = f64::NAN;
    for (order, name) in [(3, "trigrams"), (2, "bigrams")] {
        let tune = [&stories.train[..], &stories.validation];
        let counted = NGrams::tuned(tune, stories.vocab_size(), order);
        let found = [counted.perplexity(&stories.held_out)];
        nats = print(name, counted.counts(), "", &found, None);
    }
    for (at, (one, rate)) in all.iter().zip(chosen).enumerate() {
        if at == one_by_one().len() {
            heading("Otherwise");
        }
        let others = seeds(job.run.seed.wrapping_add(SEEDS[0]), SEEDS[1]);
        let trained: Vec<Trained> =
            others.map(|seed| Trained::new(&stories, one, rate, seed)).collect();
        let found: Vec<f64> = trained.iter().map(|one| one.held_out).collect();
        let before = (at < one_by_one().len()).then_some(nats);
        nats = print(one.name, trained[0].numbers, &rate.to_string(), &found, before);
    }
    Ok(())
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
        &Entry { steps, kind, .. }: &Entry,
        lr: f32,
        seed: u64,
    ) -> Self {
        match kind {
            Kind::Heads(1, parts) => {
                Self::with_heads::<1, 64>(stories, &parts, (steps, lr), seed)
            }
            Kind::Heads(_, parts) => {
                Self::with_heads::<4, 16>(stories, &parts, (steps, lr), seed)
            }
            Kind::Rotary => Self::rotary((steps, lr), stories, seed),
        }
    }

    fn rotary((steps, lr): (usize, f32), stories: &Stories, seed: u64) -> Self {
        let mut progress = Progress::new("stories", steps);
        let on_step = |_, loss, tokens, _: &TodayDecoder<M, 4, 4, 16, FFN>| {
            progress.step_of(tokens, loss / tokens as f32);
        };
        let parts = Parts { rotary: true, ..Parts::BEFORE };
        let setting = Setting { steps, lr, dropout: DROPOUT, ..Setting::BOOK };
        let mut model = train_decoder(stories, &parts, &setting, seed, on_step);
        Trained {
            numbers: model.count(),
            validation: model.perplexity(&stories.validation),
            held_out: model.perplexity(&stories.held_out),
        }
    }

    fn with_heads<const H: usize, const D: usize>(
        stories: &Stories,
        parts: &Switches,
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

/// Prints what each rate leads to, the mean over the seeds; the best one.
fn best(job: &Job, stories: &Stories, one: &Entry) -> f32 {
    let mean = |&rate: &f32| {
        let found = seeds(job.run.seed, SEEDS[0])
            .map(|seed| Trained::new(stories, one, rate, seed).validation);
        spread(found).mean
    };
    let means: Vec<f64> = RATES.iter().map(mean).collect();
    let cells: Vec<_> = means.iter().map(|mean| format!("{mean:.2}")).collect();
    row(one.name, WIDTH, &cells);
    let best = RATES.iter().zip(means).min_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or(RATES[0], |(rate, _)| *rate)
}

/// Prints the perplexities of models from several seeds, and the mean of their
/// logarithms, which it returns, beside that of the row before.
fn print(
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
    row(name, WIDTH, &cells);
    nats
}
