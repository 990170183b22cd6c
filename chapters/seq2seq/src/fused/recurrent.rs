// ANCHOR: recurrent_header
//! Interlude, the same in one pass: the parts of a recurrent layer.

use ch10_1::Dev;
use ch10_3::fused::{place, record, values};
use ch10_3::loops::{
    add_scaled, dot, matmul, matmul_transposed, sigmoid, tanh, transposed,
};
use dfdx::prelude::*;
// ANCHOR_END: recurrent_header

// ANCHOR: fused_to_gates
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
    let y = match S * B {
        1 => ws.chunks(I).map(|w| dot(w, &xs)).collect(),
        _ => products::<S, B, I, HIDDEN>(&xs, &ws),
    };
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

/// The product of each gate's matrix with the rows of each step.
fn products<const S: usize, const B: usize, const I: usize, const HIDDEN: usize>(
    xs: &[f32],
    ws: &[f32],
) -> Vec<f32> {
    let mut y = vec![0.0; S * 3 * B * HIDDEN];
    for (gate, w) in ws.chunks(HIDDEN * I).enumerate() {
        let w = transposed(w, I);
        let y = y.chunks_mut(B * HIDDEN).skip(gate).step_by(3);
        for (y, x) in y.zip(xs.chunks(B * I)) {
            matmul(y, x, &w, I);
        }
    }
    y
}
// ANCHOR_END: fused_to_gates

// ANCHOR: fused_steps
/// [`steps`](crate::gru::steps) in one pass.
pub fn steps<const S: usize, const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
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
// ANCHOR_END: fused_steps

// ANCHOR: fused_gates
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
// ANCHOR_END: fused_gates

// ANCHOR: gates_struct
/// The gates r, z, n of all units, gate by gate (3, B, HIDDEN), at first only
/// what the input contributes to them; what the state contributes to each
/// (3, B, HIDDEN); and the state before.
struct Gates {
    hidden: usize,
    gates: Vec<f32>,
    from_h: Vec<f32>,
    h: Vec<f32>,
}
// ANCHOR_END: gates_struct

// ANCHOR: gates_impl
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
        for (d, d_bias, gates) in [(d_x, d_b_ih, of_x), (d_from_h, d_b_hh, of_h)] {
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
// ANCHOR_END: gates_impl

// ANCHOR: gates_parts
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
// ANCHOR_END: gates_parts

// ANCHOR: fused_drop_out
/// [`drop_out`](crate::gru::drop_out), drawing its random numbers once.
pub fn drop_out<Form: ConstShape, T: Tape<f32, Dev>>(
    x: Tensor<Form, f32, Dev, T>,
    p: f32,
) -> Tensor<Form, f32, Dev, T> {
    if !T::OWNS_TAPE || p == 0.0 {
        return x;
    }
    let (x, tape) = x.split_tape();
    let kept = values(&x.device().ones::<Form>().dropout(p));
    let mut out = values(&x);
    for (x, kept) in out.iter_mut().zip(&kept) {
        *x *= kept;
    }
    let out = x.device().tensor_from_vec(out, Form::default());
    record([place(&x)], out, tape, move |d, [d_x]| {
        for ((d_x, d), kept) in d_x.iter_mut().zip(d).zip(&kept) {
            *d_x += d * kept;
        }
    })
}
// ANCHOR_END: fused_drop_out
