//! Section 10.6: positions, permutations, coreference.
