//! The trainings of section 10.2.

mod training;
