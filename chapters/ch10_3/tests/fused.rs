//! The operations of our own: the functions against the standard library's,
//! attention against the one composed of dfdx's operations.

use ch10_1::Dev;
use ch10_3::loops::{exp, matmul, matmul_transposed, sigmoid, tanh};
use ch10_3::{AdditiveAttention, Mask};
use dfdx::prelude::*;

type Plain<Form> = Tensor<Form, f32, Dev>;

fn assert_close(what: &str, ours: &[f32], right: &[f32]) {
    assert_eq!(ours.len(), right.len(), "{what}");
    for (at, (a, b)) in ours.iter().zip(right).enumerate() {
        let room = 1e-5 * b.abs().max(1.0);
        assert!((a - b).abs() <= room, "{what} at {at}: {a}, not {b}");
    }
}

#[test]
fn the_functions_are_right_to_seven_digits() {
    for i in -8_700..8_700 {
        let x = i as f32 * 0.01;
        let right = f64::from(x).exp();
        let relative = (f64::from(exp(x)) - right).abs() / right;
        assert!(relative < 3e-7, "exp({x}): {relative}");
        let right = f64::from(x).tanh();
        assert!((f64::from(tanh(x)) - right).abs() < 2e-7, "tanh({x})");
        let right = 1.0 / (1.0 + (-f64::from(x)).exp());
        assert!((f64::from(sigmoid(x)) - right).abs() < 2e-7, "sigmoid({x})");
    }
    assert_eq!(exp(0.0), 1.0);
    assert_eq!(tanh(0.0), 0.0);
    for x in [f32::MAX, f32::INFINITY] {
        assert_eq!((tanh(x), tanh(-x)), (1.0, -1.0));
        assert!(sigmoid(x) == 1.0 && sigmoid(-x) < 1e-37);
        assert!(exp(x).is_finite() && exp(-x) < 1e-37);
    }
    assert!(exp(f32::NAN).is_nan());
}

#[test]
fn the_products_are_those_of_dfdx() {
    let dev = Dev::seed_from_u64(1);
    let x: Plain<Rank2<5, 7>> = dev.sample_normal();
    let w: Plain<Rank2<7, 83>> = dev.sample_normal();
    let mut ours = vec![0.0; 5 * 83];
    matmul(&mut ours, &x.as_vec(), &w.as_vec(), 7);
    assert_close("x w", &ours, &x.clone().matmul(w).as_vec());
    let y: Plain<Rank2<5, 43>> = dev.sample_normal();
    let mut ours = vec![1.0; 7 * 43];
    matmul_transposed(&mut ours, &x.as_vec(), &y.as_vec(), 5);
    let theirs = x.permute::<Rank2<7, 5>, _>().matmul(y) + 1.0;
    assert_close("1 + the transpose of x, y", &ours, &theirs.as_vec());
}

/// As where no token of a batch counts.
#[test]
fn a_product_of_no_rows_adds_nothing() {
    let mut sum = vec![1.0; 6];
    matmul_transposed(&mut sum, &[], &[], 0);
    assert_eq!(sum, [1.0; 6]);
    matmul(&mut [], &[], &[1.0; 6], 2);
}

// ANCHOR: same
/// Values, weights and all gradients of both, on devices in the same state,
/// so that both draw the same dropout.
fn assert_same(lens: &Mask<3, 2>, dropout: f32) {
    let run = |fused: bool| {
        let dev = Dev::seed_from_u64(3);
        let layer: AdditiveAttention<4, 5, 11> = AdditiveAttention::new(&dev, dropout);
        let q: Plain<Rank3<3, 2, 11>> = dev.sample_normal();
        let k: Plain<Rank3<3, 6, 11>> = dev.sample_normal();
        let v: Plain<Rank3<3, 6, 13>> = dev.sample_normal();
        let (tq, tk, tv) = (q.leaky_trace(), k.leaky_trace(), v.leaky_trace());
        let attended = match fused {
            true => layer.forward_fused(tq, tk, tv, lens),
            false => layer.forward_projected(tq, tk, tv, lens),
        };
        let output = attended.output.as_vec();
        let g = attended.output.square().sum().backward();
        let of = [g.get(&q).as_vec(), g.get(&k).as_vec(), g.get(&v).as_vec()];
        let w_v = g.get(&layer.w_v).as_vec();
        let weights = attended.weights.as_vec();
        [vec![output, weights, w_v], of.to_vec()].concat()
    };
    for (ours, theirs) in run(true).iter().zip(&run(false)) {
        assert_close("attention", ours, theirs);
    }
}

#[test]
fn attention_is_the_composed_one() {
    let per_query = [[6, 1], [0, 3], [9, 2]];
    for dropout in [0.0, 0.5] {
        assert_same(&Mask::none(), dropout);
        assert_same(&Mask::valid_lens([6, 1, 0]), dropout);
        assert_same(&Mask::valid_lens_per_query(per_query), dropout);
    }
}
// ANCHOR_END: same

#[test]
fn without_a_tape_nothing_is_dropped() {
    let dev = Dev::seed_from_u64(4);
    let layer: AdditiveAttention<4, 5, 8> = AdditiveAttention::new(&dev, 0.5);
    let q: Plain<Rank3<2, 1, 8>> = dev.sample_normal();
    let k: Plain<Rank3<2, 3, 8>> = dev.sample_normal();
    let v: Plain<Rank3<2, 3, 4>> = dev.sample_normal();
    let run = || {
        let (q, k, v) = (q.clone(), k.clone(), v.clone());
        layer.forward_fused(q, k, v, &Mask::none()).output.as_vec()
    };
    assert_eq!(run(), run());
}
