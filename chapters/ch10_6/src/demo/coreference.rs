//! What "it" refers to: sentences, one layer by hand, and where two trained
//! models attend.

use super::coreference_models;
use anyhow::Result;
use ch10_6::coreference::HEADS;
use ch10_6::task::one_layer::{all_sentences, by_hand, count_right};
use ch10_6::task::sentences::{
    CHASE, CROSS, Fact, Kind, LENGTH, LR, Model, STEPS, Sentence, SentenceBatch, Split,
    Style, answers, train,
};
use dfdx::prelude::*;
use kernels::Dev;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{Labels, Progress, RunArgs, heading, show_heatmaps};

#[derive(clap::Args)]
pub struct Args {
    /// Train for N steps
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = support::number(1..=100_000))]
    steps: usize,
    /// Judge by the validation split, to choose settings
    #[arg(long)]
    validation: bool,
    /// Compare N models of each kind, trained for longer, for minutes; with
    /// --validation, compare learning rates
    #[arg(long, value_name = "N", value_parser = support::number(1..=100))]
    #[arg(conflicts_with = "steps")]
    models: Option<usize>,
}

/// Sentences with pairs of noun and adjective that no model was trained on.
pub type Test = SentenceBatch<512>;

/// Sentences of a split to judge by.
pub fn drawn(run: &RunArgs, split: Split) -> Test {
    let mut rng = StdRng::seed_from_u64(run.seed.wrapping_add(500));
    Test::draw(&Dev::default(), &mut rng, split)
}

pub fn main(run: &RunArgs, args: &Args) -> Result<()> {
    if let Some(models) = args.models {
        coreference_models::main(run, models, args.validation);
        return Ok(());
    }
    let split = if args.validation { Split::Validation } else { Split::Test };
    let test = drawn(run, split);
    sentences(&test);
    one_layer();
    heading("What \"it\" refers to");
    println!("seed       all   place  animal");
    let models = [0, 101].map(|n| {
        let model = trained(run.seed.wrapping_add(n), args.steps);
        let shares = right(&model, Kind::Full, &test);
        println!("{n:<6}{}", shares.map(|x| format!("{x:>8.3}")).concat());
        model
    });
    heading("Where \"it\" attends");
    attended(run, "it", &models[0])?;
    heading("Where it attends in another model");
    attended(run, "it_otherwise", &models[1])
}

/// A few sentences, and what is right without reading them.
fn sentences(test: &Test) {
    heading("Sentences of our own");
    for sentence in &test.sentences[..6] {
        println!("{:<8}{}", sentence.meant, sentence.words.join(" "));
    }
    let distance = |s: &Sentence, noun| s.position("it").abs_diff(s.position(noun));
    let nearer = |s: &&Sentence| distance(s, s.meant) < distance(s, s.other);
    let first = |s: &&Sentence| s.position(s.meant) < s.position(s.other);
    let all = || test.sentences.iter();
    let counts = [all().filter(nearer).count(), all().filter(first).count()];
    let [nearer, first] = counts.map(|count| count as f32 / 512.0);
    println!("always the nearer noun: {nearer:.3} right");
    println!("always the first noun:  {first:.3} right");
}

/// Where "it" attends if one layer is set by hand, and all sentences.
fn one_layer() {
    heading("One layer, by hand");
    let model = by_hand();
    let style = Style { passive: false, reason_first: false, opening: "" };
    let facts = [
        ("animal", "street", CROSS[0], "tired", true),
        ("animal", "street", CROSS[0], "wide", false),
        ("dog", "cat", CHASE[0], "tired", true),
        ("dog", "cat", CHASE[0], "fast", false),
    ];
    let sentences = facts.map(|(agent, patient, verb, why, of_agent)| {
        Sentence::new(&Fact { agent, patient, verb, why, of_agent }, &style)
    });
    let batch: SentenceBatch<4> = SentenceBatch::new(&Dev::default(), sentences.into());
    let output = model.forward(&batch.tokens, &batch.without_first(), NoneTape);
    let (weights, given) = (output.second.array(), answers(&output.logits));
    for (b, sentence) in batch.sentences.iter().enumerate() {
        println!("{}: {}", sentence.words.join(" "), given[b]);
        for (head, [row]) in weights[b].iter().enumerate() {
            print!("  head {head}");
            for k in [1, 6, 11] {
                print!("  {:>8} {:.3}", sentence.words[k], row[k]);
            }
            println!();
        }
    }
    let all = all_sentences();
    println!("right: {} of {} sentences", count_right(&model, &all), all.len());
}

fn trained(seed: u64, steps: usize) -> Model {
    let mut model = Kind::Full.model(&Dev::seed_from_u64(seed));
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1000));
    let mut progress = Progress::new(format!("seed {seed}"), steps);
    let on_step = |_: &Model, loss| progress.step(loss);
    train(&mut model, Kind::Full, &mut rng, (steps, LR), on_step);
    model
}

/// The shares of right answers: of all, with a place, with two animals.
pub fn right(model: &Model, kind: Kind, test: &Test) -> [f32; 3] {
    let output = model.forward(&test.tokens, &kind.masks(test), NoneTape);
    let given = answers(&output.logits);
    let share = |wanted: &[bool]| {
        let pairs = test.sentences.iter().zip(&given);
        let asked = pairs.filter(|(s, _)| wanted.contains(&s.has_location()));
        let right: Vec<bool> = asked.map(|(s, answer)| s.meant == *answer).collect();
        right.iter().filter(|&&right| right).count() as f32 / right.len() as f32
    };
    [share(&[true, false]), share(&[true]), share(&[false])]
}

/// Words of the two sentences, and rows of weights: layers times heads.
const WORDS: usize = 12;
const ROWS: usize = 2 * HEADS;

/// The same sentence with two adjectives: what "it" refers to, and where it
/// attends.
fn attended(run: &RunArgs, figure: &str, model: &Model) -> Result<()> {
    let style = Style { passive: false, reason_first: false, opening: "" };
    let sentences = [("tired", true), ("wide", false)].map(|(why, of_agent)| {
        let (agent, patient, verb) = ("animal", "street", CROSS[0]);
        Sentence::new(&Fact { agent, patient, verb, why, of_agent }, &style)
    });
    let batch: SentenceBatch<2> =
        SentenceBatch::new(&Dev::default(), sentences.to_vec());
    let output = model.forward(&batch.tokens, &batch.masks(), NoneTape);
    let (first, second) = (output.first.array(), output.second.array());
    let given = answers(&output.logits);
    let mut cells = [[[0.0; WORDS]; ROWS]; 2];
    for (b, sentence) in sentences.iter().enumerate() {
        println!("too {}: it is the {}", sentence.words[11], given[b]);
        for (r, cells) in cells[b].iter_mut().enumerate() {
            let (layer, head) = (r / HEADS, r % HEADS);
            let from_first: [f32; LENGTH] = first[b][head][sentence.position("it")];
            let row = [from_first, second[b][head][0]][layer];
            cells.copy_from_slice(&row[..WORDS]);
            print!("  layer {}, head {head}", layer + 1);
            for word in [1, 6, 11] {
                print!("  {:>8} {:.3}", sentence.words[word], row[word]);
            }
            println!();
        }
    }
    let mut words = sentences[0].words.clone();
    words[WORDS - 1] = "tired / wide";
    let labels = Labels {
        titles: vec!["too tired".into(), "too wide".into()],
        queries: "layer, head",
        columns: 1,
        ..Labels::tokens(&["1, 0", "1, 1", "2, 0", "2, 1"], &words)
    };
    run.figure(figure, &show_heatmaps(&cells, &labels)?)
}
