//! Operations with a backward pass written by hand, each beside its definition.
//!
//! A chapter hands its own definition of a layer, in dfdx's operations, to the
//! kernel that computes the same faster. Exactly one of the two runs: the
//! kernel on a processor; the definition on a graphics card, on a
//! [`DefinitionTape`], with the feature `definitions`, and wherever somebody has
//! [`edited`] it. Tests hold the two equal in values and gradients.

mod additive;
mod allowed;
mod attention;
mod custom_op;
mod definitions;
mod dropout;
pub mod edited;
mod embedding;
mod linear;
mod loss;
mod norm;
mod parallel;
mod recurrent;
pub mod simd;
pub mod tensor;

pub use additive::additive_attention;
pub use allowed::Allowed;
pub use attention::attention;
pub use custom_op::{GradSlot, custom_op, grad_slot, to_vec};
pub use definitions::{DefinitionTape, onto_owned_tape};
pub use dropout::{add, dropout, dropout_add, dropout_mask};
pub use embedding::{embedding, embedding_with_positions};
pub use linear::{feed_forward, linear};
pub use loss::cross_entropy;
pub use norm::layer_norm;
pub use parallel::{MaybeSend, in_parallel};
pub use recurrent::{gate_preactivations, gru_gates, unbind};
pub use tensor::{Dev, Matrix, Row, Tensor0, Tensor1, Tensor2, Tensor3, Tensor4};
