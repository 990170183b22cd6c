//! Operations whose backward pass is written by hand.

use crate::Dev;
use dfdx::prelude::*;

/// The gradients of one backward pass.
type Grads = Gradients<f32, Dev>;

/// What goes wrong on the device.
pub(crate) type DevError = <Dev as HasErr>::Err;

/// Where the gradient of a tensor is accumulated, whatever its shape.
pub struct GradSlot(Box<dyn Slot>);

/// The gradient slot of `x`, whose numbers must lie in memory in the order of
/// its shape. What was permuted or broadcast is first made
/// [`contiguous`](ReshapeTo::contiguous), on the tape.
pub fn grad_slot<S: Shape>(x: &Tensor<S, f32, Dev>) -> GradSlot {
    GradSlot(Box::new(x.clone()))
}

trait Slot {
    /// Takes the gradient out: zeros if there is none yet, and zeros if it has
    /// been taken out already, as happens when a tensor is an input twice.
    fn take_grad(&self, grads: &mut Grads) -> Result<Vec<f32>, DevError>;

    /// Puts it back, added to what has been put back before.
    fn put_grad(&self, grads: &mut Grads, gradient: Vec<f32>) -> Result<(), DevError>;
}

#[cfg(not(feature = "cuda"))]
impl<S: Shape> Slot for Tensor<S, f32, Dev> {
    fn take_grad(&self, grads: &mut Grads) -> Result<Vec<f32>, DevError> {
        let gradient: Vec<f32> = std::mem::take(grads.get_or_alloc_mut(self)?);
        let taken_before = gradient.is_empty();
        let count = self.shape().num_elements();
        Ok(if taken_before { vec![0.0; count] } else { gradient })
    }

    fn put_grad(&self, grads: &mut Grads, gradient: Vec<f32>) -> Result<(), DevError> {
        let slot = grads.get_or_alloc_mut(self)?;
        if slot.is_empty() {
            **slot = gradient;
        } else {
            crate::simd::add_scaled(slot, 1.0, &gradient);
        }
        Ok(())
    }
}

/// Over the memory of the processor: right, but slow.
#[cfg(feature = "cuda")]
impl<S: Shape> Slot for Tensor<S, f32, Dev> {
    fn take_grad(&self, grads: &mut Grads) -> Result<Vec<f32>, DevError> {
        grads.try_alloc_for(self)?;
        let gradient = grads.get(self).as_vec();
        let slot = grads.get_or_alloc_mut(self)?;
        slot.device().memset_zeros(slot)?;
        Ok(gradient)
    }

    fn put_grad(&self, grads: &mut Grads, gradient: Vec<f32>) -> Result<(), DevError> {
        let mut sum = grads.get(self).as_vec();
        crate::simd::add_scaled(&mut sum, 1.0, &gradient);
        let slot = grads.get_or_alloc_mut(self)?;
        Ok(slot.device().htod_sync_copy_into(&sum, slot)?)
    }
}

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
        let backward = |d_output: &[f32], d_inputs: &mut [Vec<f32>]| {
            let d_inputs = d_inputs.as_mut_array::<N>().expect("one for each input");
            backward(d_output, d_inputs.each_mut().map(Vec::as_mut_slice));
        };
        let operation = Operation {
            inputs: inputs.into(),
            output: grad_slot(&output),
            backward: Box::new(backward),
        };
        tape.add_backward_op(|grads| operation.go_back(grads));
    }
    output.put_tape(tape)
}

/// Gets the gradient of the output, and adds to the gradients of the inputs.
type Backward = dyn FnOnce(&[f32], &mut [Vec<f32>]);

/// An operation on a tape. It knows no shapes, and is compiled once for
/// all of them.
struct Operation {
    inputs: Vec<GradSlot>,
    output: GradSlot,
    backward: Box<Backward>,
}

impl Operation {
    fn go_back(self, grads: &mut Grads) -> Result<(), DevError> {
        let d_output = self.output.0.take_grad(grads)?;
        let slots = self.inputs.iter();
        let mut d_inputs: Vec<Vec<f32>> =
            slots.map(|slot| slot.0.take_grad(grads)).collect::<Result<_, _>>()?;
        (self.backward)(&d_output, &mut d_inputs);
        for (gradient, slot) in d_inputs.into_iter().zip(&self.inputs) {
            slot.0.put_grad(grads, gradient)?;
        }
        self.output.0.put_grad(grads, d_output)
    }
}

/// The numbers of a tensor, in the order of its shape.
pub fn to_vec<S: Shape>(x: &Tensor<S, f32, Dev>) -> Vec<f32> {
    let mut numbers = vec![0.0; x.shape().num_elements()];
    x.clone().contiguous().copy_into(&mut numbers);
    numbers
}

/// The same, N numbers to a row.
pub(crate) fn to_rows<const N: usize, S: Shape>(
    x: &Tensor<S, f32, Dev>,
) -> Vec<[f32; N]> {
    let mut rows = vec![[0.0; N]; x.shape().num_elements() / N.max(1)];
    x.clone().contiguous().copy_into(rows.as_flattened_mut());
    rows
}

/// The tensor of these numbers.
pub(crate) fn tensor<S: ConstShape>(
    dev: &Dev,
    numbers: Vec<f32>,
) -> Tensor<S, f32, Dev> {
    dev.tensor_from_vec(numbers, S::default())
}

/// A contiguous `x` and its tape.
pub(crate) fn split<S: Shape, T: Tape<f32, Dev>>(
    x: Tensor<S, f32, Dev, T>,
) -> (Tensor<S, f32, Dev>, T) {
    x.contiguous().split_tape()
}

/// The same for a tensor off the tape: what makes it contiguous is recorded.
pub(crate) fn split_onto<S: Shape, T: Tape<f32, Dev>>(
    x: &Tensor<S, f32, Dev>,
    tape: T,
) -> (Tensor<S, f32, Dev>, T) {
    split(x.clone().put_tape(tape))
}
