//! Pictures of two small shapes, and a question at each: which shape is the
//! other?

use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use rand::Rng;
use rand::rngs::StdRng;

/// Pixels of a picture from top to bottom, and from left to right.
pub const SIDE: usize = 8;
/// Pixels of a picture.
pub const PIXELS: usize = SIDE * SIDE;
/// Pixels of a patch, three by three.
pub const PATCH: usize = 9;
/// Kinds of shapes.
pub const KINDS: usize = 4;
/// The shapes, three lines each: plus, ring, cross, corner.
pub const SHAPES: [&[u8; PATCH]; KINDS] =
    [b".#.###.#.", b"####.####", b"#.#.#.#.#", b"#..#..###"];

/// A picture of two shapes that do not touch.
#[derive(Clone, Debug)]
pub struct Picture {
    /// How dark each pixel is, line by line: 1 for ink, 0 for paper, and
    /// noise up to 0.2.
    pub ink: [f32; PIXELS],
    /// The pixels at the centres of the shapes.
    pub centres: [usize; 2],
    /// Which shapes they are: indices of [`SHAPES`].
    pub kinds: [usize; 2],
}

impl Picture {
    /// Two shapes at random, kind and position.
    pub fn new(rng: &mut StdRng) -> Self {
        let mut below = |n: usize| rng.gen_range(0..n as u32) as usize;
        let kinds = [below(KINDS), below(KINDS)];
        let mut position = || [1 + below(SIDE - 2), 1 + below(SIDE - 2)];
        let (mut a, mut b) = (position(), position());
        while a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1])) < 4 {
            (a, b) = (position(), position());
        }
        let centres = [a, b].map(|[row, column]| row * SIDE + column);
        let mut ink = [0.0; PIXELS];
        for (kind, centre) in kinds.into_iter().zip(centres) {
            for (pixel, dot) in patch(centre).zip(SHAPES[kind]) {
                ink[pixel.unwrap_or(centre)] = f32::from(*dot == b'#');
            }
        }
        ink.iter_mut().for_each(|dot| *dot += rng.gen_range(0.0..0.2));
        Self { ink, centres, kinds }
    }

    /// The pixels at which a question is asked, each with its answer.
    pub fn questions(&self) -> [(usize, usize); 2] {
        let ([a, b], [one, other]) = (self.centres, self.kinds);
        [(a, other), (b, one)]
    }
}

/// A pixel and its eight neighbours, line by line; none outside of the
/// picture.
pub fn patch(pixel: usize) -> impl Iterator<Item = Option<usize>> {
    (0..PATCH).map(move |i| {
        let row = (pixel / SIDE + i / 3).checked_sub(1)?;
        let column = (pixel % SIDE + i % 3).checked_sub(1)?;
        let inside = row < SIDE && column < SIDE;
        inside.then_some(row * SIDE + column)
    })
}

/// B pictures in the form that a model reads.
pub struct ShapeBatch<const B: usize> {
    /// The pictures.
    pub pictures: Vec<Picture>,
    /// For each pixel the ink of its patch.
    pub patches: Tensor3<B, PIXELS, PATCH>,
    /// At each centre the other shape, one-hot; 0 at other pixels.
    pub answers: Tensor3<B, PIXELS, KINDS>,
}

impl<const B: usize> ShapeBatch<B> {
    /// Draws pictures.
    pub fn new(dev: &Dev, rng: &mut StdRng) -> Self {
        let pictures: Vec<Picture> = (0..B).map(|_| Picture::new(rng)).collect();
        let mut patches = Vec::with_capacity(B * PIXELS * PATCH);
        let mut answers = vec![0.0; B * PIXELS * KINDS];
        for (b, picture) in pictures.iter().enumerate() {
            let ink = |pixel: Option<usize>| pixel.map_or(0.0, |p| picture.ink[p]);
            patches.extend((0..PIXELS).flat_map(|p| patch(p).map(ink)));
            for (centre, other) in picture.questions() {
                answers[(b * PIXELS + centre) * KINDS + other] = 1.0;
            }
        }
        Self {
            pictures,
            patches: dev.tensor_from_vec(patches, Default::default()),
            answers: dev.tensor_from_vec(answers, Default::default()),
        }
    }
}
