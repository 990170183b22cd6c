//! What the book promises of its sentences, `data/pairs.tsv`.

use seq2seq::corpus::{CorpusPair, PAIRS, Split, pairs};
use seq2seq::text::tokens;
use std::collections::{BTreeMap, BTreeSet};

type Count = BTreeMap<String, usize>;

fn count(text: impl Iterator<Item = &'static str>) -> Count {
    let mut count = Count::new();
    // A word is once in a sentence, however often that says it.
    let words = text.flat_map(|text| BTreeSet::from_iter(tokens(text)));
    words.for_each(|word| *count.entry(word).or_default() += 1);
    count
}

#[test]
fn every_line_is_a_pair_and_no_english_sentence_comes_twice() {
    let mut english = BTreeSet::new();
    for line in PAIRS.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        assert_eq!(columns.len(), 3, "{line}");
        assert!(columns.iter().all(|c| !c.is_empty() && c.trim() == *c), "{line}");
        assert!(["train", "validation", "test"].contains(&columns[2]), "{line}");
        assert!(english.insert(tokens(columns[0])), "{line}");
    }
}

#[test]
fn every_word_is_in_ten_training_sentences_or_more() {
    let (trained, others): (Vec<_>, Vec<_>) =
        pairs().partition(|pair| pair.split == Split::Train);
    let sides: [fn(&CorpusPair) -> &'static str; 2] = [|p| p.english, |p| p.french];
    for side in sides {
        let known = count(trained.iter().map(side));
        let rare: Vec<_> = known.iter().filter(|(_, n)| **n < 10).collect();
        assert!(rare.is_empty(), "{rare:?}");
        for word in count(others.iter().map(side)).keys() {
            assert!(known.contains_key(word), "{word}");
        }
    }
}

/// "Is he sad?" and "He is not sad." say nothing new to a reader of "He is
/// sad.": a sentence, its negation and its question are in the same split.
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
fn content(pair: &CorpusPair) -> [Vec<String>; 2] {
    let mood = "not do does est-ce que qu n ne pas un une des de d . ? !";
    let [mut english, french] = [pair.english, pair.french].map(|text| {
        let text = tokens(text).join(" ").replace('\'', " ");
        let words = text.split(' ').map(str::to_string);
        let said = words.filter(|word| mood.split(' ').all(|m| m != word));
        said.collect::<Vec<String>>()
    });
    english.sort();
    [english, french]
}

#[test]
fn the_red_car_is_held_out() {
    let car = pairs().find(|pair| pair.english == "The red car is new.");
    let car = car.expect("the page asks for it");
    assert_eq!(
        (car.french, car.split),
        ("La voiture rouge est neuve.", Split::HeldOut)
    );
}
