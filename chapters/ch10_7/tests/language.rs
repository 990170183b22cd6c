//! The language model: laws that hold whatever the weights, sampling, and what
//! training makes of it.

use crate::laws::assert_all_move;
use ch10_2::parameters::Parameters;
use ch10_7::bigram::Bigrams;
use ch10_7::language_model::{LanguageModel, sample, train_storyteller};
use ch10_7::stories::{STEPS, Stories};
use ch10_7::training::lr_of_step;
use dfdx::prelude::*;
use kernels::Dev;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::loss::logits;
use seq2seq::vocab::{BOS, EOS};
use testing::close;

type Model = LanguageModel<16, 2, 8, 24>;

fn model(seed: u64, tokens: usize) -> Model {
    LanguageModel::new(&Dev::seed_from_u64(seed), tokens, 2, 0.0)
}

fn all_logits<const S: usize>(model: &Model, read: [usize; S]) -> Vec<f32> {
    let (rows, _) = model.forward(&[read], &[S], NoneTape);
    logits(rows, &model.stack.embedding.vectors, &model.b_out).as_vec()
}

fn rows<T: Tape<f32, Dev> + Default>(story: [usize; 8]) -> Vec<f32> {
    let (rows, _) = model(0, 20).forward(&[story], &[8], T::default());
    rows.as_vec()
}

#[test]
fn a_later_token_changes_nothing_earlier() {
    let story = [2, 5, 6, 7, 8, 9, 10, 11];
    for changed in 1..8 {
        let mut other = story;
        other[changed] = 19;
        for all in [rows::<NoneTape>, rows::<OwnedTape<f32, Dev>>] {
            let (a, b, at) = (all(story), all(other), changed * 16);
            assert_eq!(a[..at], b[..at], "position {changed}");
            assert_ne!(a[at..], b[at..], "position {changed}");
        }
    }
}

#[test]
fn a_model_of_zeros_has_the_perplexity_of_its_vocabulary() {
    let mut model = model(2, 50);
    let zeros = vec![0.0; model.count()];
    model.load_flat(&zeros);
    let stories = [vec![4, 5, 6, EOS], vec![9, EOS]];
    assert!((model.perplexity::<8>(&stories) - 50.0).abs() < 1e-3);
}

#[test]
fn the_loss_is_that_of_the_probabilities() {
    let model = model(3, 12);
    let story = vec![4, 7, EOS];
    let logits = all_logits(&model, [BOS, 4, 7]);
    let nats = logits.chunks(12).zip(&story).map(|(row, &token)| {
        let sum: f32 = row.iter().map(|x| x.exp()).sum();
        sum.ln() - row[token]
    });
    let nats: f32 = nats.sum();
    let loss = model.loss::<2, 5, _>(&[&story, &vec![]], NoneTape).array();
    close(&loss, &[nats, 0.0], 1e-5, "loss");
    let perplexity = model.perplexity::<5>(&[story]);
    assert!((perplexity.ln() * 3.0 - f64::from(nats)).abs() < 1e-4);
}

#[test]
fn every_parameter_learns() {
    let mut model = model(4, 12);
    let story = vec![4, 7, 8, 5, EOS];
    let loss = model.loss::<1, 5, _>(&[&story], OwnedTape::default()).sum();
    let gradient = model.flat_gradient(loss.backward());
    assert_all_move(&mut model, &gradient);
}

#[test]
fn temperature_sharpens_and_flattens() {
    let logits = [9.0, 9.0, 9.0, 1.0, 2.0, 0.0];
    let mut rng = StdRng::seed_from_u64(5);
    let mut shares = |temperature: f32| {
        let mut drawn = [0; 6];
        for _ in 0..20_000 {
            drawn[sample(&logits, temperature, &mut rng)] += 1;
        }
        assert_eq!(drawn[..3], [0; 3], "signs are never written");
        drawn.map(|n| n as f32 / 20_000.0)
    };
    let total = 1.0 + 1f32.exp() + (-1f32).exp();
    close(&[shares(1.0)[4]], &[1f32.exp() / total], 0.015, "share");
    close(&[shares(1.0)[5]], &[(-1f32).exp() / total], 0.015, "share");
    assert_eq!(shares(0.0)[4], 1.0);
    assert!(shares(0.1)[4] > 0.999);
    close(&[shares(1e6)[4]], &[1.0 / 3.0], 0.015, "share");
}

#[test]
fn generation_stops_where_it_must() {
    let model = model(6, 20);
    let count = |prompt: &[usize], most, choice: usize| {
        model.generate::<8>(prompt, most, |_| choice).len()
    };
    assert_eq!(count(&[4, 5], 3, 7), 3);
    assert_eq!(count(&[4, 5], 100, 7), 6);
    assert_eq!(count(&[], 100, 7), 8);
    assert_eq!(count(&[4], 100, EOS), 0);
    assert_eq!(count(&[4; 7], 100, 7), 1);
    assert_eq!(count(&[4; 7], 0, 7), 0);
}

/// The choice of a token gets the logits after all that is written before it.
#[test]
fn generation_chooses_by_the_last_row() {
    let model = model(7, 20);
    let mut all = Vec::new();
    let written = model.generate::<8>(&[4, 5], 3, |logits| {
        all.push(logits.to_vec());
        10 + all.len()
    });
    assert_eq!(written, [11, 12, 13]);
    let wanted = all_logits(&model, [BOS, 4, 5, 11, 12]);
    close(&all.concat(), &wanted[2 * 20..], 1e-5, "logits");
}

/// The rate rises over the first tenth of the steps and falls to a twentieth.
#[test]
fn the_rate_of_a_step() {
    let rates = [1, 5, 10, 50, 100].map(|step| lr_of_step(2.0, step, 100));
    close(&rates, &[0.2, 1.0, 1.9, 1.1, 0.1], 1e-6, "rates");
}

/// Half of the page's steps: better than counting pairs by far, and not by
/// heart.
#[test]
fn the_storyteller_beats_counting() {
    let stories = Stories::book();
    let counted = Bigrams::tuned(&stories.train, stories.vocab_size());
    let counted = counted.perplexity(&stories.held_out);
    assert!((18.5..19.7).contains(&counted), "{counted}");
    let model = train_storyteller(&stories, 480, 0, |_, _, _, _| {});
    let ours = model.perplexity::<STEPS>(&stories.held_out);
    assert!((12.5..15.5).contains(&ours), "{ours:.2} {counted:.2}");
    // What it was trained with it knows better.
    let known = model.perplexity::<STEPS>(&stories.train[..20]);
    assert!(known < ours, "{known:.2} {ours:.2}");
}

#[test]
fn a_training_is_the_same_twice() {
    let stories = Stories::book();
    let train = || train_storyteller(&stories, 6, 1, |_, _, _, _| {}).flatten();
    assert_eq!(train(), train());
}
