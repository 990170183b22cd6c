//! The live figures of ch10_6.
