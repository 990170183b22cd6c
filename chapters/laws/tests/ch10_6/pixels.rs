//! Attention over pixels, by its laws.

use ch10_6::pixels::{PixelAttention, to_picture, to_rows};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};
use testing::close;

type Layer = PixelAttention<4, 2>;

fn layer(dev: &Dev, gamma: f32) -> Layer {
    let mut layer = Layer::new(dev);
    layer.w_q.bias = Some(dev.sample_normal());
    layer.w_k.bias = Some(dev.sample_normal());
    layer.w_v.bias = Some(dev.sample_normal());
    layer.gamma = dev.tensor(gamma);
    layer
}

#[test]
fn a_gamma_of_zero_changes_nothing_at_all() {
    let dev = Dev::seed_from_u64(2);
    let layer = Layer::new(&dev);
    let x: Tensor4<2, 4, 2, 3> = dev.sample_normal();
    let rows: Tensor3<2, 6, 4> = to_rows(x.clone());
    let picture: Tensor4<2, 4, 2, 3> = to_picture(layer.forward(rows).output);
    assert_eq!(picture.as_vec(), x.as_vec());
}

/// At gamma 0 only gamma itself has a gradient: it must move first.
#[test]
fn at_gamma_zero_the_maps_wait() {
    let dev = Dev::seed_from_u64(3);
    let layer = layer(&dev, 0.0);
    let x: Tensor3<2, 6, 4> = dev.sample_normal();
    let goal: Tensor3<2, 6, 4> = dev.sample_normal();
    let out = layer.forward(x.leaky_trace()).output;
    let gradients = (out * goal).sum().backward();
    assert!(gradients.get(&layer.gamma).array().abs() > 1e-3);
    for map in [&layer.w_q.weight, &layer.w_k.weight] {
        assert!(gradients.get(map).as_vec().iter().all(|&g| g == 0.0));
    }
    let values = gradients.get(&layer.w_v.weight).as_vec();
    assert!(values.iter().all(|&g| g == 0.0));
}

/// Gamma and the scale of the values cannot be told apart: half the gamma with
/// twice the values is the same layer.
#[test]
fn gamma_trades_against_the_values() {
    let dev = Dev::seed_from_u64(3);
    let one = layer(&dev, 0.8);
    let mut other = one.clone();
    other.gamma = one.gamma.clone() * -0.5;
    other.w_v.weight = one.w_v.weight.clone() * -2.0;
    other.w_v.bias = one.w_v.bias.clone().map(|bias| bias * -2.0);
    let x: Tensor3<2, 6, 4> = dev.sample_normal();
    let (a, b) = (one.forward(x.clone()).output, other.forward(x).output);
    close(&a.as_vec(), &b.as_vec(), 1e-6, "output");
}

/// Pixels are a set to the layer: if they change places, so do the results.
#[test]
fn moved_pixels_have_moved_results() {
    let dev = Dev::seed_from_u64(5);
    let layer = layer(&dev, 0.7);
    let x: Tensor3<1, 6, 4> = dev.sample_normal();
    let order = [3, 5, 0, 1, 4, 2];
    let permuted = [order.map(|i| x.array()[0][i])];
    let plain = layer.forward(x).output.array()[0];
    let moved = layer.forward(dev.tensor(permuted)).output.array()[0];
    for (row, from) in moved.iter().zip(order) {
        close(row, &plain[from], 1e-5, "a pixel");
    }
}

#[test]
fn rows_are_pixels_line_by_line() {
    let dev = Dev::default();
    // Channel m of the pixel in line i, column j is 100 m + 10 i + j.
    let cell = |n: usize| (100 * (n / 6) + 10 * (n / 3 % 2) + n % 3) as f32;
    let x: Tensor4<1, 2, 2, 3> =
        dev.tensor_from_vec((0..12).map(cell).collect(), Default::default());
    let rows: Tensor3<1, 6, 2> = to_rows(x.clone());
    assert_eq!(rows.array()[0][0], [0.0, 100.0]);
    assert_eq!(rows.array()[0][2], [2.0, 102.0]);
    assert_eq!(rows.array()[0][3], [10.0, 110.0]);
    let back: Tensor4<1, 2, 2, 3> = to_picture(rows);
    assert_eq!(back.array(), x.array());
}
