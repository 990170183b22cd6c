//! What does a layer cost as the input grows? Multiplications and memory,
//! counted for the sizes of the paper and for small ones.
//!
//! Worked answer to exercise 4 of section 10.7.

use ch10_3::Mask;
use ch10_7::{EncoderBlock, NormPosition};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

/// The sizes of a block: width, heads, width of the network.
struct Sizes {
    model: u64,
    heads: u64,
    ffn: u64,
}

impl Sizes {
    /// Multiplications of n positions with parameters: four projections of
    /// the attention, and the two layers of the network.
    fn by_parameters(&self, n: u64) -> u64 {
        n * (4 * self.model * self.model + 2 * self.model * self.ffn)
    }

    /// Multiplications of n positions with each other: scores, and the sums
    /// of values.
    fn by_each_other(&self, n: u64) -> u64 {
        2 * n * n * self.model
    }

    /// Attention weights of all heads.
    fn weights(&self, n: u64) -> u64 {
        self.heads * n * n
    }

    /// From this length on positions have more to do with each other than
    /// with parameters.
    fn turning_point(&self) -> u64 {
        2 * self.model + self.ffn
    }
}

fn table(title: &str, sizes: &Sizes) {
    println!("{title}: turning point at {} positions", sizes.turning_point());
    println!("{:>9} {:>12} {:>12} {:>12}", "n", "parameters", "each other", "weights");
    for n in [10, 100, 1_000, 10_000, 100_000] {
        let (own, other) = (sizes.by_parameters(n), sizes.by_each_other(n));
        let mega = |count: u64| count as f64 / 1e6;
        let weights = 4.0 * mega(sizes.weights(n));
        println!("{n:9} {:10.1} M {:10.1} M {weights:9.1} MB", mega(own), mega(other));
    }
    println!();
}

/// The weights that a block really makes of S positions.
fn made<const S: usize>() -> u64 {
    let dev = Dev::seed_from_u64(0);
    let block: EncoderBlock<32, 4, 8, 64> =
        EncoderBlock::new(&dev, 0.0, NormPosition::Post);
    let x: Tensor3<1, S, 32> = dev.sample_normal();
    let found = block.forward(x, &Mask::none());
    found.weights.shape().num_elements() as u64
}

fn main() {
    let paper = Sizes { model: 512, heads: 8, ffn: 2048 };
    let ours = Sizes { model: 32, heads: 4, ffn: 64 };
    table("Width 512, 8 heads, network 2048", &paper);
    table("Width 32, 4 heads, network 64", &ours);
    assert_eq!(made::<10>(), ours.weights(10));
    assert_eq!(made::<200>(), ours.weights(200));
    for sizes in [paper, ours] {
        let n = sizes.turning_point();
        assert_eq!(sizes.by_parameters(n), sizes.by_each_other(n));
    }
}
