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
    ("positional", "ch10_6.html#positional-encoding"),
    ("label smoothing", "ch10_7/beside_pytorch.html#sizes"),
    ("ｓｏｆｔｍａｘ", "ch10_1.html#soft-attention"),
    ("layer norm", "ch10_7.html#layer-norm"),
    ("notation", "notation.html#notation"),
];

const CHINESE: Places = &[
    ("缩放点积", "ch10_3.html#scaled-dot-product"),
    ("掩码", "ch10_3.html#masks"),
    ("掩蔽", "ch10_3.html#masked-softmax"),
    // Self-attention and attention are both defined by this word.
    ("注意力", ""),
    ("多头", "ch10_5.html#one-average"),
    ("因果掩码", "ch10_3.html#masks"),
    ("注意力机制", ""),
    ("标签平滑", "ch10_7/beside_pytorch.html#sizes"),
    ("ＢＬＥＵ", "seq2seq/training.html#bleu"),
    // Wherever it leads: beside it are bold letters of mathematics.
    ("点积", ""),
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
            // An input method presses no key; on Chinese pages none is needed.
            if places[0].0.is_ascii() {
                tab.key("End");
            }
            tab.wait(&format!(
                "one('#mdbook-searchresults-header').textContent.includes({query:?})"
            ));
            // The address says what is marked, too.
            let found = "one('#mdbook-searchresults a').getAttribute('href')\
                         .replace(/\\?[^#]*/, '')";
            let found = tab.text(found);
            assert!(place.is_empty() || found == *place, "{query}: {found}");
            let marked = tab.text("one('#mdbook-searchresults em')?.textContent ?? ''");
            // What is typed is marked, unless it is found in another form.
            let is_plain = query.chars().all(is_han) && !query.ends_with("机制");
            assert!(!is_plain || marked.contains(query), "{query}: {marked}");
            let torn = "all('#mdbook-searchresults li')\
                        .filter(one => !one.textContent.isWellFormed()).length";
            assert_eq!(tab.eval(torn), 0, "{query}");
        }
        // Escape ends what an input method composes, and only then the search.
        let escape = |composing: bool| {
            format!(
                "one('#mdbook-searchbar').dispatchEvent(new KeyboardEvent('keydown', {{ \
                    key: 'Escape', keyCode: 27, bubbles: true, isComposing: {composing} }})), \
                 one('#mdbook-search-wrapper').classList.contains('hidden')"
            )
        };
        assert_eq!(tab.eval(&escape(true)), false);
        assert_ne!(tab.text("one('#mdbook-searchbar').value"), "");
        assert_eq!(tab.eval(&escape(false)), true);
    });
}

fn is_han(c: char) -> bool {
    ('\u{3400}'..='\u{9fff}').contains(&c)
}
