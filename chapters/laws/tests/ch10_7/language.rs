//! The language model: laws that hold whatever the weights, sampling, and the
//! first steps of its training.

use ch10_2::parameters::Parameters;
use ch10_7::language_model::{
    LanguageModel, Setting, Storyteller, sample, train_storyteller,
};
use ch10_7::stories::Stories;
use ch10_7::training::lr_of_step;
use dfdx::prelude::*;
use kernels::Dev;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::loss::logits;
use seq2seq::vocab::{BOS, EOS};
use std::collections::HashSet;
use testing::{assert_all_move, close, largest_difference};

const BOOK: Setting = Setting::BOOK;

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

/// With a reach of one token nothing else matters; with two blocks and a reach of
/// two, the last three do.
#[test]
fn a_short_reach_hides_what_is_further_back() {
    let story = [2, 5, 6, 7, 8, 9, 10, 11];
    for (reach, seen) in [(1, 1), (2, 3)] {
        let model = LanguageModel { reach, ..model(0, 20) };
        let last = |story| all_logits(&model, story)[7 * 20..].to_vec();
        for changed in 0..7 {
            let mut other = story;
            other[changed] = 19;
            assert_eq!(last(story) == last(other), 8 - changed > seen, "{changed}");
        }
    }
}

#[test]
#[should_panic(expected = "the cache hides no token")]
fn a_model_of_a_short_reach_does_not_write() {
    let model = LanguageModel { reach: 3, ..model(0, 20) };
    model.generate::<8>(&[], 1, |_| 7);
}

#[test]
#[should_panic(expected = "a text of over 4 tokens")]
fn a_perplexity_is_of_all_tokens() {
    model(0, 20).perplexity::<4>(&[vec![5; 4], vec![5; 5]]);
}

#[test]
#[should_panic(expected = "temperature -1")]
fn no_temperature_is_below_zero() {
    sample(&[0.0; 6], -1.0, &mut StdRng::seed_from_u64(0));
}

/// The rate rises over the first tenth of the steps and falls to a twentieth.
#[test]
fn the_rate_of_a_step() {
    let rates = [1, 5, 10, 50, 100].map(|step| lr_of_step(2.0, step, 100));
    close(&rates, &[0.2, 1.0, 1.9, 1.1, 0.1], 1e-6, "rates");
}

/// A training of one step takes it with a twentieth of the rate, one of two with
/// .55 and .05 of it. By these Adam moves what has the same gradient twice.
#[test]
fn a_step_is_as_long_as_the_schedule_says() {
    let stories = Stories::book();
    let mut start = Storyteller::of_stories(&Dev::seed_from_u64(3), &stories, &BOOK);
    let start = start.flatten();
    for (steps, wanted) in [(1, 0.0002), (2, 0.0024)] {
        let setting = Setting { steps, ..BOOK };
        let mut model = train_storyteller(&stories, &setting, 3, |_, _, _, _| {});
        let moved = largest_difference(&start, &model.flatten());
        assert!((moved / wanted - 1.0).abs() < 0.01, "{steps}: {moved}");
    }
}

/// Sixteen stories of different lengths make two batches. In each epoch each is
/// read once, and the batches are not those of the epoch before.
#[test]
fn stories_come_in_a_new_order_each_epoch() {
    let text: Vec<String> = (0..20).map(|n| "mole ".repeat(1 + n * n / 3)).collect();
    let stories = Stories::of(&text.join("\n"));
    assert_eq!(stories.train.len(), 16);
    let total: usize = stories.train.iter().map(Vec::len).sum();
    let mut read = Vec::new();
    let setting = Setting { steps: 8, ..BOOK };
    train_storyteller(&stories, &setting, 0, |_, _, tokens, _| read.push(tokens));
    assert!(read.chunks(2).all(|both| both.iter().sum::<usize>() == total), "{read:?}");
    let firsts: HashSet<usize> = read.iter().step_by(2).copied().collect();
    assert!(firsts.len() >= 3, "{read:?}");
}

/// A batch has eight stories, here more than there are.
#[test]
fn few_stories_are_read_again_and_again() {
    let stories = Stories::of("The mole slept.");
    let (mut read, setting) = (Vec::new(), Setting { steps: 2, ..BOOK });
    train_storyteller(&stories, &setting, 0, |_, _, tokens, _| read.push(tokens));
    assert_eq!(read, [8 * 5; 2]);
}

#[test]
fn a_training_is_the_same_twice() {
    let stories = Stories::book();
    let setting = Setting { steps: 6, ..BOOK };
    let train = || train_storyteller(&stories, &setting, 1, |_, _, _, _| {}).flatten();
    assert_eq!(train(), train());
}
