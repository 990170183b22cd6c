//! The positional encoding: what the table holds, and where its rows go.

use ch10_6::{PositionalEncoding, frequency, rotate};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};

#[test]
fn the_table_holds_sines_and_cosines() {
    let encoding: PositionalEncoding<100, 6> =
        PositionalEncoding::new(&Dev::default(), 0.0);
    let table = encoding.table.array();
    assert_eq!(table[0], [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    for (i, row) in table.iter().enumerate() {
        for j in 0..3 {
            let angle = i as f64 / 10_000f64.powf(2.0 * j as f64 / 6.0);
            let apart = |a: f32, b: f64| (f64::from(a) - b).abs();
            assert!(apart(row[2 * j], angle.sin()) < 1e-7, "{i} {j}");
            assert!(apart(row[2 * j + 1], angle.cos()) < 1e-7, "{i} {j}");
        }
    }
    assert_eq!(frequency(0, 6), 1.0);
    assert_eq!(encoding.encode::<4>(7).array(), table[7..11]);
}

/// Row by row, each from its own position, the sequence comes out as at once.
#[test]
fn rows_one_by_one_are_the_rows_at_once() {
    let dev = Dev::seed_from_u64(1);
    let encoding: PositionalEncoding<9, 4> = PositionalEncoding::new(&dev, 0.1);
    let x: Tensor3<2, 9, 4> = dev.sample_normal();
    let whole = encoding.forward(x.clone()).array();
    for (from, expected) in whole[0].iter().enumerate() {
        let one: Tensor3<2, 1, 4> = x.clone().slice((.., from..=from, ..)).realize();
        let one = encoding.forward_from(one, from).array();
        assert_eq!([&one[0][0], &one[1][0]], [expected, &whole[1][from]]);
    }
}

#[test]
#[should_panic = "10 positions, but the table has 9"]
fn no_row_beyond_the_table() {
    let dev = Dev::default();
    let encoding: PositionalEncoding<9, 4> = PositionalEncoding::new(&dev, 0.0);
    let x: Tensor3<1, 2, 4> = dev.zeros();
    encoding.forward_from(x, 8);
}

/// Dropout comes after the sum: what is dropped is 0, what is left is the
/// sum, scaled up.
#[test]
fn dropout_takes_entries_of_the_sum_in_training() {
    let dev = Dev::seed_from_u64(2);
    let encoding: PositionalEncoding<50, 8> = PositionalEncoding::new(&dev, 0.25);
    let x: Tensor3<4, 50, 8> = dev.sample_normal();
    let sum = encoding.forward(x.clone()).as_vec();
    let trained = encoding.forward(x.leaky_trace()).as_vec();
    let dropped = trained.iter().filter(|&&y| y == 0.0).count();
    assert!((300..500).contains(&dropped), "{dropped} of 1600");
    for (y, sum) in trained.iter().zip(sum) {
        assert!(*y == 0.0 || (y - sum / 0.75).abs() < 1e-5, "{y}, {sum}");
    }
}

/// What the page derives: rotating pair j by offset · frequency(j) leads from
/// any row to any other, forwards and backwards.
#[test]
fn rotation_leads_from_any_position_to_any_other() {
    let encoding: PositionalEncoding<400, 32> =
        PositionalEncoding::new(&Dev::default(), 0.0);
    let table = encoding.table.array();
    let mut worst = 0f32;
    for (i, from) in table.iter().enumerate() {
        for (to, expected) in table.iter().enumerate().step_by(7) {
            let got = rotate(from, to as f64 - i as f64);
            let errors = got.iter().zip(expected).map(|(a, b)| (a - b).abs());
            worst = errors.fold(worst, f32::max);
        }
    }
    // Half of the last digit of each of the two that are combined, and of
    // the sum: 3 · 2^-25.
    assert!(worst < 1.2e-7, "{worst}");
}

/// The dot product of two rows depends on their distance, and neither on where
/// they stand nor on which comes first.
#[test]
fn the_dot_product_depends_on_the_distance_alone() {
    let encoding: PositionalEncoding<200, 32> =
        PositionalEncoding::new(&Dev::default(), 0.0);
    let table = encoding.table.array();
    for (i, a) in table.iter().enumerate() {
        for (j, b) in table.iter().enumerate() {
            let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            let apart = i.abs_diff(j) as f64;
            let sum: f64 = (0..16).map(|j| (apart * frequency(j, 32)).cos()).sum();
            assert!((f64::from(dot) - sum).abs() < 1e-5, "{i} {j}");
        }
    }
}

/// It is largest at offset 0, and does not fall all the way: it rises again
/// from 4 to 6 and from 9 to 12.
#[test]
fn the_dot_product_falls_in_waves() {
    let sum = |offset: f64| -> f64 {
        (0..16).map(|j| (offset * frequency(j, 32)).cos()).sum()
    };
    assert!((1..60).all(|offset| sum(f64::from(offset)) < sum(0.0)));
    assert!(sum(4.0) < sum(6.0) && sum(9.0) < sum(6.0) && sum(9.0) < sum(12.0));
    assert!(sum(16.0) < sum(32.0));
}

/// After 44 positions the fastest wave is nearly where it began, and the wave of
/// columns 6 and 7 is not.
#[test]
fn a_slower_wave_separates_positions_that_the_fastest_confuses() {
    let encoding: PositionalEncoding<200, 32> =
        PositionalEncoding::new(&Dev::default(), 0.0);
    let table = encoding.table.array();
    for (column, at_0, at_44) in
        [(0, 0.0, 0.02), (1, 1.0, 1.0), (6, 0.0, 1.0), (7, 1.0, 0.03)]
    {
        assert!((table[0][column] - at_0).abs() < 0.005, "{column}");
        assert!((table[44][column] - at_44).abs() < 0.005, "{column}");
    }
}

/// The nearest two of a thousand positions are neighbours.
#[test]
fn every_position_has_a_row_of_its_own() {
    let encoding: PositionalEncoding<1000, 32> =
        PositionalEncoding::new(&Dev::default(), 0.0);
    let table = encoding.table.array();
    let distance = |i: usize, j: usize| {
        let squares = table[i].iter().zip(&table[j]).map(|(a, b)| (a - b).powi(2));
        squares.sum::<f32>().sqrt()
    };
    for i in 0..1000 {
        for j in i + 2..1000 {
            assert!(distance(i, j) > 1.5, "{i} {j}");
        }
    }
    for i in 1..1000 {
        assert!((distance(i, i - 1) - 1.17).abs() < 0.005, "{i}");
    }
}
