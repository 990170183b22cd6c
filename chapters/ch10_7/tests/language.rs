//! The language model and its writer: laws that hold whatever the weights,
//! and one short training.

use ch10_1::Dev;
use ch10_7::bigram::Bigrams;
use ch10_7::language::{self, LanguageModel};
use ch10_7::stories::{STEPS, Stories};
use ch10_7::write::draw;
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::loss::logits;
use seq2seq::parameters::Parameters;
use seq2seq::vocab::{BOS, EOS};

type Model = LanguageModel<16, 2, 8, 24>;

fn model(seed: u64, words: usize) -> Model {
    LanguageModel::new(&Dev::seed_from_u64(seed), words, 2, 0.1)
}

/// Rows of a story, in evaluation or in training without dropout.
fn rows<T: Tape<f32, Dev>>(model: &Model, story: [usize; 8], t: T) -> Vec<f32> {
    let mut model = model.clone();
    model.body.positions.dropout = 0.0;
    for block in &mut model.body.blocks {
        block.attention.attention.dropout = 0.0;
        block.around_attention.dropout = 0.0;
        block.around_ffn.dropout = 0.0;
    }
    model.forward(&[story], &[8], t).0.as_vec()
}

#[test]
fn a_later_token_changes_nothing_before_it() {
    let model = model(0, 20);
    let story = [2, 5, 6, 7, 8, 9, 10, 11];
    for changed in 1..8 {
        let mut other = story;
        other[changed] = 19;
        let same = |a: Vec<f32>, b: Vec<f32>| {
            let at = changed * 16;
            assert_eq!(a[..at], b[..at], "position {changed}");
            assert_ne!(a[at..], b[at..], "position {changed}");
        };
        let all = |story| rows(&model, story, NoneTape);
        same(all(story), all(other));
        let all = |story| rows(&model, story, OwnedTape::default());
        same(all(story), all(other));
    }
}

#[test]
fn what_is_kept_gives_the_rows_of_all_at_once() {
    let model = model(1, 20);
    let story = [BOS, 5, 6, 7, 8, 9, 10, 11];
    let (all, weights) = model.forward(&[story], &[8], NoneTape);
    let (all, weights) = (all.as_vec(), weights[1].as_vec());
    let mut kept = model.start::<8>();
    for (at, token) in story.into_iter().enumerate() {
        let (row, looks) = model.step(token, &mut kept);
        let close = |a: &[f32], b: &[f32]| {
            let far = a.iter().zip(b).map(|(a, b)| (a - b).abs());
            assert!(far.fold(0.0, f32::max) < 1e-5, "position {at}");
        };
        close(&row.as_vec(), &all[at * 16..][..16]);
        let looks = looks[1].as_vec();
        for head in 0..2 {
            close(&looks[head * 8..][..8], &weights[(head * 8 + at) * 8..][..8]);
        }
    }
}

#[test]
fn a_model_without_an_opinion_has_the_perplexity_of_its_vocabulary() {
    let mut model = model(2, 50);
    let zeros = vec![0.0; model.count()];
    model.set_row(&zeros);
    let stories = [vec![4, 5, 6, EOS], vec![9, EOS]];
    assert!((model.perplexity::<8>(&stories) - 50.0).abs() < 1e-3);
}

#[test]
fn the_loss_is_that_of_the_probabilities() {
    let model = model(3, 12);
    let story = vec![4, 7, EOS];
    let (rows, _) = model.forward(&[[BOS, 4, 7]], &[3], NoneTape);
    let logits = logits(rows, model.words()).as_vec();
    let nats = logits.chunks(12).zip(&story).map(|(row, &token)| {
        let sum: f32 = row.iter().map(|x| x.exp()).sum();
        sum.ln() - row[token]
    });
    let (nats, loss) = (
        nats.sum::<f32>(),
        model.loss::<5, 2, _>(&[&story, &vec![]], NoneTape).array(),
    );
    assert!((nats - loss[0]).abs() < 1e-4, "{nats} {loss:?}");
    assert_eq!(loss[1], 0.0);
    let perplexity = model.perplexity::<5>(&[story]);
    assert!((perplexity.ln() * 3.0 - f64::from(nats)).abs() < 1e-4);
}

#[test]
fn every_parameter_learns() {
    let mut model = model(4, 12);
    let story = vec![4, 7, 8, 5, EOS];
    let loss = model.loss::<5, 1, _>(&[&story], OwnedTape::default());
    let gradients = loss.sum::<Rank0, _>().backward();
    let gradient = model.gradient(gradients);
    assert_eq!(gradient.len(), model.count());
    let mut at = 0;
    for (name, parameter) in model.parameters() {
        let len: usize = parameter.lens().iter().product();
        let moves = gradient[at..at + len].iter().any(|g| *g != 0.0);
        assert!(moves, "{name}");
        at += len;
    }
}

#[test]
fn temperature_sharpens_and_flattens() {
    let logits = [9.0, 9.0, 9.0, 1.0, 2.0, 0.0];
    let mut rng = StdRng::seed_from_u64(5);
    let mut share = |temperature: f32| {
        let mut drawn = [0; 6];
        for _ in 0..20_000 {
            drawn[draw(&logits, temperature, &mut rng)] += 1;
        }
        assert_eq!(drawn[..3], [0; 3], "signs are never written");
        drawn.map(|n| n as f32 / 20_000.0)
    };
    let close = |a: f32, b: f32| assert!((a - b).abs() < 0.015, "{a} {b}");
    let sum = 1.0 + 1f32.exp() + (-1f32).exp();
    close(share(1.0)[4], 1f32.exp() / sum);
    close(share(1.0)[5], (-1f32).exp() / sum);
    assert_eq!(share(0.0)[4], 1.0);
    assert!(share(0.1)[4] > 0.999);
    close(share(1e6)[4], 1.0 / 3.0);
    assert_eq!(share(1e-45)[4], 1.0);
}

#[test]
fn writing_stops_where_it_must() {
    let model = model(6, 20);
    let write = |prompt: &[usize], most, choice: usize| {
        model.write::<8>(prompt, most, |_| choice).len()
    };
    assert_eq!(write(&[4, 5], 3, 7), 3);
    assert_eq!(write(&[4, 5], 100, 7), 6);
    assert_eq!(write(&[], 100, 7), 8);
    assert_eq!(write(&[4], 100, EOS), 0);
    assert_eq!(write(&[4; 7], 100, 7), 1);
    assert_eq!(write(&[4; 7], 0, 7), 0);
}

/// The choice of a token sees all that was written before it: the logits are
/// those of the whole story at once.
#[test]
fn the_writer_chooses_by_the_last_row() {
    let model = model(7, 20);
    let mut seen = Vec::new();
    let written = model.write::<8>(&[4, 5], 3, |logits| {
        seen.push(logits.to_vec());
        10 + seen.len()
    });
    assert_eq!(written, [11, 12, 13]);
    let all = [[BOS, 4, 5, 11, 12]];
    let (rows, _) = model.forward(&all, &[5], NoneTape);
    let all = logits(rows, model.words()).as_vec();
    for (ours, row) in seen.iter().zip(all.chunks(20).skip(2)) {
        let far = ours.iter().zip(row).map(|(a, b)| (a - b).abs());
        assert!(far.fold(0.0, f32::max) < 1e-4);
    }
}

#[test]
fn a_short_training_comes_close_to_counting_and_is_the_same_twice() {
    let stories = Stories::book();
    let learn = || language::train(&stories, 60, 0, |_, _, _| {});
    let (one, two) = (&mut learn(), &mut learn());
    assert_eq!(one.row(), two.row());
    let counted = Bigrams::tuned(&stories.training, stories.words());
    let counted = counted.perplexity(&stories.held_out);
    let ours = one.perplexity::<STEPS>(&stories.held_out);
    assert!(ours < 2.0 * counted, "{ours:.1} {counted:.1}");
}
