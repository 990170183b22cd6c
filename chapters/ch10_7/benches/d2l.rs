//! How long a step of training takes in the setting of *Dive into Deep Learning*,
//! with its sentences: the first 601 pairs of the English-French file of
//! manythings.org/anki.
//!
//! ```text
//! cargo bench -p ch10_7 --bench d2l -- fra.txt
//! ```
//!
//! `taskset -c 0` before the command leaves it one core. The quality of the
//! outcome: `cargo run -p ch10_7 -- d2l --data fra.txt`.

use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_7::{NormPosition, Transformer};
use dfdx::prelude::*;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::dataset::Dataset;
use seq2seq::text::read_pairs;
use seq2seq::train::{Seq2SeqModel, Trainer, WORKERS};
use std::time::Instant;

type Model = Transformer<32, 4, 8, 64>;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    let Some(file) = args.first() else {
        println!("d2l: give the file of sentences: -- fra.txt");
        return Ok(());
    };
    let epochs = args.get(1).map_or(Ok(50), |text| text.parse::<usize>())?;
    let data = Dataset::without_split(read_pairs(&std::fs::read(file)?, 601)?);
    let sizes = data.vocabularies.sizes();
    let mut trainer = Trainer::new(WORKERS, 0, 0.005, |dev| {
        Model::new(dev, sizes, 2, 0.1, NormPosition::Post)
    });
    println!("words {sizes:?}, parameters {}", trainer.model().count());
    let mut rng = StdRng::seed_from_u64(0);
    let mut times = Vec::new();
    for _ in 0..epochs {
        for parts in data.shuffled_batches(&mut rng)? {
            let start = Instant::now();
            trainer.step(&parts, |model, part| {
                model.loss(part, OwnedTape::default()).sum()
            });
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    println!("ms a step: least {:.2}, median {:.2}", times[0], times[times.len() / 2]);
    Ok(())
}
