//! The soft look-up of section 10.1: values against numbers worked by hand,
//! and the laws that the page states.

use ch10_1::*;
use dfdx::prelude::*;

fn close(found: &[f32], wanted: &[f32], tolerance: f32) {
    assert_eq!(found.len(), wanted.len());
    for (i, (f, w)) in found.iter().zip(wanted).enumerate() {
        assert!((f - w).abs() <= tolerance, "at {i}: {f} is not {w}");
    }
}

fn random<S: ConstShape>(seed: u64) -> Tensor<S, f32, Dev> {
    Dev::seed_from_u64(seed).sample_normal()
}

fn desk(query: [f32; 2], temperature: f32) -> LookedUp<1, 5, 4> {
    let dev = Dev::default();
    let (keys, values) = (dev.tensor(KEYS), dev.tensor(VALUES));
    soft_look_up(dev.tensor([query]), keys, values, temperature)
}

#[test]
fn scores_are_dot_products() {
    let dev = Dev::default();
    let queries = dev.tensor([[1.0, 2.0], [0.5, -1.0]]);
    let keys = dev.tensor([[3.0, 4.0], [-1.0, 0.5], [0.0, 2.0]]);
    let wanted = [11.0, 0.0, 4.0, -2.5, -1.0, -2.0];
    close(&score(queries, keys).as_vec(), &wanted, 1e-6);
}

#[test]
fn the_desk_in_python() {
    // import math; keys = [(.1,.8), (0,.2), (1,0), (.2,.4), (.2,1)]
    // s = [math.exp((1*a + 2*b) / .2) for a, b in keys]; [x/sum(s) for x in s]
    let wanted = [0.075504, 0.000114, 0.002280, 0.002280, 0.919823];
    let found = desk([1.0, 2.0], 0.2);
    close(&found.weights.as_vec(), &wanted, 1e-5);
    // [sum(w*v for w, v in zip(weights, column)) for column in zip(*values)]
    let wanted = [0.186473, 0.988722, 0.001824, 0.193567];
    close(&found.output.as_vec(), &wanted, 1e-5);
}

#[test]
fn a_glance_takes_the_cup_and_the_wish_to_read_the_book() {
    let largest = |query| {
        let weights = desk(query, 0.2).weights.as_vec();
        (0..5).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap()
    };
    assert_eq!(OBJECTS[largest([1.0, 0.0])], "cup");
    assert_eq!(OBJECTS[largest([1.0, 2.0])], "book");
    // The page: the two are level where the wish is 0.8.
    let level = desk([1.0, 0.8], 0.2).weights.as_vec();
    close(&[level[2]], &[level[4]], 1e-5);
}

#[test]
fn weights_are_positive_and_sum_to_one() {
    for (seed, temperature) in [(1, 0.1), (2, 1.0), (3, 30.0)] {
        let weights = weigh(random::<Rank2<7, 9>>(seed), temperature);
        assert!(weights.as_vec().iter().all(|&w| w >= 0.0));
        let sums: Tensor<Rank1<7>, f32, Dev> = weights.sum::<_, Axis<1>>();
        close(&sums.as_vec(), &[1.0; 7], 1e-5);
    }
}

#[test]
fn a_query_of_zeros_is_average_pooling() {
    let keys = random::<Rank2<6, 3>>(4);
    let values = random::<Rank2<6, 2>>(5);
    let queries: Tensor<Rank2<1, 3>, f32, Dev> = Dev::default().zeros();
    let found = soft_look_up(queries, keys, values.clone(), 0.3);
    close(&found.weights.as_vec(), &[1.0 / 6.0; 6], 1e-6);
    close(&found.output.as_vec(), &average(values).as_vec(), 1e-6);
}

#[test]
fn average_is_the_mean_of_each_column() {
    let values = Dev::default().tensor([[1.0, 10.0], [2.0, 0.0], [6.0, 5.0]]);
    close(&average(values).as_vec(), &[3.0, 5.0], 1e-6);
}

#[test]
fn low_temperature_is_the_hard_look_up_and_high_the_average() {
    let queries = random::<Rank2<4, 3>>(6);
    let keys = random::<Rank2<8, 3>>(7);
    let values = random::<Rank2<8, 5>>(8);
    let scores = score(queries, keys);
    let hard = pool(hard_weights(scores.clone()), values.clone());
    let soft = |t| pool(weigh(scores.clone(), t), values.clone()).as_vec();
    close(&soft(1e-3), &hard.as_vec(), 1e-4);
    let mean = average(values.clone()).as_vec();
    close(&soft(1e6), &mean.repeat(4), 1e-4);
}

#[test]
fn distance_to_the_hard_look_up_falls_with_the_temperature() {
    let dev = Dev::default();
    let scores = score(dev.tensor([[1.0, 2.0]]), dev.tensor(KEYS));
    let distance = |t| distance_to_hard(scores.clone(), dev.tensor(VALUES), t);
    // By hand: the book comes out of the hard one.
    let soft = desk([1.0, 2.0], 0.2).output.as_vec();
    let squares = soft.iter().zip(VALUES[4]).map(|(a, b)| (a - b).powi(2));
    close(&[distance(0.2)], &[squares.sum::<f32>().sqrt()], 1e-6);
    let falling = [10.0, 1.0, 0.5, 0.2, 0.1, 0.05].map(distance);
    assert!(falling.is_sorted_by(|a, b| a > b), "{falling:?}");
    assert!(distance(0.05) < 1e-4 && distance(0.01) < 1e-6);
}

#[test]
fn scores_far_apart_do_not_overflow() {
    let scores = Dev::default().tensor([[1e4, -1e4, 0.0]]);
    close(&weigh(scores, 1.0).as_vec(), &[1.0, 0.0, 0.0], 0.0);
}

#[test]
fn hard_weights_take_the_first_of_equals() {
    let scores = Dev::default().tensor([[1.0, 3.0, 3.0], [0.0, -1.0, -2.0]]);
    let wanted = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0];
    assert_eq!(hard_weights(scores).as_vec(), wanted);
}

#[test]
fn order_of_the_pairs_does_not_matter() {
    let dev = Dev::default();
    let (mut keys, mut values) = (KEYS, VALUES);
    keys.reverse();
    values.reverse();
    let query = dev.tensor([[1.0, 0.7]]);
    let turned = soft_look_up(query, dev.tensor(keys), dev.tensor(values), 0.5);
    let straight = desk([1.0, 0.7], 0.5);
    close(&turned.output.as_vec(), &straight.output.as_vec(), 1e-6);
    let mut weights = straight.weights.as_vec();
    weights.reverse();
    close(&turned.weights.as_vec(), &weights, 1e-6);
}

#[test]
#[should_panic(expected = "a temperature is above 0")]
fn a_temperature_of_zero_is_refused() {
    desk([1.0, 2.0], 0.0);
}
