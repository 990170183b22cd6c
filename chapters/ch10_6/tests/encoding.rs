//! The positional encoding of section 10.6: what the table holds, and where
//! its rows go.

use ch10_1::Dev;
use ch10_6::{PositionalEncoding, frequency};
use dfdx::prelude::*;

type Plain<S> = Tensor<S, f32, Dev>;

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
}

/// Written row by row, from its own place each, the sequence comes out as if
/// written at once.
#[test]
fn rows_one_by_one_are_the_rows_at_once() {
    let dev = Dev::seed_from_u64(1);
    let encoding: PositionalEncoding<9, 4> = PositionalEncoding::new(&dev, 0.1);
    let x: Plain<Rank3<2, 9, 4>> = dev.sample_normal();
    let whole = encoding.forward(x.clone()).array();
    for from in 0..9 {
        let one: Plain<Rank3<2, 1, 4>> =
            x.clone().slice((.., from..=from, ..)).realize();
        let one = encoding.forward_from(one, from).array();
        assert_eq!([one[0][0], one[1][0]], [whole[0][from], whole[1][from]]);
    }
}

#[test]
#[should_panic = "10 positions, but the table has 9"]
fn no_row_beyond_the_table() {
    let dev = Dev::default();
    let encoding: PositionalEncoding<9, 4> = PositionalEncoding::new(&dev, 0.0);
    let x: Plain<Rank3<1, 2, 4>> = dev.zeros();
    encoding.forward_from(x, 8);
}

/// Dropout comes after the sum: what is dropped is 0, what is left is the
/// sum, scaled up.
#[test]
fn dropout_takes_entries_of_the_sum_in_training() {
    let dev = Dev::seed_from_u64(2);
    let encoding: PositionalEncoding<50, 8> =
        PositionalEncoding::new(&dev, 0.25);
    let x: Plain<Rank3<4, 50, 8>> = dev.sample_normal();
    let sum = encoding.forward(x.clone()).as_vec();
    let trained = encoding.forward(x.leaky_trace()).as_vec();
    let dropped = trained.iter().filter(|&&y| y == 0.0).count();
    assert!((300..500).contains(&dropped), "{dropped} of 1600");
    for (y, sum) in trained.iter().zip(sum) {
        assert!(*y == 0.0 || (y - sum / 0.75).abs() < 1e-5, "{y}, {sum}");
    }
}
