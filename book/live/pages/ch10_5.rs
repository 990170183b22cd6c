//! Section 10.5: the heads of the card game, in the page.
