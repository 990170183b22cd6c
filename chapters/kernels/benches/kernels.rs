//! Each kernel against its definition, forward and backward, at d2l's sizes:
//! `cargo bench -p kernels`.

use criterion::{Criterion, criterion_group, criterion_main};
use dfdx::prelude::*;
use kernels::*;

/// Sentences of a batch, tokens of a sentence, width of a token.
const BATCH: usize = 64;
const STEPS: usize = 10;
const WIDTH: usize = 32;
/// Heads of attention and their width; width inside the feed-forward network.
const HEADS: usize = 4;
const HEAD: usize = WIDTH / HEADS;
const INNER: usize = 64;
/// Tokens of a vocabulary.
const VOCABULARY: usize = 200;
const DROPOUT: f32 = 0.1;
const EPSILON: f32 = 1e-5;

type Taped<S, T> = Tensor<S, f32, Dev, T>;
/// The tokens of a batch.
type Rows = Rank3<BATCH, STEPS, WIDTH>;

/// Forward and backward, by the kernel and by the definition. A macro, because
/// the expression has another type with each tape.
macro_rules! both {
    ($criterion:expr, $name:expr, $forward:expr $(,)?) => {
        one::<_, OwnedTape<f32, Dev>>($criterion, concat!($name, "/kernel"), $forward);
        one::<_, DefinitionTape>($criterion, concat!($name, "/definition"), $forward);
    };
}

fn one<S: Shape, T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>(
    criterion: &mut Criterion,
    name: &str,
    forward: impl Fn() -> Taped<S, T>,
) {
    let step = || onto_owned_tape(forward()).sum::<Rank0, _>().backward();
    criterion.bench_function(name, |bench| bench.iter(step));
}

fn normal<S: ConstShape>() -> Tensor<S, f32, Dev> {
    let dev = Dev::seed_from_u64(S::NUMEL as u64);
    dev.enable_cache();
    dev.sample_normal()
}

fn taped<S: Shape, T: Tape<f32, Dev>>(x: &Tensor<S, f32, Dev>) -> Taped<S, T> {
    x.retaped()
}

/// Half of a batch's sentences are shorter than the longest.
fn lens() -> [usize; BATCH] {
    std::array::from_fn(|b| STEPS - b % (STEPS / 2))
}

fn tokens() -> [[usize; STEPS]; BATCH] {
    std::array::from_fn(|b| std::array::from_fn(|s| (7 * b + s * s) % VOCABULARY))
}

fn allowed() -> Allowed {
    Allowed::Lens(lens().iter().flat_map(|&len| [len; STEPS]).collect())
}

/// 1 for each cell of the weights that is allowed, else 0.
fn cells() -> Tensor3<BATCH, STEPS, STEPS> {
    let lens = lens();
    let cell = |at: usize| f32::from(at % STEPS < lens[at / STEPS / STEPS]);
    let cells = (0..BATCH * STEPS * STEPS).map(cell).collect();
    normal::<Rank1<1>>().device().tensor_from_vec(cells, Default::default())
}

fn masked_softmax<S: Shape + ReduceShape<Last>, Last: Axes, T: Tape<f32, Dev>>(
    scores: Taped<S, T>,
    cells: Tensor<S, f32, Dev>,
) -> Taped<S, T> {
    let hidden = (cells.clone() - 1.0) * 1e9;
    (scores + hidden).softmax::<Last>() * cells
}

fn drop<S: ConstShape, T: Tape<f32, Dev>>(x: Taped<S, T>) -> Taped<S, T> {
    kernels::dropout(x, DROPOUT, |x, mask| x * mask)
}

/// x wᵀ, all rows in one multiplication.
fn project<const I: usize, const O: usize, T: Tape<f32, Dev>>(
    x: Taped<Rank3<BATCH, STEPS, I>, T>,
    weight: &Tensor2<O, I>,
) -> Taped<Rank3<BATCH, STEPS, O>, T> {
    let rows = x.reshape_like(&(BATCH * STEPS, Const::<I>));
    let rows = rows.matmul(weight.clone().permute::<Rank2<I, O>, _>());
    rows.reshape_like(&Default::default())
}

fn layers(criterion: &mut Criterion) {
    let x = normal::<Rows>();
    let weight = normal::<Rank2<WIDTH, WIDTH>>();
    both!(criterion, "linear", || {
        kernels::linear(taped(&x), &weight, None, |x| project(x, &weight))
    });
    let (w1, b1) = (normal::<Rank2<INNER, WIDTH>>(), normal::<Rank1<INNER>>());
    let (w2, b2) = (normal::<Rank2<WIDTH, INNER>>(), normal::<Rank1<WIDTH>>());
    both!(criterion, "feed_forward", || {
        kernels::feed_forward(taped(&x), (&w1, Some(&b1)), (&w2, Some(&b2)), |x| {
            let hidden =
                (project(x, &w1) + b1.clone().broadcast::<_, Axes2<0, 1>>()).relu();
            project(hidden, &w2) + b2.clone().broadcast()
        })
    });
    let (gamma, beta) = (normal::<Rank1<WIDTH>>(), normal::<Rank1<WIDTH>>());
    both!(criterion, "layer_norm", || {
        kernels::layer_norm(taped(&x), &gamma, &beta, EPSILON, |x, gamma, beta| {
            x.normalize::<Axis<2>>(EPSILON) * gamma.broadcast() + beta.broadcast()
        })
    });
    let y = normal::<Rows>();
    both!(criterion, "dropout", || drop(taped(&x)));
    both!(criterion, "dropout_add", || {
        kernels::dropout_add(x.clone(), taped(&y), DROPOUT, |x, y| drop(y) + x)
    });
}

fn attentions(criterion: &mut Criterion) {
    let [q, k, v] = [(); 3].map(|()| normal::<Rows>());
    let cells = cells();
    both!(criterion, "attention", || {
        let (output, _) = kernels::attention::<_, _, _, _, HEADS, HEAD, _>(
            taped(&q),
            taped(&k),
            taped(&v),
            allowed,
            DROPOUT,
            |q, k, v| {
                type Split = Rank4<BATCH, STEPS, HEADS, HEAD>;
                type Heads = Rank4<BATCH, HEADS, STEPS, HEAD>;
                let q = q.reshape::<Split>().permute::<Heads, Axes4<0, 2, 1, 3>>();
                let k = k.reshape::<Split>();
                let k =
                    k.permute::<Rank4<BATCH, HEADS, HEAD, STEPS>, Axes4<0, 2, 3, 1>>();
                let v = v.reshape::<Split>().permute::<Heads, Axes4<0, 2, 1, 3>>();
                let cells = cells.clone().broadcast::<_, Axis<1>>();
                let scores = q.matmul(k) / (HEAD as f32).sqrt();
                let weights = masked_softmax::<_, Axis<3>, _>(scores, cells);
                let (weights, tape) = weights.split_tape();
                let output = drop(weights.clone().put_tape(tape)).matmul(v);
                let output = output.permute::<Split, Axes4<0, 2, 1, 3>>();
                (output.reshape::<Rows>(), weights)
            },
        );
        output
    });
    let w_v = normal::<Rank1<WIDTH>>();
    both!(criterion, "additive_attention", || {
        let (output, _) = kernels::additive_attention(
            taped(&q),
            taped(&k),
            taped(&v),
            &w_v,
            allowed,
            DROPOUT,
            |q, k, v| {
                type Pairs = Rank4<BATCH, STEPS, STEPS, WIDTH>;
                let sum =
                    q.broadcast::<Pairs, Axis<2>>() + k.broadcast::<Pairs, Axis<1>>();
                let w_v = w_v.clone();
                let w_v =
                    w_v.broadcast::<Rank4<BATCH, STEPS, WIDTH, 1>, Axes3<0, 1, 3>>();
                let scores = sum.tanh().matmul(w_v).reshape();
                let weights = masked_softmax::<_, Axis<2>, _>(scores, cells.clone());
                let (weights, tape) = weights.split_tape();
                (drop(weights.clone().put_tape(tape)).matmul(v), weights)
            },
        );
        output
    });
}

fn ends(criterion: &mut Criterion) {
    let (tokens, lens) = (tokens(), lens());
    let weight: Matrix<WIDTH> =
        normal::<Rank2<VOCABULARY, WIDTH>>().reshape_like(&(VOCABULARY, Const));
    let dev = weight.device().clone();
    both!(criterion, "embedding", || {
        kernels::embedding(&tokens, &weight, Default::default(), |weight| {
            weight.gather(dev.tensor(tokens))
        })
    });
    let positions = normal::<Rank2<STEPS, WIDTH>>();
    both!(criterion, "embedding_with_positions", || {
        let (scale, tape) = ((WIDTH as f32).sqrt(), Default::default());
        kernels::embedding_with_positions(
            &tokens,
            &weight,
            scale,
            &positions,
            DROPOUT,
            tape,
            |weight| {
                let x: Taped<Rows, _> = weight.gather(dev.tensor(tokens)) * scale;
                drop(x + positions.clone().broadcast())
            },
        )
    });
    let x = normal::<Rows>();
    let bias: Row = normal::<Rank1<VOCABULARY>>().reshape_like(&(VOCABULARY,));
    both!(criterion, "cross_entropy", || {
        let counts = |b: usize, s: usize| s < lens[b];
        kernels::cross_entropy(taped(&x), &weight, &bias, &tokens, counts, |x| {
            let x = x.reshape_like(&(BATCH * STEPS, Const::<WIDTH>));
            let logits = x.matmul(weight.clone().permute::<(Const<WIDTH>, usize), _>());
            let shape = (Const::<BATCH>, Const::<STEPS>, VOCABULARY);
            let logits = logits.reshape_like(&shape);
            let logits = logits + bias.clone().broadcast_like(&shape);
            let (logits, tape) = logits.split_tape();
            let labels = dev.tensor(tokens);
            let label: Taped<Rank2<BATCH, STEPS>, _> =
                logits.clone().put_tape(tape).select(labels);
            let (label, tape) = label.split_tape();
            let all = logits.put_tape(tape).logsumexp::<_, Axis<2>>();
            let counts: [[f32; STEPS]; BATCH] = std::array::from_fn(|b| {
                std::array::from_fn(|s| f32::from(counts(b, s)))
            });
            (all - label) * dev.tensor(counts)
        })
    });
}

/// A layer of gated recurrent units has all steps on the first axis.
fn recurrent(criterion: &mut Criterion) {
    let x = normal::<Rank3<STEPS, BATCH, WIDTH>>();
    let w = normal::<Rank3<3, WIDTH, WIDTH>>();
    both!(criterion, "gate_preactivations", || {
        kernels::gate_preactivations(taped(&x), &w, |x| {
            let w = w.clone().permute::<Rank3<3, WIDTH, WIDTH>, Axes3<0, 2, 1>>();
            let w = w.broadcast::<Rank4<STEPS, 3, WIDTH, WIDTH>, _>();
            x.broadcast::<Rank4<STEPS, 3, BATCH, WIDTH>, _>().matmul(w)
        })
    });
    let all = normal::<Rank4<STEPS, 3, BATCH, WIDTH>>();
    both!(criterion, "unbind", || {
        let (steps, mut tape) = kernels::unbind(taped(&all), |x| {
            let (x, mut tape) = x.split_tape();
            let steps = std::array::from_fn(|s| {
                let all = x.clone().put_tape(std::mem::take(&mut tape));
                let step;
                (step, tape) = all.select(x.device().tensor(s)).split_tape();
                step
            });
            (steps, tape)
        });
        steps.map(|step| step.put_tape(std::mem::take(&mut tape))).stack()
    });
    let [from_x, from_h] = [(); 2].map(|()| normal::<Rank3<3, BATCH, WIDTH>>());
    let [b_ih, b_hh] = [(); 2].map(|()| normal::<Rank2<3, WIDTH>>());
    let h = normal::<Rank2<BATCH, WIDTH>>();
    both!(criterion, "gru_gates", || {
        kernels::gru_gates(&from_x, taped(&from_h), &b_ih, &b_hh, &h, |from_h| {
            let from_x = taped(&from_x) + b_ih.clone().broadcast();
            let [x_r, x_z, x_n] = each_gate(from_x);
            let [h_r, h_z, h_n] = each_gate(from_h + b_hh.clone().broadcast());
            let r = (x_r + h_r).sigmoid();
            let z = (x_z + h_z).sigmoid();
            let (n, tape) = (r * h_n + x_n).tanh().split_tape();
            z * (h.clone().put_tape(tape) - n.clone()) + n
        })
    });
}

fn each_gate<T: Tape<f32, Dev>>(
    x: Taped<Rank3<3, BATCH, WIDTH>, T>,
) -> [Taped<Rank2<BATCH, WIDTH>, T>; 3] {
    let (x, mut tape) = x.split_tape();
    [0, 1, 2].map(|gate| {
        let all = x.clone().put_tape(std::mem::take(&mut tape));
        all.select(x.device().tensor(gate))
    })
}

criterion_group!(all, layers, attentions, ends, recurrent);
criterion_main!(all);
