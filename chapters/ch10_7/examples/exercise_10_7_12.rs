//! Does the language model of the stories copy? It reads words that come a second
//! time, in an order that no story has, and the beginning of a story twice.
//!
//! Worked answer to exercise 12 of section 10.7: the section's settings, from
//! three seeds.

use ch10_7::induction::on_successors;
use ch10_7::language_model::{PART, Setting, Storyteller, train_storyteller};
use ch10_7::stories::{Stories, TEXT};
use dfdx::prelude::*;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::loss::{cross_entropy, logits};
use seq2seq::vocab::{BOS, EOS};
use std::process::ExitCode;
use support::{Progress, heading, row, seeds};

const SEEDS: u64 = 3;
/// Tokens that are read twice, and both times together.
const ONCE: usize = 40;
const S: usize = 2 * ONCE;
/// Layers, and heads of each.
const HEADS: [usize; 2] = [2, 4];

/// Of several texts that are read twice.
#[derive(Default)]
struct Found {
    /// The mean of -ln p, the first time and the second. What comes first the
    /// second time is left out: there the repetition cannot be known yet.
    nats: [f32; 2],
    /// For each head, the mean weight on tokens that came after the present one.
    after: [[f32; HEADS[1]]; HEADS[0]],
    /// The same, if all tokens so far had the same weight.
    equal: f32,
}

fn read_twice(model: &Storyteller, texts: &[Vec<usize>]) -> Found {
    let mut found = Found::default();
    let share = 1.0 / texts.len() as f32;
    for text in texts {
        let next: [usize; S] = std::array::from_fn(|i| text[i % ONCE]);
        let mut tokens = [BOS; S];
        tokens[1..].copy_from_slice(&next[..S - 1]);
        let (rows, weights) = model.forward(&[tokens], &[S], NoneTape);
        let all = logits(rows, &model.stack.embedding.vectors, &model.b_out);
        let [nats] = cross_entropy(all, &[next]).array();
        let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
        found.nats[0] += share * mean(&nats[..ONCE]);
        found.nats[1] += share * mean(&nats[ONCE + 1..]);
        for (layer, weights) in weights.iter().enumerate() {
            let weights = weights.as_vec();
            let maps = weights.as_chunks::<S>().0.chunks(S);
            for (after, map) in found.after[layer].iter_mut().zip(maps) {
                *after += share * on_successors(map, &tokens);
            }
        }
        let row =
            |q: usize| std::array::from_fn(|k| f32::from(k <= q) / (q + 1) as f32);
        let equal: Vec<[f32; S]> = (0..S).map(row).collect();
        found.equal += share * on_successors(&equal, &tokens);
    }
    found
}

fn main() -> ExitCode {
    let about = "Whether the language model of the stories copies";
    support::run_plain("exercise_10_7_12", about, |run| {
        let settings = (Setting::BOOK, PART, SEEDS, ONCE, run.seed);
        run.print_settings(&settings, TEXT.as_bytes());
        let stories = Stories::book();
        let mut rng = StdRng::seed_from_u64(0);
        let mut words: Vec<usize> = (EOS + 1..stories.vocab_size()).collect();
        let mut shuffled = || {
            words.shuffle(&mut rng);
            words[..ONCE].to_vec()
        };
        let random: Vec<_> = (0..20).map(|_| shuffled()).collect();
        let long = stories.validation.iter().filter(|story| story.len() > ONCE);
        let real: Vec<_> = long.map(|story| story[..ONCE].to_vec()).collect();
        for seed in seeds(run.seed, SEEDS) {
            let setting = Setting::BOOK;
            let mut progress = Progress::new(format!("seed {seed}"), setting.steps);
            let on_step = |_, loss, tokens, _: &Storyteller| {
                progress.step_of(tokens, loss / tokens as f32);
            };
            let model = train_storyteller(&stories, &setting, seed, on_step);
            drop(progress);
            heading(&format!("Seed {seed}"));
            row("perplexity", 14, &["first", "second"]);
            for (name, texts) in [("random words", &random), ("stories", &real)] {
                let nats = read_twice(&model, texts).nats;
                row(name, 14, &nats.map(|nats| format!("{:.1}", nats.exp())));
            }
            println!("\nrandom words: weight on what came after");
            row("", 14, &["head 1", "head 2", "head 3", "head 4"]);
            let Found { after, equal, .. } = read_twice(&model, &random);
            for (layer, after) in after.iter().enumerate() {
                let cells = after.map(|weight| format!("{weight:.3}"));
                row(&format!("layer {}", layer + 1), 14, &cells);
            }
            row("equal weights", 14, &[format!("{equal:.3}")]);
            assert!(
                after.as_flattened().iter().all(|weight| *weight < 0.5),
                "{after:?}"
            );
        }
        assert!(real.len() >= 10, "{} stories are long enough", real.len());
        Ok(())
    })
}
