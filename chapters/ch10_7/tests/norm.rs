//! What the page on the norm says of trainings, in short; its records have more
//! seeds and six blocks.

use ch10_3::Mask;
use ch10_7::NormPosition::{self, Post, Pre};
use ch10_7::Transformer;
use ch10_7::reversal::{
    LEN, Reverser, Sequence, random_sequence, reversed, train_reverser,
};
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS, SCHEDULE};
use kernels::Dev;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::dataset::Dataset;
use seq2seq::train::{Schedule, train};

/// The share of the symbols that four blocks have right after so many steps.
fn share(position: NormPosition, steps: usize) -> f32 {
    let mut rng = StdRng::seed_from_u64(7);
    let asked: [Sequence; 256] = std::array::from_fn(|_| random_sequence(&mut rng));
    let new = |dev: &Dev| Reverser::new(dev, 4, position);
    let model = train_reverser(steps, 20, &asked, new, &Mask::none(), |_, _| ());
    let (predicted, _) = model.predict(&asked, &Mask::none());
    let wanted = asked.map(|sequence| reversed(&sequence));
    let pairs = predicted.as_flattened().iter().zip(wanted.as_flattened());
    pairs.filter(|(ours, wanted)| ours == wanted).count() as f32 / (256 * LEN) as f32
}

/// Pre-norm has learned the task when post-norm has not; with three times the
/// steps it has, too.
#[test]
fn a_deep_stack_learns_later_with_post_norm() {
    let (post, pre) = (share(Post, 200), share(Pre, 200));
    assert!(post < 0.7 && pre > 0.92, "{post} {pre}");
    let later = share(Post, 600);
    assert!(later > 0.99, "{later}");
}

/// Twelve epochs of a quarter of the sentences: the translator's loss is lower
/// with the warm-up than without, and lower with pre-norm than with post-norm.
#[test]
fn a_warm_up_and_pre_norm_pay_in_a_short_training() {
    let mut data = Dataset::book();
    data.train.truncate(640);
    let loss = |position, warm_up| {
        let schedule = Schedule { epochs: 12, warm_up, ..SCHEDULE };
        let sizes = data.vocabularies.sizes();
        let new = |dev: &Dev| -> BookTransformer {
            Transformer::new(dev, sizes, LAYERS, DROPOUT, position)
        };
        let trained = train(&data, &schedule, 5, new, |_, _| (), |_, _| ());
        trained.expect("there are pairs").1[11]
    };
    let (post, none) = (loss(Post, SCHEDULE.warm_up), loss(Post, 0));
    assert!(post < none - 0.03, "{post} {none}");
    let pre = loss(Pre, SCHEDULE.warm_up);
    assert!(pre < post - 0.2 && post < 2.4, "{pre} {post}");
}
