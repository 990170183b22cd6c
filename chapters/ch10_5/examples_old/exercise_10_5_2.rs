//! How important is a head? A guess from one backward pass, and a trial of
//! every head, against what it costs to take heads away.
//!
//! Worked answer to exercise 2 of section 10.5. The guess is that of Michel,
//! Levy and Neubig 2019, "Are Sixteen Heads Really Better than One?".

use anyhow::Result;
use ch10_1::Dev;
use ch10_5::{Deal, Player, train};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::Progress;

const HEADS: usize = 8;
const CIRCLES: usize = 256;
const STEPS: usize = 300;

type Eight = Player<HEADS, 4>;

fn trained(seed: u64) -> Result<(Eight, Deal<CIRCLES>)> {
    let mut rng = StdRng::seed_from_u64(seed);
    let deal = Deal::new(&Dev::default(), &mut rng);
    let mut player = Player::new(&Dev::seed_from_u64(seed));
    let mut progress = Progress::new(format!("player {seed}"), STEPS);
    train(&mut player, &mut rng, STEPS, |_, loss| progress.step(loss))?;
    Ok((player, deal))
}

/// For each head, the mean over the circles of |∂ loss / ∂ gate|: how steeply
/// the loss would change if the head were turned down a little.
fn slopes(player: &Eight, deal: &Deal<CIRCLES>) -> [f32; HEADS] {
    let gates: Tensor<Rank2<CIRCLES, HEADS>, f32, Dev> = Dev::default().ones();
    let said = player.play(deal, gates.leaky_trace());
    let [left, partner] = said.losses(deal);
    // The loss is a mean over circles, so each slope has the share 1/CIRCLES.
    let slopes = (left + partner).backward().get(&gates);
    let sums: Tensor<Rank1<HEADS>, f32, Dev> = slopes.abs().sum::<_, Axis<0>>();
    sums.array()
}

fn loss(player: &Eight, deal: &Deal<CIRCLES>, gone: &[usize]) -> f32 {
    player.losses_without(deal, gone).iter().sum()
}

/// The heads, each the cheapest to take away when those before it are gone.
fn trials(player: &Eight, deal: &Deal<CIRCLES>) -> Vec<usize> {
    let mut gone = Vec::new();
    while gone.len() < HEADS {
        let cost = |h: usize| loss(player, deal, &[&gone[..], &[h]].concat());
        let left = (0..HEADS).filter(|h| !gone.contains(h));
        let costs: Vec<(usize, f32)> = left.map(|h| (h, cost(h))).collect();
        let least = costs.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        gone.extend(least.map(|(h, _)| *h));
    }
    gone
}

/// Prints the two orders, and the loss as heads go in each of them.
fn prune(seed: u64) -> Result<Vec<[f32; 2]>> {
    let (player, deal) = trained(seed)?;
    let slopes = slopes(&player, &deal);
    let mut by_slope: Vec<usize> = (0..HEADS).collect();
    by_slope.sort_by(|&a, &b| slopes[a].total_cmp(&slopes[b]));
    let by_trial = trials(&player, &deal);
    println!("player {seed}");
    println!("heads left  next out  by slope  next out  by trial");
    let mut curve = Vec::new();
    for gone in 0..=HEADS {
        let losses =
            [&by_slope, &by_trial].map(|order| loss(&player, &deal, &order[..gone]));
        let next = [&by_slope, &by_trial]
            .map(|order| order.get(gone).map_or("-".to_string(), |h| h.to_string()));
        print!("{:>10}  {:>8}  {:>8.4}", HEADS - gone, next[0], losses[0]);
        println!("  {:>8}  {:>8.4}", next[1], losses[1]);
        curve.push(losses);
    }
    Ok(curve)
}

fn main() -> Result<()> {
    let two = prune(2)?;
    println!();
    let one = prune(1)?;
    // Half of the heads may go for a tenth of a nat, if they are well chosen.
    assert!(two[4][0] < 0.1 && two[4][1] < 0.1 && one[4][1] < 0.1);
    // The slope chooses well for player 2, and badly for player 1.
    assert!(one[4][0] > 1.0);
    // Two heads are needed: one for each question.
    assert!(one[7][1] > 1.0 && two[7][1] > 1.0);
    Ok(())
}
