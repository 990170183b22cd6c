// ANCHOR: rivals
//! What else can turn n rows into n rows: a convolution over the sequence and
//! a recurrent network. For comparison, and not for training: section 10.6.

use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: rivals

// ANCHOR: convolve
/// Rows that a convolution sees for each row that it makes: k.
pub const WINDOW: usize = 3;

/// Each row of the result is made of the row at its place and of its two
/// neighbours, each through a matrix of its own. Beyond the ends lie zeros.
pub fn convolve<const N: usize, const D: usize>(
    x: &Tensor<Rank2<N, D>, f32, Dev>,
    w: &Tensor<Rank3<WINDOW, D, D>, f32, Dev>,
) -> Tensor<Rank2<N, D>, f32, Dev> {
    let rows = x.as_vec();
    let mut windows = vec![0.0; N * WINDOW * D];
    for (i, window) in windows.chunks_exact_mut(WINDOW * D).enumerate() {
        let (from, to) = (i.saturating_sub(1), (i + 2).min(N));
        let at = (from + 1 - i) * D;
        window[at..at + (to - from) * D].copy_from_slice(&rows[from * D..to * D]);
    }
    let windows = x.device().tensor_from_vec(windows, (N, WINDOW * D));
    let w = w.clone().reshape_like(&(WINDOW * D, Const::<D>));
    windows.matmul(w).realize()
}
// ANCHOR_END: convolve

// ANCHOR: read_on
/// The plainest recurrent network: its state is the hyperbolic tangent of
/// what it makes of a row plus what it makes of the state before.
pub struct Recurrence<const D: usize> {
    /// From a row to the state: (D, D).
    pub from_row: Tensor<Rank2<D, D>, f32, Dev>,
    /// From the state before: (D, D).
    pub from_state: Tensor<Rank2<D, D>, f32, Dev>,
}

impl<const D: usize> Recurrence<D> {
    /// The state after each row, beginning with zeros before the first.
    pub fn read<const N: usize>(
        &self,
        x: &Tensor<Rank2<N, D>, f32, Dev>,
    ) -> Vec<Tensor<Rank2<1, D>, f32, Dev>> {
        let dev = x.device();
        let from_rows: Tensor<Rank2<N, D>, f32, Dev> =
            x.clone().matmul(self.from_row.clone());
        let from_rows: Tensor<Rank3<N, 1, D>, f32, Dev> = from_rows.reshape();
        let mut state: Tensor<Rank2<1, D>, f32, Dev> = dev.zeros();
        let step = |i: usize| {
            let row: Tensor<Rank2<1, D>, f32, Dev> =
                from_rows.clone().select(dev.tensor(i));
            let before = state.clone().matmul(self.from_state.clone());
            state = (row + before).tanh();
            state.clone()
        };
        (0..N).map(step).collect()
    }
}
// ANCHOR_END: read_on
