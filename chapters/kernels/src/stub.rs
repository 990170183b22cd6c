#![allow(missing_docs, clippy::too_many_arguments, clippy::type_complexity, unused)]
//! Stands in until the kernels land: every operation runs its definition.
use crate::tensor::*;
use dfdx::prelude::*;
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    All,
    Lens(Vec<usize>),
    Cells(Vec<bool>),
}
pub trait MaybeSend: Send {}
impl<X: Send> MaybeSend for X {}
pub fn with_definitions<R>(run: impl FnOnce() -> R) -> R {
    run()
}
pub fn in_parallel<W: Send, R: Send>(
    work: Vec<W>,
    f: impl Fn(W) -> R + Sync,
) -> Vec<R> {
    work.into_iter().map(f).collect()
}
pub fn dropout_mask<S: ConstShape>(dev: &Dev, p: f32) -> Tensor<S, f32, Dev> {
    dev.ones::<S>().dropout(p)
}
pub fn dropout<S: ConstShape, T: Tape<f32, Dev>>(
    x: Tensor<S, f32, Dev, T>,
    p: f32,
    definition: impl FnOnce(
        Tensor<S, f32, Dev, T>,
        Tensor<S, f32, Dev>,
    ) -> Tensor<S, f32, Dev, T>,
) -> Tensor<S, f32, Dev, T> {
    if !T::OWNS_TAPE || p == 0.0 {
        return x;
    }
    let mask = dropout_mask(x.device(), p);
    definition(x, mask)
}
pub fn dropout_add<
    const B: usize,
    const S: usize,
    const M: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor3<B, S, M>,
    y: Tensor3<B, S, M, T>,
    p: f32,
    definition: impl FnOnce(Tensor3<B, S, M>, Tensor3<B, S, M, T>) -> Tensor3<B, S, M, T>,
) -> Tensor3<B, S, M, T> {
    definition(x, y)
}
pub fn linear<
    const B: usize,
    const S: usize,
    const I: usize,
    const O: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor3<B, S, I, T>,
    weight: &Tensor2<O, I>,
    bias: Option<&Tensor1<O>>,
    definition: impl FnOnce(Tensor3<B, S, I, T>) -> Tensor3<B, S, O, T>,
) -> Tensor3<B, S, O, T> {
    definition(x)
}
pub fn feed_forward<
    const B: usize,
    const S: usize,
    const M: usize,
    const F: usize,
    const O: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor3<B, S, M, T>,
    first: (&Tensor2<F, M>, &Tensor1<F>),
    second: (&Tensor2<O, F>, &Tensor1<O>),
    definition: impl FnOnce(Tensor3<B, S, M, T>) -> Tensor3<B, S, O, T>,
) -> Tensor3<B, S, O, T> {
    definition(x)
}
pub fn layer_norm<const B: usize, const S: usize, const M: usize, T: Tape<f32, Dev>>(
    x: Tensor3<B, S, M, T>,
    gamma: &Tensor1<M>,
    beta: &Tensor1<M>,
    epsilon: f32,
    definition: impl FnOnce(
        Tensor3<B, S, M, T>,
        Tensor1<M, T>,
        Tensor1<M, T>,
    ) -> Tensor3<B, S, M, T>,
) -> Tensor3<B, S, M, T> {
    definition(x, gamma.retaped(), beta.retaped())
}
pub fn attention<
    const B: usize,
    const Q: usize,
    const K: usize,
    const M: usize,
    const H: usize,
    const D: usize,
    T: Tape<f32, Dev>,
>(
    q: Tensor3<B, Q, M, T>,
    k: Tensor3<B, K, M, T>,
    v: Tensor3<B, K, M, T>,
    allowed: impl FnOnce() -> Allowed,
    dropout: f32,
    definition: impl FnOnce(
        Tensor3<B, Q, M, T>,
        Tensor3<B, K, M, T>,
        Tensor3<B, K, M, T>,
    ) -> (Tensor3<B, Q, M, T>, Tensor4<B, H, Q, K>),
) -> (Tensor3<B, Q, M, T>, Tensor4<B, H, Q, K>) {
    definition(q, k, v)
}
pub fn additive_attention<
    const B: usize,
    const Q: usize,
    const K: usize,
    const HIDDEN: usize,
    const DV: usize,
    T: Tape<f32, Dev>,
>(
    q: Tensor3<B, Q, HIDDEN, T>,
    k: Tensor3<B, K, HIDDEN, T>,
    v: Tensor3<B, K, DV, T>,
    w_v: &Tensor1<HIDDEN>,
    allowed: impl FnOnce() -> Allowed,
    dropout: f32,
    definition: impl FnOnce(
        Tensor3<B, Q, HIDDEN, T>,
        Tensor3<B, K, HIDDEN, T>,
        Tensor3<B, K, DV, T>,
    ) -> (Tensor3<B, Q, DV, T>, Tensor3<B, Q, K>),
) -> (Tensor3<B, Q, DV, T>, Tensor3<B, Q, K>) {
    definition(q, k, v)
}
pub fn embedding<const A: usize, const N: usize, const E: usize, T: Tape<f32, Dev>>(
    tokens: &[[usize; N]; A],
    weight: &Matrix<E>,
    tape: T,
    definition: impl FnOnce(Matrix<E, T>) -> Tensor3<A, N, E, T>,
) -> Tensor3<A, N, E, T> {
    definition(weight.clone().put_tape(tape))
}
pub fn embedding_with_positions<
    const A: usize,
    const N: usize,
    const E: usize,
    T: Tape<f32, Dev>,
>(
    tokens: &[[usize; N]; A],
    weight: &Matrix<E>,
    scale: f32,
    positions: &Tensor2<N, E>,
    dropout: f32,
    tape: T,
    definition: impl FnOnce(Matrix<E, T>) -> Tensor3<A, N, E, T>,
) -> Tensor3<A, N, E, T> {
    definition(weight.clone().put_tape(tape))
}
pub fn cross_entropy<
    const A: usize,
    const N: usize,
    const M: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor3<A, N, M, T>,
    weight: &Matrix<M>,
    bias: &Row,
    labels: &[[usize; N]; A],
    counts: impl Fn(usize, usize) -> bool,
    definition: impl FnOnce(Tensor3<A, N, M, T>) -> Tensor2<A, N, T>,
) -> Tensor2<A, N, T> {
    definition(x)
}
pub fn gate_preactivations<
    const S: usize,
    const B: usize,
    const I: usize,
    const HIDDEN: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor3<S, B, I, T>,
    w: &Tensor3<3, HIDDEN, I>,
    definition: impl FnOnce(Tensor3<S, B, I, T>) -> Tensor4<S, 3, B, HIDDEN, T>,
) -> Tensor4<S, 3, B, HIDDEN, T> {
    definition(x)
}
pub fn gru_gates<const B: usize, const HIDDEN: usize, T: Tape<f32, Dev>>(
    x: &Tensor3<3, B, HIDDEN>,
    from_h: Tensor3<3, B, HIDDEN, T>,
    b_ih: &Tensor2<3, HIDDEN>,
    b_hh: &Tensor2<3, HIDDEN>,
    h: &Tensor2<B, HIDDEN>,
    definition: impl FnOnce(Tensor3<3, B, HIDDEN, T>) -> Tensor2<B, HIDDEN, T>,
) -> Tensor2<B, HIDDEN, T> {
    definition(from_h)
}
pub fn unbind<
    const S: usize,
    const B: usize,
    const HIDDEN: usize,
    T: Tape<f32, Dev>,
>(
    x: Tensor4<S, 3, B, HIDDEN, T>,
    definition: impl FnOnce(Tensor4<S, 3, B, HIDDEN, T>) -> ([Tensor3<3, B, HIDDEN>; S], T),
) -> ([Tensor3<3, B, HIDDEN>; S], T) {
    definition(x)
}
