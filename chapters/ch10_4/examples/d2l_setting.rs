//! Trains in d2l's setting and says how long a step takes and how good the
//! outcome is.
use anyhow::{Context as _, Result};
use ch10_4::Attention;
use dfdx::prelude::*;
use rand::{SeedableRng, rngs::StdRng, seq::SliceRandom};
use seq2seq::bleu::bleu;
use seq2seq::parameters::Parameters;
use seq2seq::text::{Pair, read_pairs};
use seq2seq::train::Training;
use seq2seq::translator::Translator;
use seq2seq::vocab::{Batch, Languages};
use std::collections::BTreeMap;
use std::time::Instant;

const B: usize = 32;
const WORKERS: usize = 2;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let file = std::fs::read(&args[0]).context("no file")?;
    let epochs: usize = args[1].parse()?;
    let seed: u64 = args[2].parse()?;
    let pairs = read_pairs(&file, 601)?;
    let languages = Languages::of(&pairs);
    let words = (
        languages.source.tokens().len(),
        languages.target.tokens().len(),
    );
    println!("{} pairs, vocabularies {words:?}", pairs.len());
    let mut training: Training<32, 32, _> =
        Training::new(WORKERS, seed, 0.005, |dev| {
            Translator::new(dev, words, 2, 0.1, Attention::new(dev, 0.1))
        });
    println!("{} parameters", training.model().count());
    let mut order: Vec<&Pair> = pairs.iter().collect();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut times = Vec::new();
    let mut last = 0.0;
    for _ in 0..epochs {
        order.shuffle(&mut rng);
        let start = Instant::now();
        let mut loss = 0.0;
        let mut steps = 0;
        for batch in order.chunks(B * WORKERS) {
            let share = batch.len().div_ceil(WORKERS);
            let parts: Vec<Batch<B, 10>> = batch
                .chunks(share)
                .map(|part| Batch::new(part.iter().copied(), &languages))
                .collect::<Result<_>>()?;
            loss += training.step(&parts);
            steps += 1;
        }
        times.push(start.elapsed().as_secs_f64() * 1e3 / steps as f64);
        last = loss;
    }
    let all: Vec<Batch<32, 10>> = pairs
        .chunks(32)
        .map(|part| Batch::new(part, &languages))
        .collect::<Result<_>>()?;
    let tokens: usize = all.iter().flat_map(|b| b.target_lens).sum();
    let model = training.model();
    let clean: f32 =
        all.iter().map(|b| model.loss(b, NoneTape).sum().array()).sum();
    let mut sources: BTreeMap<&[String], Vec<&[String]>> = BTreeMap::new();
    for pair in &pairs {
        sources.entry(&pair.source).or_default().push(&pair.target);
    }
    let start = Instant::now();
    let mut total = 0.0;
    for (source, targets) in &sources {
        let (written, _) =
            model.translate::<10>(languages.source.row(source));
        let written: Vec<String> = written
            .iter()
            .map(|&w| languages.target.tokens()[w].clone())
            .collect();
        let best = targets.iter().map(|t| bleu(&written, t, 2));
        total += best.fold(0.0, f64::max);
    }
    let each = start.elapsed().as_secs_f64() * 1e3 / sources.len() as f64;
    times.sort_by(f64::total_cmp);
    println!(
        "ms a step: least {:.2}, median {:.2}; loss a token {:.4} in \
         training, {:.4} without dropout; BLEU-2 {:.4}; {each:.2} ms a sentence",
        times[0],
        times[times.len() / 2],
        last * 10.0 / tokens as f32,
        clean * 10.0 / tokens as f32,
        total / sources.len() as f64,
    );
    Ok(())
}
