// ANCHOR: header
//! Interlude, writing a translation: at each step the most probable token.

use crate::vocab::{BOS, EOS};
// ANCHOR_END: header

// ANCHOR: greedy
/// **Greedy decoding**: from [`BOS`] on, the most probable token after each,
/// until it is [`EOS`] or `steps` are written. `logits` reads the token before
/// and returns the logits of the one that follows.
pub fn greedy(steps: usize, mut logits: impl FnMut(usize) -> Vec<f32>) -> Vec<usize> {
    let mut written = Vec::new();
    let mut token = BOS;
    while written.len() < steps {
        token = argmax(&logits(token));
        if token == EOS {
            break;
        }
        written.push(token);
    }
    written
}

/// The position of the largest number, of equal ones the first; of none, 0.
pub fn argmax(numbers: &[f32]) -> usize {
    let numbers = numbers.iter().enumerate().rev();
    numbers.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(position, _)| position)
}
// ANCHOR_END: greedy
