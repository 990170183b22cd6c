//! Exercise 4 of section 10.2: another parametric pooling. Here w depends on
//! the query: w(x) = w0 + w1 x, two numbers to learn.

use anyhow::Result;
use ch10_1::Dev;
use ch10_2::*;
use dfdx::optim::{Optimizer, Sgd, SgdConfig};
use dfdx::prelude::*;
use support::row;

/// The two parameters: w0 and w1.
type Line = Tensor<Rank1<2>, f32, Dev>;

/// The weights of a Gaussian kernel, distances scaled by w0 + w1 x for the
/// query x.
fn weights<const Q: usize, const K: usize, T: Tape<f32, Dev>>(
    line: Tensor<Rank1<2>, f32, Dev, T>,
    queries: Tensor<Rank1<Q>, f32, Dev>,
    u: Tensor<Rank2<Q, K>, f32, Dev>,
) -> Tensor<Rank2<Q, K>, f32, Dev, T> {
    let ones: Tensor<Rank1<Q>, f32, Dev> = queries.device().ones();
    let inputs: Tensor<Rank2<2, Q>, f32, Dev> = [ones, queries].stack();
    let w: Tensor<Rank1<Q>, f32, Dev, T> = line.matmul(inputs);
    gaussian_weights(w.broadcast::<_, Axis<1>>() * u)
}

fn line_loss<T: Tape<f32, Dev>>(
    line: Tensor<Rank1<2>, f32, Dev, T>,
    samples: &Samples<50>,
) -> Tensor<Rank0, f32, Dev, T> {
    let pairs: Pairs<50, 49> = Pairs::others(samples);
    let weights = weights(line, samples.x.clone(), pairs.differences);
    (pool_own(weights, pairs.values) - pairs.targets).square().sum()
}

fn main() -> Result<()> {
    let dev = Dev::seed_from_u64(0);
    let samples: Samples<50> = draw_samples(&dev);
    let mut w: Parameter = dev.ones();
    let others: Pairs<50, 49> = Pairs::others(&samples);
    train(&mut w, &others, 0.02, 2000)?;

    let mut line: Line = dev.tensor([1.0, 0.0]);
    let config = SgdConfig { lr: 0.02, momentum: None, weight_decay: None };
    let mut sgd = Sgd::new(&line, config);
    row("step", 8, &["loss", "w0", "w1"]);
    for step in 0..=2000 {
        let loss = line_loss(line.leaky_trace(), &samples);
        if step % 400 == 0 {
            let [w0, w1] = line.array();
            let cells = [loss.array(), w0, w1].map(|v| format!("{v:.4}"));
            row(&step.to_string(), 8, &cells);
        }
        sgd.update(&mut line, &loss.backward())?;
    }

    let x: Tensor<Rank1<50>, f32, Dev> = test_inputs(&dev);
    let truth = truth(x.clone());
    let u: Tensor<Rank2<50, 50>, f32, Dev> = differences(x.clone(), samples.x.clone());
    let one = pool(parametric_weights(w.clone(), u.clone()), samples.y.clone());
    let two = pool(weights(line.clone(), x, u), samples.y.clone());
    let [one, two] = [one, two].map(|output| mse(output, &truth));
    let losses = [loss(w, &others), line_loss(line, &samples)];
    let losses = losses.map(|loss| loss.array());
    row("", 16, &["loss", "test"]);
    row("one parameter", 16, &[losses[0], one].map(|v| format!("{v:.4}")));
    row("two parameters", 16, &[losses[1], two].map(|v| format!("{v:.4}")));

    // The line holds the single w as w1 = 0: it cannot fit worse.
    assert!(losses[1] <= losses[0]);
    Ok(())
}
