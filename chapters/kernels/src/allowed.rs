//! Which pairs of a key and a value a query may attend to.

use crate::simd::{exp, softmax};
use std::ops::Range;

/// Which of K pairs each of B·Q queries may attend to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// All.
    All,
    /// For each query (B·Q), how many pairs from the first.
    Lens(Vec<usize>),
    /// For each query and each pair (B·Q·K), whether it may.
    Cells(Vec<bool>),
}

/// The same in the form that kernels use.
pub(crate) struct AllowedPairs {
    /// Numbers of pairs, from 0 to K - 1.
    pairs: Vec<usize>,
    /// For each query, which of them.
    of_query: Vec<Range<usize>>,
    /// Whether the pairs of each query are the first ones.
    first: bool,
}

impl AllowedPairs {
    pub(crate) fn new(allowed: Allowed, queries: usize, pairs: usize) -> Self {
        let lens = match allowed {
            Allowed::All => vec![pairs; queries],
            Allowed::Lens(lens) => lens,
            Allowed::Cells(cells) => {
                assert_eq!(cells.len(), queries * pairs, "a cell for each pair");
                return Self::from_cells(&cells, queries, pairs);
            }
        };
        assert_eq!(lens.len(), queries, "a length for each query");
        let of_query = lens.into_iter().map(|len| 0..len.min(pairs)).collect();
        Self { pairs: (0..pairs).collect(), of_query, first: true }
    }

    fn from_cells(cells: &[bool], queries: usize, pairs: usize) -> Self {
        let mut allowed = vec![];
        let of_query = (0..queries).map(|query| {
            let start = allowed.len();
            let cells = &cells[query * pairs..][..pairs];
            allowed.extend((0..pairs).filter(|&pair| cells[pair]));
            start..allowed.len()
        });
        let of_query = of_query.collect();
        Self { pairs: allowed, of_query, first: false }
    }

    /// How many queries there are.
    pub(crate) fn queries(&self) -> usize {
        self.of_query.len()
    }

    /// The pairs that `query` may attend to.
    #[inline(always)]
    pub(crate) fn of(&self, query: usize) -> impl Iterator<Item = usize> {
        self.pairs[self.of_query[query].clone()].iter().copied()
    }

    /// Replaces the scores of `query` by their softmax over the pairs that it
    /// may attend to. The scores of the others must be 0, and stay 0.
    #[inline(always)]
    pub(crate) fn softmax(&self, query: usize, scores: &mut [f32]) {
        if self.first {
            return softmax(&mut scores[self.of_query[query].clone()]);
        }
        let max = self.of(query).fold(f32::MIN, |max, pair| max.max(scores[pair]));
        let mut sum = 0.0;
        for pair in self.of(query) {
            scores[pair] = exp(scores[pair] - max);
            sum += scores[pair];
        }
        self.of(query).for_each(|pair| scores[pair] /= sum);
    }
}
