//! Each operation of our own is the composition of dfdx's that has the same
//! name: in values, and in gradients.

mod common;

use ch10_1::Dev;
use common::assert_close;
use dfdx::prelude::*;
use seq2seq::{fused, gru, loss, words};

type Taped<Form> = Tensor<Form, f32, Dev, OwnedTape<f32, Dev>>;
type Plain<Form> = Tensor<Form, f32, Dev>;

/// Two ways to compute the same, and the gradients of some inputs of each.
fn assert_same<Form: ConstShape>(
    what: &str,
    ours: Taped<Form>,
    theirs: Taped<Form>,
    gradients: impl Fn(&Gradients<f32, Dev>) -> Vec<Vec<f32>>,
) {
    let dev = ours.device().clone();
    assert_close(what, &ours.as_vec(), &theirs.as_vec());
    let weights: Plain<Form> = dev.sample_normal();
    let of = |out: Taped<Form>| {
        let weighted = (out * weights.clone()).sum::<Rank0, _>();
        gradients(&weighted.backward())
    };
    for (a, b) in of(ours).iter().zip(&of(theirs)) {
        assert_close(what, a, b);
        assert!(a.iter().any(|x| *x != 0.0), "{what}: no gradient");
    }
}

#[test]
fn to_gates() {
    let dev = Dev::seed_from_u64(1);
    let x: Plain<Rank3<4, 3, 7>> = dev.sample_normal();
    let w: Plain<Rank3<3, 41, 7>> = dev.sample_normal();
    let ours = fused::to_gates(x.leaky_trace(), &w);
    let theirs = gru::to_gates(x.leaky_trace(), &w);
    assert_same("to_gates", ours, theirs, |g| {
        vec![g.get(&x).as_vec(), g.get(&w).as_vec()]
    });
}

/// A single row is computed in another way than several.
#[test]
fn to_gates_of_one_row() {
    let dev = Dev::seed_from_u64(7);
    let x: Plain<Rank3<1, 1, 37>> = dev.sample_normal();
    let w: Plain<Rank3<3, 11, 37>> = dev.sample_normal();
    let ours = fused::to_gates(x.leaky_trace(), &w);
    let theirs = gru::to_gates(x.leaky_trace(), &w);
    assert_same("to_gates", ours, theirs, |g| {
        vec![g.get(&x).as_vec(), g.get(&w).as_vec()]
    });
}

#[test]
fn steps() {
    let dev = Dev::seed_from_u64(2);
    let x: Plain<Rank4<5, 3, 2, 6>> = dev.sample_normal();
    let (ours, tape) = fused::steps(x.leaky_trace());
    let ours = ours[4].clone().put_tape(tape) * ours[1].clone();
    let (theirs, tape) = gru::steps(x.leaky_trace());
    let theirs = theirs[4].clone().put_tape(tape) * theirs[1].clone();
    assert_same("steps", ours, theirs, |g| vec![g.get(&x).as_vec()]);
}

#[test]
fn gates() {
    let dev = Dev::seed_from_u64(3);
    let x: Plain<Rank3<3, 4, 9>> = dev.sample_normal();
    let from_h: Plain<Rank3<3, 4, 9>> = dev.sample_normal();
    let (b_ih, b_hh): (Plain<Rank2<3, 9>>, Plain<Rank2<3, 9>>) =
        (dev.sample_normal(), dev.sample_normal());
    let h: Plain<Rank2<4, 9>> = dev.sample_normal();
    let ours = fused::gates(&x, from_h.leaky_trace(), &b_ih, &b_hh, &h);
    let theirs = gru::gates(&x, from_h.leaky_trace(), &b_ih, &b_hh, &h);
    assert_same("gates", ours, theirs, |g| {
        let of = [g.get(&x).as_vec(), g.get(&from_h).as_vec()];
        let biases = [g.get(&b_ih).as_vec(), g.get(&b_hh).as_vec()];
        [of.to_vec(), biases.to_vec(), vec![g.get(&h).as_vec()]].concat()
    });
}

#[test]
fn losses() {
    let dev = Dev::seed_from_u64(4);
    let states: Plain<Rank3<4, 3, 6>> = dev.sample_normal();
    let w = dev.sample_like(&(43, Const::<6>), rand_distr::StandardNormal);
    let b = dev.sample_like(&(43,), rand_distr::StandardNormal);
    let labels = [[1, 2, 3, 4], [42, 0, 0, 7], [5, 5, 5, 5]];
    let lens = [4, 2, 0];
    let taped = || states.leaky_trace();
    let ours = fused::losses(taped(), (&w, &b), &labels, &lens);
    let theirs = loss::losses(taped(), (&w, &b), &labels, &lens);
    assert_eq!(ours.array()[2], 0.0);
    assert_same("losses", ours, theirs, |g| {
        let of = [g.get(&w).as_vec(), g.get(&b).as_vec()];
        [vec![g.get(&states).as_vec()], of.to_vec()].concat()
    });
}

#[test]
fn embed() {
    let dev = Dev::seed_from_u64(5);
    let w = dev.sample_like(&(9, Const::<5>), rand_distr::StandardNormal);
    let tokens = [[8, 0, 3], [3, 3, 1]];
    let ours = fused::embed(&tokens, &w, OwnedTape::default());
    let theirs = words::embed(&tokens, &w, OwnedTape::default());
    assert_same("embed", ours, theirs, |g| vec![g.get(&w).as_vec()]);
}

#[test]
fn drop_out() {
    let x: Plain<Rank2<8, 9>> = Dev::seed_from_u64(6).sample_normal();
    let again: Plain<Rank2<8, 9>> = Dev::seed_from_u64(6).sample_normal();
    let ours = fused::drop_out(x.leaky_trace(), 0.3);
    let theirs = gru::drop_out(again.leaky_trace(), 0.3);
    assert_close("drop_out", &ours.as_vec(), &theirs.as_vec());
    let dropped = ours.as_vec().iter().filter(|x| **x == 0.0).count();
    assert!((10..40).contains(&dropped), "{dropped} of 72");
    let ours = ours.square().sum().backward().get(&x).as_vec();
    let theirs = theirs.square().sum().backward().get(&again).as_vec();
    assert_close("drop_out", &ours, &theirs);
    let kept = fused::drop_out(x.clone(), 0.3);
    assert_eq!(kept.as_vec(), x.as_vec(), "there is no training");
}
