//! The choice between a kernel and its definition.

use crate::edited::Definition;
use crate::{Dev, custom_op::DevError};
use dfdx::prelude::*;

/// A tape on which definitions are recorded instead of kernels. Whatever is
/// computed from `x.retaped::<DefinitionTape>()` is computed by definitions.
#[derive(Debug, Default)]
pub struct DefinitionTape {
    tape: OwnedTape<f32, Dev>,
    /// A `const` can't compare types, but it can compare their sizes: this
    /// makes the tape larger than the others.
    _larger: u64,
}

/// Returns whether a kernel that is called with the tape T runs its definition:
/// if somebody has edited it, and always on a graphics card and with the feature
/// `definitions`. Only what runs is compiled.
pub(crate) const fn by_definition<T>(definition: &Definition) -> bool {
    definition.is_edited()
        || cfg!(any(feature = "cuda", feature = "definitions"))
        || size_of::<T>() == size_of::<DefinitionTape>()
}

impl Tape<f32, Dev> for DefinitionTape {
    const OWNS_TAPE: bool = true;

    fn add_backward_op<F>(&mut self, operation: F)
    where
        F: 'static + FnOnce(&mut Gradients<f32, Dev>) -> Result<(), DevError>,
    {
        self.tape.add_backward_op(operation);
    }
}

impl Merge<NoneTape> for DefinitionTape {
    fn merge(self, _: NoneTape) -> Self {
        self
    }
}

impl Merge<Self> for DefinitionTape {
    fn merge(self, other: Self) -> Self {
        Self { tape: self.tape.merge(other.tape), ..self }
    }
}

impl From<DefinitionTape> for OwnedTape<f32, Dev> {
    fn from(recorded: DefinitionTape) -> Self {
        recorded.tape
    }
}

/// `x` with what was recorded on T, moved to a tape of dfdx: ready for
/// [`backward`](dfdx::tensor_ops::Backward::backward).
pub fn onto_owned_tape<S: Shape, T>(
    x: Tensor<S, f32, Dev, T>,
) -> Tensor<S, f32, Dev, OwnedTape<f32, Dev>>
where
    T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>,
{
    let (x, tape) = x.split_tape();
    x.put_tape(tape.into())
}
