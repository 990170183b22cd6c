//! Layers with parameters learn to look a value up by its key.

use super::WIDTH;
use ch10_1::{Dev, Tensor2, Tensor3};
use ch10_2::parameters::{Parameters, step};
use ch10_3::{Adam, AdditiveAttention, BilinearAttention, Linear, Mask};
use dfdx::prelude::*;
use support::{heading, row, seeds};

type Taped<const B: usize, const N: usize, const W: usize> =
    Tensor3<B, N, W, OwnedTape<f32, Dev>>;

/// The keys and values of an example, and its queries: each is the image, 6
/// wide, of one of the 5 keys, 4 wide, plus a constant.
struct Task {
    image: Tensor2<6, 4>,
    constant: f32,
}

impl Task {
    /// New queries, keys and values; query i asks for value i.
    fn draw<const B: usize>(
        &self,
        dev: &Dev,
    ) -> (Tensor3<B, 5, 6>, Tensor3<B, 5, 4>, Tensor3<B, 5, 1>) {
        let (keys, values) = (dev.sample_normal(), dev.sample_normal());
        let image = Linear { weight: self.image.clone(), bias: None };
        let queries = image.forward(Tensor3::clone(&keys)) + self.constant;
        (queries, keys, values)
    }
}

/// Trains on new examples in every step; the mean squared errors after 0, 100,
/// 200 and 300 steps on 512 others that stay the same.
pub fn train<L: Parameters>(
    seed: u64,
    constant: f32,
    lr: f32,
    new: impl Fn(&Dev) -> L,
    forward: impl Fn(
        &L,
        Taped<32, 5, 6>,
        Taped<32, 5, 4>,
        Taped<32, 5, 1>,
    ) -> Taped<32, 5, 1>,
    evaluate: impl Fn(
        &L,
        Tensor3<512, 5, 6>,
        Tensor3<512, 5, 4>,
        Tensor3<512, 5, 1>,
    ) -> Tensor3<512, 5, 1>,
) -> [f32; 4] {
    let dev = Dev::seed_from_u64(seed);
    let task = Task { image: dev.sample_normal(), constant };
    let validation = task.draw::<512>(&dev);
    let mut layer = new(&dev);
    let mut adam = Adam::new(layer.count(), lr);
    let mut errors = [0.0; 4];
    for n in 0..=300 {
        if n % 100 == 0 {
            let (queries, keys, values) = validation.clone();
            let output = evaluate(&layer, queries, keys, values.clone());
            errors[n / 100] = (output - values).square().mean::<Rank0, _>().array();
        }
        let (queries, keys, values) = task.draw::<32>(&dev);
        let tape = OwnedTape::default();
        let output =
            forward(&layer, queries.put_tape(tape), keys.retaped(), values.retaped());
        step(&mut layer, &mut adam, (output - values).square().mean());
    }
    errors
}

/// Prints the errors of three layers, each from three seeds.
pub fn learned_lookup(seed: u64) {
    heading("A learned lookup");
    row("step", WIDTH, &["0", "100", "200", "300"]);
    for seed in seeds(seed, 3) {
        for (name, constant) in [("additive", 0.0), ("additive, queries + 1", 1.0)] {
            let errors = train(
                seed,
                constant,
                0.02,
                |dev| AdditiveAttention::<6, 4, 32>::new(dev, 0.0),
                |layer, q, k, v| layer.forward(q, k, v, &Mask::none()).output,
                |layer, q, k, v| layer.forward(q, k, v, &Mask::none()).output,
            );
            row(name, WIDTH, &errors.map(|error| format!("{error:.2}")));
        }
        let errors = train(
            seed,
            0.0,
            0.02,
            |dev| BilinearAttention::<6, 4>::new(dev, 0.0),
            |layer, q, k, v| layer.forward(q, k, v, &Mask::none()).output,
            |layer, q, k, v| layer.forward(q, k, v, &Mask::none()).output,
        );
        row("bilinear", WIDTH, &errors.map(|error| format!("{error:.2}")));
    }
}
