//! What the tests of several crates share: numbers that should agree, numbers
//! from PyTorch, gradients by finite differences, built programs and what they
//! print. A dev-dependency.

mod fixtures;
mod gradients;
mod numbers;
mod output;
mod programs;

pub use fixtures::{
    GradientOf, agrees, cases, counts, fixture, flat, flat_parameters, flat_there,
    gradient_of, load, tensor,
};
pub use gradients::{
    assert_all_move, backward_from, gradient_agrees, parameters_agree,
};
pub use numbers::{close, largest_difference, mean};
pub use output::{numbers_in, part, row};
pub use programs::{Finished, Program, program, repository};
