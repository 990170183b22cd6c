//! Section 10.1, in the page.

live::page!(live::ch10_1::Desk);
