//! Values and gradients against PyTorch's, to 1e-5.

use crate::exercises::widths::MixedAttention;
use ch10_2::parameters;
use ch10_3::{Linear, Mask};
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor3};
use serde_json::Value;
use testing::{agrees, close, fixture, flat, gradient_of, load, tensor};

parameters! { MixedAttention<DQ, DK, DV, M, H, D> { w_q, w_k, w_v, w_o } }

/// PyTorch's name of one of our parameters.
fn theirs(ours: &str) -> String {
    ours.replace("w_", "W_")
}

/// Queries (2, 4, M), keys and values (2, K, M), which may be one tensor; by the
/// kernels, and by the definitions.
fn check<const K: usize, const M: usize, const H: usize, const D: usize>(
    name: &str,
    mask: Mask<2, 4, K>,
) {
    let file = fixture(name);
    check_by::<K, M, H, D, OwnedTape<f32, Dev>>(&file, &mask);
    check_by::<K, M, H, D, DefinitionTape>(&file, &mask);
}

fn check_by<
    const K: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>,
>(
    file: &Value,
    mask: &Mask<2, 4, K>,
) {
    let (dev, inputs) = (Dev::default(), &file["inputs"]);
    let mut layer: MultiHeadAttention<M, H, D> = MultiHeadAttention::new(&dev, 0.0);
    if file["params"].get("W_q.bias").is_some() {
        let (w_q, w_k) = (Linear::with_bias(&dev), Linear::with_bias(&dev));
        let (w_v, w_o) = (Linear::with_bias(&dev), Linear::with_bias(&dev));
        layer = MultiHeadAttention { w_q, w_k, w_v, w_o, dropout: 0.0 };
    }
    load(&mut layer, &file["params"], theirs);
    let queries: Tensor3<2, 4, M> = tensor(&dev, &inputs["queries"]);
    let mut names = ["keys", "values"];
    if inputs.get("keys_values").is_some() {
        names = ["keys_values"; 2];
    }
    let keys: Tensor3<2, K, M> = tensor(&dev, &inputs[names[0]]);
    let mut values = keys.clone();
    if names[0] != names[1] {
        values = tensor(&dev, &inputs[names[1]]);
    }
    let on_tape = queries.retaped::<T>();
    let got = layer.forward(on_tape, keys.retaped(), values.retaped(), mask);
    let weights = flat(&file["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &weights, 1e-5, "weights");
    let inputs = [
        ("queries", gradient_of(&queries)),
        (names[0], gradient_of(&keys)),
        (names[1], gradient_of(&values)),
    ];
    agrees(file, &mut layer, theirs, got.output, &inputs);
}

#[test]
fn with_masks_of_each_kind() {
    check::<6, 20, 5, 4>("multihead_h20_nomask", Mask::none());
    let lens = Mask::valid_lens([3, 2]);
    check::<6, 20, 5, 4>("multihead_h20_lens1d", lens.clone());
    check::<6, 20, 5, 4>("multihead_h20_bias", lens);
    let lens = Mask::valid_lens_per_query([[1, 2, 3, 6], [4, 4, 2, 5]]);
    check::<6, 20, 5, 4>("multihead_h20_lens2d", lens);
    let cells = flat(&fixture("multihead_mask")["inputs"]["mask"]);
    let any = Mask::from_fn(|b, q, k| cells[(b * 4 + q) * 5 + k] == 1.0);
    check::<5, 12, 3, 4>("multihead_mask", any);
}

/// The answer to exercise 5.
#[test]
fn with_three_widths() {
    let (dev, file) = (Dev::default(), fixture("multihead_mixed_sizes"));
    let inputs = &file["inputs"];
    let (w_q, w_k) = (Linear::new(&dev), Linear::new(&dev));
    let (w_v, w_o) = (Linear::new(&dev), Linear::new(&dev));
    let mut layer: MixedAttention<5, 7, 9, 12, 3, 4> =
        MixedAttention { w_q, w_k, w_v, w_o };
    load(&mut layer, &file["params"], theirs);
    let queries: Tensor3<2, 4, 5> = tensor(&dev, &inputs["queries"]);
    let keys: Tensor3<2, 6, 7> = tensor(&dev, &inputs["keys"]);
    let values: Tensor3<2, 6, 9> = tensor(&dev, &inputs["values"]);
    let got = layer.forward(
        queries.leaky_trace(),
        keys.retaped(),
        values.retaped(),
        &Mask::valid_lens([3, 2]),
    );
    let weights = flat(&file["outputs"]["attention_weights"]);
    close(&got.weights.as_vec(), &weights, 1e-5, "weights");
    let inputs = [
        ("queries", gradient_of(&queries)),
        ("keys", gradient_of(&keys)),
        ("values", gradient_of(&values)),
    ];
    agrees(&file, &mut layer, theirs, got.output, &inputs);
}
