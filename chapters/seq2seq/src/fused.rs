//! Interlude, the same in one pass: the parts of the model on which the time
//! goes, each as one operation with its gradient written by hand.
//!
//! Each agrees with the function of the same name that is composed of dfdx's
//! operations, in values and gradients; a test holds them to it.

use ch10_1::Dev;
use ch10_3::fused::{
    Place, add_scaled, exp, matmul, matmul_transposed, record, sigmoid, tanh,
    transposed, values,
};
use dfdx::prelude::*;

fn place<S: Shape>(x: &Tensor<S, f32, Dev>) -> Box<dyn Place> {
    Box::new(x.clone())
}

/// [`to_gates`](crate::gru::to_gates) in one pass.
pub fn to_gates<
    const S: usize,
    const B: usize,
    const I: usize,
    const HIDDEN: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor<Rank3<S, B, I>, f32, Dev, T>,
    w: &Tensor<Rank3<3, HIDDEN, I>, f32, Dev>,
) -> Tensor<Rank4<S, 3, B, HIDDEN>, f32, Dev, T> {
    let (x, tape) = x.split_tape();
    let (xs, ws) = (values(&x), values(w));
    let mut y = vec![0.0; S * 3 * B * HIDDEN];
    for (gate, w) in ws.chunks(HIDDEN * I).enumerate() {
        let w = transposed(w, I);
        let y = y.chunks_mut(B * HIDDEN).skip(gate).step_by(3);
        for (y, x) in y.zip(xs.chunks(B * I)) {
            matmul(y, x, &w, I);
        }
    }
    let y = x.device().tensor_from_vec(y, Default::default());
    record([place(&x), place(w)], y, tape, move |d_y, [d_x, d_w]| {
        for (block, d_y) in d_y.chunks(B * HIDDEN).enumerate() {
            let (step, gate) = (block / 3, block % 3);
            let (x, d_x) = (&xs[step * B * I..], &mut d_x[step * B * I..]);
            let weights = gate * HIDDEN * I..(gate + 1) * HIDDEN * I;
            matmul(&mut d_x[..B * I], d_y, &ws[weights.clone()], HIDDEN);
            matmul_transposed(&mut d_w[weights], d_y, &x[..B * I], B);
        }
    })
}

/// [`steps`](crate::gru::steps) in one pass.
pub fn steps<
    const S: usize,
    const B: usize,
    const HIDDEN: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor<Rank4<S, 3, B, HIDDEN>, f32, Dev, T>,
) -> ([Tensor<Rank3<3, B, HIDDEN>, f32, Dev>; S], T) {
    let (x, mut tape) = x.split_tape();
    let all = values(&x);
    let steps = std::array::from_fn(|s| {
        let cells = s * 3 * B * HIDDEN..(s + 1) * 3 * B * HIDDEN;
        let step = all[cells.clone()].to_vec();
        let step = x.device().tensor_from_vec(step, Default::default());
        let so_far = std::mem::take(&mut tape);
        let step = record([place(&x)], step, so_far, |d_step, [d_x]| {
            add_scaled(&mut d_x[cells], 1.0, d_step);
        });
        let (step, so_far) = step.split_tape();
        tape = so_far;
        step
    });
    (steps, tape)
}

/// [`gates`](crate::gru::gates) in one pass.
pub fn gates<const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
    x: &Tensor<Rank3<3, B, HIDDEN>, f32, Dev>,
    from_h: Tensor<Rank3<3, B, HIDDEN>, f32, Dev, T>,
    b_ih: &Tensor<Rank2<3, HIDDEN>, f32, Dev>,
    b_hh: &Tensor<Rank2<3, HIDDEN>, f32, Dev>,
    h: &Tensor<Rank2<B, HIDDEN>, f32, Dev>,
) -> Tensor<Rank2<B, HIDDEN>, f32, Dev, T> {
    let (from_h, tape) = from_h.split_tape();
    let gates = Gates {
        hidden: HIDDEN,
        gates: add_up(&values(x), &values(b_ih), HIDDEN),
        from_h: add_up(&values(&from_h), &values(b_hh), HIDDEN),
        h: values(h),
    };
    let (after, gates) = gates.forward();
    let after = h.device().tensor_from_vec(after, Default::default());
    let places = [place(x), place(&from_h), place(b_ih), place(b_hh), place(h)];
    record(places, after, tape, move |d_after, d| gates.backward(d_after, d))
}

/// The gates r, z, n of all units, gate by gate (3, B, HIDDEN), at first only
/// what the input contributes to them; what the state contributes to each
/// (3, B, HIDDEN); and the state before.
struct Gates {
    hidden: usize,
    gates: Vec<f32>,
    from_h: Vec<f32>,
    h: Vec<f32>,
}

impl Gates {
    fn forward(mut self) -> (Vec<f32>, Self) {
        let cells = self.h.len();
        let (r_z, n) = self.gates.split_at_mut(2 * cells);
        add_and_squash(r_z, &self.from_h);
        let (r, z) = r_z.split_at(cells);
        candidates(n, r, &self.from_h[2 * cells..]);
        let blend = n.iter().zip(z).zip(&self.h);
        let after = blend.map(|((n, z), h)| n + z * (h - n)).collect();
        (after, self)
    }

    fn backward(&self, d_after: &[f32], d: [&mut [f32]; 5]) {
        let [d_x, d_from_h, d_b_ih, d_b_hh, d_h] = d;
        let cells = self.h.len();
        let (r, z_n) = self.gates.split_at(cells);
        let (z, n) = z_n.split_at(cells);
        let [mut d_r, mut d_z, mut d_n] = [0; 3].map(|_| vec![0.0; cells]);
        let mut d_h_n = self.from_h[2 * cells..].to_vec();
        through_blend(d_after, [z, n, &self.h], &mut d_z, &mut d_n, d_h);
        through_reset(&d_n, r, &mut d_h_n, &mut d_r);
        let of_x = [&d_r, &d_z, &d_n];
        let of_h = [&d_r, &d_z, &d_h_n];
        for (d, d_bias, gates) in [(d_x, d_b_ih, of_x), (d_from_h, d_b_hh, of_h)]
        {
            let d = d.chunks_mut(cells).zip(d_bias.chunks_mut(self.hidden));
            for ((d, d_bias), gate) in d.zip(gates) {
                add_scaled(d, 1.0, gate);
                for row in gate.chunks(self.hidden) {
                    add_scaled(d_bias, 1.0, row);
                }
            }
        }
    }
}

/// To the rows of each gate the bias of the gate.
fn add_up(x: &[f32], bias: &[f32], hidden: usize) -> Vec<f32> {
    let mut sums = x.to_vec();
    let gate = x.len() / 3;
    for (rows, bias) in sums.chunks_mut(gate).zip(bias.chunks(hidden)) {
        for row in rows.chunks_mut(hidden) {
            add_scaled(row, 1.0, bias);
        }
    }
    sums
}

fn add_and_squash(to: &mut [f32], x: &[f32]) {
    for (to, x) in to.iter_mut().zip(x) {
        *to = sigmoid(*to + x);
    }
}

fn candidates(n: &mut [f32], r: &[f32], h_n: &[f32]) {
    for ((n, r), h_n) in n.iter_mut().zip(r).zip(h_n) {
        *n = tanh(*n + r * h_n);
    }
}

/// Through (1 - z) n + z h and the functions that made z and n.
fn through_blend(
    d: &[f32],
    [z, n, h]: [&[f32]; 3],
    d_z: &mut [f32],
    d_n: &mut [f32],
    d_h: &mut [f32],
) {
    let inputs = d.iter().zip(z).zip(n).zip(h);
    let outputs = d_z.iter_mut().zip(d_n).zip(d_h);
    for ((((d, z), n), h), ((d_z, d_n), d_h)) in inputs.zip(outputs) {
        *d_z = d * (h - n) * z * (1.0 - z);
        *d_n = d * (1.0 - z) * (1.0 - n * n);
        *d_h += d * z;
    }
}

/// Through r h_n and the function that made r. `h_n` becomes its gradient.
fn through_reset(d_n: &[f32], r: &[f32], h_n: &mut [f32], d_r: &mut [f32]) {
    let outputs = h_n.iter_mut().zip(d_r);
    for ((d, r), (h_n, d_r)) in d_n.iter().zip(r).zip(outputs) {
        *d_r = d * *h_n * r * (1.0 - r);
        *h_n = d * r;
    }
}

/// [`losses`](crate::loss::losses) in one pass; for a token that does not
/// count nothing is computed.
pub fn losses<
    const S: usize,
    const B: usize,
    const HIDDEN: usize,
    T: Tape<f32, Dev>,
>(
    states: Tensor<Rank3<S, B, HIDDEN>, f32, Dev, T>,
    (w, b): (
        &Tensor<(usize, Const<HIDDEN>), f32, Dev>,
        &Tensor<(usize,), f32, Dev>,
    ),
    labels: &[[usize; S]; B],
    lens: &[usize; B],
) -> Tensor<Rank1<B>, f32, Dev, T> {
    let (states, tape) = states.split_tape();
    let tokens = (0..B).flat_map(|b| (0..lens[b].min(S)).map(move |s| (s, b)));
    let tokens: Vec<Token> = tokens
        .map(|(s, b)| Token { example: b, row: s * B + b, label: labels[b][s] })
        .collect();
    let all = values(&states);
    let rows = tokens.iter().flat_map(|t| &all[t.row * HIDDEN..][..HIDDEN]);
    let rows: Vec<f32> = rows.copied().collect();
    let (ws, words) = (values(w), b.shape().0);
    let mut logits = values(b).repeat(tokens.len());
    matmul(&mut logits, &rows, &transposed(&ws, HIDDEN), HIDDEN);
    let mut sums = [0.0; B];
    for (token, row) in tokens.iter().zip(logits.chunks_mut(words)) {
        sums[token.example] += loss(row, token.label);
    }
    let sums = states.device().tensor(sums.map(|sum| sum / S as f32));
    let mut d_logits = logits;
    let places = [place(&states), place(w), place(b)];
    record(places, sums, tape, move |d_sums, [d_states, d_w, d_b]| {
        for (token, d) in tokens.iter().zip(d_logits.chunks_mut(words)) {
            d[token.label] -= 1.0;
            let scale = d_sums[token.example] / S as f32;
            d.iter_mut().for_each(|d| *d *= scale);
            add_scaled(d_b, 1.0, d);
        }
        let mut d_rows = vec![0.0; rows.len()];
        matmul(&mut d_rows, &d_logits, &ws, words);
        for (token, d) in tokens.iter().zip(d_rows.chunks(HIDDEN)) {
            let row = &mut d_states[token.row * HIDDEN..][..HIDDEN];
            add_scaled(row, 1.0, d);
        }
        matmul_transposed(d_w, &d_logits, &rows, tokens.len());
    })
}

/// A token that counts: whose it is, where its logits are, and which word is
/// right.
struct Token {
    example: usize,
    row: usize,
    label: usize,
}

/// -ln of the probability of `label`; logits become probabilities.
fn loss(logits: &mut [f32], label: usize) -> f32 {
    let right = logits[label];
    let max = logits.iter().fold(f32::MIN, |max, &x| max.max(x));
    for x in logits.iter_mut() {
        *x = exp(*x - max);
    }
    let sum = total(logits);
    for x in logits {
        *x /= sum;
    }
    sum.ln() + max - right
}

/// The sum, in eight parts that are added up last.
fn total(x: &[f32]) -> f32 {
    let mut sums = [0.0; 8];
    for x in x.chunks(8) {
        for (sum, x) in sums.iter_mut().zip(x) {
            *sum += x;
        }
    }
    sums.iter().sum()
}

/// [`embed`](crate::translator::embed) in one pass.
pub fn embed<
    const S: usize,
    const B: usize,
    const EMBED: usize,
    T: Tape<f32, Dev>,
>(
    tokens: &[[usize; S]; B],
    w: &Tensor<(usize, Const<EMBED>), f32, Dev>,
    tape: T,
) -> Tensor<Rank3<S, B, EMBED>, f32, Dev, T> {
    let rows: Vec<usize> =
        (0..S).flat_map(|s| tokens.iter().map(move |row| row[s])).collect();
    let all = values(w);
    let vectors = rows.iter().flat_map(|&row| &all[row * EMBED..][..EMBED]);
    let vectors = vectors.copied().collect();
    let out = w.device().tensor_from_vec(vectors, Default::default());
    record([place(w)], out, tape, move |d, [d_w]| {
        for (row, d) in rows.iter().zip(d.chunks(EMBED)) {
            add_scaled(&mut d_w[row * EMBED..][..EMBED], 1.0, d);
        }
    })
}

/// [`drop_out`](crate::gru::drop_out), drawing its random numbers once.
pub fn drop_out<S: ConstShape, T: Tape<f32, Dev>>(
    x: Tensor<S, f32, Dev, T>,
    p: f32,
) -> Tensor<S, f32, Dev, T> {
    if !T::OWNS_TAPE || p == 0.0 {
        return x;
    }
    let (x, tape) = x.split_tape();
    let kept = values(&x.device().ones::<S>().dropout(p));
    let mut out = values(&x);
    for (x, kept) in out.iter_mut().zip(&kept) {
        *x *= kept;
    }
    let out = x.device().tensor_from_vec(out, S::default());
    record([place(&x)], out, tape, move |d, [d_x]| {
        for ((d_x, d), kept) in d_x.iter_mut().zip(d).zip(&kept) {
            *d_x += d * kept;
        }
    })
}
