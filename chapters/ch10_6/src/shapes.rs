// ANCHOR: shapes
//! Pictures of two small shapes, and the question at each what the other
//! is: section 10.6. It knows no model.

use ch10_1::Dev;
use dfdx::prelude::*;
use rand::Rng;
use rand::rngs::StdRng;

/// Pixels of a picture from top to bottom, and from left to right.
pub const SIDE: usize = 8;
/// Pixels of a picture.
pub const PIXELS: usize = SIDE * SIDE;
/// Pixels that a convolution of three by three sees.
pub const VIEW: usize = 9;
/// Kinds of shapes.
pub const ANSWERS: usize = 4;
/// What can be drawn, three lines each: plus, ring, cross, corner.
pub const KINDS: [&[u8; VIEW]; ANSWERS] =
    [b".#.####.#", b"####.####", b"#.#.#.#.#", b"#..#..###"];
// ANCHOR_END: shapes

// ANCHOR: picture
/// A picture of two shapes that do not touch.
#[derive(Clone, Debug)]
pub struct Picture {
    /// How dark each pixel is, line by line: 1 for ink, 0 for paper, and
    /// noise up to 0.2.
    pub ink: [f32; PIXELS],
    /// The pixels at the centres of the shapes.
    pub centres: [usize; 2],
    /// What the shapes are, as places in [`KINDS`].
    pub kinds: [usize; 2],
}

impl Picture {
    /// Draws two shapes at random, both kind and place.
    pub fn new(rng: &mut StdRng) -> Self {
        let mut below = |n: usize| rng.gen_range(0..n as u32) as usize;
        let kinds = [below(ANSWERS), below(ANSWERS)];
        let mut place = || [1 + below(SIDE - 2), 1 + below(SIDE - 2)];
        let (mut a, mut b) = (place(), place());
        while a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1])) < 4 {
            (a, b) = (place(), place());
        }
        let centres = [a, b].map(|[row, column]| row * SIDE + column);
        let mut ink = [0.0; PIXELS];
        for (kind, centre) in kinds.into_iter().zip(centres) {
            for (pixel, dot) in around(centre).zip(KINDS[kind]) {
                ink[pixel.unwrap_or(centre)] = f32::from(*dot == b'#');
            }
        }
        ink.iter_mut().for_each(|dot| *dot += rng.gen_range(0.0..0.2));
        Self { ink, centres, kinds }
    }

    /// The pixels at which a question is asked, and its answer: what is the
    /// other shape?
    pub fn asked(&self) -> [(usize, usize); 2] {
        let ([a, b], [one, other]) = (self.centres, self.kinds);
        [(a, other), (b, one)]
    }
}

/// A pixel and those around it, line by line; none outside of the picture.
pub fn around(pixel: usize) -> impl Iterator<Item = Option<usize>> {
    (0..VIEW).map(move |i| {
        let row = (pixel / SIDE + i / 3).checked_sub(1)?;
        let column = (pixel % SIDE + i % 3).checked_sub(1)?;
        let inside = row < SIDE && column < SIDE;
        inside.then_some(row * SIDE + column)
    })
}
// ANCHOR_END: picture

// ANCHOR: album
/// B pictures as a model sees them.
pub struct Album<const B: usize> {
    /// The pictures.
    pub pictures: Vec<Picture>,
    /// For each pixel, the ink of itself and of those around it.
    pub views: Tensor<Rank3<B, PIXELS, VIEW>, f32, Dev>,
    /// At each centre, what the other shape is, one-hot; 0 at other pixels.
    pub answers: Tensor<Rank3<B, PIXELS, ANSWERS>, f32, Dev>,
}

impl<const B: usize> Album<B> {
    /// Draws pictures.
    pub fn new(dev: &Dev, rng: &mut StdRng) -> Self {
        let pictures: Vec<Picture> = (0..B).map(|_| Picture::new(rng)).collect();
        let mut views = Vec::with_capacity(B * PIXELS * VIEW);
        let mut answers = vec![0.0; B * PIXELS * ANSWERS];
        for (b, picture) in pictures.iter().enumerate() {
            let ink = |pixel: Option<usize>| pixel.map_or(0.0, |p| picture.ink[p]);
            views.extend((0..PIXELS).flat_map(|p| around(p).map(ink)));
            for (centre, other) in picture.asked() {
                answers[(b * PIXELS + centre) * ANSWERS + other] = 1.0;
            }
        }
        Self {
            pictures,
            views: dev.tensor_from_vec(views, Default::default()),
            answers: dev.tensor_from_vec(answers, Default::default()),
        }
    }
}
// ANCHOR_END: album
