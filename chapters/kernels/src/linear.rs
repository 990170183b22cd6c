//! Linear layers.

use crate::custom_op::{custom_op, grad_slot, split, tensor, to_vec};
use crate::definitions::by_definition;
use crate::simd::{add_scaled, dot, matmul, matmul_transposed, transposed, vectorized};
use crate::{Dev, Tensor1, Tensor2, Tensor3};
use dfdx::prelude::*;

/// Each row of `x` times the transpose of `weight`, plus the bias.
pub fn linear<
    const B: usize,
    const S: usize,
    const I: usize,
    const O: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor3<B, S, I, T>,
    weight: &Tensor2<O, I>,
    bias: Option<&Tensor1<O>>,
    definition: impl FnOnce(Tensor3<B, S, I, T>) -> Tensor3<B, S, O, T>,
) -> Tensor3<B, S, O, T> {
    if const { by_definition::<T>() } {
        return definition(x);
    }
    let (x, tape) = split(x);
    let (rows, layer) = (to_vec(&x), Linear::new(weight, bias));
    let y = tensor(x.device(), layer.forward(&rows));
    let (of_x, of_weight) = (grad_slot(&x), grad_slot(weight));
    let Some(bias) = bias else {
        return custom_op([of_x, of_weight], y, tape, move |d_y, [d_x, d_weight]| {
            layer.backward(&rows, d_y, [d_x, d_weight, &mut []]);
        });
    };
    custom_op([of_x, of_weight, grad_slot(bias)], y, tape, move |d_y, d| {
        layer.backward(&rows, d_y, d);
    })
}

/// A linear layer, ReLU, and another linear layer. A bias that is missing is 0.
pub fn feed_forward<
    const B: usize,
    const S: usize,
    const M: usize,
    const F: usize,
    const O: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor3<B, S, M, T>,
    (weight_1, bias_1): (&Tensor2<F, M>, Option<&Tensor1<F>>),
    (weight_2, bias_2): (&Tensor2<O, F>, Option<&Tensor1<O>>),
    definition: impl FnOnce(Tensor3<B, S, M, T>) -> Tensor3<B, S, O, T>,
) -> Tensor3<B, S, O, T> {
    if const { by_definition::<T>() } {
        return definition(x);
    }
    let (x, tape) = split(x);
    let bias_1 = &bias_1.map_or_else(|| x.device().zeros(), Tensor::clone);
    let bias_2 = &bias_2.map_or_else(|| x.device().zeros(), Tensor::clone);
    let rows = to_vec(&x);
    let first = Linear::new(weight_1, Some(bias_1));
    let second = Linear::new(weight_2, Some(bias_2));
    let mut hidden = first.forward(&rows);
    hidden.iter_mut().for_each(|x| *x = x.max(0.0));
    let y = tensor(x.device(), second.forward(&hidden));
    let slots = [
        grad_slot(&x),
        grad_slot(weight_1),
        grad_slot(bias_1),
        grad_slot(weight_2),
        grad_slot(bias_2),
    ];
    custom_op(slots, y, tape, move |d_y, [d_x, d_w1, d_b1, d_w2, d_b2]| {
        let mut d_hidden = vec![0.0; hidden.len()];
        second.backward(&hidden, d_y, [&mut d_hidden, d_w2, d_b2]);
        for (d, hidden) in d_hidden.iter_mut().zip(&hidden) {
            *d = if *hidden > 0.0 { *d } else { 0.0 };
        }
        first.backward(&rows, &d_hidden, [d_x, d_w1, d_b1]);
    })
}

/// The numbers of a linear layer from I numbers to O. Its loops take I and O
/// as numbers, and are compiled once for all sizes.
struct Linear {
    inputs: usize,
    outputs: usize,
    /// (O, I).
    weight: Vec<f32>,
    /// (O).
    bias: Option<Vec<f32>>,
}

impl Linear {
    fn new<const I: usize, const O: usize>(
        weight: &Tensor2<O, I>,
        bias: Option<&Tensor1<O>>,
    ) -> Self {
        let (weight, bias) = (to_vec(weight), bias.map(to_vec));
        Self { inputs: I, outputs: O, weight, bias }
    }

    /// Rows of `x`, (N, I), to rows of width O.
    fn forward(&self, x: &[f32]) -> Vec<f32> {
        let (inputs, outputs) = (self.inputs, self.outputs);
        let rows = x.len() / inputs;
        let mut y = match &self.bias {
            None => vec![0.0; rows * outputs],
            Some(bias) => bias.repeat(rows),
        };
        // Transposing does not pay for a few rows.
        if rows > 4 {
            matmul(&mut y, x, &transposed(&self.weight, inputs), inputs);
            return y;
        }
        vectorized(
            #[inline(always)]
            || {
                for (y, x) in y.chunks_mut(outputs).zip(x.chunks(inputs)) {
                    for (y, w) in y.iter_mut().zip(self.weight.chunks(inputs)) {
                        *y += dot(x, w);
                    }
                }
            },
        );
        y
    }

    /// From the gradient of the output rows to those of x, weight and bias. A
    /// row whose gradient is 0 is left out, as those of padding are.
    fn backward(&self, x: &[f32], d_y: &[f32], d: [&mut [f32]; 3]) {
        let [d_x, d_weight, d_bias] = d;
        let (inputs, outputs) = (self.inputs, self.outputs);
        let counts = |row: &[f32]| row.iter().any(|d| *d != 0.0);
        let rows = d_y.chunks(outputs).enumerate().filter(|(_, d)| counts(d));
        let rows: Vec<usize> = rows.map(|(row, _)| row).collect();
        // So many rows at once stay near the processor.
        for rows in rows.chunks(64) {
            let (first, last) = (rows[0], rows[rows.len() - 1]);
            if last - first + 1 == rows.len() {
                let x = &x[first * inputs..][..rows.len() * inputs];
                let d_y = &d_y[first * outputs..][..rows.len() * outputs];
                let d_x = &mut d_x[first * inputs..][..rows.len() * inputs];
                self.backward_rows(x, d_y, [d_x, d_weight, d_bias]);
                continue;
            }
            let (x, d_y) = (gather(x, rows, inputs), gather(d_y, rows, outputs));
            let mut d_rows = vec![0.0; rows.len() * inputs];
            self.backward_rows(&x, &d_y, [&mut d_rows, d_weight, d_bias]);
            for (row, d) in rows.iter().zip(d_rows.chunks(inputs)) {
                add_scaled(&mut d_x[row * inputs..][..inputs], 1.0, d);
            }
        }
    }

    fn backward_rows(&self, x: &[f32], d_y: &[f32], d: [&mut [f32]; 3]) {
        let [d_x, d_weight, d_bias] = d;
        matmul(d_x, d_y, &self.weight, self.outputs);
        matmul_transposed(d_weight, d_y, x, d_y.len() / self.outputs);
        if self.bias.is_some() {
            d_y.chunks(self.outputs).for_each(|d| add_scaled(d_bias, 1.0, d));
        }
    }
}

/// Some rows of `x`, of `width` numbers each.
fn gather(x: &[f32], rows: &[usize], width: usize) -> Vec<f32> {
    let mut gathered = Vec::with_capacity(rows.len() * width);
    for row in rows {
        gathered.extend_from_slice(&x[row * width..][..width]);
    }
    gathered
}
