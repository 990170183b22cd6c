//! Section 10.7: the Transformer, in the page.

live::page!(live::ch10_7::TransformerPage);
