// ANCHOR: header
//! Section 10.6, what a layer costs: two other ways to turn n rows into n
//! rows, a convolution over the sequence and a recurrent network. They are for
//! comparison, and record no gradients.

use dfdx::prelude::*;
use kernels::{Tensor2, Tensor3};
// ANCHOR_END: header

// ANCHOR: convolution
/// Rows that a convolution reads for each row that it makes: k.
pub const WINDOW: usize = 3;
/// Of these, on either side.
const BESIDE: usize = WINDOW / 2;

/// Each row of the result is made of the row at its position and of its
/// neighbours, each through a matrix of its own. Beyond the ends lie zeros.
pub fn convolution<const N: usize, const D: usize>(
    x: &Tensor2<N, D>,
    w: &Tensor3<WINDOW, D, D>,
) -> Tensor2<N, D> {
    let rows = x.as_vec();
    let mut windows = vec![0.0; N * WINDOW * D];
    for (i, window) in windows.chunks_exact_mut(WINDOW * D).enumerate() {
        let (from, to) = (i.saturating_sub(BESIDE), (i + BESIDE + 1).min(N));
        let start = (from + BESIDE - i) * D;
        window[start..start + (to - from) * D].copy_from_slice(&rows[from * D..to * D]);
    }
    let windows = x.device().tensor_from_vec(windows, (N, WINDOW * D));
    let w = w.clone().reshape_like(&(WINDOW * D, Const::<D>));
    windows.matmul(w).realize()
}
// ANCHOR_END: convolution

// ANCHOR: recurrence
/// A recurrent network without gates: each state is the hyperbolic tangent of
/// a projection of the row plus a projection of the state before.
pub struct Recurrence<const D: usize> {
    /// From a row to the state: (D, D).
    pub from_row: Tensor2<D, D>,
    /// From the state before: (D, D).
    pub from_state: Tensor2<D, D>,
}

impl<const D: usize> Recurrence<D> {
    /// The state after each row; the state before the first is 0.
    pub fn forward<const N: usize>(&self, x: &Tensor2<N, D>) -> Vec<Tensor2<1, D>> {
        let dev = x.device();
        let rows: Tensor2<N, D> = x.clone().matmul(self.from_row.clone());
        let rows: Tensor3<N, 1, D> = rows.reshape();
        let mut state: Tensor2<1, D> = dev.zeros();
        let step = |i: usize| {
            let row: Tensor2<1, D> = rows.clone().select(dev.tensor(i));
            state = (row + state.clone().matmul(self.from_state.clone())).tanh();
            state.clone()
        };
        (0..N).map(step).collect()
    }
}
// ANCHOR_END: recurrence
