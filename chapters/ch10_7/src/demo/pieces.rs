//! The translator with pieces of words for tokens, beside the one with words: its
//! settings, held-out sentences, and nouns whose plurals it was not trained with.

use super::{Section, TransformerSection};
use anyhow::Result;
use ch10_7::translator::BookTransformer;
use kernels::Dev;
use program::{Job, printable_tokens};
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::pieces::{MERGES, PairPieces, STEPS as PIECES};
use seq2seq::text::{Pair, tokens};
use seq2seq::train::{BATCH, STEPS as WORDS, Schedule, train_with_steps};
use support::{Progress, heading, row, seeds};

/// How the models are trained.
#[derive(clap::Args)]
pub struct Args {
    /// Compare merges and learning rates on the validation pairs instead
    #[arg(long)]
    settings: bool,
    /// Seeds of each model
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = support::number(1..=100))]
    seeds: usize,
    /// Train only with pieces, those of N merges
    #[arg(long, value_name = "N", conflicts_with = "settings")]
    #[arg(value_parser = support::number(0..=1000))]
    merges: Option<usize>,
}

/// What is tried with pieces: how many merges, and the learning rates of each.
const TRIED: ([usize; 2], [f32; 3]) = ([MERGES, 300], [0.003, 0.006, 0.012]);
/// The learning rate that was best on the validation pairs, with each of what is
/// tried.
const RATE: f32 = 0.006;

/// Nouns with a plural in s in both languages, those whose English plural is in
/// the fewest sentences of the training.
const PLURALS: [(&str, &str); 9] = [
    ("chairs", "chaises"),
    ("flowers", "fleurs"),
    ("hotels", "hôtels"),
    ("houses", "maisons"),
    ("parks", "parcs"),
    ("schools", "écoles"),
    ("stations", "gares"),
    ("tables", "tables"),
    ("trees", "arbres"),
];

/// Words of which the training has no form.
const NEW: [&str; 3] =
    ["The teacher is singing.", "I see the moon.", "The apartment is new."];

/// Merges, if its tokens are pieces, and the learning rate.
type Kind = (Option<usize>, f32);
/// From the words of a sentence to those of its translation.
type Translate = Box<dyn Fn(&[String]) -> Vec<String>>;

/// Trains with words and with pieces, without the sentences that have one of the
/// plurals, and prints how well each translates held-out sentences and those.
pub fn pieces(job: &Job, args: &Args) -> Result<()> {
    let schedule = job.schedule(&TransformerSection::book());
    let (settings, count) = (args.settings, args.seeds as u64);
    let kinds = match args.merges {
        None => vec![("words", (None, RATE)), ("pieces", (Some(MERGES), RATE))],
        merges => vec![("pieces", (merges, RATE))],
    };
    let depends = (settings, TRIED, &kinds, PLURALS, NEW, PIECES, schedule, count);
    let pairs = seq2seq::corpus::PAIRS.as_bytes();
    job.run.print_settings(&(depends, job.run.seed), pairs);
    let (words, plurals) = without_plurals(&job.dataset);
    if settings {
        return validation(job, &words, count);
    }
    println!("sentences to train with {}", words.train.len());
    println!("held-out sentences      {}", words.held_out.len());
    println!("sentences with a plural {}", plurals.len());
    let mut models = vec![];
    for (name, kind) in kinds {
        for seed in seeds(job.run.seed, count) {
            models.push((name, seed, trained(job, &words, kind, seed)?));
        }
    }
    heading("Held-out sentences");
    row("", 6, &["seed", "BLEU-2", "corpus", "right"]);
    for (name, seed, translate) in &models {
        let Evaluation { mean_bleu, corpus_bleu, exact, .. } =
            Evaluation::of(translate, &words.train, &words.held_out);
        let shares = [mean_bleu, corpus_bleu, exact].map(|x| format!("{x:.3}"));
        row(name, 6, &[&[seed.to_string()], &shares[..]].concat());
    }
    heading("Plurals that the training never had");
    row("", 6, &["seed", "right", "plural", "singular", "all but s"]);
    for (name, seed, translate) in &models {
        let shares = of_plurals(translate, &plurals).map(|x| format!("{x:.3}"));
        row(name, 6, &[&[seed.to_string()], &shares[..]].concat());
    }
    models.retain(|(_, seed, _)| *seed == job.run.seed);
    translations(&models, &plurals);
    Ok(())
}

fn validation(job: &Job, words: &Dataset, count: u64) -> Result<()> {
    heading("BLEU-2 on the validation pairs");
    row("merges", 6, &TRIED.1);
    let [few, more] = TRIED.0;
    for merges in [None, Some(few), Some(more)] {
        let score = |rate| -> Result<String> {
            let mut sum = 0.0;
            for seed in seeds(job.run.seed, count) {
                let translate = trained(job, words, (merges, rate), seed)?;
                let found = Evaluation::of(translate, &words.train, &words.validation);
                sum += found.mean_bleu;
            }
            Ok(format!("{:.4}", sum / count as f64))
        };
        let scores = TRIED.1.into_iter().map(score).collect::<Result<Vec<_>>>()?;
        let name = merges.map_or("words".into(), |merges| merges.to_string());
        row(&name, 6, &scores);
    }
    Ok(())
}

/// A translator in training, from a seed.
fn trained(job: &Job, words: &Dataset, kind: Kind, seed: u64) -> Result<Translate> {
    let (merges, rate) = kind;
    let Some(merges) = merges else {
        let model = fit::<WORDS>(job, words, "words", rate, seed)?;
        let vocabularies = words.vocabularies.clone();
        return Ok(Box::new(move |sentence| {
            let row = vocabularies.source.encode::<WORDS>(sentence);
            vocabularies.target.decode(&model.translate_cached(row.0, row.1))
        }));
    };
    let pieces = PairPieces::learn(&words.train, merges);
    let model = fit::<PIECES>(job, &pieces.dataset(words), "pieces", rate, seed)?;
    Ok(Box::new(move |sentence| pieces.translate::<PIECES>(&model, sentence)))
}

fn fit<const S: usize>(
    job: &Job,
    data: &Dataset,
    what: &str,
    lr: f32,
    seed: u64,
) -> Result<BookTransformer> {
    let setting = TransformerSection::book();
    let schedule = Schedule { lr, ..job.schedule(&setting) };
    let steps = schedule.epochs * data.train.len().div_ceil(BATCH);
    let mut progress = Progress::new(format!("{what}, seed {seed}"), steps);
    let on_step = |loss, tokens| progress.step_of(tokens, loss);
    let model = |dev: &Dev| (setting.model)(dev, data.vocabularies.sizes());
    Ok(train_with_steps::<S, _>(data, &schedule, seed, model, on_step, |_, _| ())?.0)
}

/// The dataset without the sentences that have one of the plurals, and all of
/// those sentences.
fn without_plurals(words: &Dataset) -> (Dataset, Vec<Pair>) {
    let part = |pairs: &[Pair]| -> (Vec<Pair>, Vec<Pair>) {
        pairs.iter().cloned().partition(|pair| plural(pair).is_some())
    };
    let (mut plurals, train) = part(&words.train);
    let (of_validation, validation) = part(&words.validation);
    let (of_held_out, held_out) = part(&words.held_out);
    plurals.extend([of_validation, of_held_out].concat());
    (Dataset { validation, held_out, ..Dataset::without_split(train) }, plurals)
}

/// The French plural of a pair that has one of them in English.
fn plural(pair: &Pair) -> Option<&'static str> {
    let has = |english: &str| pair.source.iter().any(|word| word == english);
    PLURALS.iter().find(|(english, _)| has(english)).map(|(_, french)| *french)
}

/// The shares of the translations that are right, that have the plural, that
/// have its singular, and that are right but for the s of the plural.
fn of_plurals(translate: &Translate, plurals: &[Pair]) -> [f64; 4] {
    let mut counts = [0; 4];
    for pair in plurals {
        let noun = plural(pair).expect("has one");
        let one = noun.trim_end_matches('s');
        let ours = translate(&pair.source);
        let has = |noun: &str| ours.iter().any(|word| word == noun);
        let without_s = |word: &String| word.replace(noun, one);
        let but_s: Vec<String> = pair.target.iter().map(without_s).collect();
        let found = [ours == pair.target, has(noun), has(one), ours == but_s];
        counts.iter_mut().zip(found).for_each(|(n, found)| *n += usize::from(found));
    }
    counts.map(|count| count as f64 / plurals.len() as f64)
}

/// Of each plural a sentence, and some new words, as these models translate them.
fn translations(models: &[(&str, u64, Translate)], plurals: &[Pair]) {
    let first = |french| plurals.iter().find(|pair| plural(pair) == Some(french));
    let shown = PLURALS.iter().filter_map(|(_, french)| first(*french));
    for Pair { source, target } in shown {
        println!("\n        {}", printable_tokens(source));
        println!("not     {}", printable_tokens(target));
        for (name, _, translate) in models {
            println!("{name:7} {}", printable_tokens(&translate(source)));
        }
    }
    for text in NEW {
        println!("\n        {}", printable_tokens(&tokens(text)));
        for (name, _, translate) in models {
            println!("{name:7} {}", printable_tokens(&translate(&tokens(text))));
        }
    }
}
