//! Attention over pixels: against plain loops and finite differences, and by
//! its laws.

use ch10_3::Linear;
use ch10_6::pixels::{PixelAttention, to_picture, to_rows};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};
use testing::{close, parameters_agree};

type Layer = PixelAttention<4, 2>;

fn layer(dev: &Dev, gamma: f32) -> Layer {
    let mut layer = Layer::new(dev);
    layer.w_q.bias = Some(dev.sample_normal());
    layer.w_k.bias = Some(dev.sample_normal());
    layer.w_v.bias = Some(dev.sample_normal());
    layer.gamma = dev.tensor(gamma);
    layer
}

/// One row through one map.
fn mapped<const O: usize>(map: &Linear<4, O>, row: &[f32]) -> Vec<f64> {
    let (weight, bias) = (map.weight.as_vec(), map.bias.as_ref().map(|b| b.as_vec()));
    let dot = |w: &[f32]| -> f64 {
        w.iter().zip(row).map(|(w, x)| f64::from(*w) * f64::from(*x)).sum()
    };
    let rows = weight.chunks(4).enumerate();
    rows.map(|(o, w)| dot(w) + f64::from(bias.as_ref().map_or(0.0, |b| b[o]))).collect()
}

/// The layer in plain loops, for one picture.
fn by_loops(layer: &Layer, x: &[[f32; 4]; 6]) -> Vec<f32> {
    let gamma = f64::from(layer.gamma.array());
    let mut output = Vec::new();
    for query in x {
        let q = mapped(&layer.w_q, query);
        let score = |key: &[f32; 4]| -> f64 {
            q.iter().zip(&mapped(&layer.w_k, key)).map(|(q, k)| q * k).sum()
        };
        let weights: Vec<f64> = x.iter().map(|k| score(k).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut row = query.map(f64::from);
        for (weight, value) in weights.iter().zip(x) {
            let value = mapped(&layer.w_v, value);
            for (to, value) in row.iter_mut().zip(value) {
                *to += gamma * weight / sum * value;
            }
        }
        output.extend(row.map(|x| x as f32));
    }
    output
}

#[test]
fn agrees_with_plain_loops() {
    let dev = Dev::seed_from_u64(1);
    let layer = layer(&dev, 0.7);
    let x: Tensor3<3, 6, 4> = dev.sample_normal();
    let got = layer.forward(x.clone());
    let output = got.output.array();
    for (b, picture) in x.array().iter().enumerate() {
        let expected = by_loops(&layer, picture);
        close(output[b].as_flattened(), &expected, 1e-5, "output");
    }
    for row in got.weights.as_vec().chunks(6) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    }
}

#[test]
fn a_gamma_of_zero_changes_nothing_at_all() {
    let dev = Dev::seed_from_u64(2);
    let layer: PixelAttention<16, 2> = PixelAttention::new(&dev);
    assert_eq!(layer.gamma.array(), 0.0);
    let x: Tensor4<3, 16, 12, 15> = dev.sample_normal();
    let rows: Tensor3<3, 180, 16> = to_rows(x.clone());
    let got = layer.forward(rows);
    assert_eq!(got.weights.shape().concrete(), [3, 180, 180]);
    let picture: Tensor4<3, 16, 12, 15> = to_picture(got.output);
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

#[test]
fn gradients_are_differences() {
    let dev = Dev::seed_from_u64(4);
    let mut layer = layer(&dev, 0.7);
    let mut x: Tensor3<2, 6, 4> = dev.sample_normal();
    let fixed = x.clone();
    parameters_agree(&mut layer, |layer| {
        layer.forward(fixed.leaky_trace()).output.square().mean()
    });
    parameters_agree(&mut x, |x| layer.forward(x.leaky_trace()).output.square().mean());
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
