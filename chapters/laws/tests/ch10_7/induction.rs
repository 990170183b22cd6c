//! Layers of attention alone: the same as blocks whose networks return nothing;
//! what counts in the loss; heads taken out; and the two measures of a map.

use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_7::induction::{
    AttentionOnly, D, HEADS, LEN, M, PART, PERIODS, Repetition, TOKENS, on_distance,
    on_successors, train_attention_only,
};
use ch10_7::{NormPosition, TransformerEncoder};
use dfdx::prelude::*;
use kernels::Dev;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::train::WORKERS;
use std::collections::BTreeSet;
use testing::{assert_all_move, close, largest_difference};

type Blocks = TransformerEncoder<M, HEADS, D, 8>;

fn drawn() -> [Repetition<LEN>; 2] {
    let mut rng = StdRng::seed_from_u64(5);
    std::array::from_fn(|_| Repetition::draw(&mut rng))
}

/// A model whose norms are not as at the start.
fn model(layers: usize) -> AttentionOnly {
    let dev = Dev::seed_from_u64(2);
    let mut model = AttentionOnly::new(&dev, layers);
    for layer in &mut model.layers {
        layer.residual.norm.gamma = dev.sample_uniform();
        layer.residual.norm.beta = dev.sample_uniform();
    }
    model.norm.beta = dev.sample_uniform();
    model
}

/// The encoder, which is compared with PyTorch's, with networks of zeros.
fn blocks(of: &AttentionOnly) -> Blocks {
    let dev = Dev::default();
    let mut blocks = Blocks::new(&dev, TOKENS, of.layers.len(), 0.0, NormPosition::Pre);
    blocks.embedding = of.embedding.clone();
    blocks.norm = Some(of.norm.clone());
    for (block, layer) in blocks.blocks.iter_mut().zip(&of.layers) {
        block.self_attention = layer.attention.clone();
        block.attention_residual = layer.residual.clone();
        let zeros = vec![0.0; block.feed_forward.count()];
        block.feed_forward.load_flat(&zeros);
    }
    blocks
}

#[test]
fn a_layer_is_a_block_whose_network_returns_nothing() {
    let (ours, tokens) = (model(2), drawn().map(|one| one.tokens));
    let theirs = blocks(&ours);
    let tape = OwnedTape::<f32, Dev>::default;
    let (rows, weights) = ours.forward(&tokens, tape());
    let (wanted, wanted_weights) = theirs.forward(&tokens, &Mask::causal(), tape());
    close(&rows.as_vec(), &wanted.as_vec(), 1e-6, "rows");
    for (weights, wanted) in weights.iter().zip(&wanted_weights) {
        close(&weights.as_vec(), &wanted.as_vec(), 1e-6, "weights");
    }
    let (found, wanted) =
        (rows.square().sum().backward(), wanted.square().sum().backward());
    for layer in 0..2 {
        let (ours, theirs) = (&ours.layers[layer], &theirs.blocks[layer]);
        let (a, b) = (&ours.attention, &theirs.self_attention);
        for (a, b) in [(&a.w_q, &b.w_q), (&a.w_k, &b.w_k), (&a.w_o, &b.w_o)] {
            let (a, b) = (found.get(&a.weight), wanted.get(&b.weight));
            close(&a.as_vec(), &b.as_vec(), 1e-4, "gradient of the attention");
        }
        let norms = (&ours.residual.norm.gamma, &theirs.attention_residual.norm.gamma);
        let (a, b) = (found.get(norms.0), wanted.get(norms.1));
        close(&a.as_vec(), &b.as_vec(), 1e-4, "gradient of the norm");
    }
}

/// Every token is there, so every vector learns.
#[test]
fn every_parameter_learns() {
    let (mut model, mut rng) = (model(2), StdRng::seed_from_u64(3));
    let all = [Repetition::random_with_period(TOKENS, &mut rng)];
    let gradient = model.flat_gradient(model.loss(&all).backward());
    assert_all_move(&mut model, &gradient);
}

#[test]
fn sequences_repeat_and_the_loss_counts_the_repeats() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut periods, mut firsts) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..200 {
        let Repetition { tokens, next, period } = Repetition::<LEN>::draw(&mut rng);
        periods.insert(period);
        firsts.insert(tokens[0]);
        assert_eq!(tokens[1..], next[..LEN - 1]);
        for i in 0..LEN {
            let seen = tokens[..i].contains(&tokens[i]);
            assert_eq!(seen, i >= period, "position {i}, period {period}");
            assert!(!seen || tokens[i - period] == tokens[i]);
        }
    }
    assert!(periods.into_iter().eq(PERIODS[0]..=PERIODS[1]));
    assert!(firsts.into_iter().eq(0..TOKENS));
    let (model, drawn) = (model(1), drawn());
    let (rows, _) = model.forward(&drawn.each_ref().map(|one| one.tokens), NoneTape);
    let logits = model.output.logits(rows).as_vec();
    let (mut sum, mut right) = (0.0, 0.0);
    for (sequence, logits) in drawn.iter().zip(logits.chunks(LEN * TOKENS)) {
        let share = 1.0 / (LEN - sequence.period) as f32;
        for i in sequence.period..LEN {
            let row = &logits[i * TOKENS..][..TOKENS];
            let all: f32 = row.iter().map(|x| x.exp()).sum();
            let ours = row[sequence.next[i]];
            sum += share * (all.ln() - ours);
            right += if row.iter().all(|x| *x <= ours) { share } else { 0.0 };
        }
    }
    close(&[model.loss(&drawn).array()], &[sum], 1e-4, "loss");
    let found = model.repeats(&drawn);
    let wanted = [sum / 2.0, right / 2.0];
    close(&[found.loss, found.right], &wanted, 1e-4, "repeats");
}

/// Without its heads a layer adds nothing; without one of them, what the other
/// finds is the same.
#[test]
fn a_head_that_is_taken_out_adds_nothing() {
    let (model, tokens) = (model(2), drawn().map(|one| one.tokens));
    let mut second = model.clone();
    second.layers.remove(0);
    let without = model.without(0, 0).without(0, 1);
    let [ours, wanted] = [without, second].map(|one| one.forward(&tokens, NoneTape).0);
    close(&ours.as_vec(), &wanted.as_vec(), 1e-6, "rows");
    let rows = |model: &AttentionOnly| {
        let x = model.embedding.forward(&tokens, 0, NoneTape);
        let after = model.layers[0].forward(x.clone()).output;
        (after - x).as_vec()
    };
    let both = rows(&model);
    let [a, b] = [0, 1].map(|head| rows(&model.without(0, head)));
    let sum: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    close(&both, &sum, 1e-5, "the heads together");
    assert!(a.iter().any(|x| x.abs() > 0.01) && b.iter().any(|x| x.abs() > 0.01));
}

/// What a head finds is 0 if its values are: the rows of its part of `w_v`.
#[test]
fn the_head_that_is_named_is_taken_out() {
    let (model, tokens) = (model(2), drawn().map(|one| one.tokens));
    for (layer, head) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let mut wanted = model.clone();
        let w_v = &mut wanted.layers[layer].attention.w_v.weight;
        let mut rows = w_v.array();
        rows[head * D..(head + 1) * D].fill([0.0; M]);
        *w_v = w_v.device().tensor(rows);
        let [found, wanted] = [model.without(layer, head), wanted]
            .map(|one| one.forward(&tokens, NoneTape).0.as_vec());
        close(&found, &wanted, 1e-5, &format!("layer {layer}, head {head}"));
    }
}

/// A training begins with the weights of its seed, and its first step is as long as
/// the schedule says: of one step, with a twentieth of the rate.
#[test]
fn a_training_uses_its_seed_and_its_rate() {
    let train = |seed| train_attention_only(2, 1, 0.01, seed, |_, _, _| {}).flatten();
    for seed in [3, 4] {
        let start = AttentionOnly::new(&Dev::seed_from_u64(seed), 2).flatten();
        let moved = largest_difference(&start, &train(seed));
        assert!((moved / 0.0005 - 1.0).abs() < 0.01, "{moved}");
    }
}

/// Without a rate the model stays as it was: the loss of a step is that of the
/// sequences that the seed draws.
#[test]
fn a_batch_is_drawn_by_the_seed() {
    let mut found = Vec::new();
    let model = train_attention_only(1, 1, 0.0, 7, |_, loss, _| found.push(loss));
    let mut rng = StdRng::seed_from_u64(7);
    let mut part =
        || -> [_; PART] { std::array::from_fn(|_| Repetition::draw(&mut rng)) };
    let sum: f32 = (0..WORKERS).map(|_| model.loss(&part()).array()).sum();
    close(&found, &[sum / (WORKERS * PART) as f32], 1e-4, "loss of a token");
}

#[test]
fn measures_of_maps_by_hand() {
    let map = [
        [1.0, 0.0, 0.0, 0.0],
        [0.6, 0.4, 0.0, 0.0],
        [0.1, 0.2, 0.7, 0.0],
        [0.0, 0.5, 0.2, 0.3],
    ];
    close(&[on_distance(&map, 0, 0..4)], &[0.6], 1e-6, "itself");
    close(&[on_distance(&map, 1, 1..4)], &[1.0 / 3.0], 1e-6, "one back");
    close(&[on_distance(&map, 2, 3..4)], &[0.5], 1e-6, "two back");
    // The third token is the first again, the last one all of them.
    close(&[on_successors(&map, &[7, 8, 7, 9])], &[0.2], 1e-6, "7 8 7 9");
    let mean = (0.4 + (0.2 + 0.7) + (0.5 + 0.2 + 0.3)) / 3.0;
    close(&[on_successors(&map, &[7, 7, 7, 7])], &[mean], 1e-6, "7 7 7 7");
    assert_eq!(on_successors(&map, &[1, 2, 3, 4]), 0.0);
}

#[test]
#[should_panic(expected = "2 back in 1..4")]
fn a_row_without_a_token_so_far_back_has_no_weight_there() {
    on_distance(&[[0.0; 4]; 4], 2, 1..4);
}
