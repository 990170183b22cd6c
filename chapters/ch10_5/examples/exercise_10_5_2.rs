//! How important is a head? A guess from one backward pass, and a trial of
//! every head, against what it costs to take heads away: step by step for one
//! model, and with half of the heads gone for twelve.
//!
//! Worked answer to exercise 2 of section 10.5. The guess is that of Michel,
//! Levy and Neubig 2019, "Are Sixteen Heads Really Better than One?".

use ch10_5::task::cards::{CardBatch, CardModel, LR, STEPS, trained};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor2};
use rand::SeedableRng;
use rand::rngs::StdRng;
use support::Progress;

const HEADS: usize = 8;
const CIRCLES: usize = 256;

type Model = CardModel<HEADS, 4>;
type Cards = CardBatch<CIRCLES>;

/// For each head, the mean over the circles of |∂ loss / ∂ gate|: how steeply
/// the loss would change if the head were turned down a little.
fn slopes(model: &Model, cards: &Cards) -> [f32; HEADS] {
    let gates: Tensor2<CIRCLES, HEADS> = Dev::default().ones();
    let [left, partner] = model.forward(cards, gates.leaky_trace()).losses(cards);
    // The loss is a mean over circles, so each slope has the share 1/CIRCLES.
    let slopes = (left + partner).backward().get(&gates);
    let sums: Tensor1<HEADS> = slopes.abs().sum::<_, Axis<0>>();
    sums.array()
}

fn loss(model: &Model, cards: &Cards, gone: &[usize]) -> f32 {
    model.losses(cards, gone).iter().sum()
}

/// The heads, each the cheapest to take away when those before it are gone.
fn trials(model: &Model, cards: &Cards) -> Vec<usize> {
    let mut gone = Vec::new();
    while gone.len() < HEADS {
        let cost = |h: usize| loss(model, cards, &[&gone[..], &[h]].concat());
        let left = (0..HEADS).filter(|h| !gone.contains(h));
        let costs: Vec<(usize, f32)> = left.map(|h| (h, cost(h))).collect();
        let least = costs.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        gone.extend(least.map(|(h, _)| *h));
    }
    gone
}

/// The two orders, by slope and by trial, and the losses as heads go in each
/// of them: with all heads, without the first, and so on.
fn prune(seed: u64) -> ([Vec<usize>; 2], Vec<[f32; 2]>) {
    let mut progress = Progress::new(format!("model {seed}"), STEPS);
    let model = trained(seed, false, (STEPS, LR), |loss| progress.step(loss));
    let draw = |seed| Cards::new(&Dev::default(), &mut StdRng::seed_from_u64(seed));
    // The orders are chosen on other cards than those that judge them.
    let (choose, judge) = (draw(seed.wrapping_add(500)), draw(seed));
    let slopes = slopes(&model, &choose);
    let mut by_slope: Vec<usize> = (0..HEADS).collect();
    by_slope.sort_by(|&a, &b| slopes[a].total_cmp(&slopes[b]));
    let orders = [by_slope, trials(&model, &choose)];
    let losses = |gone: usize| {
        orders.each_ref().map(|order| loss(&model, &judge, &order[..gone]))
    };
    let losses = (0..=HEADS).map(losses).collect();
    (orders, losses)
}

fn main() {
    let models: Vec<_> = (0..12).map(prune).collect();
    let (orders, losses) = &models[0];
    println!("model 0");
    println!("heads left  next out  by slope  next out  by trial");
    for (gone, losses) in losses.iter().enumerate() {
        let next = orders.each_ref().map(|order| match order.get(gone) {
            Some(h) => h.to_string(),
            None => "-".to_string(),
        });
        print!("{:>10}  {:>8}  {:>8.4}", HEADS - gone, next[0], losses[0]);
        println!("  {:>8}  {:>8.4}", next[1], losses[1]);
    }
    println!();
    println!("four heads left");
    println!("model  by slope  by trial");
    for (n, (_, losses)) in models.iter().enumerate() {
        let [slope, trial] = losses[HEADS / 2];
        println!("{n:>5}  {slope:>8.4}  {trial:>8.4}");
        // Trials give up half of the heads for a third of a nat or so.
        assert!(trial < 0.5 && trial < slope);
        // One head is not enough, by either order.
        assert!(losses[HEADS - 1].iter().all(|&loss| loss > 2.0));
    }
    // Most orders by slope have lost a head that is needed.
    let lost = models.iter().filter(|(_, losses)| losses[HEADS / 2][0] > 2.0);
    assert!(lost.count() >= 9);
}
