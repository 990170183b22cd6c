//! Four ways to know positions: encodings that are added, nothing but the mask, a
//! penalty on the distance, and queries and keys that are rotated; and three of them
//! with a mask of eight tokens.
//!
//! Worked answer to exercise 14 of section 10.7: a rate for each by the validation
//! stories, from two seeds, then five other seeds on the stories held out.

use ch10_3::{Mask, dropout, masked_softmax_heads};
use ch10_5::merge_heads;
use ch10_7::decoder_of_today::{GroupedQueryAttention, Parts, TodayDecoder};
use ch10_7::language_model::{
    PART, Setting, inputs_and_labels, perplexity_of, train_on_stories,
};
use ch10_7::stories::{STEPS, Stories, TEXT};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor3, Tensor4};
use seq2seq::loss::masked_cross_entropy;
use std::process::ExitCode;
use support::{Progress, heading, row, seeds, spread};

/// The rates that are tried.
const RATES: [f32; 4] = [0.002, 0.004, 0.008, 0.016];
/// Steps of each training.
const STEPS_OF_TRAINING: usize = 600;
/// Seeds that choose, and seeds that judge.
const SEEDS: [u64; 2] = [2, 5];

/// With the parts of 2017.
pub type Decoder = TodayDecoder<64, 4, 4, 16, 128>;

/// How a decoder knows positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Positions {
    /// Their encodings are added to the vectors of the tokens.
    Added,
    /// By the causal mask alone.
    Nothing,
    /// [`SLOPES`] times the distance is subtracted from the scores.
    Penalty,
    /// Queries and keys are rotated.
    Rotary,
}

use Positions::{Added, Nothing, Penalty, Rotary};

/// How a decoder knows positions, and how many tokens a position attends to.
pub type Way = (Positions, usize);

/// Tokens of a narrow mask.
pub const NARROW: usize = 8;
/// Attention to all tokens so far.
pub const ALL: usize = usize::MAX;

/// The ways that are compared.
const WAYS: [Way; 7] = [
    (Added, ALL),
    (Nothing, ALL),
    (Penalty, ALL),
    (Rotary, ALL),
    (Added, NARROW),
    (Nothing, NARROW),
    (Rotary, NARROW),
];

/// Those of four heads: Press et al. 2021, "Train Short, Test Long", section 3.
const SLOPES: [f32; 4] = [1.0 / 4.0, 1.0 / 16.0, 1.0 / 64.0, 1.0 / 256.0];

/// Maps (B, S, 64) to the same shape, with penalties of these slopes in the scores.
pub fn attend<const B: usize, const S: usize, T: Tape<f32, Dev>>(
    attention: &GroupedQueryAttention<64, 4, 4, 16>,
    x: Tensor3<B, S, 64, T>,
    mask: &Mask<B, S, S>,
    slopes: [f32; 4],
) -> Tensor3<B, S, 64, T> {
    let (queries, keys, values) = attention.project(x, 0);
    let queries = queries.permute::<Rank4<B, 4, S, 16>, Axes4<0, 2, 1, 3>>();
    let keys = keys.permute::<Rank4<B, 4, 16, S>, Axes4<0, 2, 3, 1>>();
    let values = values.permute::<Rank4<B, 4, S, 16>, Axes4<0, 2, 1, 3>>();
    let cells: Vec<f32> = slopes
        .iter()
        .flat_map(|slope| {
            (0..S * S).map(move |at| slope * (at / S).saturating_sub(at % S) as f32)
        })
        .collect();
    let penalty: Tensor3<4, S, S> =
        queries.device().tensor_from_vec(cells, Default::default());
    let scores = (queries / 4.0).matmul(keys) - penalty.broadcast();
    let weights: Tensor4<B, 4, S, S, T> = masked_softmax_heads(scores, mask);
    let found = dropout(weights, attention.dropout).matmul(values);
    attention.w_o.forward(merge_heads(found))
}

/// Returns what [`TodayDecoder::loss`] does, with penalties if need be.
fn loss<const B: usize, T: Tape<f32, Dev>>(
    model: &Decoder,
    positions: Positions,
    texts: &[&[usize]],
    tape: T,
) -> Tensor1<B, T> {
    if positions != Penalty {
        return model.loss::<B, STEPS, T>(texts, tape);
    }
    let (inputs, labels, lens) = inputs_and_labels::<B, STEPS>(texts);
    let near = |q, k| k <= q && q - k < model.window;
    let mask = Mask::from_fn(|b, q, k| q < lens[b] && near(q, k));
    let mut x = model.embedding.forward(&inputs, 0, tape);
    for block in &model.blocks {
        x = block.forward(x, |x| attend(&block.attention, x, &mask, SLOPES));
    }
    let (rows, vectors) = (model.norm.forward(x), &model.embedding.vectors);
    masked_cross_entropy(rows, vectors, &model.b_out, &labels, &lens) * STEPS as f32
}

/// Returns the perplexity of stories.
pub fn perplexity(model: &Decoder, positions: Positions, texts: &[Vec<usize>]) -> f64 {
    let of_text = |text: &[usize]| loss::<1, _>(model, positions, &[text], NoneTape);
    perplexity_of::<STEPS>(texts, of_text)
}

/// Trains a decoder in so many steps with this rate.
pub fn trained(
    stories: &Stories,
    (positions, window): Way,
    rates: (usize, f32),
    seed: u64,
) -> Decoder {
    let new = |dev: &Dev| {
        let rotary = positions == Rotary;
        let parts = Parts { rotary, window, ..Parts::BEFORE };
        let dropout = Setting::BOOK.dropout;
        let mut model = Decoder::new(dev, stories.vocab_size(), 2, dropout, &parts);
        if positions != Added {
            model.embedding.positions.table = dev.zeros();
        }
        model
    };
    let loss = |model: &Decoder, part: &[&[usize]]| {
        loss::<PART, _>(model, positions, part, OwnedTape::default()).sum()
    };
    let name = format!("{positions:?} {} {seed}", rates.1);
    let mut progress = Progress::new(name, rates.0);
    train_on_stories(stories, rates, seed, new, loss, |_, loss, tokens, _| {
        progress.step_of(tokens, loss / tokens as f32);
    })
}

fn main() -> ExitCode {
    let about = "What a decoder knows of positions";
    support::run_plain("exercise_10_7_14", about, |run| {
        let settings = (WAYS, RATES, SEEDS, STEPS_OF_TRAINING, SLOPES, PART, run.seed);
        run.print_settings(&settings, TEXT.as_bytes());
        let stories = Stories::book();
        let found = |way: Way, lr, seed, texts| {
            let model = trained(&stories, way, (STEPS_OF_TRAINING, lr), seed);
            perplexity(&model, way.0, texts)
        };
        heading("Rates, on the validation stories");
        row("perplexity", WIDTH, &RATES.map(|rate| rate.to_string()));
        let best = WAYS.map(|way| {
            let means = RATES.map(|lr| {
                let choosing = seeds(run.seed.wrapping_add(SEEDS[1]), SEEDS[0]);
                let one = |seed| found(way, lr, seed, &stories.validation);
                spread(choosing.map(one)).mean
            });
            print(way, &means);
            let tried = means.into_iter().zip(RATES);
            tried.min_by(|a, b| a.0.total_cmp(&b.0)).expect("some").1
        });
        heading("Held-out stories");
        let judging = || seeds(run.seed, SEEDS[1]);
        let names: Vec<String> = judging().map(|seed| format!("seed {seed}")).collect();
        row("perplexity", WIDTH, &names);
        let judged: [Vec<f64>; WAYS.len()] = std::array::from_fn(|at| {
            let one = |seed| found(WAYS[at], best[at], seed, &stories.held_out);
            let cells: Vec<f64> = judging().map(one).collect();
            print(WAYS[at], &cells);
            cells
        });
        let [added, nothing, penalty, rotary, _, near, near_rotary] = judged;
        let all = |rows: &[&[f64]]| spread(rows.concat());
        let short = all(&[&penalty, &rotary, &near, &near_rotary]);
        assert!(short.most < all(&[&added, &nothing]).least, "a short reach pays");
        Ok(())
    })
}

/// Columns of a name.
const WIDTH: usize = 18;

fn print((positions, window): Way, cells: &[f64]) {
    let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:.2}")).collect();
    let mut name = format!("{positions:?}").to_lowercase();
    if window < ALL {
        name += &format!(", window {window}");
    }
    row(&name, WIDTH, &cells);
}
