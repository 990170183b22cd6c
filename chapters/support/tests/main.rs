//! Tests of what no page tells and every program relies on.

mod drawings;
mod files;
