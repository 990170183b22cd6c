//! Layers with parameters learn to look a value up by its key.

use super::WIDTH;
use ch10_1::{Dev, Tensor2, Tensor3};
use ch10_2::parameters::{Parameters, step};
use ch10_3::{Adam, AdditiveAttention, BilinearAttention, Linear, Mask};
use dfdx::prelude::*;
use support::{heading, row, seeds};

/// A layer that is given 5 queries of width 7, and 5 pairs with keys of width 5
/// and one number as the value.
pub trait Lookup: Parameters {
    /// The output for each query.
    fn output<const B: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor3<B, 5, 7, T>,
        keys: Tensor3<B, 5, 5, T>,
        values: Tensor3<B, 5, 1, T>,
    ) -> Tensor3<B, 5, 1, T>;
}

impl Lookup for AdditiveAttention<7, 5, 32> {
    fn output<const B: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor3<B, 5, 7, T>,
        keys: Tensor3<B, 5, 5, T>,
        values: Tensor3<B, 5, 1, T>,
    ) -> Tensor3<B, 5, 1, T> {
        self.forward(queries, keys, values, &Mask::none()).output
    }
}

impl Lookup for BilinearAttention<7, 5> {
    fn output<const B: usize, T: Tape<f32, Dev>>(
        &self,
        queries: Tensor3<B, 5, 7, T>,
        keys: Tensor3<B, 5, 5, T>,
        values: Tensor3<B, 5, 1, T>,
    ) -> Tensor3<B, 5, 1, T> {
        self.forward(queries, keys, values, &Mask::none()).output
    }
}

/// What a query or a key has besides the numbers that are drawn: its last
/// column, which is 0 otherwise.
#[derive(Clone, Copy, Default)]
pub struct Extra {
    /// The constant 1, in queries.
    pub one: bool,
    /// Minus half the squared length of the key, in keys.
    pub length: bool,
}

/// Keys and values are drawn, 4 numbers a key; query i is the image of key i, 6
/// wide, by a matrix that stays the same.
struct Task {
    image: Linear<4, 6>,
    extra: Extra,
}

impl Task {
    fn draw<const B: usize>(
        &self,
        dev: &Dev,
    ) -> (Tensor3<B, 5, 7>, Tensor3<B, 5, 5>, Tensor3<B, 5, 1>) {
        let keys: Tensor3<B, 5, 4> = dev.sample_normal();
        let queries = self.image.forward(keys.clone()).as_vec();
        let keys = keys.as_vec();
        let one = f32::from(u8::from(self.extra.one));
        let half = if self.extra.length { -0.5 } else { 0.0 };
        let square = |key: &[f32]| half * key.iter().map(|x| x * x).sum::<f32>();
        let queries = queries.chunks(6).flat_map(|query| [query, &[one]].concat());
        let keys = keys.chunks(4).flat_map(|key| [key, &[square(key)]].concat());
        let (queries, keys): (Vec<f32>, Vec<f32>) = (queries.collect(), keys.collect());
        let queries = dev.tensor_from_vec(queries, (Const, Const, Const));
        let keys = dev.tensor_from_vec(keys, (Const, Const, Const));
        (queries, keys, dev.sample_normal())
    }
}

/// Trains on 32 new examples in every step; the mean squared errors after 0,
/// 100, 200 and 300 steps on 512 others that stay the same.
pub fn train<L: Lookup>(
    seed: u64,
    extra: Extra,
    lr: f32,
    new: impl Fn(&Dev) -> L,
) -> [f32; 4] {
    let dev = Dev::seed_from_u64(seed);
    let weight: Tensor2<6, 4> = dev.sample_normal() / 2.0;
    let task = Task { image: Linear { weight, bias: None }, extra };
    let validation = task.draw::<512>(&dev);
    let mut layer = new(&dev);
    let mut adam = Adam::new(layer.count(), lr);
    let mut errors = [0.0; 4];
    for n in 0..=300 {
        if n % 100 == 0 {
            let (queries, keys, values) = validation.clone();
            let output = layer.output(queries, keys, values.clone());
            errors[n / 100] = (output - values).square().mean::<Rank0, _>().array();
        }
        let (queries, keys, values) = task.draw::<32>(&dev);
        // ANCHOR: learn
        let output =
            layer.output(queries.leaky_trace(), keys.retaped(), values.retaped());
        step(&mut layer, &mut adam, (output - values).square().mean());
        // ANCHOR_END: learn
    }
    errors
}

/// Prints the errors of four layers, each from three seeds.
pub fn learned_lookup(seed: u64) {
    heading("A learned lookup");
    row("step", WIDTH, &["0", "100", "200", "300"]);
    let print = |name: &str, errors: [f32; 4]| {
        row(name, WIDTH, &errors.map(|error| format!("{error:.3}")));
    };
    let (plain, one) = (Extra::default(), Extra { one: true, length: false });
    let both = Extra { one: true, length: true };
    for seed in seeds(seed, 3) {
        let additive =
            |extra| train(seed, extra, 0.02, |dev| AdditiveAttention::new(dev, 0.0));
        let bilinear =
            |extra| train(seed, extra, 0.02, |dev| BilinearAttention::new(dev, 0.0));
        print("additive", additive(plain));
        print("additive, with 1", additive(one));
        print("bilinear", bilinear(plain));
        print("bilinear, with lengths", bilinear(both));
    }
}
