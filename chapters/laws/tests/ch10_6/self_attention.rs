//! Self-attention: what an order means to it, and padding.

use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use ch10_6::{PositionalEncoding, SelfAttention, self_attention};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use testing::close;

/// Two heads of 3 over sequences of five rows of width 6.
type Layer = MultiHeadAttention<6, 2, 3>;

const S: usize = 5;

/// And its gradient is the sum of three.
#[test]
fn it_is_the_layer_given_one_tensor_three_times() {
    let dev = Dev::seed_from_u64(1);
    let layer = Layer::new(&dev, 0.0);
    let x: Tensor3<2, S, 6> = dev.sample_normal();
    let mask = Mask::valid_lens([3, 5]);
    let copies: [Tensor3<2, S, 6>; 3] = [0; 3].map(|_| dev.tensor(x.array()));
    let [q, k, v] = copies.each_ref().map(|copy| copy.leaky_trace());
    let a = self_attention(&layer, x.leaky_trace(), &mask);
    let b = layer.forward(q, k, v, &mask);
    assert_eq!(a.output.as_vec(), b.output.as_vec());
    assert_eq!(a.weights.as_vec(), b.weights.as_vec());
    let apart = b.output.square().sum().backward();
    let [q, k, v] = copies.map(|copy| apart.get(&copy));
    let together = a.output.square().sum().backward().get(&x);
    close(&together.as_vec(), &(q + k + v).as_vec(), 1e-5, "gradient");
}

// --- Order ------------------------------------------------------------------

/// All orders of five rows.
fn orders() -> Vec<[usize; S]> {
    let mut all = Vec::new();
    for n in 0..S.pow(S as u32) {
        let order: [usize; S] = std::array::from_fn(|i| n / S.pow(i as u32) % S);
        if (0..S).all(|i| order.contains(&i)) {
            all.push(order);
        }
    }
    assert_eq!(all.len(), 120);
    all
}

fn reordered<const M: usize>(x: &[[f32; M]; S], order: &[usize; S]) -> [[f32; M]; S] {
    order.map(|i| x[i])
}

/// Rows in another order come out in that order, and are the same rows.
#[test]
fn it_is_equivariant_under_all_permutations() {
    let dev = Dev::seed_from_u64(2);
    let layer = Layer::new(&dev, 0.0);
    let x: Tensor3<1, S, 6> = dev.sample_normal();
    let usual = self_attention(&layer, x.clone(), &Mask::none()).output.array()[0];
    for order in orders() {
        let permuted = dev.tensor([reordered(&x.array()[0], &order)]);
        let got = self_attention(&layer, permuted, &Mask::none()).output.as_vec();
        let expected = reordered(&usual, &order);
        close(&got, expected.as_flattened(), 1e-6, &format!("{order:?}"));
    }
}

/// With positions every order but the first one changes some row by much.
#[test]
fn positions_break_the_equivariance() {
    let dev = Dev::seed_from_u64(2);
    let layer = Layer::new(&dev, 0.0);
    let encoding: PositionalEncoding<S, 6> = PositionalEncoding::new(&dev, 0.0);
    let x: Tensor3<1, S, 6> = dev.sample_normal();
    let output = |x| {
        self_attention(&layer, encoding.forward(x), &Mask::none()).output.array()[0]
    };
    let usual = output(x.clone());
    for order in orders() {
        let got = output(dev.tensor([reordered(&x.array()[0], &order)]));
        let expected = reordered(&usual, &order);
        let pairs = got.as_flattened().iter().zip(expected.as_flattened());
        let most = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert_eq!(most > 0.01, order != [0, 1, 2, 3, 4], "{order:?} {most}");
    }
}

/// A causal mask breaks it, too: a row that may attend only to what stands
/// before it comes out differently at another position.
#[test]
fn a_causal_mask_breaks_it_as_well() {
    let dev = Dev::seed_from_u64(3);
    let layer = Layer::new(&dev, 0.0);
    let x: Tensor3<1, S, 6> = dev.sample_normal();
    let causal = |x| self_attention(&layer, x, &Mask::causal()).output;
    let usual = causal(x.clone()).array()[0];
    let mut rows = x.array();
    rows[0].reverse();
    let reversed = causal(dev.tensor(rows)).array()[0];
    let pairs = reversed[4].iter().zip(&usual[0]);
    assert!(pairs.map(|(a, b)| (a - b).abs()).sum::<f32>() > 0.1);
}

// --- One head ---------------------------------------------------------------

#[test]
fn padding_changes_nothing() {
    let dev = Dev::seed_from_u64(4);
    let layer: SelfAttention<128, 64> = SelfAttention::new(&dev);
    let lens = [7, 10, 4];
    let mask = Mask::valid_lens(lens);
    let x: Tensor3<3, 10, 128> = dev.sample_normal();
    let usual = layer.forward(x.clone(), &mask);
    let mut rows = x.array();
    for (rows, len) in rows.iter_mut().zip(lens) {
        for row in &mut rows[len..] {
            row.fill(1e3);
        }
    }
    let other = layer.forward(dev.tensor(rows), &mask).output.array();
    let weights = usual.weights.array();
    for (b, rows) in usual.output.array().iter().enumerate() {
        assert_eq!(rows[..lens[b]], other[b][..lens[b]], "example {b}");
        for row in &weights[b] {
            assert!(row[lens[b]..].iter().all(|&weight| weight == 0.0));
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }
    // And without a mask it would change much.
    let mut rows = x.array();
    rows[0][9].fill(1e3);
    let without = layer.forward(x, &Mask::none()).output.array();
    let other = layer.forward(dev.tensor(rows), &Mask::none());
    assert_ne!(without[0][0], other.output.array()[0][0]);
}

/// Queries beyond a length can be silenced too, each by a length of 0.
#[test]
fn padded_queries_can_be_silenced() {
    let dev = Dev::seed_from_u64(4);
    let layer: SelfAttention<6, 6> = SelfAttention::new(&dev);
    let x: Tensor3<1, S, 6> = dev.sample_normal();
    let keys_only = layer.forward(x.clone(), &Mask::valid_lens([3])).output.array()[0];
    let mask = Mask::valid_lens_per_query([[3, 3, 3, 0, 0]]);
    let both = layer.forward(x, &mask).output.array()[0];
    assert_eq!(both[..3], keys_only[..3]);
    assert_eq!(both[3..], [[0.0; 6]; 2]);
    assert_ne!(keys_only[3..], [[0.0; 6]; 2]);
}
