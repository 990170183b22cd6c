//! A head that copies: trained on sequences that repeat; what each head attends
//! to, and what is left without it.

use super::induction_seeds;
use anyhow::Result;
use ch10_2::parameters::Parameters;
use ch10_7::induction::{
    AttentionOnly, HEADS, LEN, PERIODS, RATE, Repeats, Repetition, STEPS, on_distance,
    on_successors, train_attention_only,
};
use dfdx::prelude::*;
use program::Job;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{Labels, Progress, heading, row, show_heatmaps};

/// The flags of `induction`.
#[derive(clap::Args)]
pub struct Args {
    /// Train in N steps
    #[arg(long, value_name = "N", default_value_t = STEPS, value_parser = support::number(10..=100_000))]
    pub steps: usize,
    /// Train with N seeds, with two layers and with one, and compare
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = support::number(1..=1000))]
    pub seeds: usize,
}

/// Sequences to evaluate with.
pub const HELD_OUT: usize = 64;

/// Sequences to evaluate a model with.
pub type HeldOut = [Repetition<LEN>; HELD_OUT];

/// Sequences drawn apart from those of the training.
pub fn held_out(seed: u64) -> HeldOut {
    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1000));
    std::array::from_fn(|_| Repetition::draw(&mut rng))
}

/// Trains two layers, prints what their heads attend to and what is right
/// without them, and draws two maps.
pub fn induction(job: &Job, args: &Args) -> Result<()> {
    job.run.check_out()?;
    if args.seeds > 1 {
        return induction_seeds::compare(job, args);
    }
    let held_out = held_out(job.run.seed);
    heading("Two layers of attention");
    row("step", 10, &["loss", "right"]);
    let mut progress = Progress::new("copying", args.steps);
    let on_step = |step: usize, loss, model: &AttentionOnly| {
        progress.step(loss);
        if step == 1 || step.is_multiple_of((args.steps / 12).max(1)) {
            let Repeats { loss, right } = model.repeats(&held_out);
            let cells = [loss, right].map(|number| format!("{number:.3}"));
            row(&step.to_string(), 10, &cells);
        }
    };
    let mut model = train_attention_only(2, args.steps, RATE, job.run.seed, on_step);
    println!("\nparameters {}", model.count());
    let heads = scores(&model, &held_out);
    heading("What the heads attend to");
    row("layer.head", 12, &["itself", "1 back", "2 back", "3 back", "later", "after"]);
    for (name, of_head) in NAMES.iter().zip(&heads) {
        let [itself, one, two, three] = of_head.back;
        let cells = [itself, one, two, three, of_head.later, of_head.after];
        row(name, 12, &cells.map(|cell| format!("{cell:.2}")));
    }
    heading("Heads taken out");
    row("out", 12, &["right"]);
    for out in [&[][..]].into_iter().chain(OUT.iter().copied()) {
        let names: Vec<&str> = out.iter().map(|head| NAMES[*head]).collect();
        let right = without(&model, out).repeats(&held_out).right;
        let name = if out.is_empty() { "none".into() } else { names.join(", ") };
        row(&name, 12, &[format!("{right:.3}")]);
    }
    println!();
    let [first, second] = named(&heads);
    draw(job, "induction", &model, [first, second])
}

/// The heads of both layers, one after another.
pub const NAMES: [&str; 2 * HEADS] = ["1.1", "1.2", "2.1", "2.2"];

/// Each head, and each pair.
pub const OUT: [&[usize]; 10] =
    [&[0], &[1], &[2], &[3], &[0, 1], &[2, 3], &[0, 2], &[0, 3], &[1, 2], &[1, 3]];

/// In training a token that comes after the first occurrence of another stands at
/// a position below this one.
pub const FIRST: usize = PERIODS[1] + 1;

/// What a head attends to: mean weights over the sequences.
#[derive(Clone, Copy, Default)]
pub struct Scores {
    /// On the token itself, and on those one, two and three back, from those of the
    /// first 16 positions that have three before them.
    pub back: [f32; 4],
    /// On the token one back, from the positions 1 to 15.
    pub before: f32,
    /// On the token one back, from the positions after the first 16.
    pub later: f32,
    /// On tokens that came after the present one.
    pub after: f32,
}

/// Those of all heads.
pub fn scores(model: &AttentionOnly, sequences: &HeldOut) -> Vec<Scores> {
    let tokens = sequences.each_ref().map(|sequence| sequence.tokens);
    let (_, weights) = model.forward(&tokens, NoneTape);
    let mut all = vec![Scores::default(); weights.len() * HEADS];
    for (layer, weights) in weights.iter().enumerate() {
        let weights = weights.as_vec();
        for (at, map) in weights.as_chunks::<LEN>().0.chunks(LEN).enumerate() {
            let of_head = &mut all[layer * HEADS + at % HEADS];
            for (back, sum) in of_head.back.iter_mut().enumerate() {
                *sum += on_distance(map, back, 3..FIRST) / HELD_OUT as f32;
            }
            of_head.before += on_distance(map, 1, 1..FIRST) / HELD_OUT as f32;
            of_head.later += on_distance(map, 1, FIRST..LEN) / HELD_OUT as f32;
            of_head.after += on_successors(map, &tokens[at / HEADS]) / HELD_OUT as f32;
        }
    }
    all
}

/// The head of the first layer with most weight on the token before, and that of
/// the second with most on the tokens that came after.
pub fn named(heads: &[Scores]) -> [usize; 2] {
    let [first, second] = [0, HEADS].map(|from| &heads[from..from + HEADS]);
    let previous = usize::from(first[1].before > first[0].before);
    let copying = usize::from(second[1].after > second[0].after);
    [previous, HEADS + copying]
}

/// The model without some of its heads.
pub fn without(model: &AttentionOnly, out: &[usize]) -> AttentionOnly {
    let one =
        |model: AttentionOnly, head: &usize| model.without(head / HEADS, head % HEADS);
    out.iter().fold(model.clone(), one)
}

/// Tokens of the sequence that is drawn.
const SHOWN: usize = 20;
/// Its period.
const PERIOD: usize = 8;

/// Draws the weights of two heads for one sequence.
pub fn draw(
    job: &Job,
    name: &str,
    model: &AttentionOnly,
    heads: [usize; 2],
) -> Result<()> {
    let mut rng = StdRng::seed_from_u64(0);
    let Repetition { tokens, .. } =
        Repetition::<LEN>::random_with_period(PERIOD, &mut rng);
    let (_, weights) = model.forward(&[tokens; HELD_OUT], NoneTape);
    // What comes later changes nothing, so the rest of the sequence is cut off.
    let map = |head: usize| -> Vec<Vec<f32>> {
        let all = weights[head / HEADS].as_vec();
        let rows = all.chunks(LEN).skip(head % HEADS * LEN).take(SHOWN);
        rows.map(|row| row[..SHOWN].to_vec()).collect()
    };
    let letter = |&token: &usize| char::from(b'a' + token as u8).to_string();
    let letters: Vec<String> = tokens[..SHOWN].iter().map(letter).collect();
    let title =
        |head: usize| format!("Layer {}, head {}", head / HEADS + 1, head % HEADS + 1);
    let labels = Labels {
        keys: "Tokens so far",
        queries: "Last token",
        titles: heads.map(title).to_vec(),
        key_tokens: letters.clone(),
        query_tokens: letters,
        columns: 1,
    };
    job.run.figure(name, &show_heatmaps(&heads.map(map)[..], &labels)?)
}
