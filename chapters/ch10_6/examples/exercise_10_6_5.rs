//! Other weights in place of those that were learned: shuffled, all equal,
//! and the two nouns' exchanged. How many answers are still right?
//!
//! Worked answer to exercise 5 of section 10.6.

use anyhow::Result;
use ch10_1::Dev;
use ch10_6::it::{Batch, Reader, right, train};
use ch10_6::sentences::Sentence;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

fn main() -> Result<()> {
    let mut rng = StdRng::seed_from_u64(5);
    let dev = Dev::seed_from_u64(5);
    let test = (0..512).map(|_| Sentence::draw(&mut rng, true)).collect();
    let test: Batch<512> = Batch::new(&dev, test);
    let mut reader = Reader::new(&dev, true);
    train(&mut reader, &mut rng, 800, |_| {})?;

    let learned = reader.reweighed(&test, |_, _| {});
    let shuffled = reader.reweighed(&test, |sentence, row| {
        row[..sentence.words.len()].shuffle(&mut rng);
    });
    let equal = reader.reweighed(&test, |sentence, row| {
        let count = sentence.words.len();
        row[..count].fill(1.0 / count as f32);
    });
    let exchanged = reader.reweighed(&test, |sentence, row| {
        row.swap(sentence.place(sentence.meant), sentence.place(sentence.other));
    });
    let shares =
        [learned, shuffled, equal, exchanged].map(|logits| right(&test, &logits));
    let names = ["learned", "shuffled", "all equal", "nouns exchanged"];
    println!("weights in layer 1   right");
    for (name, share) in names.iter().zip(shares) {
        println!("{name:<18}{share:>8.4}");
    }
    // The weights matter; but much is right without them.
    let [learned, shuffled, equal, _] = shares;
    assert!(learned > 0.95);
    assert!(shuffled < learned - 0.1 && equal < learned);
    Ok(())
}
