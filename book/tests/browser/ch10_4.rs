//! The live figures of section 10.4 and of the interlude: translation with
//! attention and without.

use super::{Tab, on_phone};

#[test]
fn section_10_4_and_the_interlude() {
    on_phone(&[
        ("ch10_4.html", a_sentence_is_translated_with_its_alignment),
        ("seq2seq.html", |tab| {
            tab.touch("fixed");
            tab.says("<eos>");
            tab.enter("English sentence", "We are young.");
            tab.says("nous sommes ");
        }),
    ]);
}

fn a_sentence_is_translated_with_its_alignment(tab: &mut Tab) {
    tab.touch("translate");
    tab.says("la voiture rouge est neuve .");
    tab.says("Without attention: ");
    let rows = "all('.live-map tbody tr:not(.live-later)').length";
    // There is room for all rows from the start: nothing below moves.
    let height = "one('.live-map').offsetHeight";
    tab.wait(&format!("{rows} === 7"));
    let whole = tab.eval(height);
    // Token by token: it begins anew with the first.
    tab.press("Token by token", "Enter");
    tab.wait(&format!("{rows} === 1"));
    tab.key("Enter");
    tab.wait(&format!("{rows} === 2"));
    assert_eq!(tab.eval(height), whole);
    tab.enter("English sentence", "We are young.");
    tab.says("nous sommes jeunes .");
    // The words of the vocabulary are offered.
    tab.focus("English sentence");
    tab.write("The ga");
    tab.wait("all('option').some(one => one.value === 'The garden')");
    tab.enter("English sentence", "The zebra is new.");
    tab.shows("read as <unk>: zebra");
    tab.enter("English sentence", "");
    tab.shows("write an English sentence");
    tab.press("Start over", "Enter");
    tab.says("la voiture rouge est neuve .");
}
