//! Layers that treat each row by itself, and the two ends of a model.

use crate::{Run, Taped, check, taped, tensor};
use dfdx::prelude::*;
use kernels::{Dev, Matrix, Row, Tensor1, Tensor2, Tensor3};

/// x wᵀ.
fn rows_times<
    const B: usize,
    const S: usize,
    const I: usize,
    const O: usize,
    T: Tape<f32, Dev>,
>(
    x: Taped<Rank3<B, S, I>, T>,
    weight: &Tensor2<O, I>,
) -> Taped<Rank3<B, S, O>, T> {
    x.matmul(weight.clone().permute::<Rank2<I, O>, _>())
}

fn linear<const B: usize, const S: usize, const I: usize, const O: usize>(seed: u64) {
    let what = format!("linear {B} {S} {I} {O}");
    check!(&what, seed, &[B * S * I, O * I], |dev, inputs, ran| {
        let x: Tensor3<B, S, I> = tensor(dev, &inputs[0]);
        let weight: Tensor2<O, I> = tensor(dev, &inputs[1]);
        let y = kernels::linear(x.retaped(), &weight, None, |x| {
            ran.set(true);
            rows_times(x, &weight)
        });
        Run::new(y, vec![], |g| vec![g.get(&x).as_vec(), g.get(&weight).as_vec()])
    });
    let what = format!("{what} and a bias");
    check!(&what, seed, &[B * S * I, O * I, O], |dev, inputs, ran| {
        let x: Tensor3<B, S, I> = tensor(dev, &inputs[0]);
        let weight: Tensor2<O, I> = tensor(dev, &inputs[1]);
        let bias: Tensor1<O> = tensor(dev, &inputs[2]);
        let y = kernels::linear(x.retaped(), &weight, Some(&bias), |x| {
            ran.set(true);
            rows_times(x, &weight) + bias.clone().broadcast()
        });
        Run::new(y, vec![], |g| {
            let of_layer = [g.get(&weight).as_vec(), g.get(&bias).as_vec()];
            [vec![g.get(&x).as_vec()], of_layer.to_vec()].concat()
        })
    });
}

#[test]
fn linear_is_its_definition() {
    for seed in 0..3 {
        linear::<1, 1, 3, 5>(seed);
        linear::<9, 11, 33, 20>(seed);
    }
}

/// As padding among the tokens of a batch.
#[test]
fn rows_without_a_gradient_may_stand_anywhere() {
    for seed in 0..3 {
        check!("linear and padding", seed, &[40, 12, 3], |dev, inputs, ran| {
            let x: Tensor3<2, 5, 4> = tensor(dev, &inputs[0]);
            let weight: Tensor2<3, 4> = tensor(dev, &inputs[1]);
            let bias: Tensor1<3> = tensor(dev, &inputs[2]);
            let y = kernels::linear(x.retaped(), &weight, Some(&bias), |x| {
                ran.set(true);
                rows_times(x, &weight) + bias.clone().broadcast()
            });
            let counts: [[[f32; 3]; 5]; 2] = std::array::from_fn(|b| {
                std::array::from_fn(|s| [f32::from((b + s) % 3 != 1); 3])
            });
            Run::new(y * dev.tensor(counts), vec![], |g| {
                let of_layer = [g.get(&weight).as_vec(), g.get(&bias).as_vec()];
                [vec![g.get(&x).as_vec()], of_layer.to_vec()].concat()
            })
        });
    }
    // Equal numbers are a gradient, too.
    let dev = Dev::default();
    let (x, weight): (Tensor3<1, 1, 4>, Tensor2<2, 4>) = (dev.ones(), dev.ones());
    let y = kernels::linear(x.leaky_trace(), &weight, None, |_| unreachable!());
    let gradients = y.sum::<Rank0, _>().backward();
    assert_eq!(gradients.get(&x).as_vec(), [2.0; 4]);
}

fn feed_forward<
    const B: usize,
    const S: usize,
    const M: usize,
    const F: usize,
    const O: usize,
>(
    seed: u64,
) {
    let sizes = [B * S * M, F * M, F, O * F, O];
    check!(
        &format!("feed forward {B} {S} {M} {F} {O}"),
        seed,
        &sizes,
        |dev, i, ran| {
            let x: Tensor3<B, S, M> = tensor(dev, &i[0]);
            let (w1, b1): (Tensor2<F, M>, Tensor1<F>) =
                (tensor(dev, &i[1]), tensor(dev, &i[2]));
            let (w2, b2): (Tensor2<O, F>, Tensor1<O>) =
                (tensor(dev, &i[3]), tensor(dev, &i[4]));
            let (first, second) = ((&w1, Some(&b1)), (&w2, Some(&b2)));
            let y = kernels::feed_forward(x.retaped(), first, second, |x| {
                ran.set(true);
                let hidden = (rows_times(x, &w1) + b1.clone().broadcast()).relu();
                rows_times(hidden, &w2) + b2.clone().broadcast()
            });
            Run::new(y, vec![], |g| {
                let (w1, b1) = (g.get(&w1).as_vec(), g.get(&b1).as_vec());
                vec![
                    g.get(&x).as_vec(),
                    w1,
                    b1,
                    g.get(&w2).as_vec(),
                    g.get(&b2).as_vec(),
                ]
            })
        }
    );
}

#[test]
fn feed_forward_is_its_definition() {
    for seed in 0..3 {
        feed_forward::<1, 1, 3, 5, 2>(seed);
        feed_forward::<7, 10, 5, 33, 9>(seed);
    }
}

fn layer_norm<const B: usize, const S: usize, const M: usize>(seed: u64) {
    let what = format!("layer norm {B} {S} {M}");
    check!(&what, seed, &[B * S * M, M, M], |dev, inputs, ran| {
        let x: Tensor3<B, S, M> = tensor(dev, &inputs[0]);
        let gamma: Tensor1<M> = tensor(dev, &inputs[1]);
        let beta: Tensor1<M> = tensor(dev, &inputs[2]);
        let y =
            kernels::layer_norm(x.retaped(), &gamma, &beta, 1e-5, |x, gamma, beta| {
                ran.set(true);
                x.normalize::<Axis<2>>(1e-5) * gamma.broadcast() + beta.broadcast()
            });
        Run::new(y, vec![], |g| {
            vec![g.get(&x).as_vec(), g.get(&gamma).as_vec(), g.get(&beta).as_vec()]
        })
    });
}

#[test]
fn layer_norm_is_its_definition() {
    for seed in 0..3 {
        layer_norm::<1, 1, 5>(seed);
        layer_norm::<2, 7, 19>(seed);
    }
}

fn dropout<const B: usize, const S: usize, const M: usize>(seed: u64, p: f32) {
    let size = B * S * M;
    check!(&format!("dropout {B} {S} {M}"), seed, &[size], |dev, inputs, ran| {
        let x: Tensor3<B, S, M> = tensor(dev, &inputs[0]);
        let y = kernels::dropout(x.retaped(), p, |x, mask| {
            ran.set(true);
            x * mask
        });
        Run::new(y, vec![], |g| vec![g.get(&x).as_vec()])
    });
    for p in [0.0, p] {
        let what = format!("sum with dropout {p}, {B} {S} {M}");
        check!(&what, seed, &[size, size], |dev, inputs, ran| {
            let x: Tensor3<B, S, M> = tensor(dev, &inputs[0]);
            let y: Tensor3<B, S, M> = tensor(dev, &inputs[1]);
            let sum = kernels::dropout_add(x.clone(), y.retaped(), p, |x, y| {
                ran.set(true);
                kernels::dropout(y, p, |y, mask| y * mask) + x
            });
            Run::new(sum, vec![], |g| vec![g.get(&x).as_vec(), g.get(&y).as_vec()])
        });
    }
    check!(&format!("sum, {B} {S} {M}"), seed, &[size, size], |dev, inputs, ran| {
        let x: Tensor3<B, S, M> = tensor(dev, &inputs[0]);
        let y: Tensor3<B, S, M> = tensor(dev, &inputs[1]);
        let sum = kernels::add(x.clone(), y.retaped(), |x, y| {
            ran.set(true);
            y + x
        });
        Run::new(sum, vec![], |g| vec![g.get(&x).as_vec(), g.get(&y).as_vec()])
    });
}

#[test]
fn dropout_is_its_definition() {
    for seed in 0..3 {
        dropout::<1, 1, 5>(seed, 0.1);
        dropout::<2, 7, 19>(seed, 0.9);
    }
}

/// A number is dropped where a hash of the seed and its position, as a share
/// of 2^32, is below p. The hash is "lowbias32", here in 64 bits.
#[test]
fn a_mask_is_a_hash_of_the_seed_and_the_position() {
    let hash = |mut x: u64| {
        for (shift, factor) in [(16, 0x7feb_352d), (15, 0x846c_a68b), (16, 1)] {
            x = ((x ^ (x >> shift)) * factor) & 0xffff_ffff;
        }
        x
    };
    for s in 0..3 {
        let (dev, same) = (Dev::seed_from_u64(s), Dev::seed_from_u64(s));
        let seed: Tensor<Rank1<1>, u32, Dev> = same.sample(rand_distr::Standard);
        let mask = kernels::dropout_mask::<Rank1<5000>>(&dev, 0.25).as_vec();
        for (n, factor) in (0..).zip(mask) {
            let random = hash(u64::from(seed.array()[0]) ^ hash(n));
            assert_eq!(factor == 0.0, random < (1 << 30) - 1, "seed {s}, {n}");
        }
    }
}

#[test]
fn a_mask_drops_its_share_and_scales_the_rest() {
    let dev = Dev::seed_from_u64(5);
    for p in [0.1, 0.25, 0.5, 0.9] {
        let mask = kernels::dropout_mask::<Rank2<300, 400>>(&dev, p);
        let mask = mask.as_vec();
        let dropped = mask.iter().filter(|x| **x == 0.0).count() as f32 / 120_000.0;
        // Four standard deviations.
        assert!((dropped - p).abs() < 4.0 * (p * (1.0 - p) / 120_000.0).sqrt(), "{p}");
        assert!(mask.iter().all(|x| *x == 0.0 || *x == 1.0 / (1.0 - p)), "{p}");
        // Neighbours are independent of each other: along rows and columns.
        for distance in [1, 2, 400] {
            let pairs = mask.iter().zip(&mask[distance..]);
            let both = pairs.filter(|(a, b)| **a == 0.0 && **b == 0.0).count() as f32;
            let share = both / (120_000 - distance) as f32;
            assert!((share - p * p).abs() < 0.01, "{p} at {distance}: {share}");
        }
    }
}

#[test]
fn a_seed_gives_one_mask_and_the_next_another() {
    let mask = |dev: &Dev| kernels::dropout_mask::<Rank1<500>>(dev, 0.5).as_vec();
    let dev = Dev::seed_from_u64(6);
    let first = mask(&dev);
    assert_eq!(first, mask(&Dev::seed_from_u64(6)));
    assert_ne!(first, mask(&dev));
}

#[test]
fn without_a_tape_or_with_p_0_nothing_is_dropped() {
    let dev = Dev::seed_from_u64(7);
    let x: Tensor2<20, 30> = dev.sample_normal();
    let y = kernels::dropout(x.clone(), 0.5, |x, mask| x * mask);
    assert_eq!(y.as_vec(), x.as_vec());
    let y = kernels::dropout(x.leaky_trace(), 0.0, |x, mask| x * mask);
    assert_eq!(y.as_vec(), x.as_vec());
}

#[test]
#[should_panic(expected = "dropout must be at least 0 and below 1, not 1")]
fn all_cannot_be_dropped() {
    kernels::dropout_mask::<Rank1<3>>(&Dev::default(), 1.0);
}

/// How many tokens the vocabulary of these tests has.
const VOCABULARY: usize = 13;

/// Numbers below `VOCABULARY`, some of them often.
fn tokens<const A: usize, const N: usize>(seed: u64) -> [[usize; N]; A] {
    let token = |at: usize| (at * at + 7 * seed as usize) % VOCABULARY;
    std::array::from_fn(|a| std::array::from_fn(|n| token(a * N + n)))
}

fn embedding<const A: usize, const N: usize, const E: usize>(seed: u64) {
    let tokens = tokens::<A, N>(seed);
    check!(
        &format!("embedding {A} {N} {E}"),
        seed,
        &[VOCABULARY * E],
        |dev, i, ran| {
            let weight: Matrix<E> =
                dev.tensor_from_vec(i[0].clone(), (VOCABULARY, Const));
            let tape = Default::default();
            let x = kernels::embedding(&tokens, &weight, tape, |weight| {
                ran.set(true);
                weight.gather(dev.tensor(tokens))
            });
            Run::new(x, vec![], |g| vec![g.get(&weight).as_vec()])
        }
    );
    for p in [0.0, 0.3] {
        let what = format!("positions, dropout {p}, {A} {N} {E}");
        check!(&what, seed, &[VOCABULARY * E], |dev, i, ran| {
            let weight: Matrix<E> =
                dev.tensor_from_vec(i[0].clone(), (VOCABULARY, Const));
            let positions: Tensor2<N, E> = Dev::seed_from_u64(8).sample_normal();
            let (tape, scale) = (Default::default(), 1.7);
            let definition = |weight: Matrix<E, _>| {
                ran.set(true);
                let x: Tensor3<A, N, E, _> = weight.gather(dev.tensor(tokens));
                let x = x * scale + positions.clone().broadcast();
                kernels::dropout(x, p, |x, mask| x * mask)
            };
            let x = kernels::embedding_with_positions(
                &tokens, &weight, scale, &positions, p, tape, definition,
            );
            Run::new(x, vec![], |g| vec![g.get(&weight).as_vec()])
        });
    }
}

#[test]
fn embedding_is_its_definition() {
    for seed in 0..3 {
        embedding::<1, 1, 5>(seed);
        embedding::<2, 9, 31>(seed);
    }
}

#[test]
#[should_panic(expected = "token 13 is not in a vocabulary of 13")]
fn a_token_must_be_in_the_vocabulary() {
    let dev = Dev::default();
    let weight: Matrix<4> = dev.zeros_like(&(VOCABULARY, Const));
    kernels::embedding(&[[1, VOCABULARY]], &weight, NoneTape, |_| unreachable!());
}

fn cross_entropy<const A: usize, const N: usize, const M: usize>(
    seed: u64,
    counts: impl Fn(usize, usize) -> bool,
) {
    let labels = tokens::<A, N>(seed);
    let sizes = [A * N * M, VOCABULARY * M, VOCABULARY];
    check!(&format!("cross-entropy {A} {N} {M}"), seed, &sizes, |dev, i, ran| {
        let x: Tensor3<A, N, M> = tensor(dev, &i[0]);
        let weight: Matrix<M> = dev.tensor_from_vec(i[1].clone(), (VOCABULARY, Const));
        let bias: Row = dev.tensor_from_vec(i[2].clone(), (VOCABULARY,));
        let traced = x.retaped();
        let losses =
            kernels::cross_entropy(traced, &weight, &bias, &labels, &counts, |x| {
                ran.set(true);
                let logits = x.matmul(weight.clone().permute::<(Const<M>, usize), _>());
                let shape = *logits.shape();
                let logits = logits + bias.clone().broadcast_like(&shape);
                let (logits, tape) = logits.split_tape();
                let label: Tensor2<A, N, _> =
                    logits.clone().put_tape(tape).select(dev.tensor(labels));
                let all: Tensor2<A, N, _> = taped(&logits).logsumexp::<_, Axis<2>>();
                let counts: [[f32; N]; A] = std::array::from_fn(|a| {
                    std::array::from_fn(|n| f32::from(counts(a, n)))
                });
                (all - label) * dev.tensor(counts)
            });
        Run::new(losses, vec![], |g| {
            vec![g.get(&x).as_vec(), g.get(&weight).as_vec(), g.get(&bias).as_vec()]
        })
    });
}

#[test]
fn cross_entropy_is_its_definition() {
    for seed in 0..3 {
        cross_entropy::<1, 1, 5>(seed, |_, _| true);
        cross_entropy::<2, 9, 31>(seed, |a, n| (a + n) % 3 != 0);
    }
}

/// As where a batch is all padding.
#[test]
fn where_no_row_counts_losses_and_gradients_are_0() {
    let dev = Dev::seed_from_u64(9);
    let x: Tensor3<2, 3, 4> = dev.sample_normal();
    let weight: Matrix<4> = dev.sample_normal_like(&(VOCABULARY, Const));
    let bias: Row = dev.sample_normal_like(&(VOCABULARY,));
    let labels = [[VOCABULARY + 1; 3]; 2];
    let losses = kernels::cross_entropy(
        x.leaky_trace(),
        &weight,
        &bias,
        &labels,
        |_, _| false,
        |_| unreachable!(),
    );
    assert_eq!(losses.as_vec(), [0.0; 6]);
    let g = losses.sum::<Rank0, _>().backward();
    assert!(g.get(&x).as_vec().iter().all(|d| *d == 0.0));
    assert!(g.get(&weight).as_vec().iter().all(|d| *d == 0.0));
}
