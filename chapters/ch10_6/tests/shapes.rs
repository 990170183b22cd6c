//! Attention over the pixels of pictures finds the other shape, and a convolution
//! alone does not.

use ch10_6::task::classifier::{LR, STEPS, ShapeClassifier, accuracy, train};
use ch10_6::task::shapes::{PIXELS, ShapeBatch, patch};
use dfdx::prelude::*;
use kernels::Dev;
use rand::SeedableRng;
use rand::rngs::StdRng;

/// The mean weight that a centre gives to the other shape, where the two differ.
fn on_the_other(model: &ShapeClassifier, test: &ShapeBatch<256>) -> f32 {
    let features = model.features(test.patches.clone());
    let weights = model.attention.forward(features).weights.as_vec();
    let mut all = Vec::new();
    for (b, picture) in test.pictures.iter().enumerate() {
        let ([a, c], [one, other]) = (picture.centres, picture.kinds);
        for (from, to) in [(a, c), (c, a)] {
            let row = &weights[(b * PIXELS + from) * PIXELS..][..PIXELS];
            let on: f32 = patch(to).flatten().map(|pixel| row[pixel]).sum();
            all.extend((one != other).then_some(on));
        }
    }
    all.iter().sum::<f32>() / all.len() as f32
}

/// What the page says of its models, on seeds that it does not show.
#[test]
fn attention_helps_and_without_it_there_is_only_guessing() {
    let mut with = Vec::new();
    for seed in 61..64 {
        let dev = Dev::seed_from_u64(seed);
        let mut rng = StdRng::seed_from_u64(seed);
        let test: ShapeBatch<256> = ShapeBatch::new(&dev, &mut rng);
        let mut model = ShapeClassifier::new(&dev);
        let mut steps = 0;
        train(&mut model, &mut rng, (STEPS, LR), true, |_, loss, _| {
            assert!(loss.is_finite());
            steps += 1;
        });
        assert_eq!(steps, STEPS);
        let right = accuracy(&model, &test, true);
        assert!(right > 0.9, "seed {seed}: {right}");
        with.push(right);
        let weight = on_the_other(&model, &test);
        assert!(weight > 0.5, "seed {seed}: {weight}");
        // The answer comes from the attention.
        model.attention.gamma = dev.zeros();
        let closed = accuracy(&model, &test, true);
        assert!((0.15..0.35).contains(&closed), "{closed}");
    }
    assert!(with.iter().sum::<f32>() > 3.0 * 0.95, "{with:?}");

    let dev = Dev::seed_from_u64(5);
    let mut rng = StdRng::seed_from_u64(5);
    let test: ShapeBatch<256> = ShapeBatch::new(&dev, &mut rng);
    let mut without = ShapeClassifier::new(&dev);
    train(&mut without, &mut rng, (100, LR), false, |_, _, gamma| {
        assert_eq!(gamma, 0.0, "nothing moves it");
    });
    let guessed = accuracy(&without, &test, false);
    assert!((0.15..0.35).contains(&guessed), "{guessed}");
}
