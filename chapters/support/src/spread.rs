//! What is told of the numbers that several trainings came to.

use num_traits::float::{Float, TotalOrder};
use std::fmt::Display;
use std::iter::Sum;

/// Where numbers lie. Of no numbers each is NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread<F> {
    /// Their sum divided by their count.
    pub mean: F,
    /// The smallest.
    pub least: F,
    /// As many are below it as above it.
    pub median: F,
    /// The largest.
    pub most: F,
}

impl<F: Display> Spread<F> {
    /// Formats the mean, the least and the most for a row of a table, with this
    /// number of digits.
    pub fn cells(&self, digits: usize) -> [String; 3] {
        [&self.mean, &self.least, &self.most].map(|x| format!("{x:.digits$}"))
    }
}

/// Returns the spread of some numbers.
///
/// ```
/// let four = support::spread([10.0, 1.0, 3.0, 2.0]);
/// assert_eq!((four.mean, four.median), (4.0, 2.5));
/// assert_eq!(four.cells(1), ["4.0", "1.0", "10.0"]);
/// assert_eq!(support::spread([2f32, 9.0, 1.0]).median, 2.0);
/// ```
pub fn spread<F: Float + TotalOrder + Sum>(
    numbers: impl IntoIterator<Item = F>,
) -> Spread<F> {
    let mut numbers: Vec<F> = numbers.into_iter().collect();
    let count = F::from(numbers.len()).unwrap_or_else(F::nan);
    let mean = numbers.iter().copied().sum::<F>() / count;
    numbers.sort_by(F::total_cmp);
    let at = |i: usize| numbers.get(i).copied().unwrap_or_else(F::nan);
    let last = numbers.len().saturating_sub(1);
    let median = (at(last / 2) + at(numbers.len() / 2)) / (F::one() + F::one());
    Spread { mean, least: at(0), median, most: at(last) }
}
