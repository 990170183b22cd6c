//! What one head of an attention computes for one query, stage by stage.

use ch10_3::Mask;
use ch10_5::MultiHeadAttention;
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use serde::Serialize;

/// The numbers of one query in one head.
#[derive(Debug, Serialize)]
pub struct OneHead {
    /// The query.
    pub query: Vec<f32>,
    /// The key of each row.
    pub keys: Vec<Vec<f32>>,
    /// The value of each row.
    pub values: Vec<Vec<f32>>,
    /// The query times each key.
    pub products: Vec<f32>,
    /// Divided by √D.
    pub scores: Vec<f32>,
    /// The softmax of the scores.
    pub weights: Vec<f32>,
    /// The weighted sum of the values.
    pub found: Vec<f32>,
}

impl OneHead {
    /// Of query row `row` in head `head`, which must be there: `x` makes the queries,
    /// `memory` keys and values. Beside it what all heads find, before `w_o`.
    pub fn new<const S: usize, const M: usize, const H: usize, const D: usize>(
        layer: &MultiHeadAttention<M, H, D>,
        (x, memory): (Tensor3<1, S, M>, Tensor3<1, S, M>),
        mask: &Mask<1, S, S>,
        (row, head): (usize, usize),
    ) -> (Self, Tensor3<1, S, M>) {
        let queries = layer.w_q.forward(x);
        let kv = layer.project_kv(memory.clone(), memory);
        let found = layer.attend_heads(queries.clone(), kv.clone(), mask);
        let weights = found.weights.as_vec()[(head * S + row) * S..][..S].to_vec();
        let found = found.output;
        let all = [queries, kv.keys, kv.values, found.clone()].map(|rows| {
            let of_head = |row: &[f32]| row[head * D..][..D].to_vec();
            rows.as_vec().chunks(M).map(of_head).collect()
        });
        (Self::of_head(all, weights, row), found)
    }

    /// Of the rows of a head: queries, keys, values, and what it finds.
    fn of_head(
        [queries, keys, values, found]: [Vec<Vec<f32>>; 4],
        weights: Vec<f32>,
        row: usize,
    ) -> Self {
        let (dev, query) = (Dev::default(), queries[row].clone());
        let width = query.len();
        let row_of_q = dev.tensor_from_vec(query.clone(), (Const::<1>, width));
        let rows_of_k = dev.tensor_from_vec(keys.concat(), (keys.len(), width));
        let columns = rows_of_k.permute::<(usize, usize), Axes2<1, 0>>();
        let products = row_of_q.matmul(columns);
        OneHead {
            scores: (products.clone() / (width as f32).sqrt()).as_vec(),
            products: products.as_vec(),
            found: found[row].clone(),
            query,
            keys,
            values,
            weights,
        }
    }
}
