// ANCHOR: matching
//! A model that sees shapes and says at each what the other is, with
//! attention over the pixels or without: section 10.6.

use crate::pixels::PixelAttention;
use crate::shapes::{ANSWERS, Album, PIXELS, VIEW};
use anyhow::Result;
use ch10_1::Dev;
use ch10_3::Attended;
use ch10_5::Projection;
use dfdx::optim::{Adam, AdamConfig};
use dfdx::prelude::*;
use rand::rngs::StdRng;

/// Channels of a pixel inside the model.
pub const CHANNELS: usize = 16;

/// A convolution of three by three, attention over the pixels, and a map to
/// four answers.
#[derive(Clone, Debug)]
pub struct Seer {
    /// The convolution, as a map of the pixels that it sees.
    pub see: Projection<VIEW, CHANNELS, true>,
    /// Lets pixels look at each other.
    pub attention: PixelAttention<CHANNELS, 2>,
    /// Reads the answer off.
    pub tell: Projection<CHANNELS, ANSWERS, true>,
}

support::layer! { Seer { see: layer, attention: layer, tell: layer } }
// ANCHOR_END: matching

// ANCHOR: seen
impl Seer {
    /// A model that knows nothing yet.
    pub fn new(dev: &Dev) -> Self {
        Self {
            see: Projection::new(dev),
            attention: PixelAttention::new(dev),
            tell: Projection::new(dev),
        }
    }

    /// What the convolution makes of each pixel.
    pub fn seen<const B: usize, T: Tape<f32, Dev>>(
        &self,
        views: Tensor<Rank3<B, PIXELS, VIEW>, f32, Dev, T>,
    ) -> Tensor<Rank3<B, PIXELS, CHANNELS>, f32, Dev, T> {
        self.see.forward(views).relu()
    }

    /// Logits for each pixel; without attention if it may not `look`.
    pub fn forward<const B: usize, T: Tape<f32, Dev>>(
        &self,
        views: Tensor<Rank3<B, PIXELS, VIEW>, f32, Dev, T>,
        look: bool,
    ) -> Tensor<Rank3<B, PIXELS, ANSWERS>, f32, Dev, T> {
        let seen = self.seen(views);
        if !look {
            return self.tell.forward(seen);
        }
        let Attended { output, .. } = self.attention.forward(seen);
        self.tell.forward(output)
    }
}
// ANCHOR_END: seen

// ANCHOR: train_seer
/// Trains on new pictures with Adam, and calls `seen` with each step, from 1,
/// its loss in nats for each shape, and gamma after it.
///
/// # Errors
/// What the optimiser reports.
pub fn train(
    seer: &mut Seer,
    rng: &mut StdRng,
    steps: usize,
    look: bool,
    mut seen: impl FnMut(usize, f32, f32),
) -> Result<()> {
    const BATCH: usize = 32;
    let dev = Dev::default();
    let config = AdamConfig { lr: 0.01, ..Default::default() };
    let mut adam = Adam::new(seer, config);
    let mut grads = seer.alloc_grads();
    for step in 1..=steps {
        let album: Album<BATCH> = Album::new(&dev, rng);
        let logits = seer.forward(album.views.trace(grads), look);
        // The mean is over all pixels, but only two of each are asked.
        let loss = cross_entropy_with_logits_loss(logits, album.answers)
            * (PIXELS as f32 / 2.0);
        let nats = loss.array();
        grads = loss.backward();
        adam.update(seer, &grads)?;
        seer.zero_grads(&mut grads);
        seen(step, nats, seer.attention.gamma.array());
    }
    Ok(())
}
// ANCHOR_END: train_seer

// ANCHOR: seer_right
/// The share of shapes for which the likelier answer is right.
pub fn right<const B: usize>(seer: &Seer, album: &Album<B>, look: bool) -> f32 {
    let logits = seer.forward(album.views.clone(), look).array();
    let mut count = 0;
    for (logits, picture) in logits.iter().zip(&album.pictures) {
        let told = |pixel: usize| {
            let by =
                |&a: &usize, &b: &usize| logits[pixel][a].total_cmp(&logits[pixel][b]);
            (0..ANSWERS).max_by(by)
        };
        let right = |asked: &&(usize, usize)| told(asked.0) == Some(asked.1);
        count += picture.asked().iter().filter(right).count();
    }
    count as f32 / (2 * B) as f32
}
// ANCHOR_END: seer_right
