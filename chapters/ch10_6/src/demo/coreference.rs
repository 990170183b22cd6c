// ANCHOR: pronoun
//! The telling run, over words: what "it" means, where it looks, and what is
//! left when it may not look there. Section 10.6.

use anyhow::Result;
use ch10_1::{Dev, Labels, show_heatmaps};
use ch10_6::it::{self, Batch, HEADS, Reader, mask, right};
use ch10_6::sentences::{CROSS, Fact, PLACES, Sentence, Style, WORDS};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{Progress, Run, heading};

/// Sentences with pairs of noun and adjective that no reader was trained on.
type Test = Batch<512>;

pub fn meant(run: &Run, dev: &Dev, steps: usize) -> Result<()> {
    let mut rng = StdRng::seed_from_u64(run.seed);
    let test = (0..512).map(|_| Sentence::draw(&mut rng, true)).collect();
    let test: Test = Batch::new(dev, test);
    sentences(&test);
    let readers = readers(run, &test, steps)?;
    looks(run, dev, &readers[0])?;
    ablation(&readers, &test);
    Ok(())
}

/// A few sentences, and what can be had without reading them.
fn sentences(test: &Test) {
    heading("Sentences of our own");
    for sentence in &test.sentences[..6] {
        println!("{:<8}{}", sentence.meant, sentence.words.join(" "));
    }
    let distance = |s: &Sentence, noun| s.place("it").abs_diff(s.place(noun));
    let nearer = |s: &&Sentence| distance(s, s.meant) < distance(s, s.other);
    let first = |s: &&Sentence| s.place(s.meant) < s.place(s.other);
    let all = || test.sentences.iter();
    let shares = [all().filter(nearer).count(), all().filter(first).count()];
    let [nearer, first] = shares.map(|count| count as f32 / 512.0);
    println!("always the nearer noun: {nearer:.4} right");
    println!("always the first noun:  {first:.4} right");
}
// ANCHOR_END: pronoun

// ANCHOR: readers
/// Trains three readers that are told of places, and three that are not.
fn readers(run: &Run, test: &Test, steps: usize) -> Result<Vec<Reader>> {
    heading("What \"it\" means");
    println!("reader {:>24}  {:>24}", "with positions", "without");
    let parts = "     all   place  animal";
    println!("       {parts}  {parts}");
    let (mut readers, mut sums) = (Vec::new(), [[0.0; 3]; 2]);
    for n in 0..3 {
        let seed = run.seed.wrapping_add(n);
        let (with, without) =
            (trained(seed, true, steps)?, trained(seed, false, steps)?);
        let both = [&with, &without].map(|reader| shares(reader, test));
        line_of(&n.to_string(), both);
        for (sum, share) in sums.as_flattened_mut().iter_mut().zip(both.as_flattened())
        {
            *sum += share / 3.0;
        }
        readers.push(with);
    }
    line_of("mean", sums);
    Ok(readers)
}

fn line_of(name: &str, both: [[f32; 3]; 2]) {
    let part = |part: [f32; 3]| part.map(|x| format!("{x:>8.4}")).concat();
    println!("{name:<7}{}  {}", part(both[0]), part(both[1]));
}

fn trained(seed: u64, places: bool, steps: usize) -> Result<Reader> {
    let mut reader = Reader::new(&Dev::seed_from_u64(seed), places);
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1));
    let what = if places { "with positions" } else { "without positions" };
    let mut progress = Progress::new(what, steps);
    it::train(&mut reader, &mut rng, steps, |loss| progress.step(loss))?;
    Ok(reader)
}

/// The share of right answers: of all, of an animal and a place, of animals.
fn shares(reader: &Reader, test: &Test) -> [f32; 3] {
    let answers = it::answers(&reader.forward(test, NoneTape).logits);
    let place = |s: &Sentence| PLACES.contains(&s.meant) || PLACES.contains(&s.other);
    let share = |wanted: &[bool]| {
        let pairs = test.sentences.iter().zip(&answers);
        let asked = pairs.filter(|(s, _)| wanted.contains(&place(s)));
        let right: Vec<bool> = asked.map(|(s, a)| s.meant == *a).collect();
        let count = right.iter().filter(|&&right| right).count();
        count as f32 / right.len() as f32
    };
    [share(&[true, false]), share(&[true]), share(&[false])]
}
// ANCHOR_END: readers

// ANCHOR: it_looks
/// Words of the two sentences, and rows of weights: layers times heads.
const LENGTH: usize = 12;
const ROWS: usize = 2 * HEADS;

/// The same sentence with two adjectives: what "it" is, and where it looks.
fn looks(run: &Run, dev: &Dev, reader: &Reader) -> Result<()> {
    heading("Where \"it\" looks");
    let plain = Style { passive: false, reason_first: false, opening: "" };
    let told = [("tired", true), ("wide", false)].map(|(why, of_agent)| {
        let (agent, patient, verb) = ("animal", "street", CROSS[0]);
        Sentence::new(&Fact { agent, patient, verb, why, of_agent }, &plain)
    });
    let batch: Batch<2> = Batch::new(dev, told.to_vec());
    let read = reader.forward(&batch, NoneTape);
    let (first, second) = (read.first.array(), read.second.array());
    let answers = it::answers(&read.logits);
    let mut cells = [[[[0.0; LENGTH]; ROWS]; 2]];
    for (b, sentence) in told.iter().enumerate() {
        println!("too {}: it is the {}", sentence.words[11], answers[b]);
        for (r, cells) in cells[0][b].iter_mut().enumerate() {
            let (layer, head) = (r / HEADS, r % HEADS);
            let from_first = first[b][head][sentence.place("it")];
            let row = [from_first, second[b][head][0]][layer];
            cells.copy_from_slice(&row[..LENGTH]);
            line(layer, head, sentence, cells);
        }
    }
    run.figure("it", &show_heatmaps(&dev.tensor(cells), &labels(&told))?)
}

/// Prints the weights of both nouns and the adjective.
fn line(layer: usize, head: usize, sentence: &Sentence, row: &[f32]) {
    print!("  layer {layer}, head {head}");
    for place in [1, 6, 11] {
        print!("  {:>8} {:.3}", sentence.words[place], row[place]);
    }
    println!();
}

fn labels(told: &[Sentence; 2]) -> Labels {
    let mut words = told[0].words.clone();
    words[LENGTH - 1] = "tired / wide";
    Labels {
        titles: ["too tired", "too wide"].map(String::from).to_vec(),
        queries: "layer, head",
        ..Labels::tokens(&["0, 0", "0, 1", "1, 0", "1, 1"], &words)
    }
}
// ANCHOR_END: it_looks

// ANCHOR: ablated
/// The places that "it" may not look at.
type Masked = fn(&Sentence) -> Vec<usize>;

/// The right answers that are left when "it" may not look at some words in
/// the second layer.
fn ablation(readers: &[Reader], test: &Test) {
    heading("Without a look at the noun");
    let rows: [(&str, Masked); 6] = [
        ("nothing", |_| vec![]),
        ("the noun meant", |s| vec![s.place(s.meant)]),
        ("the other noun", |s| vec![s.place(s.other)]),
        ("\"because\"", |s| vec![s.place("because")]),
        ("the adjective", |s| vec![s.why()]),
        ("noun and adjective", |s| vec![s.place(s.meant), s.why()]),
    ];
    println!("{:<20}  reader 0  reader 1  reader 2", "masked");
    for (name, masked) in rows {
        let without = |reader: &Reader| {
            let change = |s: &Sentence, row: &mut [f32]| mask(row, &masked(s));
            right(test, &reader.reweighed(test, change))
        };
        row(name, readers, without);
    }
    row("noun has most weight", readers, |reader| most_on_noun(reader, test));
}

fn row(name: &str, readers: &[Reader], of: impl Fn(&Reader) -> f32) {
    let shares = readers.iter().map(|reader| format!("{:>10.4}", of(reader)));
    println!("{name:<20}{}", shares.collect::<String>());
}

/// The share of sentences in which no word has more weight, both heads taken
/// together, than the noun that "it" means.
fn most_on_noun(reader: &Reader, test: &Test) -> f32 {
    let weights = reader.forward(test, NoneTape).second;
    let both: Tensor<Rank3<512, 1, WORDS>, f32, Dev> = weights.sum();
    let most = |(s, row): &(&Sentence, &[f32])| {
        row.iter().all(|&weight| weight <= row[s.place(s.meant)])
    };
    let rows = both.as_vec();
    let pairs = test.sentences.iter().zip(rows.chunks(WORDS));
    pairs.filter(most).count() as f32 / 512.0
}
// ANCHOR_END: ablated
