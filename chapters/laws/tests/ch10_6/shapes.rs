//! The pictures are as they are said to be.

use ch10_6::task::classifier::loss;
use ch10_6::task::shapes::{KINDS, PIXELS, Picture, SHAPES, SIDE, ShapeBatch, patch};
use dfdx::prelude::*;
use kernels::Dev;
use rand::{SeedableRng, rngs::StdRng};

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
