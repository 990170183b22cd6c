//! What several tests share: numbers of PyTorch, small models.

use ch10_2::parameters::Parameters;
use kernels::Dev;
use seq2seq::context::FixedContext;
use seq2seq::text::{Pair, read_pairs};
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::{Batch, Vocabularies};
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

/// The first B of them, or as many as there are.
pub fn batch<const B: usize>(
    pairs: &[Pair],
    vocabularies: &Vocabularies,
) -> Batch<B, 5> {
    Batch::new(pairs, vocabularies).expect("fits")
}

pub type Small = Translator<6, 5, FixedContext>;

/// A small model with the same dropout everywhere.
pub fn small(dev: &Dev, dropout: f32) -> Small {
    let config =
        Config { layers: 2, embedding_dropout: dropout, layer_dropout: dropout };
    Translator::new(dev, (6, 6), &config, FixedContext)
}
