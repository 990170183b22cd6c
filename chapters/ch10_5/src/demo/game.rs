// ANCHOR: game
//! The second half of the telling run: players with one, two and four heads
//! learn the game of pairs, and lose heads. Section 10.5.

use crate::line;
use anyhow::Result;
use ch10_1::{Dev, Labels, show_heatmaps};
use ch10_5::{CARDS, Deal, Player, train};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::{Bars, Progress, Run, bar_plots, heading};

/// Deals that no player was trained on.
type Test = Deal<256>;

pub fn played(run: &Run, dev: &Dev) -> Result<()> {
    let mut rng = StdRng::seed_from_u64(run.seed);
    let test = Deal::new(dev, &mut rng);
    heading("The game of pairs");
    println!("{:>34}{:>24}", "loss", "right answers");
    let questions = "    left partner";
    println!("heads  width  parameters  {questions}    {questions}");
    trained::<1, 32>(run, &test)?;
    let two = trained::<2, 16>(run, &test)?;
    let four = trained::<4, 8>(run, &test)?;
    heading("One head masked out");
    println!("{:<22}{:>8}{:>8}", "heads, the one masked", "left", "partner");
    let panels = [masked(&two, &test), masked(&four, &test)];
    let names = ["left neighbour", "partner"];
    let labels = ("head masked out", "loss in nats");
    run.figure("masked", &bar_plots(&panels, &names, labels)?)?;
    heading("Where the four heads look");
    looks(run, &four, &test)
}
// ANCHOR_END: game

// ANCHOR: trained
/// Trains a player, each on the same deals, and prints how it plays.
fn trained<const H: usize, const D: usize>(
    run: &Run,
    test: &Test,
) -> Result<Player<H, D>> {
    const STEPS: usize = 300;
    let mut player = Player::new(&Dev::seed_from_u64(run.seed));
    let mut rng = StdRng::seed_from_u64(run.seed.wrapping_add(1));
    let mut progress = Progress::new(format!("heads: {H}"), STEPS);
    train(&mut player, &mut rng, STEPS, |_, loss| progress.step(loss))?;
    let said = player.play(test, test.faces.device().ones());
    let [left, partner] = player.losses_without(test, &[]);
    print!("{H:>5}  {D:>5}  {:>10}", player.num_trainable_params());
    print!("  {left:>8.4}{partner:>8.4}");
    let [left, partner] = said.right(test);
    println!("    {left:>8.3}{partner:>8.3}");
    Ok(player)
}
// ANCHOR_END: trained

// ANCHOR: masked
/// The losses with all heads, then without each.
fn masked<const H: usize, const D: usize>(player: &Player<H, D>, test: &Test) -> Bars {
    let mut groups = Vec::new();
    for without in std::iter::once(None).chain((0..H).map(Some)) {
        let gone: Vec<usize> = without.into_iter().collect();
        let losses = player.losses_without(test, &gone);
        let name = without.map_or("none".to_string(), |h| h.to_string());
        line(&format!("{H} heads, {name}"), 4, &losses);
        groups.push((name, losses.map(f64::from).to_vec()));
    }
    Bars { title: format!("{H} heads"), groups }
}
// ANCHOR_END: masked

// ANCHOR: looks
/// One heat map for each head, for the first circle of the test.
fn looks(run: &Run, player: &Player<4, 8>, test: &Test) -> Result<()> {
    let said = player.play(test, test.faces.device().ones());
    let one: Tensor<Rank4<1, 4, CARDS, CARDS>, f32, Dev> =
        said.weights.slice((..1, .., .., ..)).realize();
    let letter = |&picture: &usize| ["A", "B", "C", "D"][picture].to_string();
    let tokens: Vec<String> = test.pictures[0].iter().map(letter).collect();
    let letters: String = tokens.iter().map(|t| format!("{t:>7}")).collect();
    println!("{:<22}{letters}", "picture of each card");
    for (h, head) in one.array()[0].iter().enumerate() {
        line(&format!("head {h}, card 2"), 3, &head[2]);
    }
    let labels = Labels {
        titles: (0..4).map(|h| format!("head {h}")).collect(),
        key_tokens: tokens.clone(),
        query_tokens: tokens,
        ..Labels::default()
    };
    run.figure("game", &show_heatmaps(&one, &labels)?)
}
// ANCHOR_END: looks
