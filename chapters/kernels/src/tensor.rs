//! Short names for the tensors of the book: f32 on the default device. They
//! hide no shape; the last parameter is the tape.

// ANCHOR: aliases
use dfdx::prelude::*;

/// The processor; with the feature `cuda`, a graphics card.
pub type Dev = AutoDevice;

/// A number.
pub type Tensor0<T = NoneTape> = Tensor<Rank0, f32, Dev, T>;
/// A row of A numbers.
pub type Tensor1<const A: usize, T = NoneTape> = Tensor<Rank1<A>, f32, Dev, T>;
/// A rows of B numbers.
pub type Tensor2<const A: usize, const B: usize, T = NoneTape> =
    Tensor<Rank2<A, B>, f32, Dev, T>;
/// Three axes.
pub type Tensor3<const A: usize, const B: usize, const C: usize, T = NoneTape> =
    Tensor<Rank3<A, B, C>, f32, Dev, T>;
/// Four axes.
pub type Tensor4<
    const A: usize,
    const B: usize,
    const C: usize,
    const D: usize,
    T = NoneTape,
> = Tensor<Rank4<A, B, C, D>, f32, Dev, T>;
// ANCHOR_END: aliases

// ANCHOR: vocabulary
/// Rows of M numbers, as many as a vocabulary has tokens: known at run time.
pub type Matrix<const M: usize, T = NoneTape> = Tensor<(usize, Const<M>), f32, Dev, T>;
/// Numbers in one row: one for each token of a vocabulary, or all numbers of a
/// tensor. How many is known at run time.
pub type Row<T = NoneTape> = Tensor<(usize,), f32, Dev, T>;
// ANCHOR_END: vocabulary
