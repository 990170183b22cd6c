//! The search leads to where a word is defined.

use super::{PHONE, visit};

/// What is looked for, and the place that is found first.
type Places = &'static [(&'static str, &'static str)];

const ENGLISH: Places = &[
    ("softmax", "ch10_1.html#soft-attention"),
    ("mask", "ch10_3.html#masks"),
    ("causal mask", "ch10_3.html#masks"),
    ("valid_lens", "ch10_3.html#masks"),
    ("head", "ch10_5.html#one-average"),
    ("query", "ch10_1.html#queries-keys-and-values"),
    ("scaled dot product", "ch10_3.html#scaled-dot-product"),
    ("positional encoding", "ch10_6.html#positional-encoding"),
    ("BLEU", "seq2seq/training.html#bleu"),
    ("teacher forcing", "seq2seq.html#teacher-forcing"),
    ("label smoothing", "ch10_7.html#exercises"),
    ("layer norm", "ch10_7.html#layer-norm"),
    ("notation", "notation.html#notation"),
];

const CHINESE: Places = &[
    ("缩放点积", "ch10_3.html#scaled-dot-product"),
    ("掩码", "ch10_3.html#masks"),
    ("掩蔽", "ch10_3.html#masked-softmax"),
    ("注意力", "ch10_1.html#a-scarce-resource"),
    ("多头", "ch10_5.html#one-average"),
    ("valid_lens", "ch10_3.html#masks"),
];

#[test]
fn definitions_come_before_answers() {
    let pages = [("introduction.html", ENGLISH), ("zh/introduction.html", CHINESE)];
    visit(PHONE, &pages, |tab, places| {
        tab.eval("one('#mdbook-search-toggle').click()");
        for (query, place) in *places {
            tab.eval("one('#mdbook-searchbar').focus()");
            tab.write(query);
            // An input method presses no key.
            if query.is_ascii() {
                tab.key("End");
            }
            tab.wait(&format!(
                "one('#mdbook-searchresults-header').textContent.includes({query:?})"
            ));
            // The address says what is marked, too.
            let found = "one('#mdbook-searchresults a').getAttribute('href')\
                         .replace(/\\?[^#]*/, '')";
            assert_eq!(tab.text(found), *place, "{query}");
            let marked = tab.text("one('#mdbook-searchresults em').textContent");
            assert!(query.is_ascii() || marked.contains(query), "{query}: {marked}");
        }
    });
}
