//! Cross-entropy over the tokens of a vocabulary.

use crate::custom_op::{Computed, as_row, grad_slot, numbers, split};
use crate::definitions::by_definition;
use crate::edited;
use crate::simd::{
    add_scaled, exp, matmul, matmul_by_transposed, matmul_transposed, scale, sum,
    vectorized,
};
use crate::{Dev, Matrix, Row, Tensor2, Tensor3};
use dfdx::prelude::*;

/// -ln softmax(x wᵀ + b)\[label\] of each row of `x` for which `counts(a, n)`
/// is true, and 0 for the others, for which nothing is computed. `weight` has
/// a row for each token of the vocabulary, `bias` a number.
///
/// # Panics
/// If a label that counts has no row, or `bias` not a number for each row.
pub fn cross_entropy<
    const A: usize,
    const N: usize,
    const M: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor3<A, N, M, T>,
    weight: &Matrix<M>,
    bias: &Row,
    labels: &[[usize; N]; A],
    counts: impl Fn(usize, usize) -> bool,
    definition: impl FnOnce(Tensor3<A, N, M, T>) -> Tensor2<A, N, T>,
) -> Tensor2<A, N, T> {
    if const { by_definition::<T>(&edited::CROSS_ENTROPY) } {
        return edited::CROSS_ENTROPY.run(|| definition(x));
    }
    let (x, tape) = split(x);
    let counted: Vec<usize> = (0..A * N).filter(|r| counts(r / N, r % N)).collect();
    let labels = counted.iter().map(|row| labels[row / N][row % N]).collect();
    let inputs = [x, as_row(weight), as_row(bias)];
    Logits::compute(inputs, [A * N, M], counted, labels).onto(tape)
}

/// The rows that count, and for each its label and its logits, which become
/// probabilities when the losses are computed.
struct Logits {
    /// Which rows of `x` count.
    counted: Vec<usize>,
    labels: Vec<usize>,
    /// Those rows, `width` numbers each.
    rows: Vec<f32>,
    /// For each of them a number per token of the vocabulary.
    logits: Vec<f32>,
    weight: Vec<f32>,
    width: usize,
    vocabulary: usize,
}

impl Logits {
    /// The losses of `count` rows of `width` numbers, counted or not.
    fn compute(
        inputs: [Row; 3],
        [count, width]: [usize; 2],
        counted: Vec<usize>,
        labels: Vec<usize>,
    ) -> Computed<3> {
        let numbers = inputs.each_ref().map(numbers);
        let mut logits = Self::new(numbers, width, counted, labels);
        Computed {
            dev: inputs[0].device().clone(),
            inputs: inputs.each_ref().map(grad_slot),
            output: logits.losses(count),
            backward: Box::new(move |d_losses, d| logits.backward(d_losses, d)),
        }
    }

    fn new(
        [x, weight, bias]: [Vec<f32>; 3],
        width: usize,
        counted: Vec<usize>,
        labels: Vec<usize>,
    ) -> Self {
        let vocabulary = bias.len();
        assert_eq!(weight.len(), vocabulary * width, "a row and a bias for each token");
        let mut rows = Vec::with_capacity(counted.len() * width);
        for row in &counted {
            rows.extend_from_slice(&x[row * width..][..width]);
        }
        let mut logits = bias.repeat(counted.len());
        matmul_by_transposed(&mut logits, &rows, &weight, width);
        Self { counted, labels, rows, logits, weight, width, vocabulary }
    }

    fn losses(&mut self, count: usize) -> Vec<f32> {
        let mut losses = vec![0.0; count];
        let rows = self.logits.chunks_mut(self.vocabulary);
        for ((row, label), logits) in self.counted.iter().zip(&self.labels).zip(rows) {
            losses[*row] = vectorized(
                #[inline(always)]
                || loss(logits, *label),
            );
        }
        losses
    }

    /// The gradient of -ln p\[label\] by the logits is p, less 1 at the label.
    fn backward(&mut self, d_losses: &[f32], d: [&mut [f32]; 3]) {
        let [d_x, d_weight, d_bias] = d;
        let rows = self.logits.chunks_mut(self.vocabulary);
        for ((row, label), d_logits) in self.counted.iter().zip(&self.labels).zip(rows)
        {
            d_logits[*label] -= 1.0;
            vectorized(
                #[inline(always)]
                || {
                    scale(d_logits, d_losses[*row]);
                    add_scaled(d_bias, 1.0, d_logits);
                },
            );
        }
        let mut d_rows = vec![0.0; self.rows.len()];
        matmul(&mut d_rows, &self.logits, &self.weight, self.vocabulary);
        for (row, d) in self.counted.iter().zip(d_rows.chunks(self.width)) {
            add_scaled(&mut d_x[row * self.width..][..self.width], 1.0, d);
        }
        matmul_transposed(d_weight, &self.logits, &self.rows, self.counted.len());
    }
}

/// -ln of the probability of `label`; logits become probabilities.
#[inline(always)]
fn loss(logits: &mut [f32], label: usize) -> f32 {
    let right = logits[label];
    let max = logits.iter().fold(f32::MIN, |max, &x| max.max(x));
    logits.iter_mut().for_each(|x| *x = exp(*x - max));
    let total = sum(logits);
    scale(logits, 1.0 / total);
    total.ln() + max - right
}
