//! Section 10.5, in the page.

live::page!(live::ch10_5::Game);
