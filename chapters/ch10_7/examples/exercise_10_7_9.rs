//! Sampling among the k most probable tokens alone: what it does to the
//! mistakes, and to the variety.
//!
//! Worked answer to exercise 9 of section 10.7. The language model is trained
//! for fewer steps than that of the section.

use ch10_7::decoder_of_today::top_k;
use ch10_7::language_model::{Setting, Storyteller, sample, train_storyteller};
use ch10_7::stories::{STEPS, Stories};
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::vocab::BOS;
use std::collections::HashSet;
use support::{Progress, heading, row};

/// Stories by many seeds, each token sampled among the `k` most probable.
fn written(model: &Storyteller, k: usize) -> Vec<Vec<usize>> {
    let story = |seed| {
        let mut rng = StdRng::seed_from_u64(seed);
        let choose = |logits: &[f32]| sample(&top_k(logits, k), 1.0, &mut rng);
        model.generate::<STEPS>(&[], 60, choose)
    };
    (0..20).map(story).collect()
}

/// All pairs of neighbours, from the beginning on.
fn pairs(stories: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let of = |story: &Vec<usize>| {
        let before = [&BOS].into_iter().chain(story).copied();
        before.zip(story.iter().copied()).collect::<Vec<_>>()
    };
    stories.iter().flat_map(of).collect()
}

fn main() {
    let stories = Stories::book();
    const TRAINED: usize = 300;
    let setting = Setting { steps: TRAINED, ..Setting::BOOK };
    let mut progress = Progress::new("stories", TRAINED);
    let model = train_storyteller(&stories, &setting, 0, |_, loss, tokens, _| {
        progress.step_of(tokens, loss / tokens as f32);
    });
    drop(progress);
    let known: HashSet<_> = pairs(&stories.train).into_iter().collect();
    heading("Twenty stories of 60 tokens");
    row("k", 8, &["new pairs", "words"]);
    let mut found = Vec::new();
    for k in [1, 3, 10, 30, stories.vocab_size()] {
        let ours = written(&model, k);
        let pairs = pairs(&ours);
        let new = pairs.iter().filter(|pair| !known.contains(pair)).count();
        let words: HashSet<_> = ours.iter().flatten().collect();
        let share = new as f64 / pairs.len() as f64;
        row(&k.to_string(), 8, &[format!("{share:.3}"), words.len().to_string()]);
        found.push((share, words.len()));
    }
    heading("One of each");
    for k in [3, stories.vocab_size()] {
        let story = &written(&model, k)[1];
        println!("{k:3}  {}", stories.text(&story[..story.len().min(20)]));
    }
    assert!(found[1].0 < 0.5 * found[4].0, "fewer mistakes: {found:?}");
    assert!(found[1].1 < found[4].1, "and fewer words: {found:?}");
    let sorted = found.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1);
    assert!(sorted, "with each k: {found:?}");
}
