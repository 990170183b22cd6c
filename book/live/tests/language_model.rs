//! Section 10.7: the language model.
