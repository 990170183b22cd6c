// ANCHOR: header
//! Interlude, sequence to sequence: what section 10.4 adds attention to.
//!
//! Sentences as tensors, a recurrent network that reads one and another that
//! writes its translation, the loss, training, and how good the outcome is.
//! Attention is not in it: the writer sees one vector for the whole sentence.

pub mod bleu;
pub mod checkpoint;
pub mod context;
pub mod corpus;
pub mod course;
pub mod decoder;
pub mod encoder;
#[cfg(not(feature = "cuda"))]
pub mod fused;
pub mod gru;
pub mod loss;
pub mod parameters;
pub mod text;
pub mod train;
pub mod translator;
pub mod vocab;
pub mod words;
// ANCHOR_END: header

// ANCHOR: ops
/// The parts on which the time goes: as one operation each on a processor,
/// composed of dfdx's own on a graphics card.
mod ops {
    #[cfg(not(feature = "cuda"))]
    pub use crate::fused::{drop_out, embed, gates, losses, steps, to_gates};
    #[cfg(feature = "cuda")]
    pub use crate::{
        gru::{drop_out, gates, steps, to_gates},
        loss::losses,
        words::embed,
    };
}
// ANCHOR_END: ops
