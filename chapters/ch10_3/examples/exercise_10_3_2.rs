//! Exercise 2 of section 10.3: a score by matrix products alone, for queries
//! of width 20 and keys of width 6; and one with fewer weights.

use ch10_1::{Dev, Tensor2, Tensor3};
use ch10_2::parameters::Parameters;
use ch10_3::{BilinearAttention, Linear, Mask, attend};
use dfdx::prelude::*;

fn main() {
    let dev = Dev::seed_from_u64(0);
    let queries: Tensor3<2, 3, 20> = dev.sample_normal();
    let keys: Tensor3<2, 10, 6> = dev.sample_normal();
    let values: Tensor3<2, 10, 4> = dev.sample_normal();
    let mask = Mask::valid_lens([2, 6]);

    // Both to a width of 2, there a dot product: (A q)ᵀ (B k).
    let mut a: Linear<20, 2> = Linear::new(&dev);
    let mut b: Linear<6, 2> = Linear::new(&dev);
    let narrow_k: Tensor3<2, 2, 10> =
        b.forward(keys.clone()).permute::<_, Axes3<0, 2, 1>>();
    let scores = a.forward(queries.clone()).matmul(narrow_k);
    let narrow = attend(scores, values.clone(), &mask, 0.0);

    // The same as a bilinear score with W = Aᵀ B.
    let columns: Tensor2<20, 2> = a.weight.clone().permute();
    let w = Linear { weight: columns.matmul(b.weight.clone()), bias: None };
    let mut bilinear = BilinearAttention { w, dropout: 0.0 };
    let wide = bilinear.forward(queries, keys, values, &mask);
    let gap = (narrow.output - wide.output).abs().max::<Rank0, _>().array();
    println!("weights in W: {}", bilinear.count());
    println!("weights in A and B: {}", a.count() + b.count());
    println!("largest difference of the outputs: {gap:.4}");
    assert!(gap < 1e-4);
}
