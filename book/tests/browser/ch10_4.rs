//! The live figures of section 10.4 and of the interlude: translation with
//! attention and without.

use super::{Tab, everywhere, host};

fn says(tab: &mut Tab, figure: &str, text: &str) {
    tab.wait(&format!(
        "{}.querySelector('.live-said').textContent.includes({text:?})",
        host(figure)
    ));
}

#[test]
fn a_sentence_is_translated_with_its_alignment() {
    everywhere("ch10_4.html", |tab| {
        tab.touch("translate");
        says(tab, "translate", "la voiture rouge est neuve .");
        says(tab, "translate", "Without attention: ");
        let host = host("translate");
        let rows = format!(
            "{host}.querySelectorAll('.live-map tbody tr:not(.live-later)').length"
        );
        // There is room for all rows from the start: nothing below moves.
        let height = format!("{host}.querySelector('.live-map').offsetHeight");
        tab.wait(&format!("{rows} === 7"));
        let whole = tab.eval(&height);
        // Token by token: it begins anew with the first.
        tab.focus("translate", "Token by token");
        tab.key("Enter");
        tab.wait(&format!("{rows} === 1"));
        tab.key("Enter");
        tab.wait(&format!("{rows} === 2"));
        assert_eq!(tab.eval(&height), whole);
        tab.focus("translate", "English sentence");
        tab.write("We are young.");
        tab.key("Enter");
        says(tab, "translate", "nous sommes jeunes .");
        // The words of the vocabulary are offered.
        tab.focus("translate", "English sentence");
        tab.write("The ga");
        let offered =
            format!("[...{host}.querySelectorAll('option')].map(one => one.value)");
        tab.wait(&format!("{offered}.includes('The garden')"));
        tab.write("The zebra is new.");
        tab.key("Enter");
        tab.wait(&format!("{host}.textContent.includes('read as <unk>: zebra')"));
        tab.focus("translate", "English sentence");
        tab.write("");
        tab.key("Enter");
        tab.wait(&format!("{host}.textContent.includes('write an English sentence')"));
        tab.focus("translate", "Start over");
        tab.key("Enter");
        says(tab, "translate", "la voiture rouge est neuve .");
        assert_eq!(tab.error("translate"), "");
    });
}

#[test]
fn a_sentence_is_translated_without_attention() {
    everywhere("seq2seq.html", |tab| {
        tab.touch("fixed");
        says(tab, "fixed", "<eos>");
        tab.focus("fixed", "English sentence");
        tab.write("We are young.");
        tab.key("Enter");
        says(tab, "fixed", "nous sommes ");
        assert_eq!(tab.error("fixed"), "");
    });
}
