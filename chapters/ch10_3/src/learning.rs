// ANCHOR: learning
//! Trains the two layers with weights to look up a value by its key: section
//! 10.3. A part of the telling run, not of the mechanism.

use crate::WIDTH;
use anyhow::Result;
use ch10_1::Dev;
use ch10_3::*;
use dfdx::optim::{Adam, AdamConfig};
use dfdx::prelude::*;
use support::{heading, row};

type Taped<Shape> = Tensor<Shape, f32, Dev, OwnedTape<f32, Dev>>;

/// Each query is the fixed image, 6 wide, of one of the 5 keys, 4 wide, plus
/// a constant; the right answer is the value of that key.
pub fn look_up(dev: &Dev) -> Result<()> {
    heading("Learning to look up");
    row("step", WIDTH, &["0", "100", "200", "300"]);
    let lens = ValidLens::All;
    for (name, constant) in [("additive", 0.0), ("additive, queries + 1", 1.0)] {
        let layer = AdditiveAttention::<6, 4, 32>::new(dev, 0.0);
        let losses = train(dev, layer, constant, |layer, q, k, v| {
            layer.forward(q, k, v, &lens).output
        })?;
        row(name, WIDTH, &losses);
    }
    let layer = BilinearAttention::<6, 4>::new(dev, 0.0);
    let losses =
        train(dev, layer, 0.0, |layer, q, k, v| layer.forward(q, k, v, &lens).output)?;
    row("bilinear", WIDTH, &losses);
    Ok(())
}
// ANCHOR_END: learning

// ANCHOR: train
/// Mean squared errors after 0, 100, 200 and 300 steps, each on new examples.
fn train<Layer: TensorCollection<f32, Dev>>(
    dev: &Dev,
    mut layer: Layer,
    constant: f32,
    forward: impl Fn(
        &Layer,
        Taped<Rank3<32, 5, 6>>,
        Taped<Rank3<32, 5, 4>>,
        Taped<Rank3<32, 5, 1>>,
    ) -> Taped<Rank3<32, 5, 1>>,
) -> Result<Vec<String>> {
    let image = dev.sample_normal();
    let config = AdamConfig { lr: 0.02, ..AdamConfig::default() };
    let mut adam = Adam::new(&layer, config);
    let mut losses = Vec::new();
    for step in 0..=300 {
        let keys: Tensor<Rank3<32, 5, 4>, f32, Dev> = dev.sample_normal();
        let values: Tensor<Rank3<32, 5, 1>, f32, Dev> = dev.sample_normal();
        let queries = project(keys.clone(), &image) + constant;
        let queries = queries.trace(layer.alloc_grads());
        let output = forward(&layer, queries, keys.retaped(), values.retaped());
        let loss = (output - values).square().mean();
        if step % 100 == 0 {
            losses.push(format!("{:.2}", loss.array()));
        }
        adam.update(&mut layer, &loss.backward())?;
    }
    Ok(losses)
}
// ANCHOR_END: train
