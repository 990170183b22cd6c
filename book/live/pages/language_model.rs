//! Side page of section 10.7: the language model, in the page.

live::page!(live::language_model::StoryPage);
