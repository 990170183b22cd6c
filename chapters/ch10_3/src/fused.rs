// ANCHOR: fused_header
//! Section 10.3, fused operations: what is needed to write an operation with
//! a backward pass of its own. For processors; a graphics card has no use for
//! it.
//!
//! Additive attention as one operation is in `one_pass.rs`.

use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: fused_header

// ANCHOR: place
/// A tensor of whatever shape, as the place where its gradient is kept.
pub trait Place {
    /// Takes the gradient out: zeros if there is none yet.
    ///
    /// # Errors
    /// The memory for it is not to be had.
    fn take(&self, from: &mut Grads) -> Result<Vec<f32>, DevError>;

    /// Puts it back.
    ///
    /// # Errors
    /// As above.
    fn put(&self, to: &mut Grads, values: Vec<f32>) -> Result<(), DevError>;
}

/// All gradients of one backward pass.
pub type Grads = Gradients<f32, Dev>;

/// What goes wrong on the device.
pub type DevError = <Dev as HasErr>::Err;

impl<Form: Shape> Place for Tensor<Form, f32, Dev> {
    fn take(&self, from: &mut Grads) -> Result<Vec<f32>, DevError> {
        Ok(std::mem::take(from.get_or_alloc_mut(self)?))
    }

    fn put(&self, to: &mut Grads, values: Vec<f32>) -> Result<(), DevError> {
        **to.get_or_alloc_mut(self)? = values;
        Ok(())
    }
}
// ANCHOR_END: place

// ANCHOR: record
/// The place of the gradient of `x`.
pub fn place<Form: Shape>(x: &Tensor<Form, f32, Dev>) -> Box<dyn Place> {
    Box::new(x.clone())
}

/// Records an operation: `output` was computed from `inputs`. `backward` gets
/// the gradient of the output, and adds to the gradients of the inputs.
///
/// The inputs must be different tensors: of one that is given twice, the
/// second gradient would be empty.
pub fn record<const N: usize, Form: Shape, T: Tape<f32, Dev>>(
    inputs: [Box<dyn Place>; N],
    output: Tensor<Form, f32, Dev>,
    mut tape: T,
    backward: impl FnOnce(&[f32], [&mut [f32]; N]) + 'static,
) -> Tensor<Form, f32, Dev, T> {
    let own = output.clone();
    tape.add_backward_op(move |grads| {
        let of_output = own.take(grads)?;
        let mut of_inputs: [Vec<f32>; N] = std::array::from_fn(|_| vec![]);
        for (values, input) in of_inputs.iter_mut().zip(&inputs) {
            *values = input.take(grads)?;
        }
        backward(&of_output, of_inputs.each_mut().map(|v| v.as_mut_slice()));
        for (values, input) in of_inputs.into_iter().zip(&inputs) {
            input.put(grads, values)?;
        }
        own.put(grads, of_output)
    });
    output.put_tape(tape)
}
// ANCHOR_END: record

// ANCHOR: values
/// The numbers of a tensor that lies in memory without gaps, copied in one go.
pub fn values<Form: Shape>(x: &Tensor<Form, f32, Dev>) -> Vec<f32> {
    let mut values = vec![0.0; x.shape().num_elements()];
    x.copy_into(&mut values);
    values
}
// ANCHOR_END: values
