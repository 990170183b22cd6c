//! Functions and products of numbers.

use crate::assert_close;
use dfdx::prelude::*;
use kernels::simd::{add_product, add_scaled, dot, exp, scale, sigmoid, softmax};
use kernels::simd::{matmul, matmul_by_transposed, matmul_transposed, sum, tanh};
use kernels::{Dev, Tensor2};

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
    let x: Tensor2<5, 7> = dev.sample_normal();
    let w: Tensor2<7, 83> = dev.sample_normal();
    let theirs = [x.clone().matmul(w.clone()).as_vec()];
    let mut ours = vec![0.0; 5 * 83];
    matmul(&mut ours, &x.as_vec(), &w.as_vec(), 7);
    assert_close("x w", &[ours], &theirs);
    let mut ours = vec![0.0; 5 * 83];
    let columns = w.permute::<Rank2<83, 7>, _>().as_vec();
    matmul_by_transposed(&mut ours, &x.as_vec(), &columns, 7);
    assert_close("x w, w column by column", &[ours], &theirs);
    let y: Tensor2<5, 43> = dev.sample_normal();
    let mut ours = vec![1.0; 7 * 43];
    matmul_transposed(&mut ours, &x.as_vec(), &y.as_vec(), 5);
    let theirs = x.permute::<Rank2<7, 5>, _>().matmul(y) + 1.0;
    assert_close("1 + the transpose of x, y", &[ours], &[theirs.as_vec()]);
}

/// As where no token of a batch counts.
#[test]
fn a_product_of_no_rows_adds_nothing() {
    let mut sum = vec![1.0; 6];
    matmul_transposed(&mut sum, &[], &[], 0);
    assert_eq!(sum, [1.0; 6]);
    matmul(&mut [], &[], &[1.0; 6], 2);
}

#[test]
fn sums_of_any_length_are_right() {
    for count in 0..40 {
        let x: Vec<f32> = (0..count).map(|n| n as f32).collect();
        let right = (0..count).sum::<usize>() as f32;
        assert_eq!(sum(&x), right);
        assert_eq!(dot(&x, &vec![2.0; count]), 2.0 * right);
        let mut y = vec![1.0; count];
        add_scaled(&mut y, 3.0, &x);
        add_product(&mut y, &x, &x);
        scale(&mut y, 2.0);
        let right = |x: f32| 2.0 * (1.0 + 3.0 * x + x * x);
        assert!(y.iter().zip(&x).all(|(y, x)| *y == right(*x)));
    }
}

#[test]
fn softmax_is_that_of_dfdx() {
    let dev = Dev::seed_from_u64(2);
    for shift in [0.0, -500.0, 500.0] {
        let x: Tensor2<6, 9> = dev.sample_normal() * 20.0 + shift;
        let mut ours = x.as_vec();
        ours.chunks_mut(9).for_each(softmax);
        assert_close("softmax", &[ours], &[x.softmax::<Axis<1>>().as_vec()]);
    }
}
