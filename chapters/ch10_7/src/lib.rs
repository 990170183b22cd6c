// ANCHOR: lib
//! Section 10.7, the Transformer: an encoder and a decoder out of attention,
//! layers that treat each position by itself, and residual connections.
//!
//! Nothing here prints, draws or touches files.

pub mod beam;
pub mod decoder;
pub mod decoder_of_today;
pub mod embedding;
pub mod encoder;
pub mod feed_forward;
pub mod induction;
pub mod kv_cache;
pub mod language_model;
pub mod ngram;
pub mod norm;
pub mod parts;
pub mod reversal;
pub mod stories;
pub mod training;
pub mod translator;

pub use decoder::{DecoderAttentionWeights, DecoderBlock, TransformerDecoder};
pub use embedding::{MAX_POSITIONS, TokenEmbedding};
pub use encoder::{EncoderBlock, TransformerEncoder};
pub use feed_forward::FeedForward;
pub use kv_cache::{DecoderCache, KvCache};
pub use norm::{LayerNorm, NormPosition, Residual};
pub use translator::Transformer;
// ANCHOR_END: lib
