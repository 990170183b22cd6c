//! Operations whose backward pass is written by hand.

use crate::{Dev, Row};
use dfdx::prelude::*;

/// The gradients of one backward pass.
type Grads = Gradients<f32, Dev>;

/// What goes wrong on the device.
pub(crate) type DevError = <Dev as HasErr>::Err;

/// Where the gradient of a tensor is accumulated: the tensor as one row, which
/// dfdx takes for the same tensor, or nothing for an input that is missing, such
/// as a bias. What is done with a row is compiled once for all shapes.
pub struct GradSlot(pub(crate) Option<Row>);

/// The gradient slot of `x`, whose numbers must lie in memory in the order of
/// its shape. What was permuted or broadcast is first made
/// [`contiguous`](ReshapeTo::contiguous), on the tape: the row of a view is a
/// tensor of its own, and its gradient would be lost.
pub fn grad_slot<S: Shape>(x: &Tensor<S, f32, Dev>) -> GradSlot {
    GradSlot(Some(as_row(x)))
}

impl GradSlot {
    /// Takes the gradient out: zeros if there is none yet, and zeros if it has
    /// been taken out already, as happens when a tensor is an input twice.
    #[cfg(not(feature = "cuda"))]
    fn take_grad(&self, grads: &mut Grads) -> Result<Vec<f32>, DevError> {
        let Some(x) = &self.0 else { return Ok(vec![]) };
        let gradient: Vec<f32> = std::mem::take(grads.get_or_alloc_mut(x)?);
        let taken_before = gradient.is_empty();
        let count = x.shape().num_elements();
        Ok(if taken_before { vec![0.0; count] } else { gradient })
    }

    /// Puts it back, added to what has been put back before.
    #[cfg(not(feature = "cuda"))]
    fn put_grad(&self, grads: &mut Grads, gradient: Vec<f32>) -> Result<(), DevError> {
        let Some(x) = &self.0 else { return Ok(()) };
        let slot = grads.get_or_alloc_mut(x)?;
        if slot.is_empty() {
            **slot = gradient;
        } else {
            crate::simd::add_scaled(slot, 1.0, &gradient);
        }
        Ok(())
    }

    /// Over the memory of the processor: right, but slow.
    #[cfg(feature = "cuda")]
    fn take_grad(&self, grads: &mut Grads) -> Result<Vec<f32>, DevError> {
        let Some(x) = &self.0 else { return Ok(vec![]) };
        grads.try_alloc_for(x)?;
        let gradient = grads.get(x).as_vec();
        let slot = grads.get_or_alloc_mut(x)?;
        slot.device().memset_zeros(slot)?;
        Ok(gradient)
    }

    #[cfg(feature = "cuda")]
    fn put_grad(&self, grads: &mut Grads, gradient: Vec<f32>) -> Result<(), DevError> {
        let Some(x) = &self.0 else { return Ok(()) };
        let mut sum = grads.get(x).as_vec();
        crate::simd::add_scaled(&mut sum, 1.0, &gradient);
        let slot = grads.get_or_alloc_mut(x)?;
        Ok(slot.device().htod_sync_copy_into(&sum, slot)?)
    }
}

/// Gets the gradient of the output, and adds to the gradients of N inputs.
pub(crate) type Backward<const N: usize> = Box<dyn FnOnce(&[f32], [&mut [f32]; N])>;

/// Records an operation: `output` was computed from `inputs`. `backward` gets
/// the gradient of the output, and adds to the gradients of the inputs. An
/// input may be given twice; the two gradients are added up.
pub fn custom_op<const N: usize, S: Shape, T: Tape<f32, Dev>>(
    inputs: [GradSlot; N],
    output: Tensor<S, f32, Dev>,
    mut tape: T,
    backward: impl FnOnce(&[f32], [&mut [f32]; N]) + 'static,
) -> Tensor<S, f32, Dev, T> {
    if const { T::OWNS_TAPE } {
        record(inputs, grad_slot(&output), &mut tape, Box::new(backward));
    }
    output.put_tape(tape)
}

/// Puts the step on the tape. It knows no shapes: it is compiled once for each
/// number of inputs and kind of tape.
fn record<const N: usize>(
    inputs: [GradSlot; N],
    output: GradSlot,
    tape: &mut impl Tape<f32, Dev>,
    backward: Backward<N>,
) {
    tape.add_backward_op(move |grads| {
        let d_output = output.take_grad(grads)?;
        let mut d_inputs = [const { Vec::new() }; N];
        for (gradient, slot) in d_inputs.iter_mut().zip(&inputs) {
            *gradient = slot.take_grad(grads)?;
        }
        backward(&d_output, d_inputs.each_mut().map(Vec::as_mut_slice));
        for (gradient, slot) in d_inputs.into_iter().zip(&inputs) {
            slot.put_grad(grads, gradient)?;
        }
        output.put_grad(grads, d_output)
    });
}

/// What a kernel has computed from the rows of its inputs.
pub(crate) struct Computed<const N: usize> {
    pub(crate) dev: Dev,
    pub(crate) inputs: [GradSlot; N],
    pub(crate) output: Vec<f32>,
    pub(crate) backward: Backward<N>,
}

impl<const N: usize> Computed<N> {
    /// The output as a tensor, recorded on the tape.
    pub(crate) fn onto<S: ConstShape, T: Tape<f32, Dev>>(
        self,
        tape: T,
    ) -> Tensor<S, f32, Dev, T> {
        custom_op(self.inputs, tensor(&self.dev, self.output), tape, self.backward)
    }
}

/// The numbers of a tensor, in the order of its shape.
pub fn to_vec<S: Shape>(x: &Tensor<S, f32, Dev>) -> Vec<f32> {
    numbers(&as_row(x))
}

/// The numbers of a row.
pub(crate) fn numbers(row: &Row) -> Vec<f32> {
    let mut numbers = vec![0.0; row.shape().num_elements()];
    row.copy_into(&mut numbers);
    numbers
}

/// The numbers of a row, N to an array.
pub(crate) fn to_rows<const N: usize>(row: &Row) -> Vec<[f32; N]> {
    let mut rows = vec![[0.0; N]; row.shape().num_elements() / N.max(1)];
    row.copy_into(rows.as_flattened_mut());
    rows
}

/// All numbers of `x` as one row.
pub(crate) fn as_row<S: Shape>(x: &Tensor<S, f32, Dev>) -> Row {
    split(x.clone()).0
}

/// The tensor of these numbers.
pub(crate) fn tensor<S: ConstShape>(
    dev: &Dev,
    numbers: Vec<f32>,
) -> Tensor<S, f32, Dev> {
    dev.tensor_from_vec(numbers, S::default())
}

/// All numbers of `x` as one row, and its tape: where it was permuted or
/// broadcast, what puts them in order is recorded.
pub(crate) fn split<S: Shape, T: Tape<f32, Dev>>(
    x: Tensor<S, f32, Dev, T>,
) -> (Row, T) {
    let len = x.shape().num_elements();
    x.reshape_like(&(len,)).split_tape()
}

/// The same for a tensor off the tape.
pub(crate) fn split_onto<S: Shape, T: Tape<f32, Dev>>(
    x: &Tensor<S, f32, Dev>,
    tape: T,
) -> (Row, T) {
    split(x.clone().put_tape(tape))
}
