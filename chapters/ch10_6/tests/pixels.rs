//! Self-attention over pixels, section 10.6: against PyTorch, plain loops and
//! finite differences, and by its laws.

use ch10_1::Dev;
use ch10_6::pixels::{PixelAttention, to_picture, to_rows};
use dfdx::prelude::*;
use serde_json::Value;

type Plain<S> = Tensor<S, f32, Dev>;
type Layer = PixelAttention<4, 2>;

fn layer(dev: &Dev, gamma: f32) -> Layer {
    let mut layer = Layer::new(dev);
    layer.w_q.bias = dev.sample_normal();
    layer.w_k.bias = dev.sample_normal();
    layer.w_v.bias = dev.sample_normal();
    layer.gamma = dev.tensor(gamma);
    layer
}

/// One row through one map.
fn mapped(weight: &[f32], bias: &[f32], row: &[f32]) -> Vec<f64> {
    let dot = |w: &[f32]| -> f64 {
        w.iter().zip(row).map(|(w, x)| f64::from(*w) * f64::from(*x)).sum()
    };
    let rows = weight.chunks(row.len()).zip(bias);
    rows.map(|(w, b)| dot(w) + f64::from(*b)).collect()
}

/// The layer in plain loops, for one picture.
fn by_hand(layer: &Layer, x: &[[f32; 4]; 6]) -> Vec<f64> {
    let of = |p: &ch10_5::Projection<4, 2, true>, row: &[f32]| {
        mapped(&p.weight.as_vec(), &p.bias.as_vec(), row)
    };
    let v = &layer.w_v;
    let gamma = f64::from(layer.gamma.array());
    let mut output = Vec::new();
    for query in x {
        let q = of(&layer.w_q, query);
        let score = |key: &[f32; 4]| -> f64 {
            let k = of(&layer.w_k, key);
            q.iter().zip(&k).map(|(q, k)| q * k).sum()
        };
        let weights: Vec<f64> = x.iter().map(|k| score(k).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut row = query.map(f64::from);
        for (weight, value) in weights.iter().zip(x) {
            let value = mapped(&v.weight.as_vec(), &v.bias.as_vec(), value);
            for (to, value) in row.iter_mut().zip(value) {
                *to += gamma * weight / sum * value;
            }
        }
        output.extend(row);
    }
    output
}

#[test]
fn agrees_with_plain_loops() {
    let dev = Dev::seed_from_u64(1);
    let layer = layer(&dev, 0.7);
    let x: Plain<Rank3<3, 6, 4>> = dev.sample_normal();
    let got = layer.forward(x.clone());
    for (b, picture) in x.array().iter().enumerate() {
        let expected = by_hand(&layer, picture);
        let got = got.output.array()[b];
        for (a, b) in got.iter().flatten().zip(expected) {
            assert!((f64::from(*a) - b).abs() < 1e-5, "{a}, not {b}");
        }
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
    let x: Plain<Rank4<3, 16, 12, 15>> = dev.sample_normal();
    let rows: Plain<Rank3<3, 180, 16>> = to_rows(x.clone());
    let got = layer.forward(rows);
    assert_eq!(got.weights.shape().concrete(), [3, 180, 180]);
    let picture: Plain<Rank4<3, 16, 12, 15>> = to_picture(got.output);
    assert_eq!(picture.as_vec(), x.as_vec());
}

/// At gamma 0 only gamma itself has a gradient: it must move first.
#[test]
fn at_gamma_zero_the_maps_wait() {
    let dev = Dev::seed_from_u64(3);
    let layer = layer(&dev, 0.0);
    let x: Plain<Rank3<2, 6, 4>> = dev.sample_normal();
    let goal: Plain<Rank3<2, 6, 4>> = dev.sample_normal();
    let out = layer.forward(x.leaky_trace()).output;
    let grads = (out * goal).sum().backward();
    assert!(grads.get(&layer.gamma).array().abs() > 1e-3);
    for map in [&layer.w_q.weight, &layer.w_k.weight] {
        assert!(grads.get(map).as_vec().iter().all(|&g| g == 0.0));
    }
    let values = grads.get(&layer.w_v.weight).as_vec();
    assert!(values.iter().all(|&g| g == 0.0));
}

fn loss(layer: &Layer, x: &Plain<Rank3<2, 6, 4>>) -> f64 {
    let output = layer.forward(x.clone()).output.as_vec();
    output.iter().map(|y| f64::from(*y).powi(2)).sum()
}

#[test]
fn gradients_agree_with_finite_differences() {
    let dev = Dev::seed_from_u64(4);
    let kept = layer(&dev, 0.7);
    let x: Plain<Rank3<2, 6, 4>> = dev.sample_normal();
    let out = kept.forward(x.leaky_trace()).output;
    let grads = out.square().sum().backward();
    const H: f32 = 1e-2;
    let check = |got: f32, moved: &dyn Fn(f32) -> f64, what: &str| {
        let slope = (moved(H) - moved(-H)) / f64::from(2.0 * H);
        let apart = (f64::from(got) - slope).abs();
        assert!(apart < 2e-3 * slope.abs().max(1.0), "{what}: {got}, {slope}");
    };
    let gamma = |h: f32| {
        let mut layer = kept.clone();
        layer.gamma = dev.tensor(0.7 + h);
        loss(&layer, &x)
    };
    check(grads.get(&kept.gamma).array(), &gamma, "gamma");
    for i in 0..8 {
        let nudged = |old: &Plain<Rank2<2, 4>>, h: f32| {
            let mut cells = old.as_vec();
            cells[i] += h;
            dev.tensor_from_vec(cells, Default::default())
        };
        let query = |h: f32| {
            let mut layer = kept.clone();
            layer.w_q.weight = nudged(&kept.w_q.weight, h);
            loss(&layer, &x)
        };
        let got = grads.get(&kept.w_q.weight).as_vec()[i];
        check(got, &query, "query map");
        let key = |h: f32| {
            let mut layer = kept.clone();
            layer.w_k.weight = nudged(&kept.w_k.weight, h);
            loss(&layer, &x)
        };
        let got = grads.get(&kept.w_k.weight).as_vec()[i];
        check(got, &key, "key map");
    }
    for i in 0..48 {
        let input = |h: f32| {
            let mut cells = x.as_vec();
            cells[i] += h;
            loss(&kept, &dev.tensor_from_vec(cells, Default::default()))
        };
        check(grads.get(&x).as_vec()[i], &input, "input");
    }
}

/// Pixels are a set to the layer: who changes their places finds the results
/// at the new places.
#[test]
fn moved_pixels_have_moved_results() {
    let dev = Dev::seed_from_u64(5);
    let layer = layer(&dev, 0.7);
    let x: Plain<Rank3<1, 6, 4>> = dev.sample_normal();
    let order = [3, 5, 0, 1, 4, 2];
    let turned = [order.map(|i| x.array()[0][i])];
    let plain = layer.forward(x).output.array()[0];
    let moved = layer.forward(dev.tensor(turned)).output.array()[0];
    for (row, from) in moved.iter().zip(order) {
        for (a, b) in row.iter().zip(plain[from]) {
            assert!((a - b).abs() < 1e-5);
        }
    }
}

#[test]
fn rows_are_pixels_line_by_line() {
    let dev = Dev::default();
    // Channel m of the pixel in line i, column j is 100 m + 10 i + j.
    let cell = |n: usize| (100 * (n / 6) + 10 * (n / 3 % 2) + n % 3) as f32;
    let x: Plain<Rank4<1, 2, 2, 3>> =
        dev.tensor_from_vec((0..12).map(cell).collect(), Default::default());
    let rows: Plain<Rank3<1, 6, 2>> = to_rows(x.clone());
    assert_eq!(rows.array()[0][0], [0.0, 100.0]);
    assert_eq!(rows.array()[0][2], [2.0, 102.0]);
    assert_eq!(rows.array()[0][3], [10.0, 110.0]);
    let back: Plain<Rank4<1, 2, 2, 3>> = to_picture(rows);
    assert_eq!(back.array(), x.array());
}

// --- Against PyTorch --------------------------------------------------------

fn flat(value: &Value) -> Vec<f32> {
    match value {
        Value::Array(list) => list.iter().flat_map(flat).collect(),
        number => vec![number.as_f64().expect("is a number") as f32],
    }
}

fn tensor<S: ConstShape>(dev: &Dev, value: &Value) -> Plain<S> {
    dev.tensor_from_vec(flat(value), S::default())
}

/// To 1e-5 of the largest entry, or of 1: a small entry of a gradient is what
/// is left of large terms.
fn close(got: &[f32], expected: &[f32], what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0f32, |most, b| most.max(b.abs()));
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        let apart = (a - b).abs();
        assert!(apart <= 1e-5 * scale, "{what} {i}: {a}, not {b}");
    }
}

#[test]
fn agrees_with_pytorch() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures");
    let path = format!("{folder}/f32/{}.json", "pixel_attention");
    let text = std::fs::read_to_string(path).expect("is there");
    let file: Value = serde_json::from_str(&text).expect("is JSON");
    let dev = Dev::default();
    let mut layer: PixelAttention<16, 2> = PixelAttention::new(&dev);
    let params = &file["params"];
    layer.w_q.weight = tensor(&dev, &params["query.weight"]);
    layer.w_q.bias = tensor(&dev, &params["query.bias"]);
    layer.w_k.weight = tensor(&dev, &params["key.weight"]);
    layer.w_k.bias = tensor(&dev, &params["key.bias"]);
    layer.w_v.weight = tensor(&dev, &params["value.weight"]);
    layer.w_v.bias = tensor(&dev, &params["value.bias"]);
    layer.gamma = tensor(&dev, &params["gamma"]);
    let x: Plain<Rank4<2, 16, 4, 5>> = tensor(&dev, &file["inputs"]["X"]);
    let rows: Tensor<Rank3<2, 20, 16>, _, _, _> = to_rows(x.leaky_trace());
    let got = layer.forward(rows);
    let weights = flat(&file["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &weights, "weights");
    let output: Tensor<Rank4<2, 16, 4, 5>, _, _, _> = to_picture(got.output);
    close(&output.as_vec(), &flat(&file["outputs"]["output"]), "output");
    let cotangent = tensor(&dev, &file["cotangent"]);
    let grads = (output * cotangent).sum().backward();
    let expected = &file["grads"];
    let check = |got: Vec<f32>, name: &str| {
        close(&got, &flat(&expected[name]), name);
    };
    check(grads.get(&layer.gamma).as_vec(), "gamma");
    check(grads.get(&layer.w_q.weight).as_vec(), "query.weight");
    check(grads.get(&layer.w_q.bias).as_vec(), "query.bias");
    check(grads.get(&layer.w_k.weight).as_vec(), "key.weight");
    // A bias of the keys moves all scores of a query alike, and the softmax
    // does not see it: its gradient is 0, but for rounding.
    let zero = |g: &f32| g.abs() < 1e-4;
    assert!(grads.get(&layer.w_k.bias).as_vec().iter().all(zero));
    assert!(flat(&expected["key.bias"]).iter().all(zero));
    check(grads.get(&layer.w_v.weight).as_vec(), "value.weight");
    check(grads.get(&layer.w_v.bias).as_vec(), "value.bias");
    check(grads.get(&x).as_vec(), "inputs.X");
}
