//! Pieces of words: the merges of the package tokenizers, and what holds for any.

use crate::dataset::Echo;
use seq2seq::dataset::Dataset;
use seq2seq::pieces::{MERGES, PairPieces, Pieces, STEPS, join};
use seq2seq::text::{Pair, tokens};
use serde_json::Value;
use std::collections::BTreeSet;

type Side = fn(&Pair) -> &Vec<String>;
const SIDES: [(&str, Side); 2] =
    [("english", |pair| &pair.source), ("french", |pair| &pair.target)];

fn learn(pairs: &[Pair], side: Side, count: usize) -> Pieces {
    Pieces::learn(pairs.iter().map(side), count)
}

/// All merges until no pair is left, ties included, and the pieces of known and
/// of new words after the first 200.
#[test]
fn merges_and_pieces_are_those_of_tokenizers() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let path = format!("{folder}/../../tests/fixtures/pieces.json");
    let text = std::fs::read_to_string(path).expect("is in the repository");
    let right: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(right["merges"], MERGES);
    let train = Dataset::book().train;
    for (name, side) in SIDES {
        let all = learn(&train, side, usize::MAX);
        let merges = all
            .merges
            .iter()
            .map(|merge| Value::from(all.vocab.decode(&[merge.pair.0, merge.pair.1])));
        assert_eq!(Value::from_iter(merges), right[name]["merges"]);
        let some = learn(&train, side, MERGES);
        assert_eq!(some.merges.len(), MERGES);
        let words = right[name]["pieces"].as_object().expect("words");
        assert!(words.len() > 20);
        for (word, pieces) in words {
            assert_eq!(Value::from(some.split(word)), *pieces, "{word}");
        }
    }
}

/// A pair that overlaps itself is merged from the left: "aaa" is "aa" and "a".
#[test]
fn a_pair_that_overlaps_itself_is_merged_from_the_left() {
    let text = [tokens("aaaa aaa")];
    let merged = |count| Pieces::learn(&text, count);
    let of = |pieces: &Pieces| {
        let pairs = pieces.merges.iter().map(|merge| [merge.pair.0, merge.pair.1]);
        pairs.map(|pair| pieces.vocab.decode(&pair).join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(of(&merged(usize::MAX)), ["a a", "▁ aa", "▁aa a", "▁aa aa"]);
    assert_eq!(merged(1).split("aaa"), ["▁", "aa", "a"]);
    assert_eq!(merged(2).split("aaaaa"), ["▁aa", "aa", "a"]);
}

/// The mark inside a word separates what is joined.
#[test]
fn a_word_with_the_mark_in_it_comes_back_as_two() {
    let pieces = Pieces::learn(&[vec!["ab".to_string()]], 0);
    assert_eq!(join(&pieces.split("a▁b")), ["a", "b"]);
}

#[test]
fn joined_pieces_are_the_words() {
    let data = Dataset::book();
    for count in [0, 10, MERGES, usize::MAX] {
        for (_, side) in SIDES {
            let pieces = learn(&data.train, side, count);
            let new = data.validation.iter().chain(&data.held_out);
            for pair in data.train.iter().chain(new) {
                let words = side(pair);
                assert_eq!(join(&pieces.split_all(words)), *words);
            }
        }
    }
    assert_eq!(join(&[]), tokens(""));
}

/// No word of the letters of the text has an unknown piece, and one of another
/// letter has.
#[test]
fn a_letter_of_the_text_is_never_unknown() {
    let train = Dataset::book().train;
    let unknown = "<unk>".to_string();
    for (_, side) in SIDES {
        let pieces = learn(&train, side, MERGES);
        let words: BTreeSet<&String> = train.iter().flat_map(side).collect();
        for word in words {
            let backwards: String = word.chars().rev().collect();
            let cut = pieces.split(&backwards);
            assert!(!cut.contains(&unknown), "{cut:?}");
            assert_eq!(join(&cut), [backwards]);
        }
        assert_eq!(pieces.split("жa")[1], unknown);
    }
}

/// Nothing is cut off, and nothing unknown is in the sentences of the book.
#[test]
fn the_sentences_fit() {
    let words = Dataset::book();
    let learned = PairPieces::learn(&words.train, MERGES);
    let data = learned.dataset(&words);
    for (pieces, words) in [
        (&data.train, &words.train),
        (&data.validation, &words.validation),
        (&data.held_out, &words.held_out),
    ] {
        let joined = |side: Side| pieces.iter().map(move |pair| join(side(pair)));
        for (_, side) in SIDES {
            assert!(joined(side).eq(words.iter().map(|pair| side(pair).clone())));
        }
    }
    let both = [&data.vocabularies.source, &data.vocabularies.target];
    let wanted = [&learned.source.vocab, &learned.target.vocab];
    assert_eq!(both.map(|vocab| vocab.tokens()), wanted.map(|vocab| vocab.tokens()));
    for pair in data.train.iter().chain(&data.validation).chain(&data.held_out) {
        assert!(pair.source.len() < STEPS && pair.target.len() < STEPS, "{pair:?}");
    }
}

/// By a model that writes the numbers it reads: a is x, and b is y.
#[test]
fn words_are_translated_piece_by_piece() {
    let pieces = PairPieces::learn(&[Pair::new("ab", "xy")], 0);
    let words = pieces.translate::<STEPS>(&Echo, &tokens("ab b aba"));
    assert_eq!(words, tokens("xy y xyx"));
}

/// The plurals that `ch10_7 pieces` takes out of the training.
#[test]
fn nine_plurals_are_in_few_sentences() {
    let Dataset { train, held_out, .. } = Dataset::book();
    let plurals = "chairs flowers hotels houses parks schools stations tables trees";
    let count =
        |word: &String| train.iter().filter(|pair| pair.source.contains(word)).count();
    let counts: Vec<usize> = tokens(plurals).iter().map(count).collect();
    assert!(counts.iter().all(|&count| count < 20), "{counts:?}");
    assert_eq!((counts.len(), counts.iter().sum()), (9, 148));

    // In French, three of them are the pieces of the singular and an s.
    let is_new = |pair: &Pair| tokens(plurals).iter().any(|w| pair.source.contains(w));
    let train: Vec<Pair> = train.into_iter().filter(|pair| !is_new(pair)).collect();
    let others = || held_out.iter().filter(|pair| !is_new(pair));
    for (_, side) in SIDES {
        let is_known = |word: &&String| {
            train.iter().filter(|pair| side(pair).contains(word)).count() >= 6
        };
        let words = BTreeSet::from_iter(others().flat_map(side));
        assert!(words.len() > 100 && words.iter().all(is_known));
    }
    let french = PairPieces::learn(&train, MERGES).target;
    let singulars = "chaise fleur hôtel maison parc école gare table arbre";
    let and_s = |word: &String| {
        let pieces = [french.split(word), vec!["s".to_string()]].concat();
        french.split(&format!("{word}s")) == pieces
    };
    assert_eq!(tokens(singulars).iter().filter(|word| and_s(word)).count(), 3);
    assert_eq!(french.split("maisons"), ["▁mais", "ons"]);
}
