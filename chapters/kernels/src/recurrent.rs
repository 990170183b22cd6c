//! The parts of a recurrent layer: the gated recurrent unit with PyTorch's
//! equations, and its order r, z, n of the gates.

use crate::custom_op::{Computed, as_row, grad_slot, numbers, split, split_onto};
use crate::definitions::by_definition;
use crate::edited;
use crate::simd::{
    add_scaled, dot, matmul, matmul_by_transposed, matmul_transposed, sigmoid, tanh,
    vectorized,
};
use crate::{Dev, Row, Tensor2, Tensor3, Tensor4};
use dfdx::prelude::*;
use std::ops::Range;

/// For each step and each gate the rows of the step times the transpose of
/// the gate's matrix.
pub fn gate_preactivations<
    const S: usize,
    const B: usize,
    const I: usize,
    const HIDDEN: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor3<S, B, I, T>,
    w: &Tensor3<3, HIDDEN, I>,
    definition: impl FnOnce(Tensor3<S, B, I, T>) -> Tensor4<S, 3, B, HIDDEN, T>,
) -> Tensor4<S, 3, B, HIDDEN, T> {
    if const { by_definition::<T>(&edited::GATE_PREACTIVATIONS) } {
        return edited::GATE_PREACTIVATIONS.run(|| definition(x));
    }
    let (x, tape) = split(x);
    Products::compute([x, as_row(w)], [S, B, I, HIDDEN]).onto(tape)
}

/// The products of each gate's matrix with the rows of each step.
struct Products {
    steps: usize,
    /// Rows of a step.
    batch: usize,
    inputs: usize,
    hidden: usize,
    /// (S, B, I).
    x: Vec<f32>,
    /// (3, HIDDEN, I).
    w: Vec<f32>,
}

impl Products {
    fn compute(
        rows: [Row; 2],
        [steps, batch, inputs, hidden]: [usize; 4],
    ) -> Computed<2> {
        let [x, w] = rows.each_ref().map(numbers);
        let products = Self { steps, batch, inputs, hidden, x, w };
        Computed {
            dev: rows[0].device().clone(),
            inputs: rows.each_ref().map(grad_slot),
            output: products.forward(),
            backward: Box::new(move |d_y, d| products.backward(d_y, d)),
        }
    }

    /// (S, 3, B, HIDDEN).
    fn forward(&self) -> Vec<f32> {
        let Self { steps, batch, inputs, hidden, ref x, ref w } = *self;
        if steps * batch == 1 {
            return w.chunks(inputs).map(|w| dot(w, x)).collect();
        }
        let mut y = vec![0.0; steps * 3 * batch * hidden];
        for (gate, w) in w.chunks(hidden * inputs).enumerate() {
            let y = y.chunks_mut(batch * hidden).skip(gate).step_by(3);
            for (y, x) in y.zip(x.chunks(batch * inputs)) {
                matmul_by_transposed(y, x, w, inputs);
            }
        }
        y
    }

    fn backward(&self, d_y: &[f32], [d_x, d_w]: [&mut [f32]; 2]) {
        let (step_len, matrix) = (self.batch * self.inputs, self.hidden * self.inputs);
        for (block, d_y) in d_y.chunks(self.batch * self.hidden).enumerate() {
            let (step, gate) = (block / 3, block % 3);
            let (x, d_x) = (&self.x[step * step_len..], &mut d_x[step * step_len..]);
            let weights = gate * matrix..(gate + 1) * matrix;
            matmul(&mut d_x[..step_len], d_y, &self.w[weights.clone()], self.hidden);
            matmul_transposed(&mut d_w[weights], d_y, &x[..step_len], self.batch);
        }
    }
}

/// Splits `x` into its steps, off the tape; returns them and the tape, which
/// has recorded the split.
pub fn unbind<
    const S: usize,
    const B: usize,
    const HIDDEN: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor4<S, 3, B, HIDDEN, T>,
    definition: impl FnOnce(Tensor4<S, 3, B, HIDDEN, T>) -> ([Tensor3<3, B, HIDDEN>; S], T),
) -> ([Tensor3<3, B, HIDDEN>; S], T) {
    if const { by_definition::<T>(&edited::UNBIND) } {
        return edited::UNBIND.run(|| definition(x));
    }
    let (x, mut tape) = split(x);
    let all = numbers(&x);
    let steps = std::array::from_fn(|s| {
        let cells = s * 3 * B * HIDDEN..(s + 1) * 3 * B * HIDDEN;
        let step = part(&x, &all, cells).onto(std::mem::take(&mut tape));
        let (step, so_far) = step.split_tape();
        tape = so_far;
        step
    });
    (steps, tape)
}

/// Some of the numbers of `x`, which are `all`.
fn part(x: &Row, all: &[f32], cells: Range<usize>) -> Computed<1> {
    Computed {
        dev: x.device().clone(),
        inputs: [grad_slot(x)],
        output: all[cells.clone()].to_vec(),
        backward: Box::new(|d, [d_x]| add_scaled(&mut d_x[cells], 1.0, d)),
    }
}

/// The state after a step, from what the input (`x`) and the state before
/// (`from_h`) contribute to the gates, the biases, and the state `h` before:
/// with r, z the sigmoids of both contributions and n the tanh of that of the
/// input plus r times that of the state, (1 - z) n + z h.
pub fn gru_gates<const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
    x: &Tensor3<3, B, HIDDEN>,
    from_h: Tensor3<3, B, HIDDEN, T>,
    b_ih: &Tensor2<3, HIDDEN>,
    b_hh: &Tensor2<3, HIDDEN>,
    h: &Tensor2<B, HIDDEN>,
    definition: impl FnOnce(Tensor3<3, B, HIDDEN, T>) -> Tensor2<B, HIDDEN, T>,
) -> Tensor2<B, HIDDEN, T> {
    if const { by_definition::<T>(&edited::GRU_GATES) } {
        return edited::GRU_GATES.run(|| definition(from_h));
    }
    let (from_h, tape) = split(from_h);
    let (x, tape) = split_onto(x, tape);
    let (h, tape) = split_onto(h, tape);
    Gates::compute([x, from_h, as_row(b_ih), as_row(b_hh), h], HIDDEN).onto(tape)
}

struct Gates {
    hidden: usize,
    /// The gates r, z, n of all units, gate by gate (3, B, HIDDEN); before
    /// the forward pass only what the input contributes to them.
    gates: Vec<f32>,
    /// What the state before contributes to each.
    from_h: Vec<f32>,
    /// The state before, (B, HIDDEN).
    h: Vec<f32>,
}

impl Gates {
    fn compute(inputs: [Row; 5], hidden: usize) -> Computed<5> {
        let [x, from_h, b_ih, b_hh, h] = inputs.each_ref().map(numbers);
        let mut gates = Self { hidden, gates: x, from_h, h };
        Computed {
            dev: inputs[0].device().clone(),
            inputs: inputs.each_ref().map(grad_slot),
            output: gates.forward(&b_ih, &b_hh),
            backward: Box::new(move |d_after, d| gates.backward(d_after, d)),
        }
    }

    /// The state after.
    fn forward(&mut self, b_ih: &[f32], b_hh: &[f32]) -> Vec<f32> {
        vectorized(
            #[inline(always)]
            || {
                add_bias(&mut self.gates, b_ih, self.hidden);
                add_bias(&mut self.from_h, b_hh, self.hidden);
                self.forward_loops()
            },
        )
    }

    /// From the gradient of the state after to those of `gru_gates`' inputs.
    fn backward(&self, d_after: &[f32], mut d: [&mut [f32]; 5]) {
        vectorized(
            #[inline(always)]
            || self.backward_loops(d_after, &mut d),
        );
    }

    #[inline(always)]
    fn forward_loops(&mut self) -> Vec<f32> {
        let cells = self.h.len();
        let (r_z, n) = self.gates.split_at_mut(2 * cells);
        for (gate, x) in r_z.iter_mut().zip(&self.from_h) {
            *gate = sigmoid(*gate + x);
        }
        let (r, z) = r_z.split_at(cells);
        for ((n, r), h_n) in n.iter_mut().zip(r).zip(&self.from_h[2 * cells..]) {
            *n = tanh(*n + r * h_n);
        }
        let mut after = self.h.clone();
        for ((n, z), h) in n.iter().zip(z).zip(&mut after) {
            *h = n + z * (*h - n);
        }
        after
    }

    #[inline(always)]
    fn backward_loops(&self, d_after: &[f32], d: &mut [&mut [f32]; 5]) {
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

/// Adds to the rows of each gate the bias of the gate.
#[inline(always)]
fn add_bias(x: &mut [f32], bias: &[f32], hidden: usize) {
    let gate = x.len() / 3;
    for (rows, bias) in x.chunks_mut(gate).zip(bias.chunks(hidden)) {
        for row in rows.chunks_mut(hidden) {
            add_scaled(row, 1.0, bias);
        }
    }
}

/// Back through (1 - z) n + z h and the functions that made z and n.
#[inline(always)]
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

/// Back through r h_n and the function that made r. `h_n` becomes its
/// gradient.
#[inline(always)]
fn through_reset(d_n: &[f32], r: &[f32], h_n: &mut [f32], d_r: &mut [f32]) {
    let outputs = h_n.iter_mut().zip(d_r);
    for ((d, r), (h_n, d_r)) in d_n.iter().zip(r).zip(outputs) {
        *d_r = d * *h_n * r * (1.0 - r);
        *h_n = d * r;
    }
}
