//! The trainings of section 10.3.

mod lookup;
