// ANCHOR: header
//! Section 10.2, training: the parameters of a layer, and how an optimiser
//! changes them.

use dfdx::prelude::*;
use kernels::{Dev, Tensor0};

// ANCHOR_END: header

// ANCHOR: parameter
/// A tensor that is learned, whatever its shape.
pub trait Parameter {
    /// Returns the lengths of its axes.
    fn dims(&self) -> Vec<usize>;
    /// Appends its numbers to `flat`.
    fn append_to(&self, flat: &mut Vec<f32>);
    /// Takes its numbers from the front of `flat`; returns the rest.
    fn load_from<'a>(&mut self, flat: &'a [f32]) -> &'a [f32];
    /// Appends its gradient to `flat`: zeros if the loss does not depend on it.
    fn append_gradient(&self, from: &mut Gradients<f32, Dev>, flat: &mut Vec<f32>);
}
// ANCHOR_END: parameter

// ANCHOR: parameter_impl
impl<S: Shape> Parameter for Tensor<S, f32, Dev> {
    fn dims(&self) -> Vec<usize> {
        self.shape().concrete().into_iter().collect()
    }

    fn append_to(&self, flat: &mut Vec<f32>) {
        let start = flat.len();
        flat.resize(start + self.shape().num_elements(), 0.0);
        self.copy_into(&mut flat[start..]);
    }

    fn load_from<'a>(&mut self, flat: &'a [f32]) -> &'a [f32] {
        let (own, rest) = flat.split_at(self.shape().num_elements());
        self.copy_from(own);
        rest
    }

    fn append_gradient(&self, from: &mut Gradients<f32, Dev>, flat: &mut Vec<f32>) {
        from.try_alloc_for(self).expect("memory for a gradient");
        from.get(self).append_to(flat);
    }
}
// ANCHOR_END: parameter_impl

// ANCHOR: parameters
/// Parameters with their names, always in the same order.
pub type NamedParameters<'a> = Vec<(String, &'a mut dyn Parameter)>;

/// A layer, or a model of layers: something that has parameters.
pub trait Parameters {
    /// Returns all parameters, with their names.
    fn parameters(&mut self) -> NamedParameters<'_>;

    /// Counts the numbers in all parameters.
    fn count(&mut self) -> usize {
        self.flatten().len()
    }

    /// Returns their numbers in one flat vector.
    fn flatten(&mut self) -> Vec<f32> {
        let mut flat = Vec::new();
        for (_, parameter) in self.parameters() {
            parameter.append_to(&mut flat);
        }
        flat
    }

    /// Loads their numbers from a flat vector.
    ///
    /// # Panics
    /// If `flat` is not exactly as long as [`flatten`](Self::flatten) makes it.
    fn load_flat(&mut self, mut flat: &[f32]) {
        for (_, parameter) in self.parameters() {
            flat = parameter.load_from(flat);
        }
        assert!(flat.is_empty(), "the flat vector of another model");
    }

    /// Returns their gradients in one flat vector, in the same order.
    fn flat_gradient(&mut self, mut gradients: Gradients<f32, Dev>) -> Vec<f32> {
        let mut flat = Vec::new();
        for (_, parameter) in self.parameters() {
            parameter.append_gradient(&mut gradients, &mut flat);
        }
        flat
    }
}
// ANCHOR_END: parameters

// ANCHOR: nesting
impl<S: Shape> Parameters for Tensor<S, f32, Dev> {
    fn parameters(&mut self) -> NamedParameters<'_> {
        vec![(String::new(), self)]
    }
}

impl<L: Parameters> Parameters for Vec<L> {
    fn parameters(&mut self) -> NamedParameters<'_> {
        let mut all = Vec::new();
        for (i, layer) in self.iter_mut().enumerate() {
            append(&mut all, &i.to_string(), layer.parameters());
        }
        all
    }
}

impl<L: Parameters> Parameters for Option<L> {
    fn parameters(&mut self) -> NamedParameters<'_> {
        self.as_mut().map_or_else(Vec::new, L::parameters)
    }
}

/// Appends the parameters of the field `field` of a layer to `all`.
pub fn append<'a>(
    all: &mut NamedParameters<'a>,
    field: &str,
    parameters: NamedParameters<'a>,
) {
    for (name, parameter) in parameters {
        let name = match name.is_empty() {
            true => field.to_string(),
            false => format!("{field}.{name}"),
        };
        all.push((name, parameter));
    }
}
// ANCHOR_END: nesting

// ANCHOR: macro
/// Implements [`Parameters`] for a layer, with the fields that are named.
/// Const parameters stand before a semicolon, types that have parameters
/// after it.
///
/// ```text
/// parameters! { Linear<I, O> { weight, bias } }
/// parameters! { Decoder<EMBED, HIDDEN; C> { embedding, attention, rnn } }
/// ```
#[macro_export]
macro_rules! parameters {
    ($layer:ident $(< $($size:ident),* $(; $($part:ident),+)? >)? {
        $($field:ident),* $(,)?
    }) => {
        impl $(< $(const $size: usize,)* $($($part: $crate::parameters::Parameters),+)? >)?
            $crate::parameters::Parameters for $layer $(< $($size,)* $($($part),+)? >)?
        {
            fn parameters(&mut self) -> $crate::parameters::NamedParameters<'_> {
                let mut all = Vec::new();
                $(
                    let own = $crate::parameters::Parameters::parameters(&mut self.$field);
                    $crate::parameters::append(&mut all, stringify!($field), own);
                )*
                all
            }
        }
    };
}
// ANCHOR_END: macro

// ANCHOR: optimizer
/// Changes parameters so that a loss falls.
pub trait Optimizer {
    /// Takes one step. `gradients` has for each parameter the derivative of the
    /// loss with respect to it.
    ///
    /// # Panics
    /// If there are not as many of one as of the other, and as of its own.
    fn update(&mut self, parameters: &mut [f32], gradients: &[f32]);
}

/// Gradient descent with the learning rate `lr`.
#[derive(Clone, Copy, Debug)]
pub struct Sgd {
    /// How far a parameter moves for a gradient of 1.
    pub lr: f32,
}

impl Optimizer for Sgd {
    fn update(&mut self, parameters: &mut [f32], gradients: &[f32]) {
        assert_eq!(parameters.len(), gradients.len(), "a gradient for each parameter");
        for (parameter, gradient) in parameters.iter_mut().zip(gradients) {
            *parameter -= self.lr * gradient;
        }
    }
}

// ANCHOR_END: optimizer

// ANCHOR: step
/// Takes one step of training: computes the gradients of a recorded `loss` and
/// updates the model. Returns the loss before the step.
pub fn step<M: Parameters>(
    model: &mut M,
    optimizer: &mut impl Optimizer,
    loss: Tensor0<OwnedTape<f32, Dev>>,
) -> f32 {
    let value = loss.array();
    let gradients = model.flat_gradient(loss.backward());
    let mut parameters = model.flatten();
    optimizer.update(&mut parameters, &gradients);
    model.load_flat(&parameters);
    value
}
// ANCHOR_END: step
