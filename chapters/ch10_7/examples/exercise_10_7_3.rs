//! A language model with the mask of a decoder, and with that of an encoder.
//!
//! Worked answer to exercise 3 of section 10.7. The language: a number of two
//! digits, then the same number again, and again. The first two digits cannot be
//! known, all others can.

use ch10_3::Mask;
use ch10_7::training::train_steps;
use ch10_7::{NormPosition, TransformerEncoder};
use dfdx::prelude::*;
use kernels::Dev;
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::greedy::argmax;
use seq2seq::loss::{logits, masked_cross_entropy};
use support::{Progress, row};

const S: usize = 10;
const BEGIN: usize = 10;
const B: usize = 32;
const STEPS: usize = 300;

type Model = TransformerEncoder<32, 2, 16, 64>;
type Text = [usize; S];

fn text(rng: &mut StdRng) -> Text {
    let [a, b] = [0; 2].map(|_: usize| rng.gen_range(0..10u32) as usize);
    std::array::from_fn(|i| if i.is_multiple_of(2) { a } else { b })
}

/// What the model reads: the text, one place to the right.
fn shifted(text: Text) -> Text {
    std::array::from_fn(|i| if i == 0 { BEGIN } else { text[i - 1] })
}

/// The share of texts whose next digit is right when only the first `known`
/// digits are written; the rest of the input is BEGIN, as if it were empty.
fn right(
    model: &Model,
    bias: &kernels::Row,
    mask: &Mask<100, S, S>,
    known: usize,
) -> f64 {
    let mut rng = StdRng::seed_from_u64(9);
    let texts: [Text; 100] = std::array::from_fn(|_| text(&mut rng));
    let read = texts.map(|text| {
        let all = shifted(text);
        std::array::from_fn(|i| if i <= known { all[i] } else { BEGIN })
    });
    let (rows, _) = model.forward(&read, mask, NoneTape);
    let logits = logits(rows, &model.embedding.vectors, bias).as_vec();
    let next = |b: usize| argmax(&logits[(b * S + known) * 11..][..11]);
    let right = texts.iter().enumerate().filter(|(b, text)| next(*b) == text[known]);
    right.count() as f64 / 100.0
}

fn train(causal: bool, seed: u64) -> (f32, [f64; 3]) {
    let bias: kernels::Row = Dev::default().zeros_like(&(11,));
    let mask = if causal { Mask::<B, S, S>::causal() } else { Mask::none() };
    let mut rng = StdRng::seed_from_u64(seed);
    let batch = || -> [[Text; B]; 2] {
        std::array::from_fn(|_| std::array::from_fn(|_| text(&mut rng)))
    };
    let loss = |model: &Model, texts: &[Text; B]| {
        let tape = OwnedTape::default();
        let (rows, _) = model.forward(&texts.map(shifted), &mask, tape);
        masked_cross_entropy(rows, &model.embedding.vectors, &bias, texts, &[S; B])
            .sum()
    };
    let name = if causal { "causal" } else { "none" };
    let mut progress = Progress::new(name, STEPS);
    let mut last = 0.0;
    let on_step = |_, loss, _: &Model| {
        last = loss / (2 * B) as f32;
        progress.step(last);
    };
    let new = |dev: &Dev| Model::new(dev, 11, 2, 0.0, NormPosition::Pre);
    let model = train_steps(STEPS, 0.003, seed, new, batch, loss, on_step);
    drop(progress);
    let mask = if causal { Mask::causal() } else { Mask::none() };
    (last, [2, 5, 9].map(|known| right(&model, &bias, &mask, known)))
}

fn main() {
    // Two digits of ln 10 nats each, the others for nothing.
    let least = 2.0 * 10f32.ln() / S as f32;
    println!("least possible loss {least:.4}\n");
    row("mask, seed", 10, &["loss", "2 known", "5 known", "9 known"]);
    for (name, causal) in [("causal", true), ("none", false)] {
        for seed in 0..3 {
            let (loss, shares) = train(causal, seed);
            let cells = shares.map(|share| format!("{share:.2}"));
            let name = format!("{name}, {seed}");
            row(&name, 10, &[&[format!("{loss:.4}")], &cells[..]].concat());
            if causal {
                assert!((least - 0.02..least + 0.05).contains(&loss));
                assert!(shares.iter().all(|share| *share > 0.95), "{shares:?}");
            } else {
                assert!(loss < least - 0.05 && shares[0] < 0.9, "{loss} {shares:?}");
            }
        }
    }
}
