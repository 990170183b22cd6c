//! BLEU of a sentence against d2l's, of a corpus by hand.

use seq2seq::bleu::{bleu, corpus_bleu};
use seq2seq::text::tokens;

#[test]
fn bleu_is_that_of_d2l() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let path = format!("{folder}/../../tests/fixtures/bleu.json");
    let text = std::fs::read_to_string(path).expect("is in the repository");
    let right: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let cases = right["cases"].as_array().expect("a list");
    assert!(cases.len() > 20);
    for case in cases {
        let words = |name: &str| -> Vec<String> {
            let text = case[name].as_str().expect("a text");
            text.split(' ').map(String::from).collect()
        };
        let k = case["k"].as_u64().expect("a number") as usize;
        let ours = bleu(&words("pred"), &words("label"), k);
        let right = case["bleu"].as_f64().expect("a number");
        assert!((ours - right).abs() < 1e-12, "{case}: {ours}");
    }
    assert_eq!(bleu(&[], &["va".to_string()], 2), 0.0);
}

/// Three of four tokens and one of three runs of two.
#[test]
fn one_wrong_word_of_four_costs_a_third() {
    let score = bleu(&tokens("il est malade ."), &tokens("il est calme ."), 2);
    let by_hand = 0.75f64.sqrt() * (1.0f64 / 3.0).powf(0.25);
    assert!((score - by_hand).abs() < 1e-12);
    assert_eq!(format!("{score:.3}"), "0.658");
}

#[test]
fn runs_are_pooled_over_a_corpus() {
    let labels = [tokens("a b c d e"), tokens("a b c d")];
    let with = |first: &str, second: &str| {
        let pair = |ours: &str, label| (tokens(ours), vec![label]);
        corpus_bleu(&[pair(first, &labels[0][..]), pair(second, &labels[1][..])])
    };
    assert_eq!(with("a b c d e", "a b c d"), 1.0);
    // Runs that are right: 8 of 9, 6 of 7, 4 of 5, 2 of 3.
    let by_hand = (8.0f64 / 9.0 * 6.0 / 7.0 * 4.0 / 5.0 * 2.0 / 3.0).powf(0.25);
    assert!((with("a b c d x", "a b c d") - by_hand).abs() < 1e-12);
    // All of 7 tokens, 5 runs of two, 3 of three, 1 of four are right: what is
    // missing are two tokens of nine.
    let short = (1.0f64 - 9.0 / 7.0).exp();
    assert!((with("a b c d", "a b c") - short).abs() < 1e-12);
    assert_eq!(with("x", "y"), 0.0);
    assert_eq!(corpus_bleu(&[]), 0.0);
}

/// Of several references each run may be in another; the length is the nearest.
#[test]
fn a_translation_may_have_several_references() {
    let (one, two) = (tokens("a b c d"), tokens("e f g h i"));
    let both = vec![&one[..], &two[..]];
    assert_eq!(corpus_bleu(&[(tokens("a b c d"), both.clone())]), 1.0);
    assert_eq!(corpus_bleu(&[(tokens("e f g h i"), both.clone())]), 1.0);
    // 8 tokens, 6 runs of two, 4 of three, 2 of four are right, of 8, 7, 6, 5.
    let by_hand = (6.0f64 / 7.0 * 4.0 / 6.0 * 2.0 / 5.0).powf(0.25);
    let ours = corpus_bleu(&[(tokens("a b c d e f g h"), both)]);
    assert!((ours - by_hand).abs() < 1e-12);
    // A token counts as often as the reference has it.
    let right = tokens("a a b b");
    let ours = corpus_bleu(&[(tokens("a a a a b b"), vec![&right[..]])]);
    let by_hand = (4.0f64 / 6.0 * 3.0 / 5.0 * 2.0 / 4.0 * 1.0 / 3.0).powf(0.25);
    assert!((ours - by_hand).abs() < 1e-12);
}
