//! Section 10.2, in the page.

live::page!(live::ch10_2::Regression);
