//! What must hold in section 10.7 whatever the weights: causality, lengths,
//! and that positions kept are as good as positions computed again.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_7::attention::see;
use ch10_7::decoder::{Masked, causal};
use ch10_7::{
    DecoderBlock, EncoderBlock, NormAt, PositionWiseFfn, Transformer,
    TransformerEncoder,
};
use dfdx::prelude::*;
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::parameters::Parameters;
use seq2seq::train::Learner;
use seq2seq::vocab::{BOS, Batch, EOS, PAD};

const S: usize = 7;

type Model = Transformer<16, 4, 4, 24>;

fn model(at: NormAt) -> Model {
    Model::new(&Dev::seed_from_u64(3), (20, 20), 3, 0.0, at)
}

fn tokens<const B: usize>(random: &mut StdRng) -> [[usize; S]; B] {
    let mut token = || random.gen_range(4..20u32) as usize;
    std::array::from_fn(|_| std::array::from_fn(|_| token()))
}

/// The rows of the decoder, at each position of each example.
fn states<T: Tape<f32, Dev> + Default>(
    model: &Model,
    source: &[[usize; S]; 2],
    lens: &[usize; 2],
    input: &[[usize; S]; 2],
) -> [[[f32; 16]; S]; 2] {
    let (read, _) = model.encoder.forward(source, lens, T::default());
    let (rows, _) = model.decoder.forward(input, &[S; 2], read, lens);
    rows.split_tape().0.array()
}

fn apart(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn a_later_token<T: Tape<f32, Dev> + Default>(at: NormAt) {
    let (model, mut random) = (model(at), StdRng::seed_from_u64(1));
    let (source, input) = (tokens(&mut random), tokens(&mut random));
    let before = states::<T>(&model, &source, &[5, 7], &input);
    for changed in 1..S {
        let mut other = input;
        other[0][changed] = 4 + (input[0][changed] - 3) % 16;
        let after = states::<T>(&model, &source, &[5, 7], &other);
        for s in 0..S {
            let same = before[0][s] == after[0][s];
            assert_eq!(same, s < changed, "token {changed}, position {s}");
        }
        assert_eq!(before[1], after[1], "another sentence");
    }
}

#[test]
fn a_later_token_changes_nothing_earlier_in_evaluation() {
    a_later_token::<NoneTape>(NormAt::Post);
    a_later_token::<NoneTape>(NormAt::Pre);
}

#[test]
fn a_later_token_changes_nothing_earlier_in_training() {
    a_later_token::<OwnedTape<f32, Dev>>(NormAt::Post);
    a_later_token::<OwnedTape<f32, Dev>>(NormAt::Pre);
}

/// The gradient says the same of training: what is asked of position 2 does
/// not move the vectors of later tokens.
#[test]
fn no_gradient_flows_back_from_the_future() {
    let mut model = model(NormAt::Post);
    let input = [[4, 5, 6, 7, 8, 9, 10]];
    let tape = OwnedTape::<f32, Dev>::default();
    let (read, _) = model.encoder.forward(&[[4; S]], &[S], tape);
    let (rows, _) = model.decoder.forward(&input, &[S], read, &[S]);
    let third = rows.select::<Rank2<1, 16>, _>(model_index()).square().sum();
    let gradients = third.backward();
    let all = gradients.get(&model.decoder.embedding).as_vec();
    let moved = |token: usize| all[token * 16..][..16].iter().any(|g| *g != 0.0);
    for (position, token) in input[0].into_iter().enumerate() {
        assert_eq!(moved(token), position <= 2, "position {position}");
    }
    assert!(model.count() > 0);
}

fn model_index() -> Tensor<Rank1<1>, usize, Dev> {
    Dev::default().tensor([2])
}

#[test]
fn what_is_kept_is_what_would_be_computed_again() {
    for at in [NormAt::Post, NormAt::Pre] {
        let (model, mut random) = (model(at), StdRng::seed_from_u64(2));
        let (source, input) = (tokens::<2>(&mut random), tokens(&mut random));
        let lens = [4, 7];
        let (read, _) = model.encoder.forward(&source, &lens, NoneTape);
        let mut writing = model.decoder.start::<2, S, S>(&read, &lens);
        let (all, weights) = model.decoder.forward(&input, &[S; 2], read, &lens);
        for s in 0..S {
            let (row, looks) =
                model.decoder.step(&input.map(|row| row[s]), &mut writing);
            for b in 0..2 {
                let far = apart(&row.array()[b][0], &all.array()[b][s]);
                assert!(far < 1e-5, "position {s}: {far}");
            }
            for (now, then) in looks.iter().zip(&weights) {
                let (now, then) = (now.read.array(), then.read.array());
                let far = apart(&now[1][3][0], &then[1][3][s]);
                assert!(far < 1e-5, "weights at {s}: {far}");
            }
        }
        assert_eq!(writing.len, S);
    }
}

#[test]
#[should_panic(expected = "no room for more")]
fn no_more_is_written_than_there_is_room_for() {
    let model = model(NormAt::Post);
    let (read, _) = model.encoder.forward(&[[4; S]], &[S], NoneTape);
    let mut writing = model.decoder.start::<1, 2, S>(&read, &[S]);
    for _ in 0..3 {
        model.decoder.step(&[BOS], &mut writing);
    }
}

/// What stands in the padding of the sentence and of the translation changes
/// no loss, in all three attentions.
#[test]
fn padding_changes_nothing() {
    for at in [NormAt::Post, NormAt::Pre] {
        let (model, mut random) = (model(at), StdRng::seed_from_u64(4));
        let batch: Batch<2, S> = Batch {
            source: tokens(&mut random),
            source_lens: [3, 5],
            target: tokens(&mut random),
            target_lens: [4, 2],
        };
        let mut other = batch.clone();
        for b in 0..2 {
            other.source[b][batch.source_lens[b]..].fill(PAD);
            other.target[b][batch.target_lens[b]..].fill(EOS);
        }
        let loss = |batch| model.loss::<S, 2, _>(batch, NoneTape).array();
        assert_eq!(loss(&batch), loss(&other));
        let longer = Batch { source_lens: [4, 5], ..batch.clone() };
        assert_ne!(loss(&batch)[0], loss(&longer)[0]);
    }
}

#[test]
fn masked_weights_are_zero_in_all_three_attentions() {
    let (model, mut random) = (model(NormAt::Post), StdRng::seed_from_u64(5));
    let (source, input) = (tokens::<2>(&mut random), tokens(&mut random));
    let (read_lens, lens) = ([3, 5], [4, 6]);
    let (read, own) = model.encoder.forward(&source, &read_lens, NoneTape);
    let (_, looks) = model.decoder.forward(&input, &lens, read, &read_lens);
    let check = |weights: &Tensor<Rank4<2, 4, S, S>, f32, Dev>,
                 len: &dyn Fn(usize, usize) -> usize| {
        for (b, heads) in weights.array().iter().enumerate() {
            for row in heads.as_flattened().iter().enumerate() {
                let (q, row) = (row.0 % S, row.1);
                let (seen, masked) = row.split_at(len(b, q));
                assert!(seen.iter().all(|weight| *weight > 0.0));
                assert!(masked.iter().all(|weight| *weight == 0.0));
                let sum = if seen.is_empty() { 0.0 } else { 1.0 };
                assert!((row.iter().sum::<f32>() - sum).abs() < 1e-5);
            }
        }
    };
    own.iter().for_each(|weights| check(weights, &|b, _| read_lens[b]));
    for layer in &looks {
        check(&layer.written, &|b, q| if q < lens[b] { q + 1 } else { 0 });
        check(&layer.read, &|b, _| read_lens[b]);
    }
}

/// A row of a batch that is left over has the length 0: no NaN, no loss, and
/// no part in the gradient.
#[test]
fn an_empty_row_takes_no_part() {
    let mut model = model(NormAt::Post);
    let batch: Batch<2, S> = Batch {
        source: [[5; S], [PAD; S]],
        source_lens: [S, 0],
        target: [[6; S], [PAD; S]],
        target_lens: [S, 0],
    };
    let one: Batch<1, S> = Batch {
        source: [[5; S]],
        source_lens: [S],
        target: [[6; S]],
        target_lens: [S],
    };
    let losses = model.loss(&batch, OwnedTape::default());
    assert_eq!(losses.array()[1], 0.0);
    let two = model.gradient(losses.sum().backward());
    let losses = model.loss(&one, OwnedTape::default());
    let one = model.gradient(losses.sum().backward());
    assert!(apart(&two, &one) < 1e-5);
}

/// Every parameter takes part.
#[test]
fn every_parameter_moves() {
    for at in [NormAt::Post, NormAt::Pre] {
        let (mut model, mut random) = (model(at), StdRng::seed_from_u64(6));
        let batch: Batch<2, S> = Batch {
            source: tokens(&mut random),
            source_lens: [S; 2],
            target: tokens(&mut random),
            target_lens: [S; 2],
        };
        let loss = model.loss(&batch, OwnedTape::default()).sum();
        let gradient = model.gradient(loss.backward());
        let mut at = 0;
        for (name, parameter) in model.parameters() {
            let len: usize = parameter.lens().iter().product();
            let moves = gradient[at..][..len].iter().any(|g| *g != 0.0);
            assert!(moves, "{name}");
            at += len;
        }
    }
}

#[test]
fn the_setting_of_dive_into_deep_learning_has_60_937_parameters() {
    let dev = Dev::seed_from_u64(0);
    let mut model: Transformer<32, 4, 8, 64> =
        Transformer::new(&dev, (184, 201), 2, 0.1, NormAt::Post);
    assert_eq!(model.count(), 60_937);
}

/// The shapes of the page: the network, blocks, and an encoder of two layers.
#[test]
fn worked_shapes() {
    let dev = Dev::seed_from_u64(0);
    let ffn: PositionWiseFfn<4, 4, 8> = PositionWiseFfn::new(&dev);
    let x: Tensor<Rank3<2, 3, 4>, f32, Dev> = dev.ones();
    let y: Tensor<Rank3<2, 3, 8>, f32, Dev> = ffn.forward(x);
    let rows = y.array();
    assert!(rows.as_flattened().iter().all(|row| *row == rows[0][0]));

    let block: EncoderBlock<24, 8, 3, 48> = EncoderBlock::new(&dev, 0.5, NormAt::Post);
    let x: Tensor<Rank3<2, 100, 24>, f32, Dev> = dev.ones();
    let lens = ValidLens::PerExample([3, 2]);
    let y = block.forward(x.clone(), &lens);
    assert_eq!(y.output.shape().concrete(), [2, 100, 24]);
    assert_eq!(y.weights.shape().concrete(), [2, 8, 100, 100]);

    let encoder: TransformerEncoder<24, 8, 3, 48> =
        TransformerEncoder::new(&dev, 200, 2, 0.5, NormAt::Post);
    let (y, weights) = encoder.forward(&[[1; 100]; 2], &[3, 2], NoneTape);
    assert_eq!(y.shape().concrete(), [2, 100, 24]);
    assert_eq!(weights.len(), 2);

    let block: DecoderBlock<24, 8, 3, 48> = DecoderBlock::new(&dev, 0.5, NormAt::Post);
    let seen = see(&block.cross_attention, y);
    let own = |seen| Masked { seen, lens: causal(&[100; 2]) };
    let (z, _) = block.forward(x, own, Masked { seen, lens });
    assert_eq!(z.shape().concrete(), [2, 100, 24]);
}
