//! The gated recurrent unit against PyTorch, values and gradients.

mod common;

use ch10_1::Dev;
use common::{assert_close, fixture, numbers, tensor};
use dfdx::prelude::*;
use seq2seq::gru::{Gru, GruCell};
use serde_json::Value;

type Taped<S> = Tensor<S, f32, Dev, OwnedTape<f32, Dev>>;

fn cell<const I: usize, const HIDDEN: usize>(
    dev: &Dev,
    params: &Value,
    suffix: &str,
) -> GruCell<I, HIDDEN> {
    let param = |name: &str| &params[&format!("{name}{suffix}")];
    GruCell {
        w_ih: tensor(dev, param("weight_ih")),
        w_hh: tensor(dev, param("weight_hh")),
        b_ih: tensor(dev, param("bias_ih")),
        b_hh: tensor(dev, param("bias_hh")),
    }
}

fn assert_gradients<const I: usize, const HIDDEN: usize>(
    cell: &GruCell<I, HIDDEN>,
    gradients: &Gradients<f32, Dev>,
    right: &Value,
    suffix: &str,
) {
    let right = |name: &str| numbers(&right[&format!("{name}{suffix}")]);
    let w_ih = gradients.get(&cell.w_ih).as_vec();
    assert_close("w_ih", &w_ih, &right("weight_ih"));
    let w_hh = gradients.get(&cell.w_hh).as_vec();
    assert_close("w_hh", &w_hh, &right("weight_hh"));
    let b_ih = gradients.get(&cell.b_ih).as_vec();
    assert_close("b_ih", &b_ih, &right("bias_ih"));
    let b_hh = gradients.get(&cell.b_hh).as_vec();
    assert_close("b_hh", &b_hh, &right("bias_hh"));
}

#[test]
fn a_step_is_that_of_pytorch() {
    let dev = Dev::seed_from_u64(0);
    let right = fixture("gru_cell");
    let cell: GruCell<4, 6> = cell(&dev, &right["params"], "");
    let x: Tensor<Rank3<1, 3, 4>, f32, Dev> = tensor(&dev, &right["inputs"]["x"]);
    let h: Tensor<Rank2<3, 6>, f32, Dev> = tensor(&dev, &right["inputs"]["h"]);
    let taped: Taped<Rank3<1, 3, 4>> = x.leaky_trace();
    let from_x: Taped<Rank3<3, 3, 6>> = cell.input(taped).reshape();
    let out = cell.step(from_x, &h);
    assert_close("h", &out.as_vec(), &numbers(&right["outputs"]["output"]));
    let cotangent: Tensor<Rank2<3, 6>, f32, Dev> = tensor(&dev, &right["cotangent"]);
    let gradients = (out * cotangent).sum().backward();
    assert_gradients(&cell, &gradients, &right["grads"], "");
    let d_x = gradients.get(&x).as_vec();
    assert_close("x", &d_x, &numbers(&right["grads"]["inputs.x"]));
    let d_h = gradients.get(&h).as_vec();
    assert_close("h", &d_h, &numbers(&right["grads"]["inputs.h"]));
}

#[test]
fn two_layers_of_five_steps_are_those_of_pytorch() {
    let dev = Dev::seed_from_u64(0);
    for case in fixture("gru_2layer")["cases"].as_array().expect("two") {
        let gru: Gru<4, 6> = Gru {
            first: cell(&dev, &case["params"], "_l0"),
            upper: vec![cell(&dev, &case["params"], "_l1")],
            dropout: 0.0,
        };
        let x: Tensor<Rank3<5, 3, 4>, f32, Dev> = tensor(&dev, &case["inputs"]["X"]);
        let mut state = gru.start();
        let start = case["inputs"].get("h0");
        if let Some(start) = start {
            let layers = start.as_array().expect("a list");
            state = layers.iter().map(|h| tensor(&dev, h)).collect();
        }
        let before = state.clone();
        let out = gru.forward(x.leaky_trace(), &mut state);
        let right = &case["outputs"];
        assert_close("out", &out.as_vec(), &numbers(&right["output"]));
        let last = state.iter().flat_map(|h| h.as_vec()).collect::<Vec<_>>();
        assert_close("h_n", &last, &numbers(&right["h_n"]));
        let cotangent: Tensor<Rank3<5, 3, 6>, f32, Dev> =
            tensor(&dev, &case["cotangent"]);
        let mut sum = (out * cotangent).sum();
        let of_states = case["cotangent_h_n"].as_array().expect("a list");
        for (h, cotangent) in state.iter().zip(of_states) {
            let cotangent: Tensor<Rank2<3, 6>, f32, Dev> = tensor(&dev, cotangent);
            sum = sum + (h.retaped::<OwnedTape<_, _>>() * cotangent).sum();
        }
        let gradients = sum.backward();
        assert_gradients(&gru.first, &gradients, &case["grads"], "_l0");
        assert_gradients(&gru.upper[0], &gradients, &case["grads"], "_l1");
        let d_x = gradients.get(&x).as_vec();
        assert_close("x", &d_x, &numbers(&case["grads"]["inputs.X"]));
        if start.is_some() {
            let d: Vec<f32> =
                before.iter().flat_map(|h| gradients.get(h).as_vec()).collect();
            assert_close("h0", &d, &numbers(&case["grads"]["inputs.h0"]));
        }
    }
}
