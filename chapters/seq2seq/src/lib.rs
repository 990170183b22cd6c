// ANCHOR: header
//! Interlude, sequence to sequence: sentences as tensors, a recurrent network
//! that reads one and another that writes its translation, the loss, training,
//! and how good the outcome is. Attention is not in it: the decoder has one
//! vector for the whole sentence.
// ANCHOR_END: header

// ANCHOR: lib
pub mod bleu;
pub mod checkpoint;
pub mod context;
pub mod corpus;
pub mod dataset;
pub mod decoder;
pub mod embedding;
pub mod encoder;
pub mod greedy;
pub mod gru;
pub mod loss;
pub mod pieces;
pub mod text;
pub mod train;
pub mod translator;
pub mod vocab;
// ANCHOR_END: lib
