//! Splitting and merging of section 10.5: which number goes where.

use ch10_5::{merge_heads, split_heads};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3, Tensor4};

/// Entry (b, s, m) is 100·b + 10·s + m, to be read off.
fn counted(dev: &Dev) -> Tensor3<2, 3, 6> {
    let entry = |i: usize| 100 * (i / 18) + 10 * (i / 6 % 3) + i % 6;
    dev.tensor_from_vec((0..36).map(|i| entry(i) as f32).collect(), Rank3::default())
}

#[test]
fn each_head_gets_its_own_columns_of_every_position() {
    let dev = Dev::default();
    let heads: Tensor4<2, 3, 3, 2> = split_heads(counted(&dev));
    let heads = heads.array();
    for (b, example) in heads.iter().enumerate() {
        for (h, positions) in example.iter().enumerate() {
            for (s, row) in positions.iter().enumerate() {
                let first = (100 * b + 10 * s + 2 * h) as f32;
                assert_eq!(*row, [first, first + 1.0], "{b}, {h}, {s}");
            }
        }
    }
}

/// What the test above would let through if it looked at shapes alone.
#[test]
fn a_head_major_reshape_is_something_else() {
    let dev = Dev::default();
    let right: Tensor4<2, 2, 3, 3> = split_heads(counted(&dev));
    let wrong: Tensor4<2, 2, 3, 3> = counted(&dev).reshape();
    assert_eq!(right.shape().concrete(), wrong.shape().concrete());
    assert_ne!(right.array(), wrong.array());
    // Row 1 of head 0 is the rest of position 0, not position 1.
    assert_eq!(wrong.array()[0][0][1], [3.0, 4.0, 5.0]);
    assert_eq!(right.array()[0][0][1], [10.0, 11.0, 12.0]);
}

/// A merge without the swap of axes would give the right shape too.
#[test]
fn merging_lays_the_heads_of_one_position_side_by_side() {
    let dev = Dev::default();
    let heads: Tensor4<1, 2, 3, 1> =
        dev.tensor([[[[0.0], [1.0], [2.0]], [[10.0], [11.0], [12.0]]]]);
    let merged: Tensor3<1, 3, 2> = merge_heads(heads);
    assert_eq!(merged.array(), [[[0.0, 10.0], [1.0, 11.0], [2.0, 12.0]]]);
}
