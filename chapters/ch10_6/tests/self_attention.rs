//! Self-attention of section 10.6: shapes, lengths, what an order means to
//! it, and its gradients.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_5::MultiHeadAttention;
use ch10_6::{PositionalEncoding, SelfAttention, self_attend};
use dfdx::optim::{Adam, AdamConfig};
use dfdx::prelude::*;

type Plain<S> = Tensor<S, f32, Dev>;

/// Two heads of 3 over sequences of five rows of width 6.
type Layer = MultiHeadAttention<6, 6, 6, 2, 3, 6>;

const S: usize = 5;

fn close(got: &[f32], expected: &[f32], tolerance: f32, what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "{what} {i}: {a}, not {b}");
    }
}

#[test]
fn it_is_the_layer_given_one_tensor_three_times() {
    let dev = Dev::seed_from_u64(1);
    let layer = Layer::new(&dev, 0.0);
    let x: Plain<Rank3<2, S, 6>> = dev.sample_normal();
    let lens = ValidLens::PerExample([3, 5]);
    let a = self_attend(&layer, x.clone(), &lens);
    let b = layer.forward(x.clone(), x.clone(), x, &lens);
    assert_eq!(a.output.as_vec(), b.output.as_vec());
    assert_eq!(a.weights.as_vec(), b.weights.as_vec());
}

// --- Order ------------------------------------------------------------------

/// All orders of five rows.
fn orders() -> Vec<[usize; S]> {
    let mut all = Vec::new();
    for n in 0..S.pow(S as u32) {
        let order: [usize; S] = std::array::from_fn(|i| n / S.pow(i as u32) % S);
        if (0..S).all(|i| order.contains(&i)) {
            all.push(order);
        }
    }
    assert_eq!(all.len(), 120);
    all
}

fn reordered<const M: usize>(x: &[[f32; M]; S], order: &[usize; S]) -> [[f32; M]; S] {
    order.map(|i| x[i])
}

/// Rows in another order come out in that order, and are the same rows.
#[test]
fn it_is_equivariant_under_all_permutations() {
    let dev = Dev::seed_from_u64(2);
    let layer = Layer::new(&dev, 0.0);
    let x: Plain<Rank3<1, S, 6>> = dev.sample_normal();
    let usual = self_attend(&layer, x.clone(), &ValidLens::All);
    let usual = usual.output.array()[0];
    for order in orders() {
        let turned = dev.tensor([reordered(&x.array()[0], &order)]);
        let got = self_attend(&layer, turned, &ValidLens::All).output.as_vec();
        let expected = reordered(&usual, &order);
        close(&got, expected.as_flattened(), 1e-6, &format!("{order:?}"));
    }
}

/// With positions every order but the first one changes some row by much.
#[test]
fn positions_break_the_equivariance() {
    let dev = Dev::seed_from_u64(2);
    let layer = Layer::new(&dev, 0.0);
    let encoding: PositionalEncoding<S, 6> = PositionalEncoding::new(&dev, 0.0);
    let x: Plain<Rank3<1, S, 6>> = dev.sample_normal();
    let placed = |x| self_attend(&layer, encoding.forward(x), &ValidLens::All);
    let usual = placed(x.clone()).output.array()[0];
    for order in orders() {
        let turned = dev.tensor([reordered(&x.array()[0], &order)]);
        let got = placed(turned).output.array()[0];
        let expected = reordered(&usual, &order);
        let pairs = got.as_flattened().iter().zip(expected.as_flattened());
        let most = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert_eq!(most > 0.01, order != [0, 1, 2, 3, 4], "{order:?} {most}");
    }
}

/// Lengths per query break it, too: a row that sees only what came before
/// knows something of its place.
#[test]
fn causal_lengths_break_it_as_well() {
    let dev = Dev::seed_from_u64(3);
    let layer = Layer::new(&dev, 0.0);
    let x: Plain<Rank3<1, S, 6>> = dev.sample_normal();
    let causal = |x| self_attend(&layer, x, &ValidLens::causal()).output;
    let usual = causal(x.clone()).array()[0];
    let mut rows = x.array();
    rows[0].reverse();
    let turned = causal(dev.tensor(rows)).array()[0];
    let pairs = turned[4].iter().zip(&usual[0]);
    assert!(pairs.map(|(a, b)| (a - b).abs()).sum::<f32>() > 0.1);
}

// --- One head ---------------------------------------------------------------

#[test]
fn padding_changes_nothing() {
    let dev = Dev::seed_from_u64(4);
    let layer: SelfAttention<128, 64> = SelfAttention::new(&dev);
    let lens = [7, 10, 4];
    let valid = ValidLens::PerExample(lens);
    let x: Plain<Rank3<3, 10, 128>> = dev.sample_normal();
    let usual = layer.forward(x.clone(), &valid);
    let mut rows = x.array();
    for (rows, len) in rows.iter_mut().zip(lens) {
        for row in &mut rows[len..] {
            row.fill(1e3);
        }
    }
    let other = layer.forward(dev.tensor(rows), &valid).output.array();
    let weights = usual.weights.array();
    for (b, rows) in usual.output.array().iter().enumerate() {
        assert_eq!(rows[..lens[b]], other[b][..lens[b]], "example {b}");
        for row in &weights[b] {
            assert!(row[lens[b]..].iter().all(|&weight| weight == 0.0));
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }
    // And without lengths it would change much.
    let mut rows = x.array();
    rows[0][9].fill(1e3);
    let without = layer.forward(x, &ValidLens::All).output.array();
    let other = layer.forward(dev.tensor(rows), &ValidLens::All);
    assert_ne!(without[0][0], other.output.array()[0][0]);
}

/// The layer, with every sum written as a loop.
#[test]
fn one_head_agrees_with_plain_loops() {
    let dev = Dev::seed_from_u64(5);
    let layer: SelfAttention<4, 3> = SelfAttention::new(&dev);
    let x: Plain<Rank3<2, S, 4>> = dev.sample_normal();
    let got = layer.forward(x.clone(), &ValidLens::PerExample([2, 5]));
    let (got, x) = (got.output.array(), x.array());
    let project = |w: &Plain<Rank2<3, 4>>, row: &[f32; 4]| -> [f64; 3] {
        w.array().map(|w| w.iter().zip(row).map(|(w, x)| f64::from(w * x)).sum::<f64>())
    };
    for (b, len) in [2, 5].into_iter().enumerate() {
        for i in 0..S {
            let query = project(&layer.w_q.weight, &x[b][i]);
            let mut sum = 0.0;
            let mut expected = [0.0; 3];
            for row in &x[b][..len] {
                let key = project(&layer.w_k.weight, row);
                let value = project(&layer.w_v.weight, row);
                let dot: f64 = query.iter().zip(key).map(|(a, b)| a * b).sum();
                let weight = (dot / 3f64.sqrt()).exp();
                sum += weight;
                (0..3).for_each(|m| expected[m] += weight * value[m]);
            }
            let expected = expected.map(|e| (e / sum) as f32);
            close(&got[b][i], &expected, 1e-5, &format!("{b} {i}"));
        }
    }
}

#[test]
fn every_parameter_moves_and_the_layer_learns() {
    let dev = Dev::seed_from_u64(6);
    let mut layer: SelfAttention<4, 4> = SelfAttention::new(&dev);
    assert_eq!(layer.num_trainable_params(), 3 * 4 * 4);
    let start = layer.clone();
    let x: Plain<Rank3<8, S, 4>> = dev.sample_normal();
    // Each row is to become the largest of its sequence, column by column.
    let most: Plain<Rank2<8, 4>> = x.clone().max::<_, Axis<1>>();
    let most: Plain<Rank3<8, S, 4>> = most.broadcast();
    let config = AdamConfig { lr: 0.02, ..Default::default() };
    let mut adam = Adam::new(&layer, config);
    let mut losses = Vec::new();
    for _ in 0..150 {
        let traced = x.trace(layer.alloc_grads());
        let got = layer.forward(traced, &ValidLens::All);
        let loss = (got.output - most.clone()).square().mean();
        losses.push(loss.array());
        adam.update(&mut layer, &loss.backward()).expect("all are used");
    }
    let last = losses[losses.len() - 1];
    assert!(last < 0.5 * losses[0], "{} to {last}", losses[0]);
    let moved = |a: &Plain<Rank2<4, 4>>, b: &Plain<Rank2<4, 4>>| {
        let (a, b) = (a.as_vec(), b.as_vec());
        a.iter().zip(&b).all(|(a, b)| a != b)
    };
    assert!(moved(&start.w_q.weight, &layer.w_q.weight));
    assert!(moved(&start.w_k.weight, &layer.w_k.weight));
    assert!(moved(&start.w_v.weight, &layer.w_v.weight));
}

/// The gradient of a tensor in three roles is the sum of three.
#[test]
fn gradients_agree_with_differences() {
    let dev = Dev::seed_from_u64(7);
    let layer = Layer::new(&dev, 0.0);
    let encoding: PositionalEncoding<9, 6> = PositionalEncoding::new(&dev, 0.0);
    let x: Plain<Rank3<2, S, 6>> = dev.sample_normal();
    let along: Plain<Rank3<2, S, 6>> = dev.sample_normal();
    let lens = ValidLens::PerExample([3, 5]);
    let traced = encoding.forward(x.leaky_trace());
    let got = self_attend(&layer, traced, &lens);
    let grads = got.output.square().mean().backward();
    let slope: f32 = (grads.get(&x) * along.clone()).sum::<Rank0, _>().array();
    let loss = |step: f32| -> f32 {
        let x = encoding.forward(x.clone() + along.clone() * step);
        let got = self_attend(&layer, x, &lens);
        got.output.square().mean::<Rank0, _>().array()
    };
    let step = 1e-2;
    let difference = (loss(step) - loss(-step)) / (2.0 * step);
    assert!((slope - difference).abs() < 1e-4, "{slope}, {difference}");
}
