//! Data that several tests share.

use seq2seq::text::{Pair, read_pairs};
use seq2seq::vocab::Vocabularies;

/// Sentences of two letters.
pub fn few_pairs() -> (Vec<Pair>, Vocabularies) {
    let file = b"a b a\tx y\nb a\ty y x\nb\tx\na a b b\ty\n";
    let pairs = read_pairs(file, 4).expect("is right");
    let vocabularies = Vocabularies::new(&pairs);
    (pairs, vocabularies)
}
