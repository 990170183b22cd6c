//! What the page on the norm says of trainings, in short; its records have more
//! seeds and six blocks.

use ch10_3::Mask;
use ch10_7::NormPosition::{self, Post, Pre};
use ch10_7::reversal::{
    LEN, Reverser, Sequence, random_sequence, reversed, train_reverser,
};
use kernels::Dev;
use rand::{SeedableRng, rngs::StdRng};

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
