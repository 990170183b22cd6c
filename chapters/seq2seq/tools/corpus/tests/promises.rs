//! What the corpus promises to those who train on it.

use corpus::{LONGEST, PAIRS, Pair, Split, entries, file, pairs, tokens};
use std::collections::{BTreeMap, BTreeSet};

type Count = BTreeMap<String, usize>;

/// How often each word is in the pairs that `which` picks.
fn count(text: impl Iterator<Item = &'static str>) -> Count {
    let mut count = Count::new();
    text.flat_map(tokens).for_each(|w| *count.entry(w).or_default() += 1);
    count
}

#[test]
fn the_grammar_writes_the_committed_file() {
    assert!(file(&entries()) == PAIRS, "run `cargo run -p corpus`");
}

#[test]
fn every_line_is_a_pair() {
    assert_eq!(pairs().len(), PAIRS.lines().count());
    for line in PAIRS.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        assert_eq!(columns.len(), 3, "{line}");
        assert!(columns.iter().all(|c| !c.is_empty() && c.trim() == *c));
        assert!(["train", "validation", "test"].contains(&columns[2]), "{line}");
    }
}

#[test]
fn pairs_words_and_lengths_are_within_bounds() {
    let pairs = pairs();
    assert!(pairs.len() >= 2000);
    for side in [
        pairs.iter().map(|p| p.english).collect::<Vec<_>>(),
        pairs.iter().map(|p| p.french).collect(),
    ] {
        assert!(count(side.iter().copied()).len() <= 350);
        assert!(side.iter().all(|text| tokens(text).len() <= LONGEST));
    }
    assert_eq!(LONGEST, 9);
}

#[test]
fn no_english_sentence_comes_twice() {
    let pairs = pairs();
    let distinct: BTreeSet<_> = pairs.iter().map(|p| tokens(p.english)).collect();
    assert_eq!(distinct.len(), pairs.len());
}

#[test]
fn one_pair_in_ten_is_held_out_and_one_in_twenty_for_validation() {
    let pairs = pairs();
    let share = |split| {
        let of = pairs.iter().filter(|pair| pair.split == split).count();
        of as f64 / pairs.len() as f64
    };
    let (test, validation) = (share(Split::HeldOut), share(Split::Validation));
    assert!((0.09..=0.11).contains(&test), "{test}");
    assert!((0.045..=0.055).contains(&validation), "{validation}");
}

#[test]
fn every_word_is_learnt_from_ten_sentences_or_more() {
    let (trained, others): (Vec<_>, Vec<_>) =
        pairs().into_iter().partition(|p| p.split == Split::Train);
    let sides: [fn(&Pair) -> &'static str; 2] = [|p| p.english, |p| p.french];
    for side in sides {
        let known = count(trained.iter().map(side));
        let rare: Vec<_> = known.iter().filter(|(_, n)| **n < 10).collect();
        assert!(rare.is_empty(), "{rare:?}");
        for word in count(others.iter().map(side)).keys() {
            assert!(known.contains_key(word), "{word}");
        }
    }
}

/// "Is he sad?" and "He is not sad." say nothing new to who has read "He is
/// sad.": a sentence and its question are in the same split.
#[test]
fn no_sentence_is_in_another_split_in_another_mood() {
    let mut splits = BTreeMap::new();
    for pair in pairs() {
        let split = splits.entry(content(&pair)).or_insert(pair.split);
        assert_eq!(*split, pair.split, "{}", pair.english);
    }
}

/// The words of both sentences without those that a negation or a question
/// adds or takes away; those of English, which it moves, sorted.
fn content(pair: &Pair) -> [Vec<String>; 2] {
    let mood = "not do does est-ce que qu n ne pas un une des de d . ? !";
    let [mut english, french] = [pair.english, pair.french].map(|text| {
        let text = tokens(text).join(" ").replace('\'', " ");
        let words = text.split(' ').map(str::to_string);
        let said = words.filter(|w| mood.split(' ').all(|m| m != w));
        said.collect::<Vec<String>>()
    });
    english.sort();
    [english, french]
}

#[test]
fn the_red_car_is_held_out() {
    let pairs = pairs();
    let car = pairs.iter().find(|p| p.english == "The red car is new.");
    let car = car.expect("the page asks for it");
    assert_eq!(car.french, "La voiture rouge est neuve.");
    assert!(car.held_out);
}

#[test]
fn tokens_are_those_of_the_book() {
    let tokens = tokens("Girls, are you tired?");
    assert_eq!(tokens, ["girls", ",", "are", "you", "tired", "?"]);
}
