//! Exercise 4 of section 10.2: another parametric pooling. Here the scale
//! depends on the query: w(x) = w0 + w1 x, two parameters to learn.

use ch10_1::{Dev, Tensor0, Tensor1, Tensor2};
use ch10_2::parameters::{Parameters, Sgd, step};
use ch10_2::*;
use dfdx::prelude::*;
use support::row;

/// Gaussian attention whose distances are scaled by w0 + w1 x for the query x.
struct LinearWidth {
    w0: Tensor0,
    w1: Tensor0,
}

parameters! { LinearWidth { w0, w1 } }

impl LinearWidth {
    fn weights<const Q: usize, const K: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor1<Q>,
        u: Tensor2<Q, K, T>,
    ) -> Tensor2<Q, K, T> {
        let w0: Tensor1<Q, T> = self.w0.retaped::<T>().broadcast();
        let w1: Tensor1<Q, T> = self.w1.retaped::<T>().broadcast();
        let w: Tensor2<Q, K, T> = (w0 + w1 * queries).broadcast::<_, Axis<1>>();
        gaussian_weights(w * u)
    }

    fn loss<T: Tape<f32, Dev>>(&self, samples: &Samples<50>, tape: T) -> Tensor0<T> {
        let set = TrainingSet::<50, 49>::leave_one_out(samples);
        let u: Tensor2<50, 49, T> = set.differences.put_tape(tape);
        let weights = self.weights(samples.x.clone(), u);
        (pool_own(weights, set.values) - set.targets).square().sum()
    }
}

fn main() {
    let dev = Dev::seed_from_u64(0);
    let samples: Samples<50> = draw_samples(&dev);
    let others = TrainingSet::<50, 49>::leave_one_out(&samples);
    let mut one = GaussianAttention { w: dev.ones() };
    train(&mut one, &others, 0.02, 2000);

    let mut two = LinearWidth { w0: dev.ones(), w1: dev.zeros() };
    let mut sgd = Sgd { lr: 0.02 };
    for _ in 0..2000 {
        let loss = two.loss(&samples, OwnedTape::default());
        step(&mut two, &mut sgd, loss);
    }

    let x: Tensor1<50> = test_inputs(&dev);
    let truth = truth(x.clone());
    let u: Tensor2<50, 50> = differences(x.clone(), samples.x.clone());
    let fits = [one.weights(u.clone()), two.weights(x, u)];
    let errors = fits.map(|weights| mse(pool(weights, samples.y.clone()), &truth));
    let losses = [loss(&one, &others, NoneTape), two.loss(&samples, NoneTape)];
    let losses = losses.map(|loss| loss.array());
    println!("w0 and w1 are trained to {:.4?}", two.flatten());
    row("", 16, &["loss", "test"]);
    for (i, name) in ["one parameter", "two parameters"].into_iter().enumerate() {
        row(name, 16, &[losses[i], errors[i]].map(|v| format!("{v:.4}")));
    }
    // With w1 = 0 it is the form with one parameter: it cannot fit worse.
    assert!(losses[1] <= losses[0]);
}
