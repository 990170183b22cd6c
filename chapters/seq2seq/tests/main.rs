//! The program of the interlude.

mod program;
