//! Pictures without a convolution: patches in the place of words. Which shapes
//! are in the picture?
//!
//! Worked answer to exercise 6 of section 10.7, with the pictures of section
//! 10.6: eight by eight pixels, two of four shapes, at random places.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_5::Projection;
use ch10_6::shapes::{ANSWERS, Picture, SIDE};
use ch10_7::{NormAt, TransformerEncoder};
use dfdx::prelude::*;
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::train::{Adam, clip};
use support::Progress;

/// A patch is PATCH by PATCH pixels; there are PATCHES in a picture.
const PATCH: usize = 2;
const PIXELS: usize = PATCH * PATCH;
const PATCHES: usize = (SIDE / PATCH) * (SIDE / PATCH);
const B: usize = 64;
const STEPS: usize = 600;
const M: usize = 32;

/// The patches of pictures, and for each picture and kind of shape a 1 if it
/// is there.
struct Album<const B: usize> {
    patches: Tensor<Rank3<B, PATCHES, PIXELS>, f32, Dev>,
    there: Tensor<Rank2<B, ANSWERS>, f32, Dev>,
}

impl<const B: usize> Album<B> {
    fn new(dev: &Dev, random: &mut StdRng) -> Self {
        let (mut patches, mut there) = (Vec::new(), Vec::new());
        for _ in 0..B {
            let picture = Picture::new(random);
            for at in 0..PATCHES * PIXELS {
                let (patch, pixel) = (at / PIXELS, at % PIXELS);
                let across = SIDE / PATCH;
                let row = patch / across * PATCH + pixel / PATCH;
                let column = patch % across * PATCH + pixel % PATCH;
                patches.push(picture.ink[row * SIDE + column]);
            }
            let is = |kind| f32::from(picture.kinds.contains(&kind));
            there.extend((0..ANSWERS).map(is));
        }
        Album {
            patches: dev.tensor_from_vec(patches, Default::default()),
            there: dev.tensor_from_vec(there, Default::default()),
        }
    }
}

struct Viewer {
    /// Takes the place of the vectors of words.
    patch: Projection<PIXELS, M, true>,
    encoder: TransformerEncoder<M, 4, 8, 64>,
    answer: Projection<M, ANSWERS, true>,
}

impl Viewer {
    fn new(dev: &Dev) -> Self {
        Viewer {
            patch: Projection::new(dev),
            encoder: TransformerEncoder::new(dev, 1, 2, 0.0, NormAt::Pre),
            answer: Projection::new(dev),
        }
    }

    /// For each picture and kind of shape a number, positive if it is there.
    fn look<const B: usize, T: Tape<f32, Dev>>(
        &self,
        patches: Tensor<Rank3<B, PATCHES, PIXELS>, f32, Dev, T>,
    ) -> Tensor<Rank2<B, ANSWERS>, f32, Dev, T> {
        let x: Tensor<Rank3<B, PATCHES, M>, f32, Dev, T> = self.patch.forward(patches);
        let mut x = self.encoder.positions.forward_from(x, 0);
        for block in &self.encoder.blocks {
            x = block.forward(x, &ValidLens::All).output;
        }
        if let Some(norm) = &self.encoder.last {
            x = norm.forward(x);
        }
        let x: Tensor<Rank2<B, M>, f32, Dev, T> = x.mean::<_, Axis<1>>();
        let x: Tensor<Rank3<1, B, M>, f32, Dev, T> = x.reshape();
        self.answer.forward(x).reshape()
    }

    /// The share of pictures of which all four answers are right.
    fn right<const B: usize>(&self, album: &Album<B>) -> f64 {
        let said = self.look(album.patches.clone()).array();
        let there = album.there.array();
        let all = |(said, there): &(&[f32; ANSWERS], &[f32; ANSWERS])| {
            let mut both = said.iter().zip(there.iter());
            both.all(|(said, there)| (*said > 0.0) == (*there > 0.5))
        };
        said.iter().zip(&there).filter(all).count() as f64 / B as f64
    }
}

impl Parameters for Viewer {
    fn parameters(&mut self) -> Named<'_> {
        let mut all: Named = vec![
            ("patch.weight".into(), &mut self.patch.weight),
            ("patch.bias".into(), &mut self.patch.bias),
            ("answer.weight".into(), &mut self.answer.weight),
            ("answer.bias".into(), &mut self.answer.bias),
        ];
        all.extend(within("encoder", self.encoder.parameters()));
        all
    }
}

fn main() {
    let dev = Dev::seed_from_u64(0);
    let mut random = StdRng::seed_from_u64(1);
    let new: Album<500> = Album::new(&dev, &mut random);
    let mut model = Viewer::new(&dev);
    let mut row = model.row();
    let mut adam = Adam::new(row.len(), 0.003);
    let mut progress = Progress::new("looking", STEPS);
    println!("{PATCHES} patches of {PIXELS} pixels");
    println!("  step  pictures right, of those never seen");
    let mut last = 0.0;
    for step in 1..=STEPS {
        let album: Album<B> = Album::new(&dev, &mut random);
        let said = model.look(album.patches.leaky_trace());
        let loss = binary_cross_entropy_with_logits_loss(said, album.there);
        progress.step(loss.array());
        let mut gradient = model.gradient(loss.backward());
        clip(&mut gradient, 1.0);
        adam.update(&mut row, &gradient);
        model.set_row(&row);
        if step % (STEPS / 6) == 0 {
            last = model.right(&new);
            println!("{step:6} {last:10.3}");
        }
    }
    assert!(last > 0.9, "{last}");
}
