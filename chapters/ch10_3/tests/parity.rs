//! Values and gradients of section 10.3 against PyTorch's, which the files in
//! tests/fixtures/f32 hold.

mod common;

use ch10_1::Dev;
use ch10_3::*;
use common::{Plain, close};
use dfdx::prelude::*;
use serde_json::Value;

const TOLERANCE: f32 = 1e-5;

fn fixture(name: &str) -> Value {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/f32");
    let path = format!("{root}/{name}.json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn cases(name: &str) -> Vec<Value> {
    fixture(name)["cases"].as_array().expect("a list of cases").clone()
}

/// All numbers in a nest of lists, in order.
fn numbers(value: &Value) -> Vec<f32> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().expect("a number") as f32],
    }
}

fn tensor<S: ConstShape>(dev: &Dev, value: &Value) -> Plain<S> {
    dev.tensor_from_vec(numbers(value), S::default())
}

fn lens<const Q: usize>(value: &Value) -> Mask<2, Q> {
    let all: Vec<usize> = match value {
        Value::Null => return Mask::none(),
        lens => numbers(lens).iter().map(|&len| len as usize).collect(),
    };
    if value[0].is_array() {
        let row = |b| std::array::from_fn(|q| all[b * Q + q]);
        return Mask::valid_lens_per_query(std::array::from_fn(row));
    }
    Mask::valid_lens(std::array::from_fn(|b| all[b]))
}

#[test]
fn masked_softmax_agrees() {
    let dev = Dev::default();
    for case in cases("masked_softmax") {
        let x: Plain<Rank3<2, 2, 4>> = tensor(&dev, &case["inputs"]["X"]);
        let mask = lens::<2>(&case["inputs"]["valid_lens"]);
        let weights = masked_softmax(x.leaky_trace(), &mask);
        let mut want = numbers(&case["outputs"]["output"]);
        if lens == Mask::valid_lens([0, 4]) {
            // d2l's mask leaves the scores of a length of 0 equal, so its
            // weights are uniform: 1/4. Ours are 0: nothing may be seen.
            assert_eq!(want[..8], [0.25; 8]);
            want[..8].fill(0.0);
        }
        let note = case["note"].as_str().expect("a note");
        close(&weights.as_vec(), &want, TOLERANCE, note);
        let cotangent: Plain<_> = tensor(&dev, &case["cotangent"]);
        let grads = (weights * cotangent).sum().backward();
        let want = numbers(&case["grads"]["inputs.X"]);
        close(&grads.get(&x).as_vec(), &want, TOLERANCE, note);
    }
}

#[test]
fn additive_attention_agrees() {
    let dev = Dev::default();
    for case in cases("additive_attention") {
        let (inputs, params) = (&case["inputs"], &case["params"]);
        let layer = AdditiveAttention::<20, 2, 8> {
            w_q: tensor(&dev, &params["W_q.weight"]),
            w_k: tensor(&dev, &params["W_k.weight"]),
            w_v: tensor(&dev, &params["w_v.weight"]),
            dropout: 0.0,
        };
        let queries: Plain<Rank3<2, 1, 20>> = tensor(&dev, &inputs["queries"]);
        let keys: Plain<Rank3<2, 10, 2>> = tensor(&dev, &inputs["keys"]);
        let values: Plain<Rank3<2, 10, 4>> = tensor(&dev, &inputs["values"]);
        let got = layer.forward(
            queries.leaky_trace(),
            keys.retaped(),
            values.retaped(),
            &mask(&inputs["valid_lens"]),
        );
        let want = |name: &str| numbers(&case["outputs"][name]);
        close(&got.output.as_vec(), &want("output"), TOLERANCE, "output");
        let weights = got.weights.as_vec();
        close(&weights, &want("attention_weights"), TOLERANCE, "weights");
        let cotangent: Plain<_> = tensor(&dev, &case["cotangent"]);
        let grads = (got.output * cotangent).sum().backward();
        for (name, got) in [
            ("inputs.queries", grads.get(&queries).as_vec()),
            ("inputs.keys", grads.get(&keys).as_vec()),
            ("inputs.values", grads.get(&values).as_vec()),
            ("W_q.weight", grads.get(&layer.w_q).as_vec()),
            ("W_k.weight", grads.get(&layer.w_k).as_vec()),
            ("w_v.weight", grads.get(&layer.w_v).as_vec()),
        ] {
            close(&got, &numbers(&case["grads"][name]), TOLERANCE, name);
        }
    }
}

fn dot_product_case<const Q: usize>(dev: &Dev, case: &Value) {
    let inputs = &case["inputs"];
    let queries: Plain<Rank3<2, Q, 2>> = tensor(dev, &inputs["queries"]);
    let keys: Plain<Rank3<2, 10, 2>> = tensor(dev, &inputs["keys"]);
    let values: Plain<Rank3<2, 10, 4>> = tensor(dev, &inputs["values"]);
    let got = DotProductAttention::default().forward(
        queries.leaky_trace(),
        keys.retaped(),
        values.retaped(),
        &mask(&inputs["valid_lens"]),
    );
    let want = |name: &str| numbers(&case["outputs"][name]);
    close(&got.output.as_vec(), &want("output"), TOLERANCE, "output");
    let weights = got.weights.as_vec();
    close(&weights, &want("attention_weights"), TOLERANCE, "weights");
    let cotangent: Plain<_> = tensor(dev, &case["cotangent"]);
    let grads = (got.output * cotangent).sum().backward();
    for (name, got) in [
        ("inputs.queries", grads.get(&queries).as_vec()),
        ("inputs.keys", grads.get(&keys).as_vec()),
        ("inputs.values", grads.get(&values).as_vec()),
    ] {
        close(&got, &numbers(&case["grads"][name]), TOLERANCE, name);
    }
}

#[test]
fn dot_product_attention_agrees() {
    let dev = Dev::default();
    for case in cases("dot_product_attention") {
        match numbers(&case["inputs"]["queries"]).len() {
            4 => dot_product_case::<1>(&dev, &case),
            12 => dot_product_case::<3>(&dev, &case),
            other => panic!("{other} numbers in the queries"),
        }
    }
}

#[test]
fn the_example_to_check_by_hand_agrees() {
    let dev = Dev::default();
    let file = fixture("seed_qkv");
    let input =
        |name: &str| -> Plain<Rank3<1, 3, 2>> { tensor(&dev, &file["inputs"][name]) };
    let (q, k, v) = (input("Q"), input("K"), input("V"));
    let got = DotProductAttention::default().forward(
        q.leaky_trace(),
        k.retaped(),
        v.retaped(),
        &Mask::none(),
    );
    let output = got.output.as_vec();
    let weights = got.weights.as_vec();
    let want = |group: &str, name: &str| numbers(&file[group][name]);
    // As printed, from inputs with more digits than the printed ones.
    close(&output, &want("printed", "values"), 1.5e-4, "printed");
    close(&weights, &want("printed", "attention"), 1.5e-4, "printed");
    close(&output, &want("outputs", "output"), TOLERANCE, "output");
    let exact = want("outputs", "attention_weights");
    close(&weights, &exact, TOLERANCE, "weights");
    let cotangent: Plain<_> = tensor(&dev, &file["cotangent"]);
    let grads = (got.output * cotangent).sum().backward();
    for (name, tensor) in [("Q", &q), ("K", &k), ("V", &v)] {
        let want = want("grads", &format!("inputs.{name}"));
        close(&grads.get(tensor).as_vec(), &want, TOLERANCE, name);
    }
}
