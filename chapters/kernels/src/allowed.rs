//! Which pairs of a key and a value a query may attend to.

use crate::simd::{exp, softmax};

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

/// The same in the form that kernels use: the first `len` pairs of a query,
/// and of these, where there are cells, those that are true.
pub(crate) struct AllowedPairs {
    lens: Vec<usize>,
    cells: Option<Vec<bool>>,
    pairs: usize,
}

impl AllowedPairs {
    pub(crate) fn new(allowed: Allowed, queries: usize, pairs: usize) -> Self {
        let (lens, cells) = match allowed {
            Allowed::All => (vec![pairs; queries], None),
            Allowed::Lens(lens) => {
                assert_eq!(lens.len(), queries, "a length for each query");
                (lens.into_iter().map(|len| len.min(pairs)).collect(), None)
            }
            Allowed::Cells(cells) => {
                assert_eq!(cells.len(), queries * pairs, "a cell for each pair");
                (vec![pairs; queries], Some(cells))
            }
        };
        Self { lens, cells, pairs }
    }

    /// How many queries there are.
    pub(crate) fn queries(&self) -> usize {
        self.lens.len()
    }

    /// The pairs, from 0 to K - 1, that `query` may attend to.
    #[inline(always)]
    pub(crate) fn of(&self, query: usize) -> impl Iterator<Item = usize> {
        let cells = self.cells(query);
        (0..self.lens[query]).filter(move |&pair| cells.is_none_or(|cells| cells[pair]))
    }

    /// Replaces the scores of `query` by their softmax over the pairs that it
    /// may attend to. The weights of the others are 0.
    #[inline(always)]
    pub(crate) fn softmax(&self, query: usize, scores: &mut [f32]) {
        let (scores, rest) = scores.split_at_mut(self.lens[query]);
        rest.fill(0.0);
        match self.cells(query) {
            None => softmax(scores),
            Some(cells) => masked_softmax(scores, cells),
        }
    }

    #[inline(always)]
    fn cells(&self, query: usize) -> Option<&[bool]> {
        let cells = self.cells.as_ref()?;
        Some(&cells[query * self.pairs..][..self.pairs])
    }
}

fn masked_softmax(scores: &mut [f32], allowed: &[bool]) {
    let mut max = f32::MIN;
    for (score, allowed) in scores.iter().zip(allowed) {
        max = if *allowed { max.max(*score) } else { max };
    }
    for (score, allowed) in scores.iter_mut().zip(allowed) {
        *score = if *allowed { exp(*score - max) } else { 0.0 };
    }
    // At least 1, from the largest score, unless nothing is allowed.
    let sum = scores.iter().sum::<f32>().max(1.0);
    scores.iter_mut().for_each(|score| *score /= sum);
}
