//! Cheaper attention: four neighbours at a time, and every fourth position.
//! What does it cost, and can it still turn a row of letters around?
//!
//! Worked answer to exercise 5 of section 10.7. The pattern of two layers is
//! that of Child et al. 2019, "Generating Long Sequences with Sparse
//! Transformers".

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_7::{EncoderBlock, NormAt, TransformerEncoder, words};
use dfdx::prelude::*;
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::loss::{Words, logits};
use seq2seq::parameters::{Named, Parameters, within};
use seq2seq::train::{Adam, clip};
use support::Progress;

/// Positions, and how many see each other.
const S: usize = 16;
const W: usize = 4;
const LETTERS: usize = 10;
const STEPS: usize = 500;
/// Rows in a batch, and pieces of rows of W positions each.
const B: usize = 32;
const PIECES: usize = B * S / W;
const M: usize = 32;

type Block = EncoderBlock<M, 2, 16, 64>;
type Rows<T> = Tensor<Rank3<B, S, M>, f32, Dev, T>;
type Letters = [[usize; S]; B];

/// What a position looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sees {
    /// All S positions.
    All,
    /// The W positions of its own piece.
    Near,
    /// Every Wth position.
    Far,
}

impl Sees {
    /// How many weights a head has.
    fn weights(self) -> usize {
        match self {
            Sees::All => S * S,
            Sees::Near => S * W,
            Sees::Far => S * S / W,
        }
    }

    /// A block does with positions what it does with examples: what is cut
    /// into pieces along the batch does not see across the cut.
    fn through<T: Tape<f32, Dev>>(self, block: &Block, x: Rows<T>) -> Rows<T> {
        let lens = ValidLens::All;
        match self {
            Sees::All => block.forward(x, &lens).output,
            Sees::Near => {
                let x: Tensor<Rank3<PIECES, W, M>, f32, Dev, T> = x.reshape();
                block.forward(x, &ValidLens::All).output.reshape()
            }
            Sees::Far => {
                let x = far(x);
                let x: Tensor<Rank3<PIECES, W, M>, f32, Dev, T> = x.reshape();
                far(block.forward(x, &ValidLens::All).output.reshape())
            }
        }
    }
}

/// Position W·i + j changes places with position W·j + i.
fn far<T: Tape<f32, Dev>>(x: Rows<T>) -> Rows<T> {
    let x: Tensor<Rank4<B, W, W, M>, f32, Dev, T> = x.reshape();
    x.permute::<_, Axes4<0, 2, 1, 3>>().reshape()
}

struct Model {
    sees: Vec<Sees>,
    encoder: TransformerEncoder<M, 2, 16, 64>,
    w_out: Tensor<(usize, Const<M>), f32, Dev>,
    b_out: Tensor<(usize,), f32, Dev>,
}

impl Model {
    fn new(dev: &Dev, sees: &[Sees]) -> Self {
        let layers = sees.len();
        let encoder = TransformerEncoder::new(dev, LETTERS, layers, 0.0, NormAt::Post);
        let normal = rand_distr::StandardNormal;
        let w_out = dev.sample_like(&(LETTERS, Const), normal);
        let w_out = w_out / (M as f32).sqrt();
        let b_out = dev.zeros_like(&(LETTERS,));
        Model { sees: sees.to_vec(), encoder, w_out, b_out }
    }

    fn words(&self) -> Words<'_, M> {
        (&self.w_out, &self.b_out)
    }

    fn rows<T: Tape<f32, Dev>>(&self, letters: &Letters, tape: T) -> Rows<T> {
        let encoder = &self.encoder;
        let (vectors, positions) = (&encoder.embedding, &encoder.positions);
        let mut x = words::embed(letters, vectors, positions, 0, tape);
        for (sees, block) in self.sees.iter().zip(&encoder.blocks) {
            x = sees.through(block, x);
        }
        x
    }

    fn right(&self, letters: &Letters) -> f64 {
        let rows = self.rows(letters, NoneTape);
        let logits = logits(rows, self.words()).as_vec();
        let answers = logits.chunks(LETTERS).map(|row| {
            let all = (0..LETTERS).max_by(|&a, &b| row[a].total_cmp(&row[b]));
            all.expect("there are letters")
        });
        let right = letters.iter().flat_map(|row| reversed(*row));
        let right = answers.zip(right).filter(|(a, b)| a == b).count();
        right as f64 / (B * S) as f64
    }
}

impl Parameters for Model {
    fn parameters(&mut self) -> Named<'_> {
        let mut all = within("encoder", self.encoder.parameters());
        all.push(("w_out".into(), &mut self.w_out));
        all.push(("b_out".into(), &mut self.b_out));
        all
    }
}

fn reversed(mut row: [usize; S]) -> [usize; S] {
    row.reverse();
    row
}

fn draw(random: &mut StdRng) -> Letters {
    let mut letter = || random.gen_range(0..LETTERS as u32) as usize;
    std::array::from_fn(|_| std::array::from_fn(|_| letter()))
}

fn trained(name: &str, sees: &[Sees]) -> Model {
    let mut model = Model::new(&Dev::seed_from_u64(0), sees);
    let mut random = StdRng::seed_from_u64(0);
    let mut row = model.row();
    let mut adam = Adam::new(row.len(), 0.003);
    let mut progress = Progress::new(name.to_string(), STEPS);
    for _ in 0..STEPS {
        let letters = draw(&mut random);
        let labels = letters.map(reversed);
        let rows = model.rows(&letters, OwnedTape::default());
        let losses = words::losses(rows, model.words(), &labels, &[S; B]);
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
    let new = draw(&mut StdRng::seed_from_u64(1));
    println!("layers        weights a head  letters right");
    let mut shares = Vec::new();
    for (name, sees) in [
        ("all", &[Sees::All][..]),
        ("near, near", &[Sees::Near, Sees::Near]),
        ("near, far", &[Sees::Near, Sees::Far]),
    ] {
        let share = trained(name, sees).right(&new);
        let weights: usize = sees.iter().map(|sees| sees.weights()).sum();
        println!("{name:12} {weights:15} {share:14.3}");
        shares.push(share);
    }
    assert!(shares[0] > 0.99 && shares[2] > 0.99, "{shares:?}");
    assert!(shares[1] < 0.3, "{shares:?}");
}
