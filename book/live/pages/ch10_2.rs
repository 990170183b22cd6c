//! Section 10.2: kernel regression, in the page.
