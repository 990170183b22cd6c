//! Writing token by token: a cache changes nothing, and beams are of the most
//! probable hypotheses.

use crate::laws::{Model, POSITIONS, S, model, tokens};
use ch10_3::Mask;
use ch10_7::beam::Hypothesis;
use ch10_7::{KvCache, NormPosition};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::vocab::{BOS, EOS};
use testing::{close, largest_difference};

#[test]
fn a_cache_changes_nothing() {
    for position in POSITIONS {
        let (model, mut rng) = (model(position), StdRng::seed_from_u64(2));
        let (source, input) = (tokens::<2>(&mut rng), tokens::<2>(&mut rng));
        let lens = [4, 7];
        let mask = Mask::valid_lens(lens);
        let (memory, _) = model.encoder.forward(&source, &mask, NoneTape);
        let mut state = model.decoder.start::<2, S, S>(&memory, lens);
        let (all, weights) =
            model.decoder.forward(&input, &Mask::causal(), memory, &mask);
        for s in 0..S {
            let (row, now) = model.decoder.step(&input.map(|row| row[s]), &mut state);
            for b in 0..2 {
                close(&row.array()[b][0], &all.array()[b][s], 1e-5, "row");
            }
            for (now, then) in now.iter().zip(&weights) {
                let cross = (now.cross_attention.array(), then.cross_attention.array());
                let own = (now.self_attention.array(), then.self_attention.array());
                for (b, head) in (0..2).flat_map(|b| (0..4).map(move |head| (b, head)))
                {
                    close(&cross.0[b][head][0], &cross.1[b][head][s], 1e-5, "cross");
                    close(&own.0[b][head][0], &own.1[b][head][s], 1e-5, "self");
                }
            }
        }
    }
}

/// The same for a causal stack without an encoder.
#[test]
fn a_cache_changes_nothing_in_a_causal_stack() {
    let (model, mut rng) = (model(NormPosition::Pre), StdRng::seed_from_u64(3));
    let input = tokens::<2>(&mut rng);
    let (all, _) = model.encoder.forward(&input, &Mask::causal(), NoneTape);
    let mut cache: KvCache<2, S, 16> = KvCache::new(&Dev::default(), 3);
    assert!(cache.is_empty());
    for s in 0..S {
        let (row, _) = model.encoder.step(&input.map(|row| row[s]), &mut cache);
        assert_eq!((cache.len(), cache.is_empty()), (s + 1, false));
        for b in 0..2 {
            close(&row.array()[b][0], &all.array()[b][s], 1e-5, "row");
        }
    }
}

#[test]
#[should_panic(expected = "all 2 positions of the cache are written")]
fn a_full_cache_takes_no_more() {
    let model = model(NormPosition::Post);
    let (memory, _) = model.encoder.forward(&[[4; S]], &Mask::none(), NoneTape);
    let mut state = model.decoder.start::<1, 2, S>(&memory, [S]);
    for _ in 0..3 {
        model.decoder.step(&[BOS], &mut state);
    }
}

fn sentences() -> Vec<([usize; S], usize)> {
    let mut rng = StdRng::seed_from_u64(5);
    (2..=S).map(|len| (tokens::<1>(&mut rng)[0], len)).collect()
}

#[test]
fn greedy_translation_is_the_same_with_a_cache_and_without() {
    for position in POSITIONS {
        let model = model(position);
        for (source, len) in sentences() {
            let plain = model.translate(source, len);
            assert_eq!(plain, model.translate_cached(source, len));
        }
    }
}

#[test]
fn a_beam_of_one_is_greedy() {
    let model = model(NormPosition::Post);
    for (source, len) in sentences() {
        let beam = model.beam_search(source, len, 1);
        assert_eq!(beam.len(), 1);
        assert_eq!(beam[0].tokens, model.translate(source, len));
    }
}

/// The logarithm of the probability of a translation, in one go.
fn log_probability<const K: usize>(
    model: &Model,
    source: [usize; K],
    len: usize,
    found: &Hypothesis,
) -> f32 {
    let mut labels = found.tokens.clone();
    labels.extend(found.finished.then_some(EOS));
    let mut inputs = [BOS; K];
    inputs[1..labels.len()].copy_from_slice(&labels[..labels.len() - 1]);
    let target = (&[inputs], &[labels.len()]);
    let (rows, _) = model.forward((&[source], &[len]), target, NoneTape);
    let rows: Tensor3<1, K, 16> = rows;
    let logits = model.decoder.output.logits(rows).log_softmax::<Axis<2>>().as_vec();
    labels.iter().enumerate().map(|(s, &token)| logits[s * 20 + token]).sum()
}

#[test]
fn a_beam_of_none_finds_nothing() {
    assert!(model(NormPosition::Post).beam_search([7; S], S, 0).is_empty());
}

#[test]
fn beams_are_sorted_and_know_their_probability() {
    let model = model(NormPosition::Post);
    for (source, len) in sentences() {
        let beam = model.beam_search(source, len, 5);
        assert_eq!(beam.len(), 5);
        assert!(beam.is_sorted_by(|a, b| a.log_probability >= b.log_probability));
        for found in &beam {
            let wanted = log_probability(&model, source, len, found);
            close(&[found.log_probability], &[wanted], 1e-4, "log p");
        }
    }
}

/// A beam with room for everything finds the best of all translations: of two
/// steps, all are tried.
#[test]
fn a_wide_beam_is_exhaustive() {
    let model = model(NormPosition::Post);
    let (source, len) = ([7, 11], 2);
    let mut best = f32::NEG_INFINITY;
    let mut consider = |tokens: Vec<usize>, finished| {
        let found = Hypothesis { tokens, log_probability: 0.0, finished };
        best = best.max(log_probability::<2>(&model, source, len, &found));
    };
    consider(vec![], true);
    for first in (0..20).filter(|&token| token != EOS) {
        consider(vec![first], true);
        for second in (0..20).filter(|&token| token != EOS) {
            consider(vec![first, second], false);
        }
    }
    let beam = model.beam_search(source, len, 500);
    close(&[beam[0].log_probability], &[best], 1e-4, "best");
    let total: f32 = beam.iter().map(|found| found.log_probability.exp()).sum();
    assert!((total - 1.0).abs() < 1e-4, "all of them: {total}");
    assert!(largest_difference(&[total], &[1.0]) < 1e-3);
}
