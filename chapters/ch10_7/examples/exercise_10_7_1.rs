//! What do more layers do? Signposts on eight places, each pointing to a
//! place: where does one get in four steps? Models of one to three layers.
//!
//! Worked answer to exercise 1 of section 10.7.

use ch10_1::Dev;
use ch10_7::{NormAt, TransformerEncoder, words};
use dfdx::prelude::*;
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::loss::{Words, logits};
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::train::{Adam, clip};
use support::Progress;

const PLACES: usize = 8;
const BATCH: usize = 32;
const STEPS: usize = 600;
const M: usize = 32;

/// Where the signpost at each place points to.
type Signposts = [usize; PLACES];

fn walk(posts: &Signposts, from: usize, steps: usize) -> usize {
    (0..steps).fold(from, |at, _| posts[at])
}

/// For each place, where one is after so many steps.
fn arrivals(posts: &Signposts, steps: usize) -> Signposts {
    std::array::from_fn(|from| walk(posts, from, steps))
}

fn deal<const B: usize>(random: &mut StdRng) -> [Signposts; B] {
    let mut place = || random.gen_range(0..PLACES as u32) as usize;
    std::array::from_fn(|_| std::array::from_fn(|_| place()))
}

/// The token at each place is where its signpost points to.
struct Walker {
    encoder: TransformerEncoder<M, 2, 16, 64>,
    w_out: Tensor<(usize, Const<M>), f32, Dev>,
    b_out: Tensor<(usize,), f32, Dev>,
}

impl Walker {
    fn new(dev: &Dev, layers: usize) -> Self {
        let encoder = TransformerEncoder::new(dev, PLACES, layers, 0.0, NormAt::Pre);
        let normal = rand_distr::StandardNormal;
        let w_out = dev.sample_like(&(PLACES, Const), normal);
        let w_out = w_out / (M as f32).sqrt();
        Walker { encoder, w_out, b_out: dev.zeros_like(&(PLACES,)) }
    }

    fn words(&self) -> Words<'_, M> {
        (&self.w_out, &self.b_out)
    }

    /// The share of the arrivals that are right.
    fn right<const B: usize>(&self, posts: &[Signposts; B], steps: usize) -> f64 {
        let lens = [PLACES; B];
        let (rows, _) = self.encoder.forward(posts, &lens, NoneTape);
        let logits = logits(rows, self.words()).as_vec();
        let answers = logits.chunks(PLACES).map(|row| {
            let all = (0..PLACES).max_by(|&a, &b| row[a].total_cmp(&row[b]));
            all.expect("there are places")
        });
        let right = posts.iter().flat_map(|posts| arrivals(posts, steps));
        let right = answers.zip(right).filter(|(a, b)| a == b).count();
        right as f64 / (B * PLACES) as f64
    }
}

impl Parameters for Walker {
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("encoder", self.encoder.parameters());
        all.push(("w_out".into(), &mut self.w_out));
        all.push(("b_out".into(), &mut self.b_out));
        all
    }
}

fn trained(layers: usize, steps: usize) -> Walker {
    let mut model = Walker::new(&Dev::seed_from_u64(0), layers);
    let mut random = StdRng::seed_from_u64(0);
    let mut row = model.row();
    let mut adam = Adam::new(row.len(), 0.003);
    let mut progress = Progress::new(format!("{layers} layers"), STEPS);
    for _ in 0..STEPS {
        let posts: [Signposts; BATCH] = deal(&mut random);
        let labels = posts.each_ref().map(|posts| arrivals(posts, steps));
        let (tape, lens) = (OwnedTape::default(), [PLACES; BATCH]);
        let (rows, _) = model.encoder.forward(&posts, &lens, tape);
        let losses = words::losses(rows, model.words(), &labels, &lens);
        let loss = losses.mean();
        progress.step(loss.array());
        let mut gradient = model.gradient(loss.backward());
        clip(&mut gradient, 1.0);
        adam.update(&mut row, &gradient);
        model.set_row(&row);
    }
    model
}

fn main() {
    let new: [Signposts; 256] = deal(&mut StdRng::seed_from_u64(1));
    println!("share of right arrivals, after training for it");
    println!("layers   2 steps   4 steps");
    let mut shares = Vec::new();
    for layers in 1..=3 {
        let share = [2, 4].map(|steps| trained(layers, steps).right(&new, steps));
        println!("{layers:6} {:9.3} {:9.3}", share[0], share[1]);
        shares.push(share);
    }
    let [one, two, three] = shares[..] else {
        unreachable!("three models were trained")
    };
    assert!(one[0] > 0.98 && one[1] < 0.8, "one layer: two steps, not four");
    assert!(two[1] > 0.95 && three[1] > 0.95, "two layers: four");
}
