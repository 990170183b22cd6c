//! The pictures are as they are said to be, attention over their pixels finds
//! the other shape, and a convolution alone does not.

use ch10_6::task::classifier::{LR, STEPS, ShapeClassifier, accuracy, loss, train};
use ch10_6::task::shapes::{KINDS, PIXELS, Picture, SHAPES, SIDE, ShapeBatch, patch};
use dfdx::prelude::*;
use kernels::Dev;
use rand::SeedableRng;
use rand::rngs::StdRng;
use testing::parameters_agree;

#[test]
fn the_shapes_are_what_they_are_called() {
    let lines = |shape: &[u8; 9]| {
        let lines =
            shape.chunks(3).map(|line| String::from_utf8_lossy(line).to_string());
        lines.collect::<Vec<_>>().join("/")
    };
    assert_eq!(
        SHAPES.map(lines),
        [".#./###/.#.", "###/#.#/###", "#.#/.#./#.#", "#../#../###"]
    );
}

#[test]
fn shapes_lie_apart_and_are_drawn_whole() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut kinds = [0; KINDS];
    for _ in 0..400 {
        let picture = Picture::new(&mut rng);
        let boxes = picture.centres.map(|c| {
            let pixels: Vec<usize> = patch(c).flatten().collect();
            assert_eq!(pixels.len(), 9, "a shape is inside the picture");
            pixels
        });
        // No patch around a centre touches both.
        for centre in picture.centres {
            let touches = |shape: &Vec<usize>| {
                patch(centre).flatten().any(|p| shape.contains(&p))
            };
            assert!(!boxes.iter().all(touches));
        }
        for (kind, pixels) in picture.kinds.into_iter().zip(&boxes) {
            kinds[kind] += 1;
            for (dot, &pixel) in SHAPES[kind].iter().zip(pixels) {
                let ink = f32::from(*dot == b'#');
                assert!((ink..ink + 0.2).contains(&picture.ink[pixel]));
            }
        }
    }
    assert!(kinds.iter().all(|n| (150..250).contains(n)), "{kinds:?}");
}

#[test]
fn a_batch_has_each_pixel_with_its_neighbours() {
    let dev = Dev::default();
    let batch: ShapeBatch<20> = ShapeBatch::new(&dev, &mut StdRng::seed_from_u64(2));
    let (patches, answers) = (batch.patches.array(), batch.answers.array());
    for (b, picture) in batch.pictures.iter().enumerate() {
        for (pixel, patch) in patches[b].iter().enumerate() {
            assert_eq!(patch[4], picture.ink[pixel]);
            let left = if pixel % SIDE == 0 { 0.0 } else { picture.ink[pixel - 1] };
            assert_eq!(patch[3], left);
        }
        assert_eq!(answers[b].as_flattened().iter().sum::<f32>(), 2.0);
        let ([a, c], [one, other]) = (picture.centres, picture.kinds);
        assert_eq!(answers[b][a][other], 1.0);
        assert_eq!(answers[b][c][one], 1.0);
    }
}

/// The loss is that of the two questions of each picture, in nats.
#[test]
fn guessing_costs_ln_4() {
    let dev = Dev::default();
    let batch: ShapeBatch<4> = ShapeBatch::new(&dev, &mut StdRng::seed_from_u64(3));
    let guess = loss(dev.zeros::<Rank3<4, PIXELS, KINDS>>(), &batch).array();
    assert!((guess - 4f32.ln()).abs() < 1e-5, "{guess}");
}

#[test]
fn gradients_are_differences() {
    let dev = Dev::seed_from_u64(4);
    let batch: ShapeBatch<1> = ShapeBatch::new(&dev, &mut StdRng::seed_from_u64(4));
    let mut model = ShapeClassifier::new(&dev);
    model.attention.gamma = dev.tensor(0.7);
    // Away from the kink of the ReLU.
    model.convolution.bias = Some(dev.ones::<Rank1<16>>() * 4.0);
    parameters_agree(&mut model, |model| {
        loss(model.forward(batch.patches.leaky_trace(), true), &batch)
    });
}

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
