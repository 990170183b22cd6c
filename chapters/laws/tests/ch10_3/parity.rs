//! Values and gradients of section 10.3 against PyTorch's, which the files in
//! tests/fixtures/f32 hold.

use ch10_1::{Dev, Tensor3, Tensor4};
use ch10_2::parameters;
use ch10_2::parameters::Parameters;
use ch10_3::{
    AdditiveAttention, AttentionOutput, BilinearAttention, DotProductAttention, Mask,
    masked_softmax,
};
use dfdx::prelude::*;
use kernels::DefinitionTape;
use serde_json::Value;
use testing::{
    GradientOf, agrees, cases, close, counts, fixture, flat, gradient_of, load, tensor,
};

const TOLERANCE: f32 = 1e-5;

/// A layer without parameters.
struct Nothing;

parameters! { Nothing {} }

/// PyTorch's name of one of our parameters.
fn theirs(ours: &str) -> String {
    match ours {
        "w.weight" => "W".into(),
        "w_v" => "w_v.weight".into(),
        ours => ours.replace("w_", "W_"),
    }
}

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
        lens if lens[0].is_array() => Mask::valid_lens_per_query(counts::<2, Q>(lens)),
        lens => Mask::valid_lens(counts::<1, 2>(lens)[0]),
    }
}

/// Output and weights of a case, and the gradients of its inputs and parameters.
fn check<
    O: ConstShape,
    W: ConstShape,
    T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>,
>(
    case: &Value,
    layer: &mut impl Parameters,
    got: AttentionOutput<O, W, T>,
    [queries, keys, values]: [GradientOf; 3],
) {
    let weights = flat(&case["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &weights, TOLERANCE, "weights");
    let inputs = [("queries", queries), ("keys", keys), ("values", values)];
    agrees(case, layer, theirs, got.output, &inputs);
}

#[test]
fn masked_softmax_agrees() {
    let dev = Dev::default();
    for mut case in cases("masked_softmax") {
        let x: Tensor3<2, 2, 4> = tensor(&dev, &case["inputs"]["X"]);
        let mask = mask(&case["inputs"]);
        if mask.to_allowed() == Mask::<2, 2, 4>::valid_lens([0, 4]).to_allowed() {
            // d2l's mask leaves the scores of a length of 0 equal, so its
            // weights are uniform: 1/4. Ours are 0: it may attend to nothing.
            let uniform = &mut case["outputs"]["output"][0];
            assert_eq!(flat(uniform), [0.25; 8]);
            *uniform = Value::from(vec![0.0; 8]);
        }
        let weights = masked_softmax(x.leaky_trace(), &mask);
        agrees(&case, &mut Nothing, theirs, weights, &[("X", gradient_of(&x))]);
    }
    let case = fixture("masked_softmax_mask");
    let x: Tensor3<2, 3, 5> = tensor(&dev, &case["inputs"]["X"]);
    let weights = masked_softmax(x.leaky_trace(), &mask(&case["inputs"]));
    agrees(&case, &mut Nothing, theirs, weights, &[("X", gradient_of(&x))]);
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
    let inputs = &case["inputs"];
    let mut layer = AdditiveAttention::<DQ, DK, 8>::new(dev, 0.0);
    load(&mut layer, &case["params"], theirs);
    let q: Tensor3<2, Q, DQ> = tensor(dev, &inputs["queries"]);
    let k: Tensor3<2, K, DK> = tensor(dev, &inputs["keys"]);
    let v: Tensor3<2, K, DV> = tensor(dev, &inputs["values"]);
    let q_on_tape = q.retaped::<T>();
    let got = layer.forward(q_on_tape, k.retaped(), v.retaped(), &mask(inputs));
    check(case, &mut layer, got, [gradient_of(&q), gradient_of(&k), gradient_of(&v)]);
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
    check(case, &mut Nothing, got, [gradient_of(&q), gradient_of(&k), gradient_of(&v)]);
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
    let of_inputs = [gradient_of(&q), gradient_of(&k), gradient_of(&v)];
    check(heads, &mut Nothing, got, of_inputs);
}

#[test]
fn bilinear_attention_agrees() {
    let dev = Dev::default();
    for case in cases("bilinear_attention") {
        let inputs = &case["inputs"];
        let mut layer: BilinearAttention<4, 3> = BilinearAttention::new(&dev, 0.0);
        load(&mut layer, &case["params"], theirs);
        let q: Tensor3<2, 3, 4> = tensor(&dev, &inputs["queries"]);
        let k: Tensor3<2, 6, 3> = tensor(&dev, &inputs["keys"]);
        let v: Tensor3<2, 6, 5> = tensor(&dev, &inputs["values"]);
        let (k_taped, v_taped) = (k.retaped(), v.retaped());
        let got = layer.forward(q.leaky_trace(), k_taped, v_taped, &mask(inputs));
        let of_inputs = [gradient_of(&q), gradient_of(&k), gradient_of(&v)];
        check(&case, &mut layer, got, of_inputs);
    }
}

#[test]
fn the_example_to_check_by_hand_agrees() {
    let dev = Dev::default();
    let file = fixture("seed_qkv");
    let [q, k, v]: [Tensor3<1, 3, 2>; 3] =
        ["Q", "K", "V"].map(|name| tensor(&dev, &file["inputs"][name]));
    let got = DotProductAttention::default().forward(
        q.leaky_trace(),
        k.retaped(),
        v.retaped(),
        &Mask::none(),
    );
    // As printed, from inputs with more digits than the printed ones.
    let printed = |name: &str| flat(&file["printed"][name]);
    close(&got.output.as_vec(), &printed("values"), 1.5e-4, "printed");
    close(&got.weights.as_vec(), &printed("attention"), 1.5e-4, "printed");
    let exact = flat(&file["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &exact, TOLERANCE, "weights");
    let inputs =
        [("Q", gradient_of(&q)), ("K", gradient_of(&k)), ("V", gradient_of(&v))];
    agrees(&file, &mut Nothing, theirs, got.output, &inputs);
}
