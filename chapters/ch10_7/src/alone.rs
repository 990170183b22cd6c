// ANCHOR: alone_header
//! The telling run of section 10.7, half a Transformer at a time: an encoder
//! that reverses, a decoder that writes stories.

use crate::storyteller::{Kept, Told, Way, lines};
use anyhow::Result;
use ch10_1::{Dev, Labels, show_heatmaps};
use ch10_7::bigram::Bigrams;
use ch10_7::language::Storyteller;
use ch10_7::reversal::{self, Sequence};
use ch10_7::stories::Stories;
use clap::ArgMatches;
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::parameters::Parameters;
use seq2seq::vocab::BOS;
use std::collections::HashSet;
use support::{Mark, Plot, Progress, Run, Series, heading, line_plots, row};
// ANCHOR_END: alone_header

// ANCHOR: encoder_alone
/// Trains an encoder to reverse sequences, and draws where it looks.
///
/// # Errors
/// The figure cannot be written.
pub fn encoder_alone(run: &Run, args: &ArgMatches) -> Result<()> {
    heading("Encoder alone");
    let lessons = args.get_one::<u32>("lessons").copied();
    let steps = lessons.unwrap_or_default().min(600) as usize;
    let mut rng = StdRng::seed_from_u64(run.seed);
    let asked: [Sequence; 512] = reversal::draw(&mut rng, &HashSet::new());
    let not = HashSet::from(asked);
    let mut progress = Progress::new("reversing", steps);
    let mut losses = Vec::new();
    let mut model = reversal::train(steps, run.seed, &mut rng, &not, |loss| {
        progress.step(loss);
        losses.push(loss);
    });
    drop(progress);
    println!("parameters {}", model.count());
    row("step", 10, &["loss"]);
    for (step, loss) in (1..).zip(losses) {
        if step == 1 || step % (steps / 8) == 0 {
            row(&step.to_string(), 10, &[format!("{loss:.4}")]);
        }
    }
    let (symbols, whole) = model.right(&asked);
    println!("\nof {} sequences never seen", asked.len());
    println!("symbols that are right   {symbols:.4}");
    println!("sequences that are right {whole:.4}");
    look(run, &model, &asked[0])
}
// ANCHOR_END: encoder_alone

// ANCHOR: reversal_look
/// Prints one sequence and draws its weights.
fn look(run: &Run, model: &reversal::Reverser, sequence: &Sequence) -> Result<()> {
    let (said, weights) = model.answer(&[*sequence]);
    let symbols = |sequence: &Sequence| sequence.map(|s| s.to_string());
    println!("\nread    {}", symbols(sequence).join(" "));
    println!("written {}", symbols(&said[0]).join(" "));
    let labels = Labels {
        keys: "Symbols read",
        queries: "Symbols written",
        key_tokens: symbols(sequence).to_vec(),
        query_tokens: symbols(&said[0]).to_vec(),
        ..Labels::default()
    };
    run.figure("reversal", &show_heatmaps(&weights, &labels)?)
}
// ANCHOR_END: reversal_look

// ANCHOR: decoder_alone
/// Trains a decoder on the stories, measures it beside the model that counts
/// pairs, and lets it write.
///
/// # Errors
/// A figure or the model cannot be written.
pub fn decoder_alone(run: &Run, args: &ArgMatches) -> Result<()> {
    heading("Decoder alone");
    let stories = Stories::book();
    row("", 12, &["stories", "tokens"]);
    for (name, part) in
        [("training", &stories.training), ("held out", &stories.held_out)]
    {
        row(name, 12, &[part.len(), part.iter().flatten().count()]);
    }
    println!("\nwords in the vocabulary {}", stories.words());
    let kept = Kept::new(stories, run.seed, args);
    let (mut model, told) = kept.train()?;
    println!("parameters              {}\n", model.count());
    row("perplexity", 12, &["training", "held out"]);
    for (step, both) in &told {
        let both = both.map(|perplexity| format!("{perplexity:.2}"));
        row(&format!("step {step}"), 12, &both);
    }
    let stories = kept.stories;
    let counted = Bigrams::tuned(&stories.training, stories.words());
    let theirs = counted.perplexity(&stories.held_out);
    println!("\nby counting pairs, held out {theirs:14.2}");
    println!("tokens imagined after each  {:14}", counted.imagined);
    curve(run, &told, theirs)?;
    looks(run, &stories, &model)?;
    samples(&stories, &model, run.seed)
}
// ANCHOR_END: decoder_alone

// ANCHOR: stories_curve
/// Draws the logarithm of the perplexity as training goes on.
fn curve(run: &Run, told: &[Told], counted: f64) -> Result<()> {
    let points = |which: usize| {
        let points = told.iter().map(|(step, both)| (*step as f64, both[which].ln()));
        points.collect::<Vec<_>>()
    };
    let line = |name, points| Series::new(name, Mark::Line, points);
    let (first, last) = (told[0].0, told[told.len() - 1].0);
    let flat = [first, last].map(|step| (step as f64, counted.ln()));
    let plot = Plot {
        labels: ("Step", "Mean of -ln p, nats"),
        series: vec![
            line("training", points(0)),
            line("held out", points(1)),
            line("held out, by counting", flat.to_vec()),
        ],
        ..Plot::default()
    };
    run.figure("stories", &line_plots(&[plot], 1)?)
}
// ANCHOR_END: stories_curve

// ANCHOR: stories_looks
/// Draws where two heads of the last block look while the first tokens of a
/// story that was held out are read.
fn looks(run: &Run, stories: &Stories, model: &Storyteller) -> Result<()> {
    const S: usize = 18;
    let mut read = [BOS; S];
    read[1..].copy_from_slice(&stories.held_out[0][..S - 1]);
    let (_, mut weights) = model.forward(&[read], &[S], NoneTape);
    let weights: Tensor<Rank4<1, 4, S, S>, f32, Dev> = weights.swap_remove(1);
    let weights: Tensor<Rank4<1, 2, S, S>, f32, Dev> =
        weights.slice((.., 2.., .., ..)).realize();
    let weights: Tensor<Rank4<2, 1, S, S>, f32, Dev> = weights.reshape();
    let tokens = read.map(|number| stories.vocab.tokens()[number].clone());
    let labels = Labels {
        keys: "Tokens so far",
        queries: "Last token",
        titles: (2..4).map(|head| format!("head {head}")).collect(),
        key_tokens: tokens.to_vec(),
        query_tokens: tokens.to_vec(),
    };
    run.figure("causal", &show_heatmaps(&weights, &labels)?)
}
// ANCHOR_END: stories_looks

// ANCHOR: samples
/// Prints how the model goes on after the same beginning, at three
/// temperatures.
fn samples(stories: &Stories, model: &Storyteller, seed: u64) -> Result<()> {
    heading("Stories that it writes");
    let prompt = stories.prompt("One day the mole")?;
    for temperature in [0.0, 0.5, 1.0] {
        println!("temperature {temperature:.1}");
        let way = Way { temperature, words: 70, seed };
        for line in lines(&way.write(stories, model, &prompt)) {
            println!("  {line}");
        }
    }
    Ok(())
}
// ANCHOR_END: samples
