//! Work with a graphics card: dfdx's handle of it must stay on its thread, so
//! pieces that others do side by side are done one after the other.

/// Anything: nothing goes to another thread here.
pub trait Portable {}
impl<A> Portable for A {}

/// Does each piece of `work`, and gives the results in the same order.
pub fn in_parallel<A: Portable, R: Portable>(
    work: Vec<A>,
    each: impl Fn(A) -> R + Sync,
) -> Vec<R> {
    work.into_iter().map(each).collect()
}
