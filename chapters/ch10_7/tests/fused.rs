//! Each operation of our own is the composition of dfdx's that has the same
//! name: in values, and in gradients.

#[path = "../../seq2seq/tests/common/mod.rs"]
mod common;

use ch10_1::Dev;
use ch10_3::{Attended, DotProductAttention, ValidLens};
use ch10_5::Projection;
use ch10_6::PositionalEncoding;
use ch10_7::attention::{self, Seen};
use ch10_7::encoder::Positions;
use ch10_7::{LayerNorm, PositionWiseFfn, feed_forward, fused, norm, words};
use common::assert_close;
use dfdx::prelude::*;
use seq2seq::words::Embedding;

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

fn project<const B: usize, const S: usize>() {
    let dev = Dev::seed_from_u64(1);
    let x: Plain<Rank3<B, S, 7>> = dev.sample_normal();
    let plain: Projection<7, 41, false> = Projection::new(&dev);
    let ours = fused::project(x.leaky_trace(), &plain);
    let theirs = attention::project(x.leaky_trace(), &plain);
    assert_same("without bias", ours, theirs, |g| {
        vec![g.get(&x).as_vec(), g.get(&plain.weight).as_vec()]
    });
    let mut layer: Projection<7, 9, true> = Projection::new(&dev);
    layer.bias = dev.sample_normal();
    let ours = fused::project(x.leaky_trace(), &layer);
    let theirs = attention::project(x.leaky_trace(), &layer);
    assert_same("with bias", ours, theirs, |g| {
        let x = g.get(&x).as_vec();
        vec![x, g.get(&layer.weight).as_vec(), g.get(&layer.bias).as_vec()]
    });
}

/// Few rows and many go different ways.
#[test]
fn project_few_and_many_rows() {
    project::<1, 1>();
    project::<2, 2>();
    project::<5, 29>();
}

#[test]
fn feed_forward_network() {
    let dev = Dev::seed_from_u64(2);
    let x: Plain<Rank3<9, 8, 6>> = dev.sample_normal();
    let mut layer: PositionWiseFfn<6, 10, 5> = PositionWiseFfn::new(&dev);
    layer.first.bias = dev.sample_normal();
    layer.second.bias = dev.sample_normal();
    let ours = fused::feed_forward(x.leaky_trace(), &layer);
    let theirs = feed_forward::feed_forward(x.leaky_trace(), &layer);
    assert_same("feed_forward", ours, theirs, |g| {
        let (one, two) = (&layer.first, &layer.second);
        vec![
            g.get(&x).as_vec(),
            g.get(&one.weight).as_vec(),
            g.get(&one.bias).as_vec(),
            g.get(&two.weight).as_vec(),
            g.get(&two.bias).as_vec(),
        ]
    });
}

#[test]
fn add_and_norm() {
    let dev = Dev::seed_from_u64(3);
    let x: Plain<Rank3<3, 4, 6>> = dev.sample_normal();
    let y: Plain<Rank3<3, 4, 6>> = dev.sample_normal();
    let ours = fused::add(x.clone(), y.leaky_trace(), 0.0);
    let theirs = norm::add(x.clone(), y.leaky_trace(), 0.0);
    assert_same("add", ours, theirs, |g| vec![g.get(&x).as_vec(), g.get(&y).as_vec()]);
    let mut layer: LayerNorm<6> = LayerNorm::new(&dev);
    layer.gain = dev.sample_normal();
    layer.shift = dev.sample_normal();
    let ours = fused::norm(x.leaky_trace(), &layer);
    let theirs = norm::norm(x.leaky_trace(), &layer);
    assert_same("norm", ours, theirs, |g| {
        let x = g.get(&x).as_vec();
        vec![x, g.get(&layer.gain).as_vec(), g.get(&layer.shift).as_vec()]
    });
}

fn look(lens: ValidLens<2, 3>) {
    let dev = Dev::seed_from_u64(4);
    let attention = DotProductAttention { dropout: 0.0 };
    let q: Plain<Rank3<2, 3, 12>> = dev.sample_normal();
    let k: Plain<Rank3<2, 5, 12>> = dev.sample_normal();
    let v: Plain<Rank3<2, 5, 12>> = dev.sample_normal();
    let seen = || Seen { keys: k.retaped(), values: v.retaped() };
    let queries = || q.leaky_trace();
    type Found = Attended<Rank3<2, 3, 12>, Rank4<2, 4, 3, 5>, OwnedTape<f32, Dev>>;
    let ours: Found =
        fused::look::<2, 3, 5, 12, 4, 3, _>(&attention, queries(), seen(), &lens);
    let theirs: Found =
        attention::look::<2, 3, 5, 12, 4, 3, _>(&attention, queries(), seen(), &lens);
    let (a, b) = (ours.weights.as_vec(), theirs.weights.as_vec());
    assert_close("weights", &a, &b);
    assert_same("look", ours.output, theirs.output, |g| {
        let (q, k, v) = (g.get(&q), g.get(&k), g.get(&v));
        vec![q.as_vec(), k.as_vec(), v.as_vec()]
    });
}

#[test]
fn look_with_each_kind_of_mask() {
    look(ValidLens::All);
    look(ValidLens::PerExample([2, 0]));
    look(ValidLens::PerQuery([[1, 2, 3], [5, 0, 4]]));
}

#[test]
fn embed() {
    let dev = Dev::seed_from_u64(5);
    let words: Embedding<6> = dev.sample_like(&(7, Const), rand_distr::StandardNormal);
    let positions: Positions<6> = PositionalEncoding::new(&dev, 0.0);
    let tokens = [[1, 1, 6], [0, 2, 1]];
    let tape = OwnedTape::<f32, Dev>::default;
    let ours = fused::embed(&tokens, &words, &positions, 4, tape());
    let theirs = words::embed(&tokens, &words, &positions, 4, tape());
    assert_same("embed", ours, theirs, |g| vec![g.get(&words).as_vec()]);
}

#[test]
fn losses() {
    let dev = Dev::seed_from_u64(6);
    let states: Plain<Rank3<3, 4, 5>> = dev.sample_normal();
    let normal = rand_distr::StandardNormal;
    let w = dev.sample_like(&(9, Const), normal);
    let b = dev.sample_like(&(9,), normal);
    let labels = [[1, 8, 0, 2], [3, 3, 4, 5], [0; 4]];
    let lens = [4, 2, 0];
    let states_there = states.leaky_trace();
    let ours = fused::losses(states.leaky_trace(), (&w, &b), &labels, &lens);
    let theirs = words::losses(states_there, (&w, &b), &labels, &lens);
    assert_same("losses", ours, theirs, |g| {
        let states = g.get(&states).as_vec();
        vec![states, g.get(&w).as_vec(), g.get(&b).as_vec()]
    });
}

/// With dropout the two draw different numbers, so that what holds of any
/// dropout is checked: the share that is dropped, that the rest is scaled, and
/// that the gradient is dropped where the value is.
#[test]
fn dropout() {
    let dev = Dev::seed_from_u64(7);
    let zeros: Plain<Rank3<20, 20, 50>> = dev.zeros();
    let ones: Plain<Rank3<20, 20, 50>> = dev.ones();
    let sum = fused::add(zeros.clone(), ones.leaky_trace(), 0.2);
    let values = sum.as_vec();
    let dropped = values.iter().filter(|x| **x == 0.0).count();
    let share = dropped as f32 / values.len() as f32;
    assert!((share - 0.2).abs() < 0.01, "{share}");
    assert!(values.iter().all(|x| *x == 0.0 || (x - 1.25).abs() < 1e-6));
    let gradient = sum.sum().backward().get(&ones).as_vec();
    assert_eq!(gradient, values);
    // Neighbours are dropped independently.
    let pairs = values.windows(2).filter(|x| **x == [0.0, 0.0]).count();
    let share = pairs as f32 / values.len() as f32;
    assert!((share - 0.04).abs() < 0.006, "{share}");
    let again = fused::add(zeros.clone(), ones.leaky_trace(), 0.2).as_vec();
    assert_ne!(values, again);
    let off = fused::add(zeros, ones.clone(), 0.2).as_vec();
    assert_eq!(off, ones.as_vec());
}
