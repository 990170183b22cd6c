//! The committed models, their numbers in f16: as good as the pages say.

use crate::common::start;
use crate::scores::{
    ATTENTION, COPYING, COREFERENCE, Record, SHARE, STORIES, TOLERANCE, TRANSFORMER,
    WITHOUT, copying_score, coreference_score, held_out_bleu, recorded,
};
use ch10_7::stories::{STEPS, Stories};
use live::ch10_4::Translators;
use live::ch10_6::SelfAttentionPage;
use live::ch10_7::TransformerPage;
use live::induction::CopyPage;
use live::language_model::StoryPage;
use seq2seq::dataset::Dataset;

/// Whether a score is the one that is recorded, give or take this much.
#[track_caller]
fn is_near(score: f64, record: Record, around: f64) {
    let recorded = recorded(record).expect("a record");
    assert!((score - recorded).abs() <= around, "{score}, recorded {recorded}");
}

#[test]
fn the_translators_are_as_good_as_the_pages_say() {
    let data = Dataset::book();
    let page: Translators = start("ch10_4");
    assert_eq!(page.vocabularies, data.vocabularies);
    is_near(held_out_bleu(&page.attention, &data), ATTENTION, TOLERANCE);
    // Of five models the page has the mean.
    let [mean, deviation] = WITHOUT;
    let deviation = recorded(deviation).expect("a record");
    is_near(held_out_bleu(&page.fixed, &data), mean, deviation);
    let page: TransformerPage = start("ch10_7");
    assert_eq!(page.vocabularies, data.vocabularies);
    is_near(held_out_bleu(&page.model, &data), TRANSFORMER, TOLERANCE);
}

#[test]
fn the_others_are_as_good_as_the_pages_say() {
    let page: SelfAttentionPage = start("ch10_6");
    is_near(coreference_score(&page.coreference), COREFERENCE, TOLERANCE);
    let page: CopyPage = start("induction");
    is_near(copying_score(&page.model), COPYING, TOLERANCE);
    let (page, stories): (StoryPage, _) = (start("language_model"), Stories::book());
    assert_eq!(page.stories.vocab, stories.vocab);
    let perplexity = page.model.perplexity::<STEPS>(&stories.held_out);
    let around = SHARE * recorded(STORIES).expect("a record");
    is_near(perplexity, STORIES, around);
}
