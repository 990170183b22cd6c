//! Section 10.3, in the page.

live::page!(live::ch10_3::Scores);
