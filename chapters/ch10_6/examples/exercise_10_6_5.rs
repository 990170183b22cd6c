//! Other weights in place of those that were learned: shuffled, all equal,
//! and the two nouns' exchanged. How many answers are still right?
//!
//! Worked answer to exercise 5 of section 10.6.

use ch10_5::KeyValues;
use ch10_6::coreference::WIDTH;
use ch10_6::task::sentences::{
    Kind, LENGTH, LR, STEPS, SentenceBatch, Split, shares, train,
};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use support::Progress;

const B: usize = 512;

type Words = KeyValues<B, LENGTH, WIDTH>;

/// Gives each word the value of another one: word k of sentence b that of word
/// `from[b][k]`. The weight of k then falls on that value.
fn exchange(values: &Tensor3<B, LENGTH, WIDTH>, from: &[[usize; LENGTH]]) -> Vec<f32> {
    let rows = values.as_vec();
    let row = |b: usize, k: usize| &rows[(b * LENGTH + k) * WIDTH..][..WIDTH];
    let all = from.iter().enumerate();
    all.flat_map(|(b, from)| from.iter().flat_map(move |&k| row(b, k).to_vec()))
        .collect()
}

/// Trains a model, and counts its answers with the weights that it learned and
/// with others.
fn one_model(seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let dev = Dev::seed_from_u64(seed);
    let test: SentenceBatch<B> = SentenceBatch::draw(&dev, &mut rng, Split::Test);
    let mut model = Kind::Full.model(&dev);
    let mut progress = Progress::new(format!("seed {seed}"), STEPS);
    let settings = (STEPS, LR);
    train(&mut model, Kind::Full, &mut rng, settings, |_, loss| progress.step(loss));

    let right = |change: &dyn Fn(Words) -> Words| {
        let masks = test.masks();
        let output = model.forward_with(&test.tokens, &masks, NoneTape, change);
        shares(&test, &output.logits)
    };
    let with_values = |from: Vec<[usize; LENGTH]>| {
        right(&|words| {
            let values = exchange(&words.values, &from);
            let values = dev.tensor_from_vec(values, Default::default());
            KeyValues { values, ..words }
        })
    };
    let usual: [usize; LENGTH] = std::array::from_fn(|k| k);
    let shuffled = test.sentences.iter().map(|sentence| {
        let mut from = usual;
        from[..sentence.words.len()].shuffle(&mut rng);
        from
    });
    let exchanged = test.sentences.iter().map(|sentence| {
        let mut from = usual;
        from.swap(sentence.position(sentence.meant), sentence.position(sentence.other));
        from
    });
    let rows = [
        ("learned", right(&|words| words)),
        ("shuffled", with_values(shuffled.collect())),
        ("all equal", right(&|words| KeyValues { keys: dev.zeros(), ..words })),
        ("nouns exchanged", with_values(exchanged.collect())),
    ];
    println!("seed {seed:<14}   right   other  neither");
    for (name, [right, other, neither]) in rows {
        println!("{name:<18}{right:>9.3}{other:>8.3}{neither:>9.3}");
    }
    let [learned, shuffled, equal, _] = rows.map(|(_, shares)| shares);
    assert!(learned[0] > 0.8);
    for [right, other, _] in [shuffled, equal] {
        assert!(right > other && right < learned[0] - 0.15);
    }
}

fn main() {
    one_model(5);
    one_model(6);
}
