//! What the program of section 10.1 prints and draws.

pub mod desk;
pub mod sweeps;

/// A query of the program, and what it stands for.
pub const NAMES: [&str; 3] = ["no cue", "a glance", "to read"];
pub const QUERIES: [[f32; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]];
pub const TEMPERATURE: f32 = 0.2;

/// Prints a row of numbers for each name.
pub fn rows<const C: usize>(names: &[&str], numbers: &[[f32; C]]) {
    for (name, numbers) in names.iter().zip(numbers) {
        support::row(name, 10, &numbers.map(|x| format!("{x:.4}")));
    }
}
