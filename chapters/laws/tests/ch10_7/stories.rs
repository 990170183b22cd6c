//! The stories of the book: what they are made of, how they are cut into
//! tokens and put together again; and the model that counts, by hand.

use ch10_7::ngram::{NGrams, perplexity};
use ch10_7::stories::{STEPS, Stories, text, tokens};
use seq2seq::vocab::{BOS, EOS};
use std::collections::{BTreeSet, HashSet};

use ch10_7::stories::TEXT;

#[test]
fn what_the_stories_are_made_of() {
    let bytes = TEXT.len();
    assert!((70_000..80_000).contains(&bytes), "{bytes} bytes");
    let signs: BTreeSet<char> = TEXT.chars().collect();
    assert!(signs.len() <= 60, "{signs:?}");
    let allowed = |c: char| c.is_ascii_alphabetic() || " \n,.?!“”".contains(c);
    assert!(signs.iter().all(|&c| allowed(c)), "{signs:?}");
    assert!(TEXT.ends_with('\n') && !TEXT.contains("\n\n"));
    let book = Stories::book();
    let parts = [&book.train, &book.validation, &book.held_out];
    assert_eq!(parts.map(Vec::len), [166, 20, 20]);
    assert!(book.vocab_size() <= 400, "{} words", book.vocab_size());
    let longest = parts.into_iter().flatten().map(Vec::len).max();
    assert!(longest <= Some(STEPS));
}

#[test]
fn the_stories_not_learnt_from_have_no_new_word() {
    let book = Stories::book();
    let known: HashSet<usize> = book.train.iter().flatten().copied().collect();
    let mut others = book.validation.iter().chain(&book.held_out).flatten();
    assert!(others.all(|word| known.contains(word)));
}

/// Sentences end where a full stop, a question mark or an exclamation mark is
/// followed by a space or the closing of a speech. Those that are in both
/// parts are short: who speaks, and little questions.
#[test]
fn the_stories_not_learnt_from_share_no_long_sentence() {
    let stories: Vec<&str> = TEXT.lines().collect();
    let (training, others) = stories.split_at(166);
    let of = |stories: &[&'static str]| -> HashSet<&'static str> {
        let ends = ['.', '?', '!'];
        let all = stories.iter().flat_map(|s| s.split_inclusive(ends));
        all.map(|s| s.trim_matches(['”', '“', ' '])).collect()
    };
    let (training, others) = (of(training), of(others));
    let shared: Vec<_> = others.intersection(&training).collect();
    let most = shared.iter().map(|s| tokens(s).len()).max();
    assert!(most <= Some(10), "{shared:?}");
    assert!(shared.len() * 10 < others.len(), "{shared:?}");
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
    let mut counted = NGrams::new(&stories, 6, 3);
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    // Of one token 4, 5 and the end; of two BOS 4, 4 5, 4 end and 5 end; of three
    // BOS 4 5, BOS 4 end and 4 5 end.
    let counts = |order| NGrams::new(&stories, 6, order).counts();
    assert_eq!([1, 2, 3].map(counts), [3, 3 + 4, 3 + 4 + 3]);
    // Five tokens are counted, and each of the six once more: 11.
    close(counted.probability(&[BOS, 4], EOS), 3.0 / 11.0);
    counted.pseudo_counts = vec![2.0];
    close(counted.probability(&[BOS], 4), (2.0 + 2.0 * 3.0 / 11.0) / 4.0);
    close(counted.probability(&[BOS, 4], 5), (1.0 + 2.0 * 2.0 / 11.0) / 4.0);
    close(counted.probability(&[BOS, 4], EOS), (1.0 + 2.0 * 3.0 / 11.0) / 4.0);
    close(counted.probability(&[BOS, 4, 5], 0), 2.0 * 1.0 / 11.0 / 3.0);
    let pairs = counted.clone();
    let product = pairs.probability(&[BOS], 4) * pairs.probability(&[4], EOS);
    close(pairs.perplexity(&[vec![4, EOS]]), product.powf(-0.5));
    // After BOS and 4 came once 5 and once the end; nothing after 5 and 4.
    counted.pseudo_counts = vec![2.0, 3.0];
    let pair = pairs.probability(&[4], EOS);
    close(counted.probability(&[BOS, 4], EOS), (1.0 + 3.0 * pair) / 5.0);
    close(counted.probability(&[5, 4], EOS), pair);
    for before in [&[][..], &[3], &[BOS], &[BOS, 4], &[4, 5], &[5, 4]] {
        let all = (0..6).map(|after| counted.probability(before, after));
        close(all.sum(), 1.0);
    }
    // Without a pseudo-count what never came is impossible after what came, and
    // after a context that never came the shorter one answers.
    counted.pseudo_counts = vec![0.0, 0.0];
    close(counted.probability(&[4], 4), 0.0);
    close(counted.probability(&[5, 4], EOS), 0.5);
    assert!(counted.perplexity(&[]).is_nan(), "of nothing");
}

#[test]
fn perplexity_of_equal_probabilities_is_their_number() {
    assert!((perplexity(5.0 * 7f64.ln(), 5) - 7.0).abs() < 1e-12);
    // Nothing is counted, and all that is imagined is shared out equally.
    let blank = NGrams::new(&[], 50, 2);
    assert!((blank.perplexity(&[vec![4, 5, EOS]]) - 50.0).abs() < 1e-9);
}

/// A large pseudo-count is best where the validation stories have other pairs, a small
/// one where they have the same.
#[test]
fn pseudo_counts_are_tried_up_to_64() {
    let training = vec![[4, 5].repeat(100), vec![EOS]];
    let best = |validation: Vec<usize>| {
        NGrams::tuned([&training, &[validation]], 6, 2).pseudo_counts[0]
    };
    assert_eq!(best([4, 4, 5, 5].repeat(9)), 64.0);
    assert_eq!(best([4, 5].repeat(9)), 1.0);
}

/// Each pseudo-count is better on the validation stories than its neighbours
/// among those that are tried.
#[test]
fn pseudo_counts_are_chosen_on_the_validation_stories() {
    let book = Stories::book();
    let tune = [&book.train[..], &book.validation];
    let tuned = NGrams::tuned(tune, book.vocab_size(), 3);
    assert_eq!(tuned.pseudo_counts.len(), 2);
    for n in 0..2 {
        for factor in [0.5, 2.0] {
            let mut other = tuned.clone();
            other.pseudo_counts.truncate(n + 1);
            let best = other.perplexity(&book.validation);
            other.pseudo_counts[n] *= factor;
            assert!(other.perplexity(&book.validation) > best, "{n} {factor}");
        }
    }
    let unigrams = NGrams::tuned(tune, book.vocab_size(), 1);
    assert!(unigrams.pseudo_counts.is_empty());
}
