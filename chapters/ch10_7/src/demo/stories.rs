//! How the settings of the language model were chosen; and what a model learns
//! that sees one token alone, with settings chosen for it in the same way.

use anyhow::Result;
use ch10_7::language_model::{PART, Setting, train_storyteller};
use ch10_7::stories::{STEPS, Stories, TEXT};
use program::Job;
use support::{Progress, Spread, heading, row, seeds, spread};

/// Seeds to choose with, and other ones to judge the choice with.
const SEEDS: [u64; 2] = [2, 5];

/// How many tokens a model sees, by name.
const REACHES: [(&str, usize); 2] = [("all", usize::MAX), ("one", 1)];

fn candidates(reach: usize) -> [Setting; 6] {
    let base = Setting { steps: 600, lr: 0.004, dropout: 0.2, reach };
    [
        base,
        Setting { lr: 0.002, ..base },
        Setting { lr: 0.008, ..base },
        Setting { dropout: 0.1, ..base },
        Setting { dropout: 0.3, ..base },
        Setting { steps: 1200, ..base },
    ]
}

/// Trains them all, and the best of each kind once more from other seeds.
pub fn stories(job: &Job) -> Result<()> {
    let stories = Stories::book();
    let all = REACHES.map(|(_, reach)| candidates(reach));
    job.run.print_settings(&(all, SEEDS, PART, job.run.seed), TEXT.as_bytes());
    heading("Settings on the validation stories");
    println!("sees   steps    rate  dropout      mean    lowest   highest");
    let mut chosen = Vec::new();
    for (name, reach) in REACHES {
        let mut best = (f64::INFINITY, candidates(reach)[0]);
        for setting in candidates(reach) {
            let one = |seed| perplexities(&stories, &setting, seed)[0];
            let found = spread(seeds(job.run.seed, SEEDS[0]).map(one));
            let Setting { steps, lr, dropout, .. } = setting;
            let name = format!("{name} {steps:8} {lr:7} {dropout:8}");
            row(&name, 30, &found.cells(2));
            if found.mean < best.0 {
                best = (found.mean, setting);
            }
        }
        chosen.push((name, best.1));
    }
    heading("The best of each, from other seeds");
    row("sees", 10, &["seed", "validation", "held out"].map(|name| format!(" {name}")));
    for (name, setting) in chosen {
        let others = seeds(job.run.seed.wrapping_add(SEEDS[0]), SEEDS[1]);
        let mut held_out = Vec::new();
        for seed in others {
            let both = perplexities(&stories, &setting, seed);
            let cells = both.map(|cell| format!("{cell:.2}"));
            row(name, 10, &[&[seed.to_string()], &cells[..]].concat());
            held_out.push(both[1]);
        }
        let Spread { mean, least, most, .. } = spread(held_out);
        println!("{name}: held out, mean {mean:.2}, from {least:.2} to {most:.2}");
    }
    Ok(())
}

/// Trains a model; its perplexity on the validation stories and on those held
/// out.
fn perplexities(stories: &Stories, setting: &Setting, seed: u64) -> [f64; 2] {
    let mut progress = Progress::new("stories", setting.steps);
    let model = train_storyteller(stories, setting, seed, |_, loss, tokens, _| {
        progress.step_of(tokens, loss / tokens as f32);
    });
    [&stories.validation, &stories.held_out].map(|part| model.perplexity::<STEPS>(part))
}
