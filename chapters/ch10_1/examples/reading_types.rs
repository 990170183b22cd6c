// ANCHOR: header
//! The types of this book, one at a time. Page "Reading the types".

use ch10_1::Dev;
use dfdx::prelude::*;
// ANCHOR_END: header

// ANCHOR: sums
/// Sums the weights of each query. Weights (B, Q, K), sums (B, Q).
fn sums<const B: usize, const Q: usize, const K: usize, T>(
    weights: Tensor<Rank3<B, Q, K>, f32, Dev, T>,
) -> Tensor<Rank2<B, Q>, f32, Dev, T>
where
    T: Tape<f32, Dev>,
{
    weights.sum::<_, Axis<2>>()
}
// ANCHOR_END: sums

// ANCHOR: shapes
fn shapes(dev: &Dev) {
    let scores: Tensor<Rank3<2, 4, 6>, f32, Dev> = dev.zeros();
    let weights = scores.softmax::<Axis<2>>();
    let sums = sums(weights);
    println!("sums {:?} {:?}", sums.shape().concrete(), sums.array());
}
// ANCHOR_END: shapes

// ANCHOR: tape
fn gradient(dev: &Dev) {
    let w: Tensor<Rank1<3>, f32, Dev> = dev.tensor([1.0, 2.0, 3.0]);
    let traced: Tensor<Rank1<3>, f32, Dev, OwnedTape<f32, Dev>> = w.leaky_trace();
    let loss: Tensor<Rank0, f32, Dev, OwnedTape<f32, Dev>> = traced.square().sum();
    println!("loss {}", loss.array());
    let gradients = loss.backward();
    println!("gradient {:?}", gradients.get(&w).array());
}
// ANCHOR_END: tape

// ANCHOR: ownership
fn ownership(dev: &Dev) {
    let x: Tensor<Rank1<3>, f32, Dev> = dev.tensor([1.0, 2.0, 3.0]);
    let halves = x.clone() / 2.0;
    let squares = x.square();
    println!("halves {:?} squares {:?}", halves.array(), squares.array());
}
// ANCHOR_END: ownership

// ANCHOR: dictionary
fn dictionary() {
    let dev = Dev::seed_from_u64(0);
    let x: Tensor<Rank3<2, 3, 4>, f32, Dev> = dev.sample_normal();
    let y: Tensor<Rank3<2, 4, 5>, f32, Dev> = dev.zeros();
    let bias: Tensor<Rank1<5>, f32, Dev> = dev.ones();

    let turned = x.clone().permute::<Rank3<2, 4, 3>, Axes3<0, 2, 1>>();
    let product: Tensor<Rank3<2, 3, 5>, f32, Dev> = x.clone().matmul(y);
    let moved = product + bias.broadcast::<_, Axes2<0, 1>>();
    let flat: Tensor<Rank2<6, 4>, f32, Dev> = x.clone().reshape();
    let sums: Tensor<Rank2<2, 4>, f32, Dev> = x.clone().sum::<_, Axis<1>>();
    let mean: Tensor<Rank0, f32, Dev> = x.mean();
    println!("{:?}", turned.shape().concrete());
    println!("{:?}", moved.shape().concrete());
    println!("{:?}", flat.shape().concrete());
    println!("{:?} {:.4}", sums.shape().concrete(), mean.array());
}
// ANCHOR_END: dictionary

// ANCHOR: main
fn main() {
    let dev = Dev::default();
    shapes(&dev);
    gradient(&dev);
    ownership(&dev);
    dictionary();
}
// ANCHOR_END: main
