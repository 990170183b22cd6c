//! The search leads to where a word is defined.

use super::everywhere;

#[test]
fn definitions_come_before_answers() {
    everywhere("introduction.html", |tab| {
        tab.eval("document.getElementById('mdbook-search-toggle').click()");
        for (query, place) in [
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
        ] {
            tab.eval("document.getElementById('mdbook-searchbar').focus()");
            tab.write(query);
            tab.key("End");
            let shown = "document.getElementById('mdbook-searchresults-header')";
            tab.wait(&format!("{shown}.textContent.includes({query:?})"));
            let first = "document.querySelector('#mdbook-searchresults a')";
            let address = tab.text(&format!("{first}.getAttribute('href')"));
            let (page, rest) = address.split_once('?').expect("what is marked");
            let (_, anchor) = rest.split_once('#').expect("a section");
            assert_eq!(format!("{page}#{anchor}"), place, "{query}");
        }
    });
}

#[test]
fn chinese_is_found_where_it_is_defined() {
    everywhere("zh/introduction.html", |tab| {
        tab.eval("document.getElementById('mdbook-search-toggle').click()");
        for (query, place) in [
            ("缩放点积", "ch10_3.html#scaled-dot-product"),
            ("掩码", "ch10_3.html#masks"),
            ("掩蔽", "ch10_3.html#masked-softmax"),
            ("注意力", "ch10_1.html#a-scarce-resource"),
            ("多头", "ch10_5.html#one-average"),
            ("valid_lens", "ch10_3.html#masks"),
        ] {
            tab.eval("document.getElementById('mdbook-searchbar').focus()");
            // As from an input method: no key is pressed.
            tab.write(query);
            let shown = "document.getElementById('mdbook-searchresults-header')";
            tab.wait(&format!("{shown}.textContent.startsWith('“{query}”有 ')"));
            let first = "document.querySelector('#mdbook-searchresults a')";
            let address = tab.text(&format!("{first}.getAttribute('href')"));
            let (page, rest) = address.split_once('?').expect("what is marked");
            let (_, anchor) = rest.split_once('#').expect("a section");
            assert_eq!(format!("{page}#{anchor}"), place, "{query}");
            let found = "document.querySelector('#mdbook-searchresults em')";
            assert!(tab.text(&format!("{found}.textContent")).contains(query));
        }
    });
}
