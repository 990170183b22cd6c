//! The pictures of section 10.6 are as they are said to be, attention over
//! their pixels finds the other shape, and a convolution alone does not.

use ch10_1::Dev;
use ch10_6::matching::{Seer, right, train};
use ch10_6::shapes::{ANSWERS, Album, KINDS, PIXELS, Picture, SIDE, around};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

#[test]
fn shapes_lie_apart_and_are_drawn_whole() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut kinds = [0; ANSWERS];
    for _ in 0..400 {
        let picture = Picture::new(&mut rng);
        let boxes = picture.centres.map(|c| {
            let pixels: Vec<usize> = around(c).flatten().collect();
            assert_eq!(pixels.len(), 9, "a shape is inside the picture");
            pixels
        });
        // No window of three by three touches both.
        for pixel in 0..PIXELS {
            let sees = |shape: &Vec<usize>| {
                around(pixel).flatten().any(|p| shape.contains(&p))
            };
            let at_centre = picture.centres.contains(&pixel);
            assert!(!(at_centre && boxes.iter().all(sees)));
        }
        for (kind, pixels) in picture.kinds.into_iter().zip(&boxes) {
            kinds[kind] += 1;
            for (dot, &pixel) in KINDS[kind].iter().zip(pixels) {
                let ink = f32::from(*dot == b'#');
                let seen = picture.ink[pixel];
                assert!((ink..ink + 0.2).contains(&seen), "{seen}");
            }
        }
    }
    assert!(kinds.iter().all(|n| (150..250).contains(n)), "{kinds:?}");
}

#[test]
fn an_album_shows_each_pixel_with_its_surroundings() {
    let dev = Dev::default();
    let album: Album<20> = Album::new(&dev, &mut StdRng::seed_from_u64(2));
    let (views, answers) = (album.views.array(), album.answers.array());
    for (b, picture) in album.pictures.iter().enumerate() {
        for (pixel, view) in views[b].iter().enumerate() {
            assert_eq!(view[4], picture.ink[pixel]);
            if pixel % SIDE == 0 {
                assert_eq!(view[3], 0.0, "outside is 0");
            } else {
                assert_eq!(view[3], picture.ink[pixel - 1]);
            }
        }
        let asked: f32 = answers[b].iter().flatten().sum();
        assert_eq!(asked, 2.0);
        let ([a, c], [one, other]) = (picture.centres, picture.kinds);
        assert_eq!(answers[b][a][other], 1.0);
        assert_eq!(answers[b][c][one], 1.0);
    }
}

/// What the page says of all its models, here on another seed.
#[test]
fn attention_helps_and_gamma_moves() {
    let dev = Dev::seed_from_u64(1);
    let mut rng = StdRng::seed_from_u64(1);
    let test: Album<256> = Album::new(&dev, &mut rng);
    let mut seer = Seer::new(&dev);
    let mut gammas = Vec::new();
    train(&mut seer, &mut rng, 300, true, |_, loss, gamma| {
        assert!(loss.is_finite());
        gammas.push(gamma);
    })
    .expect("trains");
    assert!(right(&seer, &test, true) > 0.95);
    assert_eq!(gammas.len(), 300);
    assert!(gammas[299].abs() > 1.0, "{}", gammas[299]);

    let mut blind = Seer::new(&dev);
    train(&mut blind, &mut rng, 100, false, |_, _, gamma| {
        assert_eq!(gamma, 0.0, "nothing moves it");
    })
    .expect("trains");
    let guessed = right(&blind, &test, false);
    assert!((0.15..0.35).contains(&guessed), "{guessed}");
}
