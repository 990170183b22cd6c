//! Exercise 2 of section 10.2: what w means, and why training makes the weights
//! sharper. No training here: only the loss, as a function of w.

use ch10_1::{Dev, Tensor1};
use ch10_2::*;
use dfdx::prelude::*;
use support::row;

type Others = TrainingSet<50, 49>;

fn model(w: f32) -> GaussianAttention {
    GaussianAttention { w: Dev::default().tensor(w) }
}

fn loss_at(w: f32, set: &Others) -> f32 {
    loss(&model(w), set, NoneTape).array()
}

fn gradient_at(w: f32, set: &Others) -> f32 {
    let model = model(w);
    let gradients = loss(&model, set, OwnedTape::default()).backward();
    gradients.get(&model.w).array()
}

/// The w with the smallest loss, to 1 %.
fn best(set: &Others) -> f32 {
    let tried = (0..1000).map(|i| 0.01 * 1.01f32.powi(i));
    tried
        .min_by(|&a, &b| loss_at(a, set).total_cmp(&loss_at(b, set)))
        .expect("not empty")
}

fn main() {
    let samples: Samples<50> = draw_samples(&Dev::seed_from_u64(0));
    let set = Others::leave_one_out(&samples);
    row("w", 8, &["1/w", "loss", "gradient", "e^entropy"]);
    for w in [0.1, 0.2, 0.5, 1.0, 2.0, 3.4, 5.0, 10.0, 20.0] {
        let (height, gradient) = (loss_at(w, &set), gradient_at(w, &set));
        let entropy = entropy(model(w).weights(set.differences.clone()));
        let keys = entropy.mean::<Rank0, _>().array().exp();
        let cells = [w.recip(), height, gradient, keys];
        row(&format!("{w:.1}"), 8, &cells.map(|v| format!("{v:.2}")));
        // Below the best w the loss falls as w grows, above it rises.
        assert_eq!(gradient < 0.0, w < 3.384);
    }

    // The same inputs in units a tenth as long: numbers ten times as large.
    let stretched = Samples { x: samples.x.clone() * 10.0, y: samples.y.clone() };
    let [w, tenth] = [&set, &Others::leave_one_out(&stretched)].map(best);
    println!("best w {w:.2}; with every input times 10: {tenth:.3}");
    assert!((w / tenth / 10.0 - 1.0).abs() < 0.03);

    // Noise-free data: no noise to average away, so sharper is better.
    let y: Tensor1<50> = truth(samples.x.clone());
    let sharper = best(&Others::leave_one_out(&Samples { x: samples.x, y }));
    println!("best w without noise {sharper:.2}");
    assert!(sharper > 2.0 * w);

    // Is seed 0 a special sample? Forty others.
    let others = (1..=40).map(|seed| draw_samples(&Dev::seed_from_u64(seed)));
    let others: Vec<Others> = others.map(|s| Others::leave_one_out(&s)).collect();
    println!("of 40 samples, the gradient is negative in");
    for w in [0.1, 0.2, 0.5, 1.0, 2.0] {
        let negative = others.iter().filter(|set| gradient_at(w, set) < 0.0).count();
        println!("w = {w:.1}  {negative}");
        assert!(if w < 0.2 { negative < 35 } else { negative == 40 });
    }
}
