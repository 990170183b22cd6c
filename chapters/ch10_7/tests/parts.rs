//! The models that have one part more each, in training.

use ch10_2::parameters::Parameters;
use ch10_7::language_model::{Setting, train_storyteller};
use ch10_7::ngram::NGrams;
use ch10_7::parts::{Parts, PartsModel, variants};
use ch10_7::stories::Stories;

/// With all parts a model learns what the language model does, number by number.
#[test]
fn with_all_parts_it_learns_as_the_language_model_does() {
    let stories = Stories::book();
    let setting = Setting { steps: 5, ..Setting::BOOK };
    let mut whole = train_storyteller(&stories, &setting, 3, |_, _, _, _| {});
    let schedule = (setting.steps, setting.lr);
    let mut model = PartsModel::<4, 16>::trained(
        &stories,
        &variants()[7].2,
        schedule,
        3,
        |_, _, _, _| {},
    );
    testing::close(&model.flatten(), &whole.flatten(), 1e-4, "parameters");
}

/// The perplexity on the stories held out.
fn held_out<const H: usize, const D: usize>(at: usize, schedule: (usize, f32)) -> f64 {
    let stories = Stories::book();
    let (_, heads, parts) = variants()[at];
    assert_eq!(heads, H);
    let on_step = |_, _, _, _: &_| {};
    PartsModel::<H, D>::trained(&stories, &parts, schedule, 40, on_step)
        .perplexity(&stories.held_out)
}

/// The record's steps and rates, another seed.
#[test]
fn vectors_are_better_than_counts_and_four_heads_than_one_token() {
    let stories = Stories::book();
    let tune = [&stories.train[..], &stories.validation];
    let bigrams = NGrams::tuned(tune, stories.vocab_size(), 2);
    let bigrams = bigrams.perplexity(&stories.held_out);
    let pairs = held_out::<1, 64>(0, (600, 0.008));
    assert!(pairs < bigrams - 3.0, "{pairs} {bigrams}");
    let positions = held_out::<1, 64>(1, (600, 0.008));
    let four = held_out::<4, 16>(3, (600, 0.016));
    assert!(four < positions - 1.2, "{four} {positions}");
}

/// The record's steps and rates, another seed: with network and residual connection one
/// head comes close to four, without the network it does not.
#[test]
fn one_head_needs_the_network() {
    let stories = Stories::book();
    let (_, _, residual) = variants()[5];
    let without = Parts { network: false, ..residual };
    let trained = |parts, lr| {
        let on_step = |_, _, _, _: &_| {};
        PartsModel::<1, 64>::trained(&stories, &parts, (600, lr), 40, on_step)
            .perplexity(&stories.held_out)
    };
    let four = held_out::<4, 16>(5, (600, 0.008));
    let [whole, without] = [trained(residual, 0.008), trained(without, 0.016)];
    assert!(whole < four + 1.3, "{whole} {four}");
    assert!(without > four + 1.5, "{without} {four}");
}

/// A third of the record's steps, another seed.
#[test]
fn in_one_block_the_norm_does_not_pay() {
    let [residual, norm] = [5, 6].map(|at| held_out::<4, 16>(at, (200, 0.008)));
    assert!(residual < 19.2, "{residual}");
    assert!(norm > residual + 0.4, "{norm} {residual}");
}
