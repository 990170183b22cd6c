//! The language model: what training makes of it.

use ch10_7::language_model::{Setting, train_storyteller};
use ch10_7::ngram::NGrams;
use ch10_7::stories::{STEPS, Stories};

/// A fifth of the page's steps, another seed: on the stories held out the same model
/// that sees one token is worse, though better than counting pairs.
#[test]
fn the_storyteller_uses_more_than_the_last_token() {
    let stories = Stories::book();
    let tune = [&stories.train[..], &stories.validation];
    let [pairs, triples] = [2, 3].map(|order| {
        let counted = NGrams::tuned(tune, stories.vocab_size(), order);
        counted.perplexity(&stories.held_out)
    });
    assert!((22.5..24.5).contains(&pairs), "{pairs}");
    let trained = |reach| {
        let setting = Setting { steps: 240, reach, ..Setting::BOOK };
        train_storyteller(&stories, &setting, 11, |_, _, _, _| {})
    };
    let [all, one] = [usize::MAX, 1].map(trained);
    let ours = all.perplexity::<STEPS>(&stories.held_out);
    let control = one.perplexity::<STEPS>(&stories.held_out);
    assert!(ours < triples - 0.3, "{ours:.2} {triples:.2}");
    assert!(ours < control - 0.6, "{ours:.2} {control:.2}");
    assert!(control < pairs - 1.5, "{control:.2} {pairs:.2}");
    // What it was trained with it knows better.
    let known = all.perplexity::<STEPS>(&stories.train[..20]);
    assert!(known < ours - 2.0, "{known:.2} {ours:.2}");
}
