//! Training: schedule, clipping, workers, dropout, gradients.

use crate::common::few_pairs;
use ch10_2::parameters;
use ch10_2::parameters::Parameters;
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor1, onto_owned_tape};
use seq2seq::context::FixedContext;
use seq2seq::dataset::Dataset;
use seq2seq::text::Pair;
use seq2seq::train::{Schedule, Trainer, clip_gradients, train};
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::{Batch, Vocabularies};
use testing::{close, largest_difference};

/// The first B of them, or as many as there are.
fn batch<const B: usize>(pairs: &[Pair], vocabularies: &Vocabularies) -> Batch<B, 5> {
    Batch::new(pairs, vocabularies).expect("fits")
}

type Small = Translator<6, 5, FixedContext>;

/// A small model with the same dropout everywhere.
fn small(dev: &Dev, dropout: f32) -> Small {
    let config =
        Config { layers: 2, embedding_dropout: dropout, layer_dropout: dropout };
    Translator::new(dev, (6, 6), &config, FixedContext)
}

fn losses(model: &Small, batch: &Batch<4, 5>) -> [f32; 4] {
    model.loss(batch, NoneTape).array()
}

fn run(workers: usize, dropout: f32) -> (Vec<f32>, Vec<f32>) {
    let (pairs, vocabularies) = few_pairs();
    let mut trainer = Trainer::new(workers, 7, 0.01, |dev| small(dev, dropout));
    let losses = (0..20).map(|_| match workers {
        1 => trainer.step(&[batch::<4>(&pairs, &vocabularies)], |model, part| {
            model.loss(part, OwnedTape::default()).sum()
        }),
        _ => {
            let parts = pairs.chunks(2).map(|part| batch::<2>(part, &vocabularies));
            trainer.step(&parts.collect::<Vec<_>>(), |model, part| {
                model.loss(part, OwnedTape::default()).sum()
            })
        }
    });
    let losses = losses.collect();
    (losses, trainer.into_model().flatten())
}

#[test]
fn the_same_run_twice_gives_the_same_bits() {
    assert_eq!(run(2, 0.3), run(2, 0.3));
}

#[test]
fn it_does_not_matter_how_many_share_the_work() {
    let ((one, flat_one), (two, flat_two)) = (run(1, 0.0), run(2, 0.0));
    let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-3;
    assert!(one.iter().zip(&two).all(close), "{one:?} {two:?}");
    assert!(flat_one.iter().zip(&flat_two).all(close));
    assert!(one[19] < 0.7 * one[0], "it does not learn: {one:?}");
}

#[test]
fn rows_of_length_0_cost_nothing_and_change_nothing() {
    let (pairs, vocabularies) = few_pairs();
    let mut model = small(&Dev::seed_from_u64(1), 0.0);
    let full = batch::<4>(&pairs[..3], &vocabularies);
    assert_eq!(losses(&model, &full)[3], 0.0);
    let gradient = |model: &mut Small, batch: &Batch<4, 5>| {
        let loss = model.loss(batch, OwnedTape::default());
        model.flat_gradient(loss.sum().backward())
    };
    let ours = gradient(&mut model, &full);
    let mut other = full.clone();
    other.source[3] = [4; 5];
    assert_eq!(ours, gradient(&mut model, &other));
}

/// The losses and the gradient of a step with dropout: the same numbers by the
/// kernels and by the definitions that the layers hand to them.
#[test]
fn kernels_and_definitions_drop_the_same() {
    for seed in 0..3 {
        let kernels = with_dropout::<OwnedTape<f32, Dev>>(seed);
        let definitions = with_dropout::<DefinitionTape>(seed);
        close(&kernels, &definitions, 1e-5, &format!("seed {seed}"));
    }
}

fn with_dropout<T: Tape<f32, Dev> + Into<OwnedTape<f32, Dev>>>(seed: u64) -> Vec<f32> {
    let (pairs, vocabularies) = few_pairs();
    let mut model = small(&Dev::seed_from_u64(seed), 0.3);
    let losses = model.loss(&batch::<4>(&pairs, &vocabularies), T::default());
    let values = losses.as_vec();
    let gradients = onto_owned_tape(losses).sum().backward();
    [values, model.flat_gradient(gradients)].concat()
}

/// Each alone makes two losses differ, with a tape: on the vectors of the encoder,
/// of the decoder, and between the layers of each.
#[test]
fn each_dropout_acts_in_its_place() {
    let (pairs, vocabularies) = few_pairs();
    let batch = batch::<4>(&pairs, &vocabularies);
    let differs = |set: fn(&mut Small)| {
        let mut model = small(&Dev::seed_from_u64(6), 0.0);
        set(&mut model);
        let taped = || model.loss(&batch, OwnedTape::default()).array();
        taped() != taped()
    };
    assert!(!differs(|_| ()));
    let plain = small(&Dev::seed_from_u64(6), 0.5);
    assert_eq!(losses(&plain, &batch), losses(&plain, &batch));
    assert!(differs(|model| model.encoder.dropout = 0.5));
    assert!(differs(|model| model.decoder.dropout = 0.5));
    assert!(differs(|model| model.encoder.rnn.dropout = 0.5));
    assert!(differs(|model| model.decoder.rnn.dropout = 0.5));
}

#[test]
fn the_constructor_puts_each_dropout_in_its_place() {
    let config = Config { layers: 3, embedding_dropout: 0.25, layer_dropout: 0.5 };
    let dev = Dev::seed_from_u64(6);
    let model: Small = Translator::new(&dev, (6, 6), &config, FixedContext);
    let Translator { encoder, decoder } = &model;
    assert_eq!((encoder.dropout, decoder.dropout), (0.25, 0.25));
    assert_eq!((encoder.rnn.dropout, decoder.rnn.dropout), (0.5, 0.5));
    assert_eq!((encoder.rnn.upper.len(), decoder.rnn.upper.len()), (2, 2));
}

#[test]
fn gradients_are_clipped_to_a_length() {
    let mut long = vec![3.0, 0.0, -4.0];
    assert_eq!(clip_gradients(&mut long, 1.0), 5.0);
    assert_eq!(long, [0.6, 0.0, -0.8]);
    let mut short = vec![0.3, 0.4];
    assert_eq!(clip_gradients(&mut short, 1.0), 0.5);
    assert_eq!(short, [0.3, 0.4]);
}

#[derive(Clone, Debug)]
struct Slope {
    w: Tensor1<2>,
}

parameters! { Slope { w } }

/// Adam's first moment is a tenth of the gradient, the second a thousandth of
/// its square. After a gradient of length 5, clipped to (.6, .8), comes one of
/// length 0.5 in the same direction: without clipping the second step would be
/// much shorter.
#[test]
fn a_step_clips_the_gradient_before_adam_sees_it() {
    let mut trainer =
        Trainer::new(1, 0, 0.1, |dev| Slope { w: dev.tensor([0.0, 0.0]) });
    let mut step = |size: f32| {
        let loss = |model: &Slope, part: &[f32; 2]| {
            let part: Tensor1<2> = model.w.device().tensor(*part);
            (model.w.leaky_trace() * part).sum()
        };
        trainer.step(&[[0.6 * size, 0.8 * size]], loss);
        trainer.model().w.array()
    };
    let first = step(5.0);
    let second = step(0.5);
    let adam = |g: [f32; 2]| {
        let mean = (0.9 * 0.1 * g[0] + 0.1 * g[1]) / (1.0 - 0.81);
        let square = (0.999 * 0.001 * g[0] * g[0] + 0.001 * g[1] * g[1])
            / (1.0 - 0.999f32.powi(2));
        0.1 * mean / square.sqrt()
    };
    for (axis, share) in [0.6, 0.8].into_iter().enumerate() {
        assert!((first[axis] + 0.1).abs() < 1e-4, "{first:?}");
        let right = first[axis] - adam([share, 0.5 * share]);
        assert!((second[axis] - right).abs() < 1e-4, "{second:?}, not {right}");
    }
}

#[test]
#[should_panic(expected = "a part without a worker")]
fn no_part_of_a_batch_is_left_out() {
    let mut trainer = Trainer::new(1, 0, 0.1, |dev| Slope { w: dev.tensor([0.0; 2]) });
    trainer.step(&[(), ()], |model, ()| model.w.leaky_trace().sum());
}

#[test]
fn the_learning_rate_falls_evenly_from_the_first_epoch_to_the_last() {
    let schedule = Schedule { epochs: 5, lr: 0.2, final_lr_fraction: 0.5, warm_up: 0 };
    let rates = [0, 1, 2, 3, 4].map(|epoch| schedule.lr_of(epoch));
    let right = [0.2, 0.175, 0.15, 0.125, 0.1];
    let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
    assert!(rates.iter().zip(&right).all(close), "{rates:?}");
    let constant = Schedule { final_lr_fraction: 1.0, ..schedule };
    assert_eq!(constant.lr_of(4), 0.2);
    assert_eq!(Schedule { epochs: 1, ..schedule }.lr_of(0), 0.2);
}

#[test]
fn the_learning_rate_rises_in_the_warm_up_and_falls_after_it() {
    let schedule = Schedule { epochs: 6, lr: 4.0, final_lr_fraction: 0.25, warm_up: 3 };
    let rates: Vec<f32> = (0..6).map(|epoch| schedule.lr_of(epoch)).collect();
    assert_eq!(rates, [1.0, 2.0, 3.0, 4.0, 2.5, 1.0]);
    let schedule = Schedule { warm_up: 0, epochs: 4, ..schedule };
    let rates: Vec<f32> = (0..4).map(|epoch| schedule.lr_of(epoch)).collect();
    assert_eq!(rates, [4.0, 3.0, 2.0, 1.0]);
}

/// With a learning rate that falls to 0, the last epoch changes nothing; every
/// epoch has all tokens, in as many steps as there are batches.
#[test]
fn training_follows_the_schedule_and_takes_all_pairs_each_epoch() {
    let mut data = Dataset::book();
    data.train.truncate(150);
    let schedule = Schedule { epochs: 3, lr: 0.01, final_lr_fraction: 0.0, warm_up: 0 };
    let probe: Batch<4, 5> =
        Batch::new(&data.train[..4], &data.vocabularies).expect("fits");
    let sizes = data.vocabularies.sizes();
    let config = Config { layers: 1, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let model =
        |dev: &Dev| -> Small { Translator::new(dev, sizes, &config, FixedContext) };
    let (mut steps, mut after) = (Vec::new(), Vec::new());
    let on_step = |loss: f32, count: usize| steps.push((loss, count as f32));
    let on_epoch = |epoch, model: &Small| {
        after.push((epoch, model.loss(&probe, NoneTape).array()));
    };
    let (_, losses) =
        train(&data, &schedule, 1, model, on_step, on_epoch).expect("trains");
    let all: usize = data.train.iter().map(|pair| pair.target.len() + 1).sum();
    assert_eq!(steps.len(), 3 * 3);
    let total = |steps: &[(f32, f32)]| steps.iter().map(|step| step.1).sum::<f32>();
    assert_eq!(total(&steps), 3.0 * all as f32);
    // An untrained model is about as good as a guess; an epoch has the mean
    // over its tokens.
    assert!((steps[0].0 - (sizes.1 as f32).ln()).abs() < 0.5, "{steps:?}");
    for (epoch, loss) in steps.chunks(3).zip(&losses) {
        let sum: f32 = epoch.iter().map(|(loss, count)| loss * count).sum();
        assert!((sum / total(epoch) / loss - 1.0).abs() < 1e-4, "{loss}");
    }
    assert_eq!(after.iter().map(|(epoch, _)| *epoch).collect::<Vec<_>>(), [1, 2, 3]);
    assert_ne!(after[0].1, after[1].1);
    assert_eq!(after[1].1, after[2].1, "the learning rate is 0");
    assert_eq!(losses.len(), 3);
    assert!(losses[1] < losses[0]);
}

/// The first step of Adam moves each parameter that has a gradient by the
/// learning rate.
#[test]
fn the_first_step_is_as_long_as_the_schedule_says() {
    let mut data = Dataset::book();
    data.train.truncate(40);
    let sizes = data.vocabularies.sizes();
    let config = Config { layers: 1, embedding_dropout: 0.0, layer_dropout: 0.0 };
    let model =
        |dev: &Dev| -> Small { Translator::new(dev, sizes, &config, FixedContext) };
    for (warm_up, lr) in [(0, 0.02), (3, 0.005)] {
        let schedule =
            Schedule { epochs: 5, lr: 0.02, final_lr_fraction: 0.1, warm_up };
        let start = model(&Dev::seed_from_u64(1)).flatten();
        let on_epoch = |epoch, model: &Small| {
            if epoch == 1 {
                let moved = largest_difference(&start, &model.clone().flatten());
                assert!((moved / lr - 1.0).abs() < 0.01, "{moved}, not {lr}");
            }
        };
        train(&data, &schedule, 1, model, |_, _| (), on_epoch).expect("trains");
    }
}
