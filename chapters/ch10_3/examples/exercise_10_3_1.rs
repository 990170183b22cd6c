//! Exercise 1 of section 10.3: other keys, of growing norms. Do the additive
//! and the scaled dot-product score agree?

use ch10_1::{Dev, Tensor3};
use ch10_3::*;
use dfdx::prelude::*;
use support::row;

/// The largest weight of each of the two queries.
fn largest(weights: Tensor3<2, 1, 10>) -> [f32; 2] {
    weights.array().map(|[row]| row.into_iter().fold(0.0, f32::max))
}

fn main() {
    let dev = Dev::seed_from_u64(0);
    let mask = Mask::valid_lens([2, 6]);
    let additive = AdditiveAttention::<2, 2, 8>::new(&dev, 0.0);
    let dot = DotProductAttention::default();
    let queries: Tensor3<2, 1, 2> = dev.sample_normal();
    let keys: Tensor3<2, 10, 2> = dev.sample_normal();
    let values: Tensor3<2, 10, 4> = dev.zeros();
    // No score can leave ± the sum of |w_v|: tanh lies between -1 and 1.
    let span: f32 = additive.w_v.as_vec().iter().map(|w| 2.0 * w.abs()).sum();
    println!("largest weight of two queries, with 2 and 6 valid pairs");
    let mut ends = ([0.0; 2], [0.0; 2]);
    for times in [0.0, 1.0, 10.0, 100.0] {
        let (q, k, v) = (|| queries.clone(), || keys.clone() * times, &values);
        let sum = additive.forward(q(), k(), v.clone(), &mask).weights;
        let product = dot.forward(q(), k(), v.clone(), &mask).weights;
        ends = (largest(sum), largest(product));
        let digits = |x: [f32; 2]| x.map(|x| format!("{x:.4}"));
        row(&format!("keys × {times}, additive"), 26, &digits(ends.0));
        row(&format!("keys × {times}, dot product"), 26, &digits(ends.1));
    }
    for (len, weight) in [2.0, 6.0].into_iter().zip(ends.0) {
        let bound = 1.0 / (1.0 + (len - 1.0) * (-span).exp());
        assert!(weight <= bound, "additive: {weight} is above {bound}");
    }
    assert!(ends.1.iter().all(|&weight| weight > 0.999), "dot product");
}
