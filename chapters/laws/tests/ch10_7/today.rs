//! The decoder of today: PyTorch's numbers, its laws, its cache, and what is drawn
//! from.

use ch10_2::parameters::Parameters;
use ch10_3::{Mask, xavier_bound};
use ch10_5::MultiHeadAttention;
use ch10_6::{frequency, rotate};
use ch10_7::decoder_of_today::{
    GroupedCache, GroupedQueryAttention, Network, Norm, Parts, RmsNorm, SwiGlu,
    TodayDecoder, rotary, top_k, top_p, train_decoder,
};
use ch10_7::language_model::{LanguageModel, Setting, sample};
use ch10_7::stories::Stories;
use dfdx::prelude::*;
use kernels::{DefinitionTape, Dev, Tensor3, Tensor4, onto_owned_tape};
use rand::rngs::mock::StepRng;
use seq2seq::greedy::argmax;
use seq2seq::loss::logits;
use seq2seq::vocab::{BOS, EOS};
use serde_json::Value;
use testing::{
    agrees, assert_all_move, cases, close, gradient_of, largest_difference, load,
    tensor,
};

type KernelTape = OwnedTape<f32, Dev>;

/// Values, and gradients of the parameters and of the input, of one case.
fn check<
    L: Parameters,
    const B: usize,
    const S: usize,
    const M: usize,
    T: Tape<f32, Dev> + Into<KernelTape>,
>(
    case: &Value,
    mut layer: L,
    forward: impl FnOnce(&L, Tensor3<B, S, M, T>) -> Tensor3<B, S, M, T>,
) {
    let theirs = |ours: &str| ours.trim_matches('.').to_string();
    load(&mut layer, &case["params"], theirs);
    let x: Tensor3<B, S, M> = tensor(&Dev::default(), &case["inputs"]["X"]);
    let output = forward(&layer, x.retaped::<T>());
    agrees(case, &mut layer, theirs, output, &[("X", gradient_of(&x))]);
}

#[test]
fn norm_and_network_are_pytorchs() {
    let (dev, cases) = (Dev::default(), cases("decoder_of_today"));
    check::<_, 2, 3, 4, KernelTape>(&cases[0], RmsNorm::new(&dev), |l, x| l.forward(x));
    let network: SwiGlu<4, 11> = SwiGlu::new(&dev);
    check::<_, 2, 3, 4, KernelTape>(&cases[1], network, |l, x| l.forward(x));
}

fn grouped<const KV: usize, T: Tape<f32, Dev> + Into<KernelTape>>(
    case: &Value,
    rotary: bool,
    mask: &Mask<2, 6, 6>,
) {
    let layer =
        GroupedQueryAttention::<16, 4, KV, 4>::new(&Dev::default(), 0.0, rotary);
    check::<_, 2, 6, 16, T>(case, layer, |layer, x| layer.forward(x, mask));
}

/// By the kernel and by the definition.
#[test]
fn grouped_queries_are_pytorchs() {
    let cases = cases("decoder_of_today");
    let near = Mask::from_fn(|_, q, k| k <= q && q - k < 3);
    for (case, rotary) in [(&cases[2], false), (&cases[3], true)] {
        grouped::<2, KernelTape>(case, rotary, &Mask::causal());
        grouped::<2, DefinitionTape>(case, rotary, &Mask::causal());
    }
    grouped::<1, KernelTape>(&cases[4], true, &near);
}

#[test]
fn with_as_many_heads_of_keys_it_is_multi_head_attention() {
    let dev = Dev::seed_from_u64(3);
    let mut grouped = GroupedQueryAttention::<16, 4, 4, 4>::new(&dev, 0.0, false);
    let mut multi_head: MultiHeadAttention<16, 4, 4> =
        MultiHeadAttention::new(&dev, 0.0);
    multi_head.load_flat(&grouped.flatten());
    let x: Tensor3<2, 6, 16> = dev.sample_normal();
    let wanted = multi_head.forward(x.clone(), x.clone(), x.clone(), &Mask::causal());
    let found = grouped.forward(x, &Mask::causal()).as_vec();
    close(&found, &wanted.output.as_vec(), 1e-5, "output");
    // And so are its weights at the start.
    let keys = grouped.w_k.as_vec();
    let largest = keys.iter().fold(0.0, |max: f32, w| max.max(w.abs()));
    close(&[largest / xavier_bound(16, 16)], &[0.98], 0.02, "largest weight");
}

/// The weights of fewer heads are those of a narrower projection.
#[test]
fn few_heads_start_with_the_bound_of_their_width() {
    let layer =
        GroupedQueryAttention::<64, 4, 1, 16>::new(&Dev::seed_from_u64(3), 0.0, true);
    for weights in [layer.w_k.as_vec(), layer.w_v.as_vec()] {
        let largest = weights.iter().fold(0.0, |max: f32, w| max.max(w.abs()));
        close(&[largest / xavier_bound(64, 16)], &[0.99], 0.01, "largest weight");
    }
}

/// Values, and the gradient of the sum of their squares, of one decoder.
fn trained<T: Tape<f32, Dev> + Into<KernelTape>>(mut model: Decoder) -> Vec<f32> {
    let rows: Tensor3<1, 10, 16, T> = model.forward(&[STORY], &[9], T::default());
    let values = rows.as_vec();
    let gradients = onto_owned_tape(rows).square().sum().backward();
    [values, model.flat_gradient(gradients)].concat()
}

/// By the kernels and by the definitions, of the attention and of the residual
/// connection, the same numbers are dropped.
#[test]
fn the_definitions_drop_what_the_kernels_drop() {
    let decoder = |attention, residual| {
        let mut model = decoder(&Parts::TODAY);
        for block in &mut model.blocks {
            (block.attention.dropout, block.dropout) = (attention, residual);
        }
        model
    };
    let plain = trained::<KernelTape>(decoder(0.0, 0.0));
    for (attention, residual) in [(0.4, 0.0), (0.0, 0.4)] {
        let kernel = trained::<KernelTape>(decoder(attention, residual));
        let defined = trained::<DefinitionTape>(decoder(attention, residual));
        close(&kernel, &defined, 1e-4, "both");
        assert!(largest_difference(&kernel, &plain) > 0.1, "{attention} {residual}");
    }
}

/// The same row at 40 positions, turned.
fn turned(row: [f32; 8]) -> Vec<[f32; 8]> {
    let rows: Tensor4<1, 40, 1, 8> = Dev::default().tensor([[[row]; 40]]);
    rotary(rows, 0).as_vec().as_chunks().0.to_vec()
}

const QUERY: [f32; 8] = [0.3, -1.2, 0.8, 2.0, -0.5, 0.1, 1.5, -0.7];
const KEY: [f32; 8] = [1.1, 0.4, -0.9, 0.6, 1.3, -2.0, 0.2, 0.9];

#[test]
fn rotary_is_the_rotation_of_positions_the_other_way_round() {
    for (at, row) in turned(QUERY).iter().enumerate() {
        close(row, &rotate(&QUERY, -(at as f64)), 1e-6, "row");
    }
    let x: Tensor4<1, 3, 1, 8> = Dev::default().tensor([[[QUERY]; 3]]);
    close(&rotary(x, 17).as_vec(), &turned(QUERY)[17..20].concat(), 1e-6, "from 17");
}

#[test]
fn a_score_of_turned_rows_depends_on_the_offset_alone() {
    let (queries, keys) = (turned(QUERY), turned(KEY));
    let score = |q: usize, k: usize| -> f32 {
        queries[q].iter().zip(&keys[k]).map(|(q, k)| q * k).sum()
    };
    for back in 0..20 {
        for at in back..40 {
            close(&[score(at, at - back)], &[score(back, 0)], 1e-5, "score");
        }
    }
    assert!((score(1, 0) - score(0, 0)).abs() > 0.1);
    assert!((score(1, 0) - score(0, 1)).abs() > 0.1);
}

/// The numbers of a row in the order of `rotate_half`: those of the columns 2j first.
fn in_halves(row: &[f32]) -> Vec<f32> {
    let every = |from: usize| row.iter().skip(from).step_by(2).copied();
    every(0).chain(every(1)).collect()
}

/// Column j is rotated with column j + D/2, by the angle of j.
fn rotated_halves(row: &[f32], at: usize) -> Vec<f32> {
    let half = row.len() / 2;
    let of = |column: usize| {
        let (sin, cos) = (at as f64 * frequency(column % half, row.len())).sin_cos();
        let partner =
            if column < half { -row[column + half] } else { row[column - half] };
        row[column] * cos as f32 + partner * sin as f32
    };
    (0..row.len()).map(of).collect()
}

/// The layout of most checkpoints is ours with the columns in another order; without
/// it the scores are other ones.
#[test]
fn a_checkpoint_in_halves_needs_its_rows_in_our_order() {
    let score =
        |q: &[f32], k: &[f32]| -> f32 { q.iter().zip(k).map(|(q, k)| q * k).sum() };
    let (queries, keys) = (turned(QUERY), turned(KEY));
    for (row, turned) in [(QUERY, &queries), (KEY, &keys)] {
        for (at, turned) in turned.iter().enumerate() {
            let found = rotated_halves(&in_halves(&row), at);
            close(&found, &in_halves(turned), 1e-5, "in halves");
        }
    }
    let (query, key) = (in_halves(&QUERY), in_halves(&KEY));
    let wrong = |row: &[f32], at: usize| turned(std::array::from_fn(|i| row[i]))[at];
    close(&[score(&query, &key)], &[score(&QUERY, &KEY)], 1e-5, "at one position");
    let found = score(&wrong(&query, 7), &wrong(&key, 3));
    assert!((found - score(&queries[7], &keys[3])).abs() > 0.5, "{found}");
}

const WINDOW: Parts = Parts { window: 3, ..Parts::TODAY };

type Decoder = TodayDecoder<16, 4, 2, 4, 11>;

fn decoder(parts: &Parts) -> Decoder {
    Decoder::new(&Dev::seed_from_u64(5), 20, 2, 0.0, parts)
}

const STORY: [usize; 10] = [BOS, 5, 6, 7, 8, 9, 10, 11, 12, 13];

fn rows(model: &Decoder, read: [usize; 10]) -> Vec<f32> {
    model.forward(&[read], &[10], NoneTape).as_vec()
}

/// With the parts of 2017 it is the language model of the section: values and
/// gradients.
#[test]
fn without_the_parts_of_today_it_is_the_language_model() {
    let dev = Dev::seed_from_u64(7);
    let mut before: LanguageModel<16, 4, 4, 24> = LanguageModel::new(&dev, 20, 2, 0.0);
    let mut ours: TodayDecoder<16, 4, 4, 4, 24> =
        TodayDecoder::new(&dev, 20, 2, 0.0, &Parts::BEFORE);
    ours.load_flat(&before.flatten());
    let texts = [&vec![4, 7, 8, 5, EOS], &vec![9, EOS]];
    let wanted = before.loss::<2, 6, _>(&texts, OwnedTape::default());
    let found = ours.loss::<2, 6, _>(&texts, OwnedTape::default());
    close(&found.array(), &wanted.array(), 1e-4, "loss");
    let wanted = before.flat_gradient(wanted.sum().backward());
    close(&ours.flat_gradient(found.sum().backward()), &wanted, 1e-4, "gradient");
    // What is over S tokens is cut off.
    let loss = |text| ours.loss::<1, 3, _>(&[text], NoneTape).array();
    assert_eq!(loss(&vec![4, 7, 8, 5, EOS]), loss(&vec![4, 7, 8]));
    // With zeros all tokens are as probable.
    let zeros = vec![0.0; ours.count()];
    ours.load_flat(&zeros);
    let perplexity = ours.perplexity(&[vec![4, 5, EOS], vec![9, EOS]]);
    assert!((perplexity - 20.0).abs() < 1e-3, "{perplexity}");
}

#[test]
fn every_part_learns() {
    let mut model = decoder(&Parts::TODAY);
    let text = vec![4, 7, 8, 5, EOS];
    let loss = model.loss::<1, 5, _>(&[&text], OwnedTape::default()).sum();
    let gradient = model.flat_gradient(loss.backward());
    assert_all_move(&mut model, &gradient);
    // Vectors, b_out and the last norm; in each block attention, norms, SwiGLU.
    let block = (2 * 256 + 2 * 128) + 2 * 16 + 3 * 16 * 11;
    assert_eq!(model.count(), 20 * 16 + 20 + 16 + 2 * block);
}

/// On the rows that are read, on the weights, and on what is added.
#[test]
fn each_dropout_acts_where_a_tape_records() {
    let dev = Dev::default();
    let model = Decoder::new(&dev, 20, 2, 0.25, &Parts::TODAY);
    for block in &model.blocks {
        assert_eq!((block.dropout, block.attention.dropout), (0.25, 0.25));
    }
    assert_eq!(model.embedding.positions.dropout, 0.25);
    for which in 0..3 {
        let mut model = decoder(&Parts::TODAY);
        let block = &mut model.blocks[0];
        let dropouts = [
            &mut model.embedding.positions.dropout,
            &mut block.attention.dropout,
            &mut block.dropout,
        ];
        *dropouts.into_iter().nth(which).expect("one of three") = 0.5;
        let plain = rows(&model, STORY);
        let taped: Tensor3<1, 10, 16, _> =
            model.forward(&[STORY], &[10], KernelTape::default());
        assert!(largest_difference(&taped.as_vec(), &plain) > 0.01, "{which}");
    }
}

/// The first step of two seeds: the model, and how many tokens its stories have.
#[test]
fn a_training_uses_its_seed_and_its_dropout() {
    let text: Vec<String> = (1..20).map(|n| "mole ".repeat(n * n / 3)).collect();
    let stories = Stories::of(&text.join("\n"));
    let setting = Setting { steps: 1, dropout: 0.25, ..Setting::BOOK };
    let train = |seed| {
        let mut read = 0;
        let mut model = train_decoder::<2, 8>(
            &stories,
            &Parts::TODAY,
            &setting,
            seed,
            |_, _, tokens, _| read = tokens,
        );
        assert_eq!(model.blocks[1].dropout, 0.25);
        (model.flatten(), read)
    };
    let [(a, read_a), (b, read_b)] = [1, 2].map(train);
    assert!(largest_difference(&a, &b) > 0.1);
    assert_ne!(read_a, read_b);
}

/// The model has the parts that were asked for, and its first step is as long as the
/// schedule says: a training of one step takes it with a twentieth of the rate.
#[test]
fn a_training_is_of_the_parts_and_at_the_rate() {
    let stories = Stories::of(&"The mole dug a hole.\n".repeat(10));
    let setting = Setting { steps: 1, lr: 0.004, reach: 5, ..Setting::BOOK };
    for (parts, window) in [(Parts::TODAY, 5), (WINDOW, 3), (Parts::BEFORE, 5)] {
        let mut seen = None;
        let mut model =
            train_decoder::<2, 8>(&stories, &parts, &setting, 3, |_, _, _, model| {
                seen = Some((model.blocks.len(), model.window));
            });
        assert_eq!(seen, Some((2, window)));
        assert_eq!(model.blocks.len(), 2);
        assert_eq!(matches!(model.norm, Norm::Rms(_)), parts.rms_norm);
        for block in &model.blocks {
            assert_eq!(block.attention.rotary, parts.rotary);
            assert_eq!(matches!(block.attention_norm, Norm::Rms(_)), parts.rms_norm);
            assert_eq!(matches!(block.network_norm, Norm::Rms(_)), parts.rms_norm);
            assert_eq!(matches!(block.network, Network::SwiGlu(_)), parts.swiglu);
        }
        let added = model.embedding.positions.table.as_vec();
        assert_eq!(added.iter().all(|x| *x == 0.0), parts.rotary);
        let mut start = TodayDecoder::<64, 4, 2, 16, 8>::new(
            &Dev::seed_from_u64(3),
            stories.vocab_size(),
            2,
            setting.dropout,
            &parts,
        );
        let moved = largest_difference(&start.flatten(), &model.flatten());
        assert!((moved / 0.0002 - 1.0).abs() < 0.01, "{moved}");
    }
}

#[test]
#[should_panic(expected = "a text of over 128 tokens")]
fn a_perplexity_is_of_all_tokens() {
    decoder(&Parts::TODAY).perplexity(&[vec![5; 128], vec![5; 129]]);
}

/// A prompt in one pass, more of it, then token by token.
#[test]
fn a_cache_changes_nothing() {
    for parts in [Parts::BEFORE, Parts::TODAY, WINDOW] {
        let model = decoder(&parts);
        let mut cache: GroupedCache<10, 2, 4> = GroupedCache::new(2);
        assert_eq!(cache.bytes_per_token(), 2 * 2 * 8 * 4);
        let mut found = model.read(&[BOS, 5, 6, 7], &mut cache).as_vec();
        found.extend(model.read(&[8, 9, 10], &mut cache).as_vec());
        for token in STORY[7..].iter() {
            found.extend(model.read(&[*token], &mut cache).as_vec());
        }
        close(&found, &rows(&model, STORY), 1e-5, &format!("{parts:?}"));
    }
}

#[test]
#[should_panic(expected = "3 of 4 positions are written, no room for 2")]
fn a_full_cache_takes_no_more() {
    let (model, mut cache) = (decoder(&Parts::TODAY), GroupedCache::<4, 2, 4>::new(2));
    model.read(&[BOS, 5, 6], &mut cache);
    model.read(&[7, 8], &mut cache);
}

/// With two blocks and a window of three the last five tokens matter.
#[test]
fn a_window_hides_what_is_further_back() {
    for (parts, seen) in [(WINDOW, 5), (Parts::TODAY, 10)] {
        let model = decoder(&parts);
        let last = |read| rows(&model, read)[9 * 16..].to_vec();
        for changed in 0..9 {
            let mut other = STORY;
            other[changed] = 19;
            let same = last(STORY) == last(other);
            assert_eq!(same, 10 - changed > seen, "{changed}");
        }
    }
    // A token that attends to itself alone has one row, wherever it stands, if
    // nothing is added for its position.
    for (parts, same) in [(Parts::TODAY, true), (Parts::BEFORE, false)] {
        let rows = rows(&decoder(&Parts { window: 1, ..parts }), [7; 10]);
        assert_eq!(largest_difference(&rows[..16], &rows[9 * 16..]) < 1e-5, same);
    }
}

/// A prompt of more than one piece, and what is written after it, by the rows of
/// the whole text.
#[test]
fn generation_goes_on_with_the_whole_text() {
    let model = decoder(&Parts::TODAY);
    let prompt: Vec<usize> = (0..20).map(|n| 4 + n * 7 % 16).collect();
    let written = model.generate::<24>(&prompt, 100, |scores| 4 + argmax(&scores[4..]));
    assert_eq!(written.len(), 4);
    let mut read = [BOS; 24];
    read[1..21].copy_from_slice(&prompt);
    read[21..].copy_from_slice(&written[..3]);
    let rows: Tensor3<1, 24, 16> = model.forward(&[read], &[24], NoneTape);
    let all = logits(rows, &model.embedding.vectors, &model.b_out).as_vec();
    for (at, token) in written.iter().enumerate() {
        assert_eq!(*token, 4 + argmax(&all[(20 + at) * 20 + 4..(21 + at) * 20]));
    }
    // A prompt that ends with a piece, and one that does not.
    for len in [15, 20] {
        let mut scores = Vec::new();
        model.generate::<24>(&prompt[..len], 1, |row| {
            scores = row.to_vec();
            7
        });
        close(&scores, &all[len * 20..(len + 1) * 20], 1e-5, "scores");
    }
    assert_eq!(model.generate::<24>(&prompt, 2, |_| 7), [7, 7]);
    assert!(model.generate::<24>(&prompt, 2, |_| EOS).is_empty());
    assert!(model.generate::<24>(&prompt, 0, |_| 7).is_empty());
}

/// Signs before EOS count for nothing, however large their logits.
#[test]
fn few_tokens_are_kept() {
    let probabilities = [0.4f32, 0.05, 0.3, 0.2, 0.05];
    let mut all = vec![9.0; EOS];
    all.extend(probabilities.map(|p| p.ln() + 1.0));
    let kept = |of: Vec<f32>| -> Vec<usize> {
        let kept = (0..of.len()).filter(|&token| of[token] == all[token]);
        kept.map(|token| token - EOS).collect()
    };
    assert_eq!(kept(top_k(&all, 0)), [0]);
    assert_eq!(kept(top_k(&all, 1)), [0]);
    assert_eq!(kept(top_k(&all, 3)), [0, 2, 3]);
    assert_eq!(kept(top_k(&all, 100)), [0, 1, 2, 3, 4]);
    for (p, wanted) in [
        (0.0, &[0][..]),
        (0.39, &[0]),
        (0.41, &[0, 2]),
        (0.69, &[0, 2]),
        (0.71, &[0, 2, 3]),
        (1.0, &[0, 1, 2, 3, 4]),
    ] {
        assert_eq!(kept(top_p(&all, p)), wanted, "{p}");
    }
    // Two of four have exactly a half.
    let half = top_p(&[0.0; EOS + 4], 0.5);
    assert_eq!(half.iter().filter(|logit| logit.is_finite()).count(), 2);
    // The smallest random number draws no token that is not kept.
    all.swap(EOS, EOS + 1);
    assert_eq!(sample(&top_k(&all, 1), 1.0, &mut StepRng::new(0, 0)), EOS + 1);
}
