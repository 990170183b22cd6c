//! Training: the same run twice, workers, padding, dropout.

use ch10_1::Dev;
use dfdx::prelude::*;
use seq2seq::context::LastState;
use seq2seq::course::Schedule;
use seq2seq::parameters::Parameters;
use seq2seq::text::{Pair, read_pairs};
use seq2seq::train::{Training, clip};
use seq2seq::translator::{Dropouts, Translator};
use seq2seq::vocab::{Batch, Languages};

const FILE: &[u8] = b"a b a\tx y\nb a\ty y x\nb\tx\na a b b\ty\n";

type Model = Translator<6, 5, LastState>;

fn model(dev: &Dev, dropout: f32) -> Model {
    let dropouts = Dropouts { words: dropout, layers: dropout };
    Translator::new(dev, (6, 6), 2, dropouts, LastState)
}

fn pairs() -> (Vec<Pair>, Languages) {
    let pairs = read_pairs(FILE, 4).expect("is right");
    let languages = Languages::of(&pairs);
    (pairs, languages)
}

fn batch<const B: usize>(pairs: &[Pair], languages: &Languages) -> Batch<B, 5> {
    Batch::new(pairs, languages).expect("fits")
}

fn losses(model: &Model, batch: &Batch<4, 5>) -> [f32; 4] {
    model.loss(batch, NoneTape).array()
}

fn run(workers: usize, dropout: f32) -> (Vec<f32>, Vec<f32>) {
    let (pairs, languages) = pairs();
    let mut training: Training<Model> =
        Training::new(workers, 7, 0.01, |dev| model(dev, dropout));
    let losses = (0..20).map(|_| match workers {
        1 => training.step(&[batch::<4>(&pairs, &languages)]),
        _ => {
            let parts = pairs.chunks(2).map(|part| batch(part, &languages));
            training.step::<2, 5>(&parts.collect::<Vec<_>>())
        }
    });
    let losses = losses.collect();
    (losses, training.model().row())
}

#[test]
fn the_same_run_twice_gives_the_same_bits() {
    assert_eq!(run(2, 0.3), run(2, 0.3));
}

#[test]
fn it_does_not_matter_how_many_share_the_work() {
    let ((one, row_one), (two, row_two)) = (run(1, 0.0), run(2, 0.0));
    let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-3;
    assert!(one.iter().zip(&two).all(close), "{one:?} {two:?}");
    assert!(row_one.iter().zip(&row_two).all(close));
    assert!(one[19] < 0.7 * one[0], "it does not learn: {one:?}");
}

#[test]
fn rows_of_length_0_cost_nothing_and_change_nothing() {
    let (pairs, languages) = pairs();
    let dev = Dev::seed_from_u64(1);
    let mut model = model(&dev, 0.0);
    let full = batch::<4>(&pairs[..3], &languages);
    let losses = losses(&model, &full);
    assert_eq!(losses[3], 0.0);
    let gradient = |model: &mut Model, batch: &Batch<4, 5>| {
        let loss = model.loss(batch, OwnedTape::default());
        model.gradient(loss.sum().backward())
    };
    let ours = gradient(&mut model, &full);
    let mut other = full.clone();
    other.source[3] = [4; 5];
    assert_eq!(ours, gradient(&mut model, &other));
}

#[test]
fn every_parameter_takes_part() {
    let (pairs, languages) = pairs();
    let dev = Dev::seed_from_u64(2);
    let mut model = model(&dev, 0.0);
    let batch = batch::<4>(&pairs, &languages);
    let loss = model.loss(&batch, OwnedTape::default());
    let mut gradients = loss.sum().backward();
    for (name, parameter) in model.parameters() {
        let mut row = Vec::new();
        parameter.gradient(&mut gradients, &mut row);
        assert!(row.iter().any(|g| *g != 0.0), "{name}");
    }
}

#[test]
fn the_gradient_is_that_of_differences() {
    let (pairs, languages) = pairs();
    let dev = Dev::seed_from_u64(3);
    let mut model = model(&dev, 0.0);
    let batch = batch::<4>(&pairs, &languages);
    let loss = model.loss(&batch, OwnedTape::default());
    let gradients = model.gradient(loss.sum().backward());
    let row = model.row();
    for at in (0..row.len()).step_by(7) {
        let mut ends = [-0.01f32, 0.01].map(|shift| {
            let mut row = row.clone();
            row[at] += shift;
            model.set_row(&row);
            losses(&model, &batch).iter().map(|&x| f64::from(x)).sum::<f64>()
        });
        ends[1] -= ends[0];
        let right = ends[1] / 0.02;
        let ours = f64::from(gradients[at]);
        assert!((ours - right).abs() < 1e-3, "{at}: {ours}, not {right}");
    }
}

#[test]
fn dropout_is_off_without_a_tape() {
    let (pairs, languages) = pairs();
    let model = model(&Dev::seed_from_u64(4), 0.5);
    let batch = batch::<4>(&pairs, &languages);
    assert_eq!(losses(&model, &batch), losses(&model, &batch));
    let taped = || model.loss(&batch, OwnedTape::default()).array();
    assert_ne!(taped(), taped());
}

#[test]
fn gradients_are_clipped_to_a_length() {
    let mut long = vec![3.0, 0.0, -4.0];
    assert_eq!(clip(&mut long, 1.0), 5.0);
    assert_eq!(long, [0.6, 0.0, -0.8]);
    let mut short = vec![0.3, 0.4];
    assert_eq!(clip(&mut short, 1.0), 0.5);
    assert_eq!(short, [0.3, 0.4]);
}

#[test]
fn each_dropout_acts_where_it_says() {
    let (pairs, languages) = pairs();
    let batch = batch::<4>(&pairs, &languages);
    let differs = |layers, dropouts| {
        let dev = Dev::seed_from_u64(6);
        let model: Model = Translator::new(&dev, (6, 6), layers, dropouts, LastState);
        let taped = || model.loss(&batch, OwnedTape::default()).array();
        taped() != taped()
    };
    let of_words = Dropouts { words: 0.5, layers: 0.0 };
    let of_layers = Dropouts { words: 0.0, layers: 0.5 };
    assert!(differs(1, of_words) && differs(2, of_words));
    // With one layer, nothing goes up from one to the next.
    assert!(!differs(1, of_layers) && differs(2, of_layers));
    assert!(!differs(2, Dropouts::default()));
}

#[test]
fn the_rate_falls_evenly_from_the_first_epoch_to_the_last() {
    let how = Schedule { epochs: 5, rate: 0.2, left: 0.5, warm_up: 0 };
    let rates = [0, 1, 2, 3, 4].map(|epoch| how.rate_of(epoch));
    let right = [0.2, 0.175, 0.15, 0.125, 0.1];
    let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
    assert!(rates.iter().zip(&right).all(close), "{rates:?}");
    let constant = Schedule { left: 1.0, ..how };
    assert_eq!(constant.rate_of(4), 0.2);
    assert_eq!(Schedule { epochs: 1, ..how }.rate_of(0), 0.2);
}

#[test]
fn the_rate_rises_in_the_warm_up_and_falls_after_it() {
    let how = Schedule { epochs: 6, rate: 4.0, left: 0.25, warm_up: 3 };
    let rates: Vec<f32> = (0..6).map(|epoch| how.rate_of(epoch)).collect();
    assert_eq!(rates, [1.0, 2.0, 3.0, 4.0, 2.5, 1.0]);
    let how = Schedule { warm_up: 0, epochs: 4, ..how };
    let rates: Vec<f32> = (0..4).map(|epoch| how.rate_of(epoch)).collect();
    assert_eq!(rates, [4.0, 3.0, 2.0, 1.0]);
}
