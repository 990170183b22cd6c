//! Section 10.6: positions, permutations, coreference, in the page.
