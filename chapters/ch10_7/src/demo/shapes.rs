//! The parts on their own, on small examples.

use ch10_3::Mask;
use ch10_7::norm::EPSILON;
use ch10_7::{FeedForward, LayerNorm};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use support::heading;

/// Prints them.
pub fn shapes(seed: u64) {
    let dev = Dev::seed_from_u64(seed);
    position_by_position(&dev);
    by_row_and_by_column(&dev);
    causal_mask();
}

fn position_by_position(dev: &Dev) {
    heading("Position by position");
    let feed_forward: FeedForward<4, 4, 8> = FeedForward::new(dev);
    let ones: Tensor3<2, 3, 4> = dev.ones();
    let y: Tensor3<2, 3, 8> = feed_forward.forward(ones);
    for row in y.array()[0] {
        println!("{}", row.map(|x| format!("{x:8.4}")).concat());
    }
}

fn by_row_and_by_column(dev: &Dev) {
    heading("By row and by column");
    let x: Tensor3<1, 2, 2> = dev.tensor([[[1.0, 2.0], [2.0, 3.0]]]);
    let columns = x.clone().normalize::<Axis<1>>(EPSILON);
    let rows = LayerNorm::new(dev).forward(x);
    let text = |[rows]: [[[f32; 2]; 2]; 1]| {
        rows.map(|row| row.map(|x| format!("{x:6.2}")).concat()).join("  |")
    };
    println!("layer norm {}", text(rows.array()));
    println!("batch norm {}", text(columns.array()));
}

/// For a translation of four tokens in five steps.
fn causal_mask() {
    heading("Causal mask");
    let mask: Mask<1, 5, 5> = Mask::causal_within([4]);
    for q in 0..5 {
        let cell = |k| if mask.allows(0, q, k) { " #" } else { " ." };
        println!("{q} {}", (0..5).map(cell).collect::<String>());
    }
}
