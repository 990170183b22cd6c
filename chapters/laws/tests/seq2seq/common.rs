//! What several tests share: numbers of PyTorch, small models.

use ch10_2::parameters::Parameters;
use seq2seq::text::{Pair, read_pairs};
use seq2seq::vocab::Vocabularies;
pub use testing::{counts as rows, fixture, flat as numbers, tensor};

/// Fails unless each number is within 1e-5 of the right one, absolutely or
/// relative to it.
#[track_caller]
pub fn assert_close(what: &str, ours: &[f32], right: &[f32]) {
    testing::close(ours, right, 1e-5, what);
}

/// Fails unless `gradient` is that of differences of `loss` in every parameter
/// of the model.
#[track_caller]
pub fn assert_gradient<M: Parameters + Clone>(
    model: &mut M,
    gradient: &[f32],
    loss: impl Fn(&M) -> f32,
) {
    let start = model.flatten();
    let at = |flat: &[f32]| {
        let mut moved = model.clone();
        moved.load_flat(flat);
        loss(&moved)
    };
    testing::gradient_agrees(&start, gradient, at, 5e-4, "parameters");
}

/// Sentences of two letters.
pub fn few_pairs() -> (Vec<Pair>, Vocabularies) {
    let file = b"a b a\tx y\nb a\ty y x\nb\tx\na a b b\ty\n";
    let pairs = read_pairs(file, 4).expect("is right");
    let vocabularies = Vocabularies::new(&pairs);
    (pairs, vocabularies)
}
