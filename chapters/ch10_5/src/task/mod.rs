//! What the section's models learn: a game, with the model that plays it. Plain
//! computation, for the program, the tests, the exercises and the page.

pub mod cards;
