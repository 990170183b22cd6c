//! Several candidates at once: one of them is the greedy translation, all of
//! them find the best, and their probabilities are those of the model.

use ch10_1::Dev;
use ch10_7::{NormAt, Transformer};
use dfdx::prelude::*;
use seq2seq::loss::logits;
use seq2seq::vocab::{BOS, EOS};

const S: usize = 4;
const WORDS: usize = 6;

fn model(seed: u64) -> Transformer<8, 2, 4, 12> {
    let dev = Dev::seed_from_u64(seed);
    let mut model = Transformer::new(&dev, (9, WORDS), 2, 0.0, NormAt::Post);
    // Decided enough that the end is reached by some.
    model.decoder.w_out = model.decoder.w_out * 3.0;
    model
}

/// The logarithm of the probability of a translation, all positions at once.
fn log(
    model: &Transformer<8, 2, 4, 12>,
    source: [usize; S],
    tokens: &[usize],
    whole: bool,
) -> f32 {
    let mut input = [BOS; S];
    let mut labels = tokens.to_vec();
    labels.extend(whole.then_some(EOS));
    for (at, token) in tokens.iter().enumerate().take(S - 1) {
        input[at + 1] = *token;
    }
    let (read, _) = model.encoder.forward(&[source], &[3], NoneTape);
    let (rows, _) = model.decoder.forward(&[input], &[S], read, &[3]);
    let logs = logits(rows, model.decoder.words());
    let logs = logs.log_softmax::<Axis<2>>().as_vec();
    let each = labels.iter().enumerate();
    each.map(|(at, label)| logs[at * WORDS + label]).sum()
}

#[test]
fn one_candidate_is_the_greedy_translation() {
    for seed in 0..8 {
        let (model, row) = (model(seed), ([4, 7, 3, 1], 3));
        let (greedy, _) = model.translate(row);
        let beam = model.beam(row, 1);
        assert_eq!(beam.len(), 1);
        assert_eq!(beam[0].tokens, greedy, "seed {seed}");
    }
}

#[test]
fn probabilities_are_those_of_the_model() {
    let (model, source) = (model(1), [4, 7, 3, 1]);
    let beam = model.beam((source, 3), 5);
    assert_eq!(beam.len(), 5);
    assert!(beam.windows(2).all(|pair| pair[0].log >= pair[1].log));
    for found in beam {
        let right = log(&model, source, &found.tokens, found.whole);
        assert!((found.log - right).abs() < 1e-4, "{found:?}: {right}");
    }
}

/// With room for everything nothing is given up: the probabilities add up to
/// 1, and the first is the most probable of all.
#[test]
fn a_beam_that_is_wide_enough_finds_the_best() {
    for seed in 0..4 {
        let (model, row) = (model(seed), ([4, 7, 3, 1], 3));
        let all = model.beam(row, WORDS.pow(S as u32));
        let sum: f32 = all.iter().map(|found| found.log.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        for width in [1, 2, 4] {
            let best = &model.beam(row, width)[0];
            assert!(best.log <= all[0].log + 1e-4, "seed {seed}");
        }
    }
}
