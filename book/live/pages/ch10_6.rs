//! Section 10.6: positions, orders and what "it" refers to, in the page.

live::page!(live::ch10_6::SelfAttentionPage);
