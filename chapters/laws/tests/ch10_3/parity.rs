//! Values and gradients of section 10.3 against PyTorch's, which the files in
//! tests/fixtures/f32 hold.

use ch10_1::{Dev, Tensor3, Tensor4};
use ch10_3::{
    AdditiveAttention, AttentionOutput, BilinearAttention, DotProductAttention, Linear,
    Mask, masked_softmax,
};
use dfdx::prelude::*;
use kernels::{DefinitionTape, onto_owned_tape};
use serde_json::Value;
use testing::{backward_from, cases, close, counts, fixture, flat, tensor};

const TOLERANCE: f32 = 1e-5;

/// The mask of a case: lengths, or a mask of its own.
fn mask<const Q: usize, const K: usize>(inputs: &Value) -> Mask<2, Q, K> {
    if let Some(cells) = inputs.get("mask").filter(|mask| mask.is_array()) {
        return Mask::from_fn(|b, q, k| match &cells[b][q][k] {
            Value::Bool(allowed) => *allowed,
            number => number.as_f64() == Some(1.0),
        });
    }
    match &inputs["valid_lens"] {
        Value::Null => Mask::none(),
        lens if lens[0].is_array() => {
            let lens = counts::<2, Q>(lens);
            Mask::valid_lens_per_query(lens)
        }
        lens => {
            let lens = flat(lens);
            Mask::valid_lens(std::array::from_fn(|b| lens[b] as usize))
        }
    }
}

type GradientOf<'a> = (&'a str, &'a dyn Fn(&Gradients<f32, Dev>) -> Vec<f32>);

/// Output and weights of a case, and the gradients of its inputs and parameters.
fn agrees<O: ConstShape, W: ConstShape>(
    case: &Value,
    got: AttentionOutput<O, W, OwnedTape<f32, Dev>>,
    tensors: &[GradientOf],
) {
    let want = |name: &str| flat(&case["outputs"][name]);
    close(&got.output.as_vec(), &want("output"), TOLERANCE, "output");
    close(&got.weights.as_vec(), &want("attention_weights"), TOLERANCE, "weights");
    let grads = backward_from(got.output, &flat(&case["cotangent"]));
    for (name, gradient) in tensors {
        close(&gradient(&grads), &flat(&case["grads"][*name]), TOLERANCE, name);
    }
}

#[test]
fn masked_softmax_agrees() {
    let dev = Dev::default();
    for case in cases("masked_softmax") {
        let x: Tensor3<2, 2, 4> = tensor(&dev, &case["inputs"]["X"]);
        let mask = mask(&case["inputs"]);
        let weights = masked_softmax(x.leaky_trace(), &mask);
        let mut want = flat(&case["outputs"]["output"]);
        if mask == Mask::valid_lens([0, 4]) {
            // d2l's mask leaves the scores of a length of 0 equal, so its
            // weights are uniform: 1/4. Ours are 0: it may attend to nothing.
            assert_eq!(want[..8], [0.25; 8]);
            want[..8].fill(0.0);
        }
        let note = case["note"].as_str().expect("a note");
        close(&weights.as_vec(), &want, TOLERANCE, note);
        let grads = backward_from(weights, &flat(&case["cotangent"]));
        let want = flat(&case["grads"]["inputs.X"]);
        close(&grads.get(&x).as_vec(), &want, TOLERANCE, note);
    }
}

#[test]
fn masked_softmax_of_any_mask_agrees() {
    let dev = Dev::default();
    let case = fixture("masked_softmax_mask");
    let x: Tensor3<2, 3, 5> = tensor(&dev, &case["inputs"]["X"]);
    let weights = masked_softmax(x.leaky_trace(), &mask(&case["inputs"]));
    close(&weights.as_vec(), &flat(&case["outputs"]["output"]), TOLERANCE, "weights");
    let grads = backward_from(weights, &flat(&case["cotangent"]));
    let want = flat(&case["grads"]["inputs.X"]);
    close(&grads.get(&x).as_vec(), &want, TOLERANCE, "gradient");
}

fn additive_case<
    const DQ: usize,
    const DK: usize,
    const Q: usize,
    const K: usize,
    const DV: usize,
    T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>,
>(
    dev: &Dev,
    case: &Value,
) {
    let (inputs, params) = (&case["inputs"], &case["params"]);
    let layer = AdditiveAttention::<DQ, DK, 8> {
        w_q: Linear { weight: tensor(dev, &params["W_q.weight"]), bias: None },
        w_k: Linear { weight: tensor(dev, &params["W_k.weight"]), bias: None },
        w_v: tensor(dev, &params["w_v.weight"]),
        dropout: 0.0,
    };
    let q: Tensor3<2, Q, DQ> = tensor(dev, &inputs["queries"]);
    let k: Tensor3<2, K, DK> = tensor(dev, &inputs["keys"]);
    let v: Tensor3<2, K, DV> = tensor(dev, &inputs["values"]);
    let q_on_tape = q.retaped::<T>();
    let got = layer.forward(q_on_tape, k.retaped(), v.retaped(), &mask(inputs));
    let output = onto_owned_tape(got.output);
    agrees(
        case,
        AttentionOutput { output, weights: got.weights },
        &[
            ("inputs.queries", &|g| g.get(&q).as_vec()),
            ("inputs.keys", &|g| g.get(&k).as_vec()),
            ("inputs.values", &|g| g.get(&v).as_vec()),
            ("W_q.weight", &|g| g.get(&layer.w_q.weight).as_vec()),
            ("W_k.weight", &|g| g.get(&layer.w_k.weight).as_vec()),
            ("w_v.weight", &|g| g.get(&layer.w_v).as_vec()),
        ],
    );
}

/// By the kernel and by the definition.
#[test]
fn additive_attention_agrees() {
    additive_cases::<OwnedTape<f32, Dev>>();
    additive_cases::<DefinitionTape>();
}

fn additive_cases<T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>() {
    let dev = Dev::default();
    for case in cases("additive_attention") {
        additive_case::<20, 2, 1, 10, 4, T>(&dev, &case);
    }
    additive_case::<5, 3, 4, 6, 2, T>(&dev, &fixture("additive_attention_mask"));
}

fn dot_product_case<const Q: usize, const K: usize, const D: usize, const DV: usize>(
    dev: &Dev,
    case: &Value,
) {
    let inputs = &case["inputs"];
    let q: Tensor3<2, Q, D> = tensor(dev, &inputs["queries"]);
    let k: Tensor3<2, K, D> = tensor(dev, &inputs["keys"]);
    let v: Tensor3<2, K, DV> = tensor(dev, &inputs["values"]);
    let layer = DotProductAttention::default();
    let got = layer.forward(q.leaky_trace(), k.retaped(), v.retaped(), &mask(inputs));
    agrees(
        case,
        got,
        &[
            ("inputs.queries", &|g| g.get(&q).as_vec()),
            ("inputs.keys", &|g| g.get(&k).as_vec()),
            ("inputs.values", &|g| g.get(&v).as_vec()),
        ],
    );
}

#[test]
fn dot_product_attention_agrees() {
    let dev = Dev::default();
    for case in cases("dot_product_attention") {
        match flat(&case["inputs"]["queries"]).len() {
            4 => dot_product_case::<1, 10, 2, 4>(&dev, &case),
            12 => dot_product_case::<3, 10, 2, 4>(&dev, &case),
            other => panic!("{other} numbers in the queries"),
        }
    }
    let [one, heads] = &cases("dot_product_attention_mask")[..] else {
        panic!("two cases: without heads and with them");
    };
    dot_product_case::<4, 5, 3, 2>(&dev, one);
    let inputs = &heads["inputs"];
    let q: Tensor4<2, 3, 4, 3> = tensor(&dev, &inputs["queries"]);
    let k: Tensor4<2, 3, 5, 3> = tensor(&dev, &inputs["keys"]);
    let v: Tensor4<2, 3, 5, 2> = tensor(&dev, &inputs["values"]);
    let layer = DotProductAttention::default();
    let (k_taped, v_taped) = (k.retaped(), v.retaped());
    let got = layer.forward_heads(q.leaky_trace(), k_taped, v_taped, &mask(inputs));
    agrees(
        heads,
        got,
        &[
            ("inputs.queries", &|g| g.get(&q).as_vec()),
            ("inputs.keys", &|g| g.get(&k).as_vec()),
            ("inputs.values", &|g| g.get(&v).as_vec()),
        ],
    );
}

#[test]
fn bilinear_attention_agrees() {
    let dev = Dev::default();
    for case in cases("bilinear_attention") {
        let inputs = &case["inputs"];
        let weight = tensor(&dev, &case["params"]["W"]);
        let layer: BilinearAttention<4, 3> =
            BilinearAttention { w: Linear { weight, bias: None }, dropout: 0.0 };
        let q: Tensor3<2, 3, 4> = tensor(&dev, &inputs["queries"]);
        let k: Tensor3<2, 6, 3> = tensor(&dev, &inputs["keys"]);
        let v: Tensor3<2, 6, 5> = tensor(&dev, &inputs["values"]);
        let (k_taped, v_taped) = (k.retaped(), v.retaped());
        let got = layer.forward(q.leaky_trace(), k_taped, v_taped, &mask(inputs));
        agrees(
            &case,
            got,
            &[
                ("inputs.queries", &|g| g.get(&q).as_vec()),
                ("inputs.keys", &|g| g.get(&k).as_vec()),
                ("inputs.values", &|g| g.get(&v).as_vec()),
                ("W", &|g| g.get(&layer.w.weight).as_vec()),
            ],
        );
    }
}

#[test]
fn the_example_to_check_by_hand_agrees() {
    let dev = Dev::default();
    let file = fixture("seed_qkv");
    let input =
        |name: &str| -> Tensor3<1, 3, 2> { tensor(&dev, &file["inputs"][name]) };
    let (q, k, v) = (input("Q"), input("K"), input("V"));
    let got = DotProductAttention::default().forward(
        q.leaky_trace(),
        k.retaped(),
        v.retaped(),
        &Mask::none(),
    );
    let output = got.output.as_vec();
    let weights = got.weights.as_vec();
    let want = |group: &str, name: &str| flat(&file[group][name]);
    // As printed, from inputs with more digits than the printed ones.
    close(&output, &want("printed", "values"), 1.5e-4, "printed");
    close(&weights, &want("printed", "attention"), 1.5e-4, "printed");
    close(&output, &want("outputs", "output"), TOLERANCE, "output");
    let exact = want("outputs", "attention_weights");
    close(&weights, &exact, TOLERANCE, "weights");
    let grads = backward_from(got.output, &flat(&file["cotangent"]));
    for (name, tensor) in [("Q", &q), ("K", &k), ("V", &v)] {
        let want = want("grads", &format!("inputs.{name}"));
        close(&grads.get(tensor).as_vec(), &want, TOLERANCE, name);
    }
}
