//! Training in the setting of *Dive into Deep Learning*: how long a step takes
//! and how good the outcome is. The sentences are not the book's: the first
//! 601 pairs of the English-French file of manythings.org/anki.
//!
//! ```text
//! cargo bench -p ch10_7 --bench d2l -- fra.txt
//! cargo bench -p ch10_7 --bench d2l --profile dev -- fra.txt 200 0
//! ```
//!
//! The numbers are epochs and seed. `taskset -c 0` before the command leaves
//! it one core. The same training in PyTorch: `tests/fixtures/models.py` has
//! the modules, d2l the rest.

use anyhow::Result;
use ch10_7::{NormAt, Transformer};
use dfdx::prelude::*;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::course::{Course, PART, STEPS, WORKERS};
use seq2seq::parameters::Parameters;
use seq2seq::train::{Learner, Training};
use seq2seq::vocab::Batch;
use std::time::Instant;

type Model = Transformer<32, 4, 8, 64>;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    let Some(file) = args.first() else {
        println!("d2l: give the file of sentences: -- fra.txt");
        return Ok(());
    };
    let number = |at: usize| args.get(at).map(|text| text.parse::<u64>());
    let epochs = number(1).transpose()?.unwrap_or(200);
    let seed = number(2).transpose()?.unwrap_or(0);
    let course = Course::file(file.as_ref(), 601)?;
    println!("words {:?}", course.words());
    let mut training = Training::new(WORKERS, seed, 0.005, |dev| {
        Model::new(dev, course.words(), 2, 0.1, NormAt::Post)
    });
    println!("parameters {}", training.model().count());
    let mut random = StdRng::seed_from_u64(seed);
    let (mut times, mut last) = (Vec::new(), 0.0);
    for _ in 0..epochs {
        let start = Instant::now();
        last = course.epoch(&mut training, &mut random, |_, _| ())?;
        let each = start.elapsed().as_secs_f64() / course.batches() as f64;
        times.push(each * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let (least, median) = (times[0], times[times.len() / 2]);
    println!("ms a step: least {least:.2}, median {median:.2}");
    let model = training.into_model();
    println!("cross-entropy a token, in training:     {last:.4}");
    let clean = cross_entropy(&course, &model)?;
    println!("cross-entropy a token, without dropout: {clean:.4}");
    let start = Instant::now();
    let score = course.score(&model, 2);
    println!("BLEU-2 of the training sentences: {score:.4}");
    println!("seconds to translate them: {:.3}", start.elapsed().as_secs_f64());
    for english in ["go .", "i lost .", "he's calm .", "i'm home ."] {
        let words = seq2seq::text::tokens(english);
        let (french, _) = model.translate::<STEPS>(course.languages.source.row(&words));
        let target = &course.languages.target;
        let french = seq2seq::course::words(target, &french);
        println!("{english} => {}", french.join(" "));
    }
    Ok(())
}

fn cross_entropy(course: &Course, model: &Model) -> Result<f32> {
    let (mut sum, mut count) = (0.0, 0);
    for pairs in course.training.chunks(PART) {
        let batch: Batch<PART, STEPS> = Batch::new(pairs, &course.languages)?;
        sum += model.loss(&batch, NoneTape).sum().array() * STEPS as f32;
        count += batch.tokens();
    }
    Ok(sum / count as f32)
}
