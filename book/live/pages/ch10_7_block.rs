//! Section 10.7: one token through one block, in the page.

live::page!(live::ch10_7_block::BlockPage);
