//! The encoder that reverses: what it is asked, and what it learns.

use ch10_1::Dev;
use ch10_7::reversal::{LEN, Reverser, SYMBOLS, Sequence, draw, reversed, train};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::parameters::Parameters;
use std::collections::HashSet;

fn held_out() -> [Sequence; 256] {
    draw(&mut StdRng::seed_from_u64(7), &HashSet::new())
}

#[test]
fn what_is_held_out_is_never_drawn() {
    let first: [Sequence; 4] = draw(&mut StdRng::seed_from_u64(1), &HashSet::new());
    let not = HashSet::from([first[0], first[2]]);
    let others: [Sequence; 2] = draw(&mut StdRng::seed_from_u64(1), &not);
    assert_eq!(others, [first[1], first[3]]);
    assert!(first.as_flattened().iter().all(|&symbol| symbol < SYMBOLS));
    assert_eq!(reversed(&first[0])[0], first[0][LEN - 1]);
    assert_eq!(reversed(&reversed(&first[0])), first[0]);
}

#[test]
fn every_parameter_learns() {
    let mut model = Reverser::new(&Dev::seed_from_u64(0));
    let gradients = model.loss(&[held_out()[0], held_out()[1]]).backward();
    let gradient = model.gradient(gradients);
    let mut at = 0;
    for (name, parameter) in model.parameters() {
        let len: usize = parameter.lens().iter().product();
        let moves = gradient[at..at + len].iter().any(|g| *g != 0.0);
        assert!(moves, "{name}");
        at += len;
    }
    assert_eq!(at, gradient.len());
}

#[test]
fn untrained_it_guesses_and_trained_it_reverses() {
    let asked = held_out();
    let (symbols, whole) = Reverser::new(&Dev::seed_from_u64(0)).right(&asked);
    assert!(symbols < 0.3 && whole == 0.0, "{symbols} {whole}");
    let mut rng = StdRng::seed_from_u64(1);
    let not = asked.into_iter().collect();
    let model = train(600, 1, &mut rng, &not, |_| {});
    let (symbols, whole) = model.right(&asked);
    assert!(symbols >= 0.99 && whole >= 0.99, "{symbols} {whole}");
    let (_, weights) = model.answer(&[asked[0]]);
    let weights = weights.array()[0][0];
    let across = (0..LEN).map(|i| weights[i][LEN - 1 - i]);
    let mean = across.sum::<f32>() / LEN as f32;
    assert!(mean > 0.4, "{mean}");
}
