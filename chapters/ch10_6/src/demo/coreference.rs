//! What "it" refers to, where it attends, and what is left of the answers when
//! it may not attend there.

use anyhow::Result;
use ch10_6::coreference::HEADS;
use ch10_6::demo::sentences::{
    CROSS, Fact, Kind, LENGTH, LR, Model, STEPS, Sentence, SentenceBatch, Split, Style,
    answers, mean_weights, shares, train, with_values_zeroed,
};
use dfdx::prelude::*;
use kernels::Dev;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{Labels, Progress, RunArgs, heading, seeds, show_heatmaps};

#[derive(clap::Args)]
pub struct Args {
    /// Train for N steps
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = support::number(1..=100_000))]
    steps: usize,
    /// Train with this learning rate
    #[arg(long, value_name = "RATE", default_value_t = LR, value_parser = support::real(1e-6..=1.0))]
    lr: f32,
    /// Judge by the validation split, to choose settings
    #[arg(long)]
    validation: bool,
}

/// Sentences with pairs of noun and adjective that no model was trained on.
type Test = SentenceBatch<512>;

pub fn main(run: &RunArgs, args: &Args) -> Result<()> {
    let split = if args.validation { Split::Validation } else { Split::Test };
    let mut rng = StdRng::seed_from_u64(run.seed.wrapping_add(500));
    let test = Test::draw(&Dev::default(), &mut rng, split);
    sentences(&test);
    let models = models(run, args, &test);
    attended(run, &models[0])?;
    ablation(&models, &test);
    Ok(())
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

/// Trains three models of each kind; returns those of the full kind.
fn models(run: &RunArgs, args: &Args, test: &Test) -> Vec<Model> {
    heading("What \"it\" refers to");
    println!("{:<8}{:<24}{:<24}without", "", "two layers,", "first layer");
    println!("{:<8}{:<24}{:<24}positions", "", "positions", "does not mix");
    println!("model {}", "     all   place  animal".repeat(3));
    let (mut full, mut sums) = (Vec::new(), [[0.0; 3]; 3]);
    for (n, seed) in seeds(run.seed, 3).enumerate() {
        let kinds = [Kind::Full, Kind::OneLayer, Kind::NoPositions];
        let row = kinds.map(|kind| {
            let model = trained(seed, kind, args);
            let right = right(&model, kind, test);
            if kind == Kind::Full {
                full.push(model);
            }
            right
        });
        line(&n.to_string(), row);
        for (sum, share) in sums.as_flattened_mut().iter_mut().zip(row.as_flattened()) {
            *sum += share / 3.0;
        }
    }
    line("mean", sums);
    full
}

fn line(name: &str, parts: [[f32; 3]; 3]) {
    let part = |part: [f32; 3]| part.map(|x| format!("{x:>8.3}")).concat();
    println!("{name:<6}{}", parts.map(part).concat());
}

fn trained(seed: u64, kind: Kind, args: &Args) -> Model {
    let mut model = kind.model(&Dev::seed_from_u64(seed));
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1000));
    let mut progress = Progress::new(format!("{kind:?}"), args.steps);
    let settings = (args.steps, args.lr);
    train(&mut model, kind, &mut rng, settings, |loss| progress.step(loss));
    model
}

/// The shares of right answers: of all, with a place, with two animals.
fn right(model: &Model, kind: Kind, test: &Test) -> [f32; 3] {
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
fn attended(run: &RunArgs, model: &Model) -> Result<()> {
    heading("Where \"it\" attends");
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
    run.figure("it", &show_heatmaps(&cells, &labels)?)
}

/// The positions of all words but the noun that "it" refers to.
fn all_but_meant(sentence: &Sentence) -> Vec<usize> {
    let meant = sentence.position(sentence.meant);
    (0..sentence.words.len()).filter(|&k| k != meant).collect()
}

/// What is left of the answers when "it" may not attend to some words in the
/// second layer: the other weights grow to sum to 1 again, or they stay.
fn ablation(models: &[Model], test: &Test) {
    heading("Without a word");
    println!("{:<34}masked{:>26}", "", "value set to 0");
    print!("{:<22}weight", "");
    println!("   right  other  neither   right  other  neither");
    for (n, model) in models.iter().enumerate() {
        println!("model {n}");
        let output = model.forward(&test.tokens, &test.masks(), NoneTape);
        let weights = mean_weights(&output.second);
        let meant = |s: &Sentence| s.position(s.meant);
        let rows = [
            ("nothing", test.positions(|_| vec![])),
            ("the noun meant", test.positions(|s| vec![meant(s)])),
            ("nearest in weight", test.nearest_in_weight(&output.second)),
            ("all but the noun", test.positions(all_but_meant)),
            ("the other noun", test.positions(|s| vec![s.position(s.other)])),
            ("the adjective", test.positions(|s| vec![s.adjective()])),
            ("noun and adjective", test.positions(|s| vec![meant(s), s.adjective()])),
        ];
        for (name, hidden) in rows {
            let of = |(row, hidden): (&Vec<f32>, &Vec<usize>)| {
                hidden.iter().fold(0.0, |sum, &k| sum + row[k])
            };
            let weight = weights.iter().zip(&hidden).map(of).sum::<f32>() / 512.0;
            let masked = model.forward(&test.tokens, &test.without(&hidden), NoneTape);
            let zeroed = with_values_zeroed(model, test, &hidden);
            print!("  {name:<20}{weight:>6.3}");
            for [right, other, neither] in
                [masked.logits, zeroed].map(|logits| shares(test, &logits))
            {
                print!("{right:>8.3}{other:>7.3}{neither:>9.3}");
            }
            println!();
        }
    }
}
