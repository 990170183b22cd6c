//! What several tests share: numbers of PyTorch, small models.

use seq2seq::text::{Pair, read_pairs};
use seq2seq::vocab::Vocabularies;
pub use testing::{counts as rows, fixture, flat as numbers, tensor};

/// Fails unless each number is within 1e-5 of the right one, absolutely or
/// relative to it.
#[track_caller]
pub fn assert_close(what: &str, ours: &[f32], right: &[f32]) {
    testing::close(ours, right, 1e-5, what);
}

/// Sentences of two letters.
pub fn few_pairs() -> (Vec<Pair>, Vocabularies) {
    let file = b"a b a\tx y\nb a\ty y x\nb\tx\na a b b\ty\n";
    let pairs = read_pairs(file, 4).expect("is right");
    let vocabularies = Vocabularies::new(&pairs);
    (pairs, vocabularies)
}
