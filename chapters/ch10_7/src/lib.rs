// ANCHOR: header
//! Section 10.7, the Transformer: an encoder and a decoder out of attention,
//! layers that treat each position by itself, and residual connections.
//!
//! Nothing here prints, writes files or draws random numbers of its own. The
//! attention is that of `ch10_5`, the positions those of `ch10_6`; training
//! and keeping a model is the business of `seq2seq`.

pub mod attention;
pub mod beam;
pub mod bigram;
pub mod decoder;
pub mod encoder;
pub mod feed_forward;
#[cfg(not(feature = "cuda"))]
pub mod fused;
pub mod language;
pub mod norm;
pub mod parameters;
pub mod reversal;
pub mod stories;
pub mod translator;
pub mod words;
pub mod write;
pub mod writing;

pub use attention::{Attention, Seen};
pub use decoder::{DecoderBlock, TransformerDecoder};
pub use encoder::{EncoderBlock, TransformerEncoder};
pub use feed_forward::PositionWiseFfn;
pub use norm::{AddNorm, LayerNorm, NormAt};
pub use translator::Transformer;
pub use writing::Writing;
// ANCHOR_END: header

// ANCHOR: ops
/// The parts on which the time goes: as one operation each on a processor,
/// composed of dfdx's own on a graphics card.
mod ops {
    #[cfg(not(feature = "cuda"))]
    pub use crate::fused::{add, embed, feed_forward, look, losses, norm, project};
    #[cfg(feature = "cuda")]
    pub use crate::{
        attention::{look, project},
        feed_forward::feed_forward,
        norm::{add, norm},
        words::{embed, losses},
    };
}
// ANCHOR_END: ops
