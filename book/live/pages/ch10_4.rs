//! Section 10.4 and its interlude: translation, in the page.

live::page!(live::ch10_4::Translators);
