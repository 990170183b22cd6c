//! Section 10.7: the translator.
