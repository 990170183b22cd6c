//! Drawing among the k likeliest tokens alone: what it does to the mistakes,
//! and to the variety.
//!
//! Worked answer to exercise 9 of section 10.7. The storyteller is trained
//! for fewer steps than that of the section.

use ch10_7::language::{Storyteller, train};
use ch10_7::stories::{STEPS, Stories};
use ch10_7::write::draw;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::vocab::{BOS, EOS};
use std::collections::HashSet;
use support::{Progress, heading, row};

/// Logits without those that are not among the `k` largest of what may be
/// written: their probability is 0.
fn among(logits: &[f32], k: usize) -> Vec<f32> {
    let mut ranked = logits[EOS..].to_vec();
    ranked.sort_by(|a, b| b.total_cmp(a));
    let least = ranked[k.min(ranked.len()) - 1];
    let kept = logits.iter().map(|&x| if x < least { f32::MIN } else { x });
    kept.collect()
}

/// Stories by many seeds, each drawn among the `k` likeliest tokens.
fn written(model: &Storyteller, k: usize) -> Vec<Vec<usize>> {
    let story = |seed| {
        let mut rng = StdRng::seed_from_u64(seed);
        let choose = |logits: &[f32]| draw(&among(logits, k), 1.0, &mut rng);
        model.write::<STEPS>(&[], 60, choose)
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
    const LESSONS: usize = 300;
    let mut progress = Progress::new("stories", LESSONS);
    let model = train(&stories, LESSONS, 0, |loss, tokens, _| {
        progress.step_of(tokens, loss / tokens as f32);
    });
    drop(progress);
    let known: HashSet<_> = pairs(&stories.training).into_iter().collect();
    heading("Twenty stories of 60 tokens");
    row("k", 8, &["new pairs", "words"]);
    let mut told = Vec::new();
    for k in [1, 3, 10, 30, stories.words()] {
        let ours = written(&model, k);
        let pairs = pairs(&ours);
        let new = pairs.iter().filter(|pair| !known.contains(pair)).count();
        let new = new as f64 / pairs.len() as f64;
        let words: HashSet<_> = ours.iter().flatten().collect();
        let cells = [format!("{new:.3}"), words.len().to_string()];
        row(&k.to_string(), 8, &cells);
        told.push((new, words.len()));
    }
    heading("One of each");
    for k in [3, stories.words()] {
        println!("{k:3}  {}", stories.text(&written(&model, k)[1][..20]));
    }
    assert!(told[1].0 < 0.5 * told[4].0, "fewer mistakes");
    assert!(told[1].1 < told[4].1, "and fewer words");
    assert_eq!(among(&[9.0, 9.0, 9.0, 1.0, 3.0, 2.0], 2)[3], f32::MIN);
}
