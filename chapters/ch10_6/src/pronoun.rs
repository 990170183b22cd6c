// ANCHOR: pronoun
//! The telling run, over words: what "it" means, where it looks, and what is
//! left when it may not look there. Section 10.6.

use anyhow::Result;
use ch10_1::{Dev, Labels, show_heatmaps};
use ch10_6::it::{self, Batch, HEADS, Reader, right};
use ch10_6::sentences::{CROSS, Fact, PLACES, Sentence, Style, WORDS};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{Progress, Run, heading};

/// Sentences with pairs of noun and adjective that no reader was trained on.
type Test = Batch<512>;

pub fn meant(run: &Run, dev: &Dev) -> Result<()> {
    let mut rng = StdRng::seed_from_u64(run.seed);
    let test = (0..512).map(|_| Sentence::draw(&mut rng, true)).collect();
    let test: Test = Batch::new(dev, test);
    sentences(&test);
    let readers = readers(run, &test)?;
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
    let share = |count: usize| count as f32 / test.sentences.len() as f32;
    let all = || test.sentences.iter();
    println!("always the nearer noun: {:.4}", share(all().filter(nearer).count()));
    println!("always the first noun:  {:.4}", share(all().filter(first).count()));
}
// ANCHOR_END: pronoun

// ANCHOR: readers
/// Trains three readers that are told of places, and three that are not.
fn readers(run: &Run, test: &Test) -> Result<Vec<Reader>> {
    heading("What \"it\" means");
    println!("{:>6}{:>20}{:>32}", "", "with positions", "without positions");
    let parts = format!("{:>9}{:>10}{:>10}", "all", "places", "animals");
    println!("reader{parts}  {parts}");
    let mut readers = Vec::new();
    for n in 0..3 {
        let reader = trained(run.seed.wrapping_add(n), true)?;
        let without = trained(run.seed.wrapping_add(n), false)?;
        print!("{n:>6}");
        for reader in [&reader, &without] {
            let logits = reader.forward(test, NoneTape).logits;
            let answers = it::answers(&logits);
            let share = |which: &dyn Fn(&Sentence) -> bool| {
                let pairs = test.sentences.iter().zip(&answers);
                let asked: Vec<_> = pairs.filter(|(s, _)| which(s)).collect();
                let right = asked.iter().filter(|(s, a)| s.meant == **a);
                right.count() as f32 / asked.len() as f32
            };
            let place = |s: &Sentence| [s.meant, s.other].iter().any(|noun| PLACES.contains(noun));
            print!("{:>9.4}{:>10.4}{:>10.4}  ", share(&|_| true), share(&place), share(&|s| !place(s)));
        }
        println!();
        readers.push(reader);
    }
    Ok(readers)
}

fn trained(seed: u64, places: bool) -> Result<Reader> {
    const STEPS: usize = 640;
    let mut reader = Reader::new(&Dev::seed_from_u64(seed), places);
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1));
    let what = if places { "with positions" } else { "without positions" };
    let mut progress = Progress::new(what, STEPS);
    it::train(&mut reader, &mut rng, STEPS, |loss| progress.step(loss))?;
    Ok(reader)
}
// ANCHOR_END: readers

// ANCHOR: it_looks
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
    let mut cells = [[[[0.0; 12]; 2 * HEADS]; 2]];
    for (b, sentence) in told.iter().enumerate() {
        println!("too {}: it is the {}", sentence.words[11], answers[b]);
        for h in 0..HEADS {
            let it = first[b][h][sentence.place("it")];
            cells[0][b][h].copy_from_slice(&it[..12]);
            cells[0][b][HEADS + h].copy_from_slice(&second[b][h][0][..12]);
        }
        for (row, weights) in cells[0][b].iter().enumerate() {
            let on = [1, 6, 11].map(|place| (sentence.words[place], weights[place]));
            let on = on.map(|(word, weight)| format!("{word} {weight:.3}"));
            println!("  layer {}, head {}:  {}", row / HEADS, row % HEADS, on.join("  "));
        }
    }
    let mut key_tokens: Vec<String> = told[0].words.iter().map(|word| word.to_string()).collect();
    key_tokens[11] = "tired / wide".to_string();
    let labels = Labels {
        titles: ["too tired", "too wide"].map(String::from).to_vec(),
        key_tokens,
        query_tokens: (0..2 * HEADS).map(|i| format!("layer {}, head {}", i / HEADS, i % HEADS)).collect(),
        queries: "\"it\"",
        ..Labels::default()
    };
    run.figure("it", &show_heatmaps(&dev.tensor(cells), &labels)?)
}
// ANCHOR_END: it_looks

// ANCHOR: ablated
/// The right answers that are left when "it" may not look at some words in
/// the second layer.
fn ablation(readers: &[Reader], test: &Test) {
    heading("Without a look at the answer");
    type Masked = fn(&Sentence) -> Vec<usize>;
    let rows: [(&str, Masked); 6] = [
        ("nothing", |_| vec![]),
        ("the noun meant", |s| vec![s.place(s.meant)]),
        ("the other noun", |s| vec![s.place(s.other)]),
        ("\"because\"", |s| vec![s.place("because")]),
        ("the adjective", |s| vec![s.place("too") + 1]),
        ("noun and adjective", |s| vec![s.place(s.meant), s.place("too") + 1]),
    ];
    println!("{:<20}reader 0  reader 1  reader 2", "masked");
    for (name, masked) in rows {
        print!("{name:<20}");
        for reader in readers {
            print!("{:>8.4}  ", right(test, &reader.without(test, masked)));
        }
        println!();
    }
    print!("{:<20}", "most weight on noun");
    for reader in readers {
        print!("{:>8.4}  ", most_on_noun(reader, test));
    }
    println!();
}

/// The share of sentences in which no word has more weight, both heads taken
/// together, than the noun that "it" means.
fn most_on_noun(reader: &Reader, test: &Test) -> f32 {
    let weights = reader.forward(test, NoneTape).second;
    let both: Tensor<Rank3<512, 1, WORDS>, f32, Dev> = weights.sum();
    let most = |(s, row): (&Sentence, &[f32])| {
        row.iter().all(|&weight| weight <= row[s.place(s.meant)])
    };
    let rows = both.as_vec();
    let pairs = test.sentences.iter().zip(rows.chunks(WORDS));
    pairs.filter(|&pair| most(pair)).count() as f32 / 512.0
}
// ANCHOR_END: ablated
