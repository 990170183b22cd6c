//! The convolution and the recurrence that attention is compared with: their
//! values, and how far one row reaches.

use ch10_3::Mask;
use ch10_6::SelfAttention;
use ch10_6::costs::{Recurrence, WINDOW, convolution};
use dfdx::prelude::*;
use kernels::{Dev, Tensor2, Tensor3};
use testing::close;

const N: usize = 9;
const D: usize = 4;

type Rows = Tensor2<N, D>;

fn recurrence(dev: &Dev) -> Recurrence<D> {
    let matrix = || -> Tensor2<D, D> { dev.sample_normal() * 0.5 };
    Recurrence { from_row: matrix(), from_state: matrix() }
}

/// `row` times the matrix, which has a row for each number that goes in.
fn times(row: &[f32; D], matrix: &[[f32; D]; D]) -> [f32; D] {
    let product = |o: usize| {
        let products = row.iter().zip(matrix).map(|(x, w)| x * w[o]);
        products.sum::<f32>()
    };
    std::array::from_fn(product)
}

#[test]
fn a_convolution_reads_three_rows() {
    let dev = Dev::seed_from_u64(1);
    let x: Rows = dev.sample_normal();
    let w: Tensor3<WINDOW, D, D> = dev.sample_normal();
    let got = convolution(&x, &w).array();
    let (x, w) = (x.array(), w.array());
    for (i, got) in got.iter().enumerate() {
        let mut expected = [0.0; D];
        for (k, w) in w.iter().enumerate() {
            let row = (i + k).checked_sub(1).and_then(|j| x.get(j));
            let part = row.map_or([0.0; D], |row| times(row, w));
            (0..D).for_each(|o| expected[o] += part[o]);
        }
        close(got, &expected, 1e-5, "convolution");
    }
}

#[test]
fn a_recurrence_reads_row_after_row() {
    let dev = Dev::seed_from_u64(2);
    let x: Rows = dev.sample_normal();
    let cell = recurrence(&dev);
    let got = cell.forward(&x);
    assert_eq!(got.len(), N);
    let mut state = [0.0; D];
    for (row, got) in x.array().iter().zip(got) {
        let (a, b) = (cell.from_row.array(), cell.from_state.array());
        let (a, b) = (times(row, &a), times(&state, &b));
        state = std::array::from_fn(|o| (a[o] + b[o]).tanh());
        close(&got.array()[0], &state, 1e-5, "recurrence");
    }
}

/// The rows of the result that change with row 0.
fn reach(f: impl Fn(Rows) -> [[f32; D]; N]) -> Vec<usize> {
    let dev = Dev::seed_from_u64(3);
    let x: Rows = dev.sample_normal();
    let mut other = x.array();
    other[0] = [1.0, -2.0, 3.0, -4.0];
    let (a, b) = (f(x), f(dev.tensor(other)));
    (0..N).filter(|&i| a[i] != b[i]).collect()
}

/// What the page says of paths: from the first row to the last, attention
/// takes one step; a convolution with k = 3 takes n - 1 layers; a recurrence
/// one layer, but a step for each row.
#[test]
fn paths_are_as_long_as_the_page_says() {
    let dev = Dev::seed_from_u64(4);
    let layer: SelfAttention<D, D> = SelfAttention::new(&dev);
    let attended = reach(|x| {
        let x: Tensor3<1, N, D> = x.reshape();
        layer.forward(x, &Mask::none()).output.array()[0]
    });
    assert_eq!(attended, (0..N).collect::<Vec<_>>());
    let w = dev.sample_normal();
    for layers in 1..N {
        let convolved = reach(|mut x| {
            (0..layers).for_each(|_| x = convolution(&x, &w));
            x.array()
        });
        assert_eq!(convolved, (0..=layers).collect::<Vec<_>>());
    }
    let cell = recurrence(&dev);
    let read = reach(|x| {
        let states = cell.forward(&x);
        std::array::from_fn(|i| states[i].array()[0])
    });
    assert_eq!(read, (0..N).collect::<Vec<_>>());
}
