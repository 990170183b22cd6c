//! The models that have one part more each.

use ch10_2::parameters::Parameters;
use ch10_7::language_model::Storyteller;
use ch10_7::parts::{DROPOUT, M, Parts, PartsModel, variants};
use dfdx::prelude::*;
use kernels::Dev;
use testing::close;

const STORY: [usize; 6] = [2, 5, 6, 7, 5, 9];

fn read(parts: &Parts, story: [usize; 6]) -> Vec<f32> {
    let model = PartsModel::<4, 16>::new(&Dev::seed_from_u64(1), 12, parts);
    model.forward(&[story], &[6], NoneTape).as_vec()
}

#[test]
fn with_all_parts_it_is_the_language_model() {
    let dev = Dev::seed_from_u64(2);
    let mut whole = Storyteller::new(&dev, 12, 2, 0.0);
    let numbers = (0..whole.count()).map(|n| (n as f32).sin() / 5.0);
    let numbers: Vec<f32> = numbers.collect();
    whole.load_flat(&numbers);
    let mut model = PartsModel::<4, 16>::new(&dev, 12, &variants()[7].2);
    model.load_flat(&numbers);
    let (wanted, _) = whole.forward(&[STORY, STORY], &[6, 4], NoneTape);
    let found = model.forward(&[STORY, STORY], &[6, 4], NoneTape);
    close(&found.as_vec(), &wanted.as_vec(), 1e-5, "rows");
}

/// A token changes its own row and, where positions attend to those before them,
/// the later ones; never an earlier one.
#[test]
fn a_token_changes_no_row_before_its_own() {
    for (name, _, parts) in &variants() {
        let mut other = STORY;
        other[2] = 11;
        let (a, b) = (read(parts, STORY), read(parts, other));
        let changed = a.chunks(M).zip(b.chunks(M)).map(|(a, b)| a != b);
        let later = parts.before;
        let wanted = [false, false, true, later, later, later];
        assert_eq!(changed.collect::<Vec<_>>(), wanted, "{name}");
    }
}

/// Heads count as a part, and so does a block.
#[test]
fn each_model_has_one_part_more() {
    for (at, (name, heads, parts)) in variants().iter().enumerate() {
        let Parts { positions, before, network, residual, norm, layers } = *parts;
        let four = *heads == 4;
        let has = [positions, before, four, network, residual, norm].map(usize::from);
        assert_eq!(has.iter().sum::<usize>() + layers, 1 + at, "{name}");
        assert!(has.is_sorted_by(|a, b| a >= b), "{name}");
    }
}

/// Of zeros but for the vectors, a block returns what it got, or nothing.
#[test]
fn a_block_of_zeros_hands_on_what_a_residual_connection_does() {
    for (name, _, parts) in &variants()[..6] {
        let mut model = PartsModel::<4, 16>::new(&Dev::seed_from_u64(1), 12, parts);
        let mut numbers = model.flatten();
        numbers[12 * M..].fill(0.0);
        model.load_flat(&numbers);
        let rows: Vec<f32> = model.forward(&[STORY], &[6], NoneTape).as_vec();
        assert_eq!(rows.iter().any(|x| *x != 0.0), parts.residual, "{name}");
        numbers.fill(0.0);
        model.load_flat(&numbers);
        let perplexity = model.perplexity(&[vec![4, 5, 3], vec![9, 3]]);
        assert!((perplexity - 12.0).abs() < 1e-3, "{name}: {perplexity}");
    }
}

/// On the rows that are read, on the weights, and on what each layer returns.
#[test]
fn each_dropout_acts_where_a_tape_records() {
    let dev = Dev::seed_from_u64(1);
    let (_, _, parts) = variants()[5];
    let model = PartsModel::<4, 16>::new(&dev, 12, &parts);
    assert_eq!(model.embedding.positions.dropout, DROPOUT);
    assert_eq!(model.blocks[0].attention.dropout, DROPOUT);
    // Without vectors and positions only the network's biases are left.
    let biases = Parts { positions: false, ..parts };
    let mut model = PartsModel::<4, 16>::new(&dev, 12, &biases);
    let mut numbers = vec![0.3; model.count()];
    numbers[..12 * M].fill(0.0);
    model.load_flat(&numbers);
    let plain: Vec<f32> = model.forward(&[STORY], &[6], NoneTape).as_vec();
    let tape = OwnedTape::<f32, Dev>::default();
    let taped: Vec<f32> = model.forward(&[STORY], &[6], tape).as_vec();
    let dropped = taped.iter().filter(|x| **x == 0.0).count() as f32;
    close(&[dropped / taped.len() as f32], &[DROPOUT], 0.08, "share dropped");
    assert!(plain.iter().all(|x| *x > 0.0));
}

#[test]
#[should_panic(expected = "a text of over 128 tokens")]
fn a_perplexity_is_of_all_tokens() {
    let (_, _, parts) = variants()[0];
    let model = PartsModel::<4, 16>::new(&Dev::seed_from_u64(1), 12, &parts);
    model.perplexity(&[vec![5; 128], vec![5; 129]]);
}

/// Token 5 stands at two positions.
#[test]
fn without_positions_a_token_alone_has_one_row() {
    for ((name, _, parts), same) in variants()[..3].iter().zip([true, false, false]) {
        let found = read(parts, STORY);
        let [first, second] = [1, 4].map(|at| &found[at * M..][..M]);
        assert_eq!(first == second, same, "{name}");
    }
}
