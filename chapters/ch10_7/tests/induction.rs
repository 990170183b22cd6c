//! Two layers of attention that copy, on a seed other than the page's.

use ch10_3::Mask;
use ch10_7::induction::{
    AttentionOnly, HEADS, LEN, PERIODS, Repetition, on_distance, on_successors,
    train_attention_only,
};
use dfdx::prelude::*;
use rand::{SeedableRng, rngs::StdRng};
use std::cell::RefCell;

const ASKED: usize = 64;

fn asked(draw: impl Fn(&mut StdRng) -> Repetition<LEN>) -> [Repetition<LEN>; ASKED] {
    let mut rng = StdRng::seed_from_u64(7);
    std::array::from_fn(|_| draw(&mut rng))
}

/// For each head of a layer the mean of a measure.
fn heads(
    model: &AttentionOnly,
    layer: usize,
    measure: impl Fn(&[[f32; LEN]], &[usize; LEN]) -> f32,
) -> [f32; HEADS] {
    let tokens = asked(Repetition::draw).map(|one| one.tokens);
    let weights = model.forward(&tokens, NoneTape).1[layer].as_vec();
    let mut means = [0.0; HEADS];
    for (at, map) in weights.as_chunks::<LEN>().0.chunks(LEN).enumerate() {
        means[at % HEADS] += measure(map, &tokens[at / HEADS]) / ASKED as f32;
    }
    means
}

/// The share right if the queries, the keys or the values of the second layer
/// are made from the embedding alone.
fn reads_embedding(model: &AttentionOnly, which: usize) -> f32 {
    let asked = asked(Repetition::draw);
    let tokens = asked.each_ref().map(|one| one.tokens);
    let before = model.embedding.forward(&tokens, 0, NoneTape);
    let after = model.layers[0].forward(before.clone()).output;
    let second = &model.layers[1];
    let [q, k, v] = [0, 1, 2].map(|input| {
        let rows = if input == which { &before } else { &after };
        second.residual.norm.forward(rows.clone())
    });
    let found = second.attention.forward(q, k, v, &Mask::causal()).output;
    model.repeats_of(model.norm.forward(found + after), &asked).right
}

#[test]
fn two_layers_copy_suddenly_by_two_kinds_of_heads() {
    let shares = RefCell::new(Vec::new());
    let drawn = asked(Repetition::draw);
    let right = |model: &AttentionOnly| model.repeats(&drawn).right;
    let on_step = |step: usize, _, model: &AttentionOnly| {
        if step.is_multiple_of(50) {
            shares.borrow_mut().push(right(model));
        }
    };
    let model = train_attention_only(2, 600, 0.01, 40, on_step);
    let shares = shares.into_inner();
    assert!(shares[0] < 0.25 && shares[5] > 0.9, "{shares:?}");
    assert!(right(&model) > 0.99, "{}", right(&model));

    let first = 3..PERIODS[1] + 1;
    let back = heads(&model, 0, |map, _| on_distance(map, 1, first.clone()));
    let after = heads(&model, 1, on_successors);
    let largest = |heads: [f32; HEADS]| heads.into_iter().fold(0.0, f32::max);
    assert!(largest(back) > 0.35 && largest(after) > 0.9, "{back:?} {after:?}");
    let never = [
        heads(&model, 0, on_successors),
        heads(&model, 1, |map, _| on_distance(map, 1, first.clone())),
    ];
    assert!(never.map(largest).iter().all(|weight| *weight < 0.3), "{never:?}");

    for layer in 0..2 {
        let none = right(&model.without(layer, 0).without(layer, 1));
        assert!(none < 0.25, "without layer {layer}: {none}");
    }
    let [queries, keys, values] = [0, 1, 2].map(|which| reads_embedding(&model, which));
    assert!(keys < 0.25 && queries > 0.8 && values > 0.8, "{queries} {keys} {values}");

    let period = |period| asked(|rng| Repetition::random_with_period(period, rng));
    let longest = model.repeats(&period(26)).right;
    assert!(longest > 0.9, "{longest}");
}

#[test]
fn one_layer_does_not_in_four_times_the_steps_of_the_fall() {
    let model = train_attention_only(1, 1000, 0.01, 40, |_, _, _| ());
    let right = model.repeats(&asked(Repetition::draw)).right;
    assert!((0.1..0.4).contains(&right), "{right}");
}
