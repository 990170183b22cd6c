//! The stories of the book: what they are made of, how they are cut into
//! tokens and put together again; and the model that counts, by hand.

use ch10_7::bigram::{Bigrams, perplexity};
use ch10_7::stories::{STEPS, Stories, text, tokens};
use seq2seq::vocab::{BOS, EOS};
use std::collections::{BTreeSet, HashSet};

use ch10_7::stories::TEXT;

#[test]
fn what_the_stories_are_made_of() {
    let bytes = TEXT.len();
    assert!((60_000..70_000).contains(&bytes), "{bytes} bytes");
    let signs: BTreeSet<char> = TEXT.chars().collect();
    assert!(signs.len() <= 60, "{signs:?}");
    let allowed = |c: char| c.is_ascii_alphabetic() || " \n,.?!“”".contains(c);
    assert!(signs.iter().all(|&c| allowed(c)), "{signs:?}");
    assert!(TEXT.ends_with('\n') && !TEXT.contains("\n\n"));
    let book = Stories::book();
    let (training, held_out) = (book.train.len(), book.held_out.len());
    assert_eq!((training, held_out), (166, 18));
    assert!(book.vocab_size() <= 400, "{} words", book.vocab_size());
    let longest = book.train.iter().chain(&book.held_out).map(Vec::len);
    assert!(longest.max() <= Some(STEPS));
}

#[test]
fn the_held_out_stories_have_no_new_word() {
    let book = Stories::book();
    let known: HashSet<usize> = book.train.iter().flatten().copied().collect();
    assert!(book.held_out.iter().flatten().all(|word| known.contains(word)));
}

/// Sentences end where a full stop, a question mark or an exclamation mark is
/// followed by a space or the closing of a speech. Those that are in both
/// parts are short: who speaks, and little questions.
#[test]
fn the_held_out_stories_share_no_long_sentence() {
    let stories: Vec<&str> = TEXT.lines().collect();
    let (training, held_out) = stories.split_at(166);
    let of = |stories: &[&'static str]| -> HashSet<&'static str> {
        let ends = ['.', '?', '!'];
        let all = stories.iter().flat_map(|s| s.split_inclusive(ends));
        all.map(|s| s.trim_matches(['”', '“', ' '])).collect()
    };
    let (training, held_out) = (of(training), of(held_out));
    let shared: Vec<_> = held_out.intersection(&training).collect();
    let most = shared.iter().map(|s| tokens(s).len()).max();
    assert!(most <= Some(10), "{shared:?}");
    assert!(shared.len() * 10 < held_out.len(), "{shared:?}");
    let whole: HashSet<_> = stories.iter().collect();
    assert_eq!(whole.len(), stories.len());
}

#[test]
fn a_text_is_cut_and_put_together_again() {
    for story in TEXT.lines() {
        assert_eq!(text(&tokens(story)), story);
    }
    let plain = r#"The fox said, "Where am I?""#;
    let tokens = tokens(plain);
    let cut = ["the", "fox", "said", ",", "“", "where", "am", "i", "?", "”"];
    assert_eq!(tokens, cut);
    assert_eq!(text(&tokens), "The fox said, “Where am I?”");
    assert_eq!(text::<&str>(&[]), "");
}

#[test]
fn a_prompt_is_read_or_refused_by_name() {
    let book = Stories::book();
    let fox = book.prompt("  The  FOX ").unwrap();
    assert_eq!(book.text(&fox), "The fox");
    assert!(book.prompt("").unwrap().is_empty());
    let why = book.prompt("the zebra met a gnu.").unwrap_err().to_string();
    assert!(why.contains("zebra, gnu; begin with"), "{why}");
    assert!(book.prompt("the <eos>").is_err());
    assert!(book.prompt("the fox ; 7").is_err());
    assert_eq!(book.prompt(&"fox ".repeat(127)).unwrap().len(), 127);
    let why = book.prompt(&"fox ".repeat(128)).unwrap_err().to_string();
    assert_eq!(why, "128 words and marks; the most is 127");
}

/// After BOS came twice 4; after 4 once 5 and once the end.
#[test]
fn pairs_are_counted_as_by_hand() {
    let stories = [vec![4, 5, EOS], vec![4, EOS]];
    let counted = Bigrams::new(&stories, 6, 2.0);
    // Five tokens are counted, and each of the six once more: 11.
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    close(counted.probability(BOS, 4), (2.0 + 2.0 * 3.0 / 11.0) / 4.0);
    close(counted.probability(4, 5), (1.0 + 2.0 * 2.0 / 11.0) / 4.0);
    close(counted.probability(4, EOS), (1.0 + 2.0 * 3.0 / 11.0) / 4.0);
    close(counted.probability(5, 0), 2.0 * 1.0 / 11.0 / 3.0);
    for before in 0..6 {
        let all = (0..6).map(|after| counted.probability(before, after));
        close(all.sum(), 1.0);
    }
    let product = counted.probability(BOS, 4) * counted.probability(4, EOS);
    close(counted.perplexity(&[vec![4, EOS]]), product.powf(-0.5));
}

#[test]
fn perplexity_of_equal_probabilities_is_their_number() {
    assert!((perplexity([7f64.ln(); 5]) - 7.0).abs() < 1e-12);
    // Nothing is counted, and all that is imagined is shared out equally.
    let blank = Bigrams::new(&[], 50, 1.0);
    assert!((blank.perplexity(&[vec![4, 5, EOS]]) - 50.0).abs() < 1e-9);
}

#[test]
fn the_count_model_of_the_book_is_tuned_on_the_training_alone() {
    let book = Stories::book();
    let tuned = Bigrams::tuned(&book.train, book.vocab_size());
    assert!([8.0, 16.0, 32.0].contains(&tuned.pseudo_count));
    let single: Vec<Vec<usize>> = book.train.iter().take(9).cloned().collect();
    assert!(Bigrams::tuned(&single, book.vocab_size()).pseudo_count >= 1.0);
}
