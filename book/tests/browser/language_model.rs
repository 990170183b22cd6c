//! The live figures of language_model.
