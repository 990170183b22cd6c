//! Section 10.4 and its interlude: translation.
