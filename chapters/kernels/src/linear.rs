//! Linear layers.

use crate::custom_op::{Computed, GradSlot, as_row, grad_slot, numbers, split};
use crate::definitions::by_definition;
use crate::edited;
use crate::simd::{
    add_scaled, dot, matmul, matmul_by_transposed, matmul_transposed, vectorized,
};
use crate::{Dev, Row, Tensor1, Tensor2, Tensor3};
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
    if const { by_definition::<T>(&edited::LINEAR) } {
        return edited::LINEAR.run(|| definition(x));
    }
    let (x, tape) = split(x);
    one_layer(x, Linear::of(weight, bias)).onto(tape)
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
    if const { by_definition::<T>(&edited::FEED_FORWARD) } {
        return edited::FEED_FORWARD.run(|| definition(x));
    }
    let (x, tape) = split(x);
    let first = Linear::of(weight_1, bias_1);
    two_layers(x, first, Linear::of(weight_2, bias_2)).onto(tape)
}

fn one_layer(x: Row, layer: Linear) -> Computed<3> {
    let (dev, rows) = (x.device().clone(), numbers(&x));
    let [of_weight, of_bias] = layer.slots();
    Computed {
        dev,
        inputs: [grad_slot(&x), of_weight, of_bias],
        output: layer.forward(&rows),
        backward: Box::new(move |d_y, d| layer.backward(&rows, d_y, d)),
    }
}

fn two_layers(x: Row, first: Linear, second: Linear) -> Computed<5> {
    let (dev, rows) = (x.device().clone(), numbers(&x));
    let ([of_w1, of_b1], [of_w2, of_b2]) = (first.slots(), second.slots());
    let mut hidden = first.forward(&rows);
    hidden.iter_mut().for_each(|x| *x = x.max(0.0));
    Computed {
        dev,
        inputs: [grad_slot(&x), of_w1, of_b1, of_w2, of_b2],
        output: second.forward(&hidden),
        backward: Box::new(move |d_y, [d_x, d_w1, d_b1, d_w2, d_b2]| {
            let mut d_hidden = vec![0.0; hidden.len()];
            second.backward(&hidden, d_y, [&mut d_hidden, d_w2, d_b2]);
            for (d, hidden) in d_hidden.iter_mut().zip(&hidden) {
                *d = if *hidden > 0.0 { *d } else { 0.0 };
            }
            first.backward(&rows, &d_hidden, [d_x, d_w1, d_b1]);
        }),
    }
}

/// A linear layer from I numbers to O.
struct Linear {
    inputs: usize,
    outputs: usize,
    /// The weight (O, I) and the bias (O) as rows, and their numbers.
    rows: [Option<Row>; 2],
    weight: Vec<f32>,
    bias: Option<Vec<f32>>,
}

impl Linear {
    fn of<const I: usize, const O: usize>(
        weight: &Tensor2<O, I>,
        bias: Option<&Tensor1<O>>,
    ) -> Self {
        Self::new(as_row(weight), bias.map(as_row), [I, O])
    }

    fn new(weight: Row, bias: Option<Row>, [inputs, outputs]: [usize; 2]) -> Self {
        Self {
            inputs,
            outputs,
            weight: numbers(&weight),
            bias: bias.as_ref().map(numbers),
            rows: [Some(weight), bias],
        }
    }

    /// The gradient slots of the weight and of the bias.
    fn slots(&self) -> [GradSlot; 2] {
        self.rows.clone().map(GradSlot)
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
            matmul_by_transposed(&mut y, x, &self.weight, inputs);
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
        let mut rows = Vec::new();
        vectorized(
            #[inline(always)]
            || {
                let d = d_y.chunks(outputs).enumerate();
                d.filter(|(_, d)| counts(d)).for_each(|(row, _)| rows.push(row));
            },
        );
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
            vectorized(
                #[inline(always)]
                || d_y.chunks(self.outputs).for_each(|d| add_scaled(d_bias, 1.0, d)),
            );
        }
    }
}

/// Whether a number of the row is not 0: one that has a bit besides the sign.
#[inline(always)]
fn counts(row: &[f32]) -> bool {
    row.iter().fold(0, |bits, d| bits | d.to_bits()) << 1 != 0
}

/// Some rows of `x`, of `width` numbers each.
fn gather(x: &[f32], rows: &[usize], width: usize) -> Vec<f32> {
    let mut gathered = Vec::with_capacity(rows.len() * width);
    for row in rows {
        gathered.extend_from_slice(&x[row * width..][..width]);
    }
    gathered
}
