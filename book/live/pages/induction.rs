//! Side page of section 10.7: a head that copies, in the page.

live::page!(live::induction::CopyPage);
