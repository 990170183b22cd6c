//! Tests of support.
