//! Tests of section 10.1.

mod attention;
