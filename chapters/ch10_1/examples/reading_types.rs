//! The types of this book, one at a time. Page "Reading the types".

use ch10_1::{Dev, Tensor0, Tensor1, Tensor2, Tensor3};
use dfdx::prelude::*;

// ANCHOR: row_sums
/// The sum of each row.
fn row_sums<const A: usize, const B: usize, T>(x: Tensor2<A, B, T>) -> Tensor1<A, T>
where
    T: Tape<f32, Dev>,
{
    x.sum::<_, Axis<1>>()
}
// ANCHOR_END: row_sums

// ANCHOR: shapes
fn shapes(dev: &Dev) {
    let x: Tensor2<2, 3> = dev.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let sums = row_sums(x);
    println!("sums {:?} {:?}", sums.shape().concrete(), sums.array());
}
// ANCHOR_END: shapes

// ANCHOR: ownership
fn ownership(dev: &Dev) {
    let x: Tensor1<3> = dev.tensor([1.0, 2.0, 3.0]);
    let halves = x.clone() / 2.0;
    let squares = x.square();
    println!("halves {:?} squares {:?}", halves.array(), squares.array());
}
// ANCHOR_END: ownership

// ANCHOR: tape
fn gradient(dev: &Dev) {
    let w: Tensor1<3> = dev.tensor([1.0, 2.0, 3.0]);
    let traced: Tensor1<3, OwnedTape<f32, Dev>> = w.leaky_trace();
    let loss: Tensor0<OwnedTape<f32, Dev>> = traced.square().sum();
    println!("loss {}", loss.array());
    let gradients = loss.backward();
    println!("gradient {:?}", gradients.get(&w).array());
}
// ANCHOR_END: tape

// ANCHOR: dictionary
fn dictionary() {
    let dev = Dev::seed_from_u64(0);
    let x: Tensor3<2, 3, 4> = dev.sample_normal();
    let y: Tensor3<2, 4, 5> = dev.zeros();
    let bias: Tensor1<5> = dev.ones();

    let transposed = x.clone().permute::<Rank3<2, 4, 3>, Axes3<0, 2, 1>>();
    let product: Tensor3<2, 3, 5> = x.clone().matmul(y);
    let sum: Tensor3<2, 3, 5> = product + bias.broadcast::<_, Axes2<0, 1>>();
    let flat: Tensor2<6, 4> = x.clone().reshape();
    let sums: Tensor2<2, 4> = x.clone().sum::<_, Axis<1>>();
    let mean: Tensor0 = x.mean();
    println!("{:?} {:?}", transposed.shape().concrete(), sum.shape().concrete());
    println!("{:?} {:?}", flat.shape().concrete(), sums.shape().concrete());
    println!("{:.4}", mean.array());
}
// ANCHOR_END: dictionary

fn main() {
    let dev = Dev::default();
    shapes(&dev);
    ownership(&dev);
    gradient(&dev);
    dictionary();
}
