//! Attention over the desk: values against numbers worked by hand, and the laws
//! that the page states.

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

fn desk(query: [f32; 2], temperature: f32) -> AttentionOutput<1, 5, 4> {
    let dev = Dev::default();
    let (keys, values) = (dev.tensor(KEYS), dev.tensor(VALUES));
    soft_attention(dev.tensor([query]), keys, values, temperature)
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
        let weights = attention_weights(random::<Rank2<7, 9>>(seed), temperature);
        assert!(weights.as_vec().iter().all(|&w| w >= 0.0));
        let sums: Tensor1<7> = weights.sum::<_, Axis<1>>();
        close(&sums.as_vec(), &[1.0; 7], 1e-5);
    }
}

#[test]
fn a_query_of_zeros_is_average_pooling() {
    let keys = random::<Rank2<6, 3>>(4);
    let values = random::<Rank2<6, 2>>(5);
    let queries: Tensor2<1, 3> = Dev::default().zeros();
    let found = soft_attention(queries, keys, values.clone(), 0.3);
    close(&found.weights.as_vec(), &[1.0 / 6.0; 6], 1e-6);
    close(&found.output.as_vec(), &average_pooling(values).as_vec(), 1e-6);
}

#[test]
fn average_is_the_mean_of_each_column() {
    let values = Dev::default().tensor([[1.0, 10.0], [2.0, 0.0], [6.0, 5.0]]);
    close(&average_pooling(values).as_vec(), &[3.0, 5.0], 1e-6);
}

#[test]
fn low_temperature_is_hard_attention_and_high_the_average_pooling() {
    let queries = random::<Rank2<4, 3>>(6);
    let keys = random::<Rank2<8, 3>>(7);
    let values = random::<Rank2<8, 5>>(8);
    let scores = score(queries, keys);
    let hard = pool(hard_weights(scores.clone()), values.clone());
    let soft = |t| pool(attention_weights(scores.clone(), t), values.clone()).as_vec();
    close(&soft(1e-3), &hard.as_vec(), 1e-4);
    let mean = average_pooling(values.clone()).as_vec();
    close(&soft(1e6), &mean.repeat(4), 1e-4);
}

/// The output for the wish to read, minus the value of the book.
fn distance_to_hard(temperature: f32) -> f32 {
    let soft = desk([1.0, 2.0], temperature).output.as_vec();
    let squares = soft.iter().zip(VALUES[4]).map(|(a, b)| (a - b).powi(2));
    squares.sum::<f32>().sqrt()
}

#[test]
fn output_goes_to_the_book_as_the_temperature_falls() {
    let falling = [10.0, 1.0, 0.5, 0.2, 0.1, 0.05].map(distance_to_hard);
    assert!(falling.is_sorted_by(|a, b| a > b), "{falling:?}");
    assert!(distance_to_hard(0.05) < 1e-4 && distance_to_hard(0.01) < 1e-6);
    assert!(distance_to_hard(10.0) > 0.4);
}

#[test]
fn a_gap_of_half_a_point_divides_the_weights_by_its_exponential() {
    for temperature in [1.0, 0.5, 0.2, 0.1] {
        let weights = desk([1.0, 2.0], temperature).weights.as_vec();
        close(&[weights[0] / weights[4]], &[(-0.5 / temperature).exp()], 1e-5);
    }
}

#[test]
fn the_newspaper_rises_and_falls_again() {
    let newspaper = |wish| desk([1.0, wish], 0.2).weights.as_vec()[0];
    let weights = [0.0, 0.4, 0.8, 1.2, 1.6, 2.0].map(newspaper);
    assert!(weights[..4].is_sorted_by(|a, b| a < b), "{weights:?}");
    assert!(weights[3..].is_sorted_by(|a, b| a > b), "{weights:?}");
}

#[test]
fn an_equal_key_need_not_have_the_highest_dot_product() {
    let dev = Dev::default();
    let query: Tensor2<1, 2> = dev.tensor([KEYS[3]]);
    let scores = score(query, dev.tensor(KEYS));
    close(&scores.as_vec(), &[0.34, 0.08, 0.2, 0.2, 0.44], 1e-6);
    // By the squared distance, the equal key is the best.
    let distance = |key: [f32; 2]| {
        let squares = (0..2).map(|i| (key[i] - KEYS[3][i]).powi(2));
        squares.sum::<f32>()
    };
    let nearest =
        (0..5).min_by(|&a, &b| distance(KEYS[a]).total_cmp(&distance(KEYS[b])));
    assert_eq!(nearest, Some(3));
}

#[test]
fn among_keys_of_one_length_distance_and_dot_product_give_the_same_weights() {
    let dev = Dev::default();
    let query = [0.7, -0.4];
    let keys: [[f32; 2]; 6] = std::array::from_fn(|i| {
        let angle = i as f32;
        [1.5 * angle.cos(), 1.5 * angle.sin()]
    });
    let distances = keys
        .map(|key| -0.5 * ((query[0] - key[0]).powi(2) + (query[1] - key[1]).powi(2)));
    let by_distance = attention_weights(dev.tensor([distances]), 0.5);
    let scores = score(dev.tensor([query]), dev.tensor(keys));
    let by_dot_product = attention_weights(scores, 0.5);
    close(&by_distance.as_vec(), &by_dot_product.as_vec(), 1e-5);
}

#[test]
fn every_output_lies_between_the_values() {
    let values = random::<Rank2<8, 5>>(9);
    let (queries, keys) = (random::<Rank2<20, 3>>(10), random::<Rank2<8, 3>>(11));
    let found = soft_attention(queries, keys, values.clone(), 0.5).output;
    let lowest = values.clone().min::<Rank1<5>, _>().array();
    let highest = values.max::<Rank1<5>, _>().array();
    for row in found.array() {
        for (i, x) in row.into_iter().enumerate() {
            assert!(lowest[i] <= x && x <= highest[i], "column {i}: {x}");
        }
    }
}

#[test]
fn scores_far_apart_do_not_overflow() {
    let scores = Dev::default().tensor([[1e4, -1e4, 0.0]]);
    close(&attention_weights(scores, 1.0).as_vec(), &[1.0, 0.0, 0.0], 0.0);
}

#[test]
fn hard_weights_take_the_first_of_equals() {
    let scores = Dev::default().tensor([[1.0, 3.0, 3.0], [-2.0, -1.0, -2.0]]);
    let wanted = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0];
    assert_eq!(hard_weights(scores).as_vec(), wanted);
}

#[test]
fn order_of_the_pairs_does_not_matter() {
    let dev = Dev::default();
    let (mut keys, mut values) = (KEYS, VALUES);
    keys.reverse();
    values.reverse();
    let query = dev.tensor([[1.0, 0.7]]);
    let turned = soft_attention(query, dev.tensor(keys), dev.tensor(values), 0.5);
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
