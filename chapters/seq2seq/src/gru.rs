// ANCHOR: header
//! Interlude, reading step by step: the gated recurrent unit, with PyTorch's
//! equations and its order r, z, n of the gates. Tensors for all steps have the
//! steps on their first axis.

use ch10_2::parameters;
use ch10_3::{dropout, uniform, xavier_uniform};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3, Tensor4};
use std::mem::take;
// ANCHOR_END: header

// ANCHOR: gru_cell
/// A layer of gated recurrent units: I inputs, HIDDEN units.
#[derive(Clone, Debug)]
pub struct GruCell<const I: usize, const HIDDEN: usize> {
    /// From the input to the gates r, z, n.
    pub w_ih: Tensor3<3, HIDDEN, I>,
    /// From the state before to the gates.
    pub w_hh: Tensor3<3, HIDDEN, HIDDEN>,
    /// Added to what comes from the input.
    pub b_ih: Tensor2<3, HIDDEN>,
    /// Added to what comes from the state.
    pub b_hh: Tensor2<3, HIDDEN>,
}

parameters! { GruCell<I, HIDDEN> { w_ih, w_hh, b_ih, b_hh } }
// ANCHOR_END: gru_cell

impl<const I: usize, const HIDDEN: usize> GruCell<I, HIDDEN> {
    // ANCHOR: cell_new
    /// Matrices by [`xavier_uniform`], biases within ±1/√HIDDEN. `inputs` is
    /// I, or more if other inputs come in by a matrix of their own.
    pub fn new(dev: &Dev, inputs: usize) -> Self {
        let bias = 1.0 / (HIDDEN as f32).sqrt();
        GruCell {
            w_ih: xavier_uniform(dev, inputs, 3 * HIDDEN),
            w_hh: xavier_uniform(dev, HIDDEN, 3 * HIDDEN),
            b_ih: uniform(dev, bias),
            b_hh: uniform(dev, bias),
        }
    }
    // ANCHOR_END: cell_new

    // ANCHOR: cell_step
    /// One step: the state after it. `x` is what the input contributes to the
    /// gates, (3, B, HIDDEN); `h` is the state before, (B, HIDDEN).
    pub fn step<const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<3, B, HIDDEN, T>,
        h: &Tensor2<B, HIDDEN>,
    ) -> Tensor2<B, HIDDEN, T> {
        let (x, tape) = x.split_tape();
        let h_1: Tensor3<1, B, HIDDEN, T> = h.clone().put_tape(tape).reshape();
        let from_h = gate_preactivations(h_1, &self.w_hh).reshape();
        kernels::gru_gates(&x, from_h, &self.b_ih, &self.b_hh, h, |from_h| {
            let [x_r, x_z, x_n] =
                gates(x.retaped::<T>() + self.b_ih.retaped::<T>().broadcast());
            let [h_r, h_z, h_n] = gates(from_h + self.b_hh.retaped::<T>().broadcast());
            let r = (h_r + x_r).sigmoid();
            let z = (h_z + x_z).sigmoid();
            let n = (r * h_n + x_n).tanh();
            let (z, tape) = z.split_tape();
            let keep = z.clone().put_tape(tape) * h.retaped::<T>();
            keep + (-z.retaped::<T>() + 1.0) * n
        })
    }
    // ANCHOR_END: cell_step

    // ANCHOR: cell_forward
    /// What the inputs of all steps contribute to the gates: (S, B, I) to
    /// (S, 3, B, HIDDEN).
    pub fn input<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<S, B, I, T>,
    ) -> Tensor4<S, 3, B, HIDDEN, T> {
        gate_preactivations(x, &self.w_ih)
    }

    /// All steps, from the state `h`, which becomes the last one: the states
    /// after each step, (S, B, HIDDEN).
    pub fn forward<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<S, B, I, T>,
        h: &mut Tensor2<B, HIDDEN>,
    ) -> Tensor3<S, B, HIDDEN, T> {
        scan(self.input(x), |x| {
            let (state, tape) = self.step(x, h).split_tape();
            *h = state.clone();
            state.put_tape(tape)
        })
    }
    // ANCHOR_END: cell_forward
}

// ANCHOR: gate_preactivations
/// One matrix for each gate, applied to the rows of all steps: (S, B, I) to
/// (S, 3, B, HIDDEN).
pub fn gate_preactivations<
    const S: usize,
    const B: usize,
    const I: usize,
    const HIDDEN: usize,
    T,
>(
    x: Tensor3<S, B, I, T>,
    w: &Tensor3<3, HIDDEN, I>,
) -> Tensor4<S, 3, B, HIDDEN, T>
where
    T: Tape<f32, Dev>,
{
    kernels::gate_preactivations(x, w, |x| {
        let w: Tensor3<3, I, HIDDEN, T> = w.retaped::<T>().permute();
        let x: Tensor4<S, 3, B, I, T> = x.broadcast();
        x.matmul(w.broadcast::<Rank4<S, 3, I, HIDDEN>, _>())
    })
}

/// The three gates of (3, B, HIDDEN), each (B, HIDDEN).
fn gates<const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
    x: Tensor3<3, B, HIDDEN, T>,
) -> [Tensor2<B, HIDDEN, T>; 3] {
    let (x, mut tape) = x.split_tape();
    [0, 1, 2].map(|gate| {
        let x = x.clone().put_tape(take(&mut tape));
        let gate = x.device().tensor(gate);
        x.select(gate)
    })
}
// ANCHOR_END: gate_preactivations

// ANCHOR: scan
/// Does one step after the other and stacks the states: `step` gets the part
/// (3, B, HIDDEN) of `x` for its step, and the tape of all that was before.
pub fn scan<const S: usize, const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
    x: Tensor4<S, 3, B, HIDDEN, T>,
    mut step: impl FnMut(Tensor3<3, B, HIDDEN, T>) -> Tensor2<B, HIDDEN, T>,
) -> Tensor3<S, B, HIDDEN, T> {
    let (inputs, mut tape) = unbind(x);
    let states = inputs.map(|x| {
        let state;
        (state, tape) = step(x.put_tape(take(&mut tape))).split_tape();
        state
    });
    states.map(|h| h.put_tape(take(&mut tape))).stack()
}

/// Each step of (S, 3, B, HIDDEN), and the tape on which they were cut out.
fn unbind<const S: usize, const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
    x: Tensor4<S, 3, B, HIDDEN, T>,
) -> ([Tensor3<3, B, HIDDEN>; S], T) {
    kernels::unbind(x, |x| {
        let (x, mut tape) = x.split_tape();
        let steps = std::array::from_fn(|s| {
            let all = x.clone().put_tape(take(&mut tape));
            let step;
            (step, tape) = all.select(x.device().tensor(s)).split_tape();
            step
        });
        (steps, tape)
    })
}
// ANCHOR_END: scan

// ANCHOR: gru
/// Layers of gated recurrent units, each but the first reading the states of
/// the one below.
#[derive(Clone, Debug)]
pub struct Gru<const I: usize, const HIDDEN: usize> {
    /// The layer that reads the input.
    pub first: GruCell<I, HIDDEN>,
    /// The layers above it.
    pub upper: Vec<GruCell<HIDDEN, HIDDEN>>,
    /// Probability of dropout between two layers.
    pub dropout: f32,
}

parameters! { Gru<I, HIDDEN> { first, upper } }

/// The state of each layer, (B, HIDDEN), the first layer first.
pub type State<const B: usize, const HIDDEN: usize> = Vec<Tensor2<B, HIDDEN>>;
// ANCHOR_END: gru

impl<const I: usize, const HIDDEN: usize> Gru<I, HIDDEN> {
    // ANCHOR: gru_new
    /// `layers` layers; `inputs` as in [`GruCell::new`].
    pub fn new(dev: &Dev, inputs: usize, layers: usize, dropout: f32) -> Self {
        let upper = (1..layers).map(|_| GruCell::new(dev, HIDDEN));
        Gru { first: GruCell::new(dev, inputs), upper: upper.collect(), dropout }
    }

    /// The state before the first step: zeros.
    pub fn start<const B: usize>(&self) -> State<B, HIDDEN> {
        vec![self.first.b_ih.device().zeros(); 1 + self.upper.len()]
    }
    // ANCHOR_END: gru_new

    // ANCHOR: gru_forward
    /// All steps: the states of the last layer, (S, B, HIDDEN). `state`
    /// becomes the last one of all layers.
    pub fn forward<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<S, B, I, T>,
        state: &mut State<B, HIDDEN>,
    ) -> Tensor3<S, B, HIDDEN, T> {
        let mut out = self.first.forward(x, &mut state[0]);
        for (cell, h) in self.upper.iter().zip(&mut state[1..]) {
            out = cell.forward(dropout(out, self.dropout), h);
        }
        out
    }
    // ANCHOR_END: gru_forward

    // ANCHOR: gru_step
    /// One step of all layers, from what the input contributes to the gates
    /// of the first: the new state of the last layer.
    pub fn step<const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor3<3, B, HIDDEN, T>,
        state: &mut State<B, HIDDEN>,
    ) -> Tensor2<B, HIDDEN, T> {
        let (h, mut tape) = self.first.step(x, &state[0]).split_tape();
        state[0] = h;
        for (layer, cell) in (1..).zip(&self.upper) {
            let below = state[layer - 1].clone().put_tape(tape);
            let x: Tensor3<1, B, HIDDEN, T> = dropout(below, self.dropout).reshape();
            let x = cell.input(x).reshape();
            (state[layer], tape) = cell.step(x, &state[layer]).split_tape();
        }
        state[self.upper.len()].clone().put_tape(tape)
    }
    // ANCHOR_END: gru_step
}
