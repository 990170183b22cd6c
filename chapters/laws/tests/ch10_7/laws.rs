//! What must hold whatever the weights: causality, lengths, permutations, and
//! what goes by in a residual connection.

use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_7::translator::{
    BookTransformer, DROPOUT, FFN, HEAD_WIDTH, HEADS, LAYERS, WIDTH,
};
use ch10_7::{
    DecoderBlock, EncoderBlock, LayerNorm, NormPosition, Residual, Transformer,
    TransformerEncoder,
};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1, Tensor3, Tensor4};
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::train::Seq2SeqModel;
use seq2seq::vocab::{Batch, EOS, PAD};
use testing::{backward_from, close, largest_difference};

pub const S: usize = 7;
pub const POSITIONS: [NormPosition; 2] = [NormPosition::Post, NormPosition::Pre];

pub type Model = Transformer<16, 4, 4, 24>;

pub fn model(position: NormPosition) -> Model {
    Model::new(&Dev::seed_from_u64(3), (20, 20), 3, 0.0, position)
}

pub fn tokens<const B: usize>(rng: &mut StdRng) -> [[usize; S]; B] {
    let mut token = || rng.gen_range(4..20u32) as usize;
    std::array::from_fn(|_| std::array::from_fn(|_| token()))
}

/// The rows of the decoder, at each position of each example.
fn rows<T: Tape<f32, Dev> + Default>(
    model: &Model,
    source: &[[usize; S]; 2],
    lens: &[usize; 2],
    input: &[[usize; S]; 2],
) -> [[[f32; 16]; S]; 2] {
    let (rows, _) = model.forward((source, lens), (input, &[S; 2]), T::default());
    rows.split_tape().0.array()
}

/// In evaluation and in training.
#[test]
fn a_later_token_changes_nothing_earlier() {
    for position in POSITIONS {
        a_later_token::<NoneTape>(position);
        a_later_token::<OwnedTape<f32, Dev>>(position);
    }
}

fn a_later_token<T: Tape<f32, Dev> + Default>(position: NormPosition) {
    let (model, mut rng) = (model(position), StdRng::seed_from_u64(1));
    let (source, input) = (tokens(&mut rng), tokens(&mut rng));
    let before = rows::<T>(&model, &source, &[5, 7], &input);
    for changed in 1..S {
        let mut other = input;
        other[0][changed] = 4 + (input[0][changed] - 3) % 16;
        let after = rows::<T>(&model, &source, &[5, 7], &other);
        for s in 0..S {
            let same = before[0][s] == after[0][s];
            assert_eq!(same, s < changed, "token {changed}, position {s}");
        }
        assert_eq!(before[1], after[1], "another sentence");
    }
}

/// What stands in the padding of the sentence and of the translation changes no
/// loss, in all three attentions.
#[test]
fn padding_changes_nothing() {
    for position in POSITIONS {
        let (model, mut rng) = (model(position), StdRng::seed_from_u64(4));
        let batch: Batch<2, S> = Batch {
            source: tokens(&mut rng),
            source_lens: [3, 5],
            target: tokens(&mut rng),
            target_lens: [4, 2],
        };
        let mut other = batch.clone();
        for b in 0..2 {
            other.source[b][batch.source_lens[b]..].fill(PAD);
            other.target[b][batch.target_lens[b]..].fill(EOS);
        }
        let loss = |batch| model.loss::<2, S, _>(batch, NoneTape).array();
        assert_eq!(loss(&batch), loss(&other));
        let longer = Batch { source_lens: [4, 5], ..batch.clone() };
        assert_ne!(loss(&batch)[0], loss(&longer)[0]);
    }
}

#[test]
fn masked_weights_are_zero_in_all_three_attentions() {
    let (model, mut rng) = (model(NormPosition::Post), StdRng::seed_from_u64(5));
    let (source, input) = (tokens::<2>(&mut rng), tokens(&mut rng));
    let (read, own) = ([3, 5], [4, 6]);
    let (_, weights) = model.forward((&source, &read), (&input, &own), NoneTape);
    let check = |weights: &Tensor4<2, 4, S, S>, mask: &Mask<2, S, S>| {
        for (b, heads) in weights.array().iter().enumerate() {
            for (at, row) in heads.as_flattened().iter().enumerate() {
                let q = at % S;
                let any = (0..S).any(|k| mask.allows(b, q, k));
                for (k, weight) in row.iter().enumerate() {
                    assert_eq!(*weight > 0.0, mask.allows(b, q, k));
                }
                let sum: f32 = row.iter().sum();
                assert!((sum - f32::from(any)).abs() < 1e-5, "{sum}");
            }
        }
    };
    let lens = Mask::valid_lens(read);
    weights.encoder.iter().for_each(|weights| check(weights, &lens));
    for layer in &weights.decoder {
        check(&layer.self_attention, &Mask::causal_within(own));
        check(&layer.cross_attention, &lens);
    }
}

/// A row of a batch that is left over has the length 0: no NaN, no loss, no
/// part in the gradient.
#[test]
fn an_empty_row_takes_no_part() {
    let mut model = model(NormPosition::Post);
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
    let two = model.flat_gradient(losses.sum().backward());
    let losses: Tensor1<1, _> = model.loss(&one, OwnedTape::default());
    let one = model.flat_gradient(losses.sum().backward());
    assert!(largest_difference(&two, &one) < 1e-5);
}

/// With a sublayer that returns nothing to add, pre-norm returns its input in
/// every bit, and post-norm what the norm makes of it.
#[test]
fn only_pre_norm_lets_its_input_by() {
    let dev = Dev::seed_from_u64(7);
    let x: Tensor3<2, 3, 6> = dev.sample_normal() * 3.0;
    let through = |position| {
        let layer: Residual<6> = Residual::new(&dev, 0.0, position);
        layer.forward(x.clone(), |x| (x * 0.0, ())).0.as_vec()
    };
    assert_eq!(through(NormPosition::Pre), x.as_vec());
    assert_eq!(through(NormPosition::None), x.as_vec());
    let normalised = LayerNorm::<6>::new(&dev).forward(x.clone()).as_vec();
    close(&through(NormPosition::Post), &normalised, 1e-6, "post");
    assert!(largest_difference(&normalised, &x.as_vec()) > 0.5);
}

/// A gradient on its way back through untrained blocks: how many times as long
/// it is at the first as at the last, from 100 seeds. With pre-norm it arrives
/// longer than it left, whatever the depth. Six post-norm blocks mostly change
/// its length little; 48 mostly make little of it, and now and then much.
#[test]
fn pre_norm_hands_a_gradient_on_at_any_depth() {
    let length = |row: Vec<f32>| row.iter().map(|x| x * x).sum::<f32>().sqrt();
    let times = |position, depth, seed| {
        let dev = Dev::seed_from_u64(seed);
        let x: Tensor3<1, 8, 16> = dev.sample_normal();
        let weights: Tensor3<1, 8, 16> = dev.sample_normal();
        let mut y = x.leaky_trace();
        for _ in 0..depth {
            let block: EncoderBlock<16, 4, 4, 32> =
                EncoderBlock::new(&dev, 0.0, position);
            y = block.forward(y, &Mask::none()).output;
        }
        let gradients = backward_from(y, &weights.as_vec());
        length(gradients.get(&x).as_vec()) / length(weights.as_vec())
    };
    let of = |position, depth| -> Vec<f32> {
        (0..100).map(|seed| times(position, depth, seed)).collect()
    };
    for depth in [1, 6, 48] {
        let pre = of(NormPosition::Pre, depth);
        assert!(pre.iter().all(|x| *x > 1.0), "{depth} {pre:?}");
    }
    let six = of(NormPosition::Post, 6);
    assert!(six.iter().filter(|x| (0.5..2.0).contains(*x)).count() > 60, "{six:?}");
    let deep = of(NormPosition::Post, 48);
    assert!(deep.iter().filter(|x| **x < 0.1).count() > 50, "{deep:?}");
    assert!((1..10).contains(&deep.iter().filter(|x| **x > 10.0).count()), "{deep:?}");
}

/// Each dropout of the page's model has the share that the page says.
#[test]
fn every_dropout_is_as_said() {
    let dev = Dev::default();
    let model = BookTransformer::new(&dev, (5, 5), LAYERS, DROPOUT, NormPosition::Post);
    let mut all = vec![
        model.encoder.embedding.positions.dropout,
        model.decoder.embedding.positions.dropout,
    ];
    for block in &model.encoder.blocks {
        all.extend([block.self_attention.dropout, block.attention_residual.dropout]);
        all.push(block.feed_forward_residual.dropout);
    }
    for block in &model.decoder.blocks {
        all.extend([block.self_attention.dropout, block.cross_attention.dropout]);
        all.extend([block.attention_residual.dropout, block.cross_residual.dropout]);
        all.push(block.feed_forward_residual.dropout);
    }
    assert_eq!(all, vec![0.1; 18]);
}

/// Without positions an encoder does not know the order: permuted tokens give
/// permuted rows. With positions they do not.
#[test]
fn without_positions_the_encoder_is_equivariant() {
    let dev = Dev::seed_from_u64(10);
    let mut encoder: TransformerEncoder<16, 4, 4, 24> =
        TransformerEncoder::new(&dev, 20, 2, 0.0, NormPosition::Post);
    let (tokens, order) = ([4, 9, 11, 5, 17], [3, 0, 4, 1, 2]);
    let permuted = order.map(|from| tokens[from]);
    let difference = |encoder: &TransformerEncoder<16, 4, 4, 24>| {
        let rows =
            |tokens| encoder.forward(&[tokens], &Mask::none(), NoneTape).0.array();
        let ([plain], [ours]) = (rows(tokens), rows(permuted));
        let wanted = order.map(|from| plain[from]);
        largest_difference(ours.as_flattened(), wanted.as_flattened())
    };
    assert!(difference(&encoder) > 0.1);
    encoder.embedding.positions.table = dev.zeros();
    assert!(difference(&encoder) < 1e-5);
}

/// Times √M a vector is about as long as the encoding of a position.
#[test]
fn the_vectors_of_tokens_have_the_variance_1_over_m() {
    let dev = Dev::seed_from_u64(13);
    let embedding: ch10_7::TokenEmbedding<64> =
        ch10_7::TokenEmbedding::new(&dev, 500, 0.0);
    let squares: f32 = embedding.vectors.as_vec().iter().map(|x| x * x).sum();
    assert!((squares / 500.0 - 1.0).abs() < 0.05, "{squares}");
}

#[test]
fn the_setting_of_dive_into_deep_learning_has_60_937_parameters() {
    let mut model: Transformer<32, 4, 8, 64> =
        Transformer::new(&Dev::default(), (184, 201), 2, 0.1, NormPosition::Post);
    assert_eq!(model.count(), 60_937);
}

/// How the parameters of the page's model are shared out.
#[test]
fn the_translator_has_the_parameters_that_the_page_says() {
    let dev = Dev::default();
    let mut model =
        BookTransformer::new(&dev, (187, 344), LAYERS, DROPOUT, NormPosition::Post);
    assert_eq!(model.count(), 222_232);
    let vectors = 64 * (187 + 344 + 344) + 344;
    let mut encoder: EncoderBlock<WIDTH, HEADS, HEAD_WIDTH, FFN> =
        EncoderBlock::new(&dev, 0.0, NormPosition::Post);
    let mut decoder: DecoderBlock<WIDTH, HEADS, HEAD_WIDTH, FFN> =
        DecoderBlock::new(&dev, 0.0, NormPosition::Post);
    assert_eq!((vectors, 2 * (encoder.count() + decoder.count())), (56_344, 165_888));
}

/// Blocks with a norm in no place are those of the others without it.
#[test]
fn without_a_norm_rows_grow_with_the_depth() {
    let sizes = |position, seed| {
        let dev = Dev::seed_from_u64(seed);
        let x: Tensor3<4, 8, 16> = dev.sample_normal();
        let mut y = x;
        for _ in 0..24 {
            let block: EncoderBlock<16, 4, 4, 32> =
                EncoderBlock::new(&dev, 0.0, position);
            y = block.forward(y, &Mask::none()).output;
        }
        let squares: f32 = y.as_vec().iter().map(|y| y * y).sum();
        (squares / (4 * 8 * 16) as f32).sqrt()
    };
    for seed in 0..20 {
        let post = sizes(NormPosition::Post, seed);
        let none = sizes(NormPosition::None, seed);
        assert!((post - 1.0).abs() < 0.05, "seed {seed}: {post}");
        assert!(none > 100.0, "seed {seed}: {none}");
    }
}
