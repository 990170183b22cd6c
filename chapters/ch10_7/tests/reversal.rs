//! The encoder that reverses: what it is asked, and what it learns.

use ch10_3::Mask;
use ch10_7::NormPosition;
use ch10_7::reversal::{
    LEN, PART, Reverser, SYMBOLS, Sequence, random_sequence, reversed, train_reverser,
};
use kernels::Dev;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::greedy::argmax;
use std::cell::RefCell;

fn held_out() -> [Sequence; 256] {
    let mut rng = StdRng::seed_from_u64(7);
    std::array::from_fn(|_| random_sequence(&mut rng))
}

fn new(dev: &Dev) -> Reverser {
    Reverser::new(dev, 1, NormPosition::Post)
}

/// The share of symbols and of sequences that are right.
fn right(model: &Reverser, asked: &[Sequence; 256]) -> (f32, f32) {
    let (predicted, _) = model.predict(asked, &Mask::none());
    let (mut symbols, mut whole) = (0, 0);
    for (ours, asked) in predicted.iter().zip(asked) {
        let wanted = reversed(asked);
        symbols += ours.iter().zip(&wanted).filter(|(a, b)| a == b).count();
        whole += usize::from(*ours == wanted);
    }
    (symbols as f32 / (256 * LEN) as f32, whole as f32 / 256.0)
}

#[test]
fn sequences_and_their_reversals() {
    let sequence = held_out()[0];
    assert!(sequence.iter().all(|&symbol| symbol < SYMBOLS));
    assert_eq!(reversed(&sequence)[0], sequence[LEN - 1]);
    assert_eq!(reversed(&reversed(&sequence)), sequence);
    let counts = held_out().as_flattened().iter().fold([0; SYMBOLS], |mut all, &n| {
        all[n] += 1;
        all
    });
    assert!(counts.iter().all(|&n| (330..490).contains(&n)), "{counts:?}");
}

#[test]
fn untrained_it_guesses_and_trained_it_reverses() {
    let asked = held_out();
    let (symbols, whole) = right(&new(&Dev::seed_from_u64(0)), &asked);
    assert!(symbols < 0.3 && whole == 0.0, "{symbols} {whole}");
    let losses = RefCell::new(Vec::new());
    let on_step = |_, loss| losses.borrow_mut().push(loss);
    let model = train_reverser(600, 1, &asked, new, &Mask::none(), on_step);
    let (symbols, whole) = right(&model, &asked);
    assert!(symbols >= 0.99 && whole >= 0.99, "{symbols} {whole}");
    let losses = losses.into_inner();
    assert!(losses[0] > 2.0 && losses[599] < 0.01, "{} {}", losses[0], losses[599]);
    let (_, weights) = model.predict(&asked, &Mask::none());
    let (mut mean, mut neighbours, mut most) = (0.0, 0.0, 0);
    for (at, row) in weights.as_vec().chunks(LEN).enumerate() {
        let (sequence, i) = (&asked[at / LEN], at % LEN);
        assert_eq!(argmax(row), LEN - 1 - i, "{row:?}");
        mean += row[LEN - 1 - i] / (asked.len() * LEN) as f32;
        let beside = (0..LEN).filter(|k| k.abs_diff(LEN - 1 - i) == 1);
        neighbours += beside.map(|k| row[k]).sum::<f32>() / (asked.len() * LEN) as f32;
        let mut of_symbol = [0.0; SYMBOLS];
        sequence
            .iter()
            .zip(row)
            .for_each(|(symbol, weight)| of_symbol[*symbol] += weight);
        most += usize::from(argmax(&of_symbol) == sequence[LEN - 1 - i]);
    }
    // Not on one symbol alone, and yet it has the most weight.
    assert!((0.35..0.85).contains(&mean), "{mean}");
    // Most of the rest lies beside it.
    assert!(neighbours > 0.7 * (1.0 - mean), "{neighbours} {mean}");
    assert!(most as f32 > 0.99 * (asked.len() * LEN) as f32, "{most}");
}

/// What is held out is never drawn: a training that must avoid its own first
/// sequence goes another way.
#[test]
fn what_is_held_out_is_never_drawn() {
    let first = random_sequence(&mut StdRng::seed_from_u64(1));
    let train = |held_out: &[Sequence]| {
        let losses = RefCell::new(Vec::new());
        let on_step = |_, loss| losses.borrow_mut().push(loss);
        train_reverser(1, 1, held_out, new, &Mask::<PART, LEN, LEN>::none(), on_step);
        losses.into_inner()
    };
    assert_eq!(train(&[]), train(&[[0; LEN]]));
    assert_ne!(train(&[]), train(&[first]));
}
