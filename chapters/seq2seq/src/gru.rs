// ANCHOR: gru_header
//! Interlude, reading step by step: the gated recurrent unit.
//!
//! The equations are those of PyTorch, and so is the order r, z, n of the
//! gates. A tensor for all steps has the steps on its first axis.

use crate::ops;
use crate::parameters::{Named, Parameters, within};
use ch10_1::Dev;
use dfdx::prelude::*;
use rand_distr::Uniform;
// ANCHOR_END: gru_header

// ANCHOR: gru_cell
/// One layer of gated recurrent units, I inputs to HIDDEN units.
#[derive(Clone, Debug)]
pub struct GruCell<const I: usize, const HIDDEN: usize> {
    /// From the input to the gates r, z, n.
    pub w_ih: Tensor<Rank3<3, HIDDEN, I>, f32, Dev>,
    /// From the state before to the gates.
    pub w_hh: Tensor<Rank3<3, HIDDEN, HIDDEN>, f32, Dev>,
    /// Added to what comes from the input.
    pub b_ih: Tensor<Rank2<3, HIDDEN>, f32, Dev>,
    /// Added to what comes from the state.
    pub b_hh: Tensor<Rank2<3, HIDDEN>, f32, Dev>,
}
// ANCHOR_END: gru_cell

// ANCHOR: first_values
/// Numbers from the uniform distribution between -`bound` and `bound`.
pub fn uniform<Form: ConstShape>(dev: &Dev, bound: f32) -> Tensor<Form, f32, Dev> {
    dev.sample(Uniform::new_inclusive(-bound, bound))
}

/// The bound for which Xavier's initialisation is known, where one matrix
/// turns `inputs` numbers into `outputs`.
pub fn xavier(inputs: usize, outputs: usize) -> f32 {
    (6.0 / (inputs + outputs) as f32).sqrt()
}
// ANCHOR_END: first_values

// ANCHOR: cell_impl
impl<const I: usize, const HIDDEN: usize> GruCell<I, HIDDEN> {
    /// A layer as training starts from it. `inputs` is I, or more if other
    /// inputs come in by a matrix of their own.
    pub fn new(dev: &Dev, inputs: usize) -> Self {
        let bias = 1.0 / (HIDDEN as f32).sqrt();
        GruCell {
            w_ih: uniform(dev, xavier(inputs, 3 * HIDDEN)),
            w_hh: uniform(dev, xavier(HIDDEN, 3 * HIDDEN)),
            b_ih: uniform(dev, bias),
            b_hh: uniform(dev, bias),
        }
    }

    /// What the inputs of all steps contribute to the gates.
    pub fn input<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<S, B, I>, f32, Dev, T>,
    ) -> Tensor<Rank4<S, 3, B, HIDDEN>, f32, Dev, T> {
        ops::to_gates(x, &self.w_ih)
    }

    /// One step: the state after it, from what the input contributes to the
    /// gates and from the state `h` before.
    pub fn step<const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<3, B, HIDDEN>, f32, Dev, T>,
        h: &Tensor<Rank2<B, HIDDEN>, f32, Dev>,
    ) -> Tensor<Rank2<B, HIDDEN>, f32, Dev, T> {
        let (x, tape) = x.split_tape();
        let before: Tensor<Rank3<1, B, HIDDEN>, f32, Dev, T> =
            h.clone().put_tape(tape).reshape();
        let from_h = ops::to_gates(before, &self.w_hh).reshape();
        ops::gates(&x, from_h, &self.b_ih, &self.b_hh, h)
    }

    /// All steps, beginning with the state `h`, which becomes the last one.
    pub fn forward<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<S, B, I>, f32, Dev, T>,
        h: &mut Tensor<Rank2<B, HIDDEN>, f32, Dev>,
    ) -> Tensor<Rank3<S, B, HIDDEN>, f32, Dev, T> {
        let (x, mut tape) = ops::steps(self.input(x));
        let states = x.map(|x| {
            let x = x.put_tape(std::mem::take(&mut tape));
            (*h, tape) = self.step(x, h).split_tape();
            h.clone()
        });
        stacked(states, tape)
    }
}
// ANCHOR_END: cell_impl

// ANCHOR: to_gates
/// A matrix for each gate, applied to the rows of all steps.
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
    let w: Tensor<Rank3<3, I, HIDDEN>, f32, Dev, T> = w.retaped::<T>().permute();
    let x: Tensor<Rank4<S, 3, B, I>, f32, Dev, T> = x.broadcast();
    x.matmul(w.broadcast::<Rank4<S, 3, I, HIDDEN>, _>())
}
// ANCHOR_END: to_gates

// ANCHOR: gates
/// The state after a step, from what the input and the state before
/// contribute to the gates, the biases, and the state before.
pub fn gates<const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
    x: &Tensor<Rank3<3, B, HIDDEN>, f32, Dev>,
    from_h: Tensor<Rank3<3, B, HIDDEN>, f32, Dev, T>,
    b_ih: &Tensor<Rank2<3, HIDDEN>, f32, Dev>,
    b_hh: &Tensor<Rank2<3, HIDDEN>, f32, Dev>,
    h: &Tensor<Rank2<B, HIDDEN>, f32, Dev>,
) -> Tensor<Rank2<B, HIDDEN>, f32, Dev, T> {
    let x = x.retaped::<T>() + b_ih.retaped::<T>().broadcast();
    let from_h = from_h + b_hh.retaped::<T>().broadcast();
    let [x_r, x_z, x_n] = each_gate(x);
    let [h_r, h_z, h_n] = each_gate(from_h);
    let r = (h_r + x_r).sigmoid();
    let z = (h_z + x_z).sigmoid();
    let n = (r * h_n + x_n).tanh();
    let (z, tape) = z.split_tape();
    let kept = z.clone().put_tape(tape) * h.retaped::<T>();
    kept + (-z.retaped::<T>() + 1.0) * n
}

fn each_gate<const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
    x: Tensor<Rank3<3, B, HIDDEN>, f32, Dev, T>,
) -> [Tensor<Rank2<B, HIDDEN>, f32, Dev, T>; 3] {
    let (x, mut tape) = x.split_tape();
    [0, 1, 2].map(|gate| {
        let x = x.clone().put_tape(std::mem::take(&mut tape));
        let gate = x.device().tensor(gate);
        x.select(gate)
    })
}
// ANCHOR_END: gates

// ANCHOR: steps
/// Each step of all. The tape goes on without them: what was recorded so far
/// and how they were cut out.
pub fn steps<const S: usize, const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
    x: Tensor<Rank4<S, 3, B, HIDDEN>, f32, Dev, T>,
) -> ([Tensor<Rank3<3, B, HIDDEN>, f32, Dev>; S], T) {
    let (x, mut tape) = x.split_tape();
    let steps = std::array::from_fn(|s| {
        let all = x.clone().put_tape(std::mem::take(&mut tape));
        let step;
        (step, tape) = all.select(x.device().tensor(s)).split_tape();
        step
    });
    (steps, tape)
}

/// The states of all steps as one tensor.
pub fn stacked<
    const S: usize,
    const B: usize,
    const HIDDEN: usize,
    T: Tape<f32, Dev>,
>(
    states: [Tensor<Rank2<B, HIDDEN>, f32, Dev>; S],
    mut tape: T,
) -> Tensor<Rank3<S, B, HIDDEN>, f32, Dev, T> {
    states.map(|h| h.put_tape(std::mem::take(&mut tape))).stack()
}
// ANCHOR_END: steps

// ANCHOR: drop_out
/// Dropout in training, that is where a tape records; nothing elsewhere.
pub fn drop_out<Form: Shape, T: Tape<f32, Dev>>(
    x: Tensor<Form, f32, Dev, T>,
    p: f32,
) -> Tensor<Form, f32, Dev, T> {
    if T::OWNS_TAPE && p > 0.0 { x.dropout(p) } else { x }
}
// ANCHOR_END: drop_out

// ANCHOR: gru
/// Layers of gated recurrent units, each but the first reading the states of
/// the one below.
#[derive(Clone, Debug)]
pub struct Gru<const I: usize, const HIDDEN: usize> {
    /// The layer that reads the input.
    pub first: GruCell<I, HIDDEN>,
    /// The layers above it.
    pub upper: Vec<GruCell<HIDDEN, HIDDEN>>,
    /// Share of what goes up from a layer that is set to 0 in training.
    pub dropout: f32,
}

/// The state of each layer, the first one first.
pub type State<const B: usize, const HIDDEN: usize> =
    Vec<Tensor<Rank2<B, HIDDEN>, f32, Dev>>;
// ANCHOR_END: gru

// ANCHOR: gru_impl
impl<const I: usize, const HIDDEN: usize> Gru<I, HIDDEN> {
    /// `layers` layers as training starts from them; `inputs` as for a cell.
    pub fn new(dev: &Dev, inputs: usize, layers: usize, dropout: f32) -> Self {
        let upper = (1..layers).map(|_| GruCell::new(dev, HIDDEN));
        Gru { first: GruCell::new(dev, inputs), upper: upper.collect(), dropout }
    }

    /// The state before the first step: zeros.
    pub fn start<const B: usize>(&self) -> State<B, HIDDEN> {
        vec![self.first.b_ih.device().zeros(); 1 + self.upper.len()]
    }

    /// All steps: the states of the last layer. `state` becomes the last one.
    pub fn forward<const S: usize, const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<S, B, I>, f32, Dev, T>,
        state: &mut State<B, HIDDEN>,
    ) -> Tensor<Rank3<S, B, HIDDEN>, f32, Dev, T> {
        let mut out = self.first.forward(x, &mut state[0]);
        for (cell, h) in self.upper.iter().zip(&mut state[1..]) {
            out = cell.forward(ops::drop_out(out, self.dropout), h);
        }
        out
    }

    /// One step of all layers, from what the input contributes to the gates
    /// of the first. The result is the new state of the last layer.
    pub fn step<const B: usize, T: Tape<f32, Dev>>(
        &self,
        x: Tensor<Rank3<3, B, HIDDEN>, f32, Dev, T>,
        state: &mut State<B, HIDDEN>,
    ) -> Tensor<Rank2<B, HIDDEN>, f32, Dev, T> {
        let (h, mut tape) = self.first.step(x, &state[0]).split_tape();
        state[0] = h;
        for (layer, cell) in (1..).zip(&self.upper) {
            let below = state[layer - 1].clone().put_tape(tape);
            let x: Tensor<Rank3<1, B, HIDDEN>, f32, Dev, T> =
                ops::drop_out(below, self.dropout).reshape();
            let x = cell.input(x).reshape();
            (state[layer], tape) = cell.step(x, &state[layer]).split_tape();
        }
        state[self.upper.len()].clone().put_tape(tape)
    }
}
// ANCHOR_END: gru_impl

// ANCHOR: gru_parameters
impl<const I: usize, const HIDDEN: usize> Parameters for GruCell<I, HIDDEN> {
    fn parameters(&mut self) -> Named<'_> {
        vec![
            ("w_ih".into(), &mut self.w_ih),
            ("w_hh".into(), &mut self.w_hh),
            ("b_ih".into(), &mut self.b_ih),
            ("b_hh".into(), &mut self.b_hh),
        ]
    }
}

impl<const I: usize, const HIDDEN: usize> Parameters for Gru<I, HIDDEN> {
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("layer_0", self.first.parameters());
        for (layer, cell) in (1..).zip(&mut self.upper) {
            let name = format!("layer_{layer}");
            all.extend(within(&name, cell.parameters()));
        }
        all
    }
}
// ANCHOR_END: gru_parameters
