//! The sentences of section 10.6 are as they are said to be, and a reader
//! with positions finds what "it" means in those that it was not trained on.

use ch10_1::Dev;
use ch10_6::it::{Batch, HEADS, Reader, mask, right, train};
use ch10_6::sentences::{
    ANIMALS, CROSS, FAST, Fact, PLACES, Sentence, Style, VOCABULARY, WEAK, WIDE, WORDS,
    number, vocabulary,
};
use dfdx::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::collections::HashSet;

fn drawn(seed: u64, count: usize, test: bool) -> Vec<Sentence> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..count).map(|_| Sentence::draw(&mut rng, test)).collect()
}

#[test]
fn the_vocabulary_has_each_word_once() {
    let words = vocabulary();
    assert_eq!(words.len(), VOCABULARY);
    let set: HashSet<_> = words.iter().collect();
    assert_eq!(set.len(), VOCABULARY);
    assert_eq!(number(""), 0);
    assert_eq!(words[number("street")], "street");
    assert_eq!(ANIMALS.len() + PLACES.len(), 20);
    assert_eq!(WEAK.len() + WIDE.len() + FAST.len(), 22);
}

#[test]
fn facts_are_told_in_four_orders() {
    let fact = Fact {
        agent: "animal",
        patient: "street",
        verb: CROSS[0],
        why: "wide",
        of_agent: false,
    };
    let told = |passive, reason_first, opening| {
        let style = Style { passive, reason_first, opening };
        Sentence::new(&fact, &style).words.join(" ")
    };
    let plain = "the animal did not cross the street because it was too wide";
    assert_eq!(told(false, false, ""), plain);
    assert_eq!(
        told(true, false, "today"),
        "today the street was not crossed by the animal because it was too \
         wide"
    );
    assert_eq!(
        told(false, true, ""),
        "because it was too wide the animal did not cross the street"
    );
    assert_eq!(
        told(true, true, "yesterday"),
        "yesterday because it was too wide the street was not crossed by the \
         animal"
    );
}

#[test]
fn sentences_are_well_formed_and_balanced() {
    for test in [false, true] {
        let all = drawn(1, 2000, test);
        let mut first = 0;
        for s in &all {
            assert!(s.words.len() <= WORDS, "{:?}", s.words);
            assert!(s.words.iter().all(|w| number(w) > 0), "{:?}", s.words);
            assert_eq!(s.words[s.place(s.meant)], s.meant);
            assert_ne!(s.meant, s.other);
            assert_eq!(s.words[s.place("it") + 3], s.words[s.why()]);
            first += usize::from(s.place(s.meant) < s.place(s.other));
        }
        // "it" is the first noun as often as the second.
        assert!((900..1100).contains(&first), "{first}");
        // Both kinds of nouns stand in both places.
        let is_first = |s: &&Sentence| {
            PLACES.contains(&s.meant) && s.place(s.meant) < s.place(s.other)
        };
        assert!(all.iter().filter(is_first).count() > 100);
    }
}

/// A noun and an adjective of the test's pairs never meet in training.
#[test]
fn pairs_of_the_test_are_in_no_sentence_of_the_training() {
    let pair = |s: &Sentence, noun| (noun, s.words[s.why()]);
    let mut trained = HashSet::new();
    for s in drawn(2, 20_000, false) {
        trained.insert(pair(&s, s.meant));
        trained.insert(pair(&s, s.other));
    }
    let tested: HashSet<_> =
        drawn(3, 2000, true).iter().map(|s| pair(s, s.meant)).collect();
    assert!(tested.is_disjoint(&trained));
    assert_eq!(tested.len(), 44, "a fifth of 10 * (8 + 8 + 6)");
    // But every word of the test is in the training.
    let known: HashSet<_> =
        drawn(2, 20_000, false).iter().flat_map(|s| s.words.clone()).collect();
    assert!(
        drawn(3, 2000, true)
            .iter()
            .all(|s| { s.words.iter().all(|word| known.contains(word)) })
    );
}

#[test]
fn weights_are_masked_and_sum_to_one() {
    let mut row = [0.5, 0.3, 0.2];
    mask(&mut row, &[1]);
    assert_eq!(row[1], 0.0);
    assert!((row[0] - 0.5 / 0.7).abs() < 1e-6);
    let mut row = [0.0, 1.0];
    mask(&mut row, &[1]);
    assert_eq!(row, [0.0, 0.0]);
}

#[test]
fn weights_that_are_left_alone_change_nothing() {
    let dev = Dev::seed_from_u64(4);
    let reader = Reader::new(&dev, true);
    let batch: Batch<16> = Batch::new(&dev, drawn(4, 16, true));
    let read = reader.forward(&batch, NoneTape);
    let mut seen = 0;
    let same = reader.reweighed(&batch, |sentence, row| {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(row[sentence.words.len()..].iter().all(|&w| w == 0.0));
        seen += 1;
    });
    assert_eq!(seen, 16 * HEADS);
    for (a, b) in read.logits.as_vec().iter().zip(same.as_vec()) {
        assert!((a - b).abs() < 1e-5);
    }
}

/// What stands after the end of a sentence has no part in the answer.
#[test]
fn padding_has_no_part() {
    let dev = Dev::seed_from_u64(5);
    let reader = Reader::new(&dev, true);
    let batch: Batch<16> = Batch::new(&dev, drawn(5, 16, false));
    let plain = reader.forward(&batch, NoneTape).logits.as_vec();
    let mut other: Batch<16> = Batch::new(&dev, drawn(5, 16, false));
    let mut words = other.words.array();
    for (row, len) in words.iter_mut().zip(other.lens) {
        row[len..].fill(7);
    }
    other.words = dev.tensor(words);
    assert_eq!(reader.forward(&other, NoneTape).logits.as_vec(), plain);
}

/// What the page says of its readers, here on another seed.
#[test]
fn a_reader_with_positions_finds_what_it_means() {
    let dev = Dev::seed_from_u64(1);
    let test: Batch<512> = Batch::new(&dev, drawn(6, 512, true));
    let mut rng = StdRng::seed_from_u64(2);
    let mut reader = Reader::new(&dev, true);
    let mut losses = Vec::new();
    train(&mut reader, &mut rng, 800, |loss| losses.push(loss)).expect("trains");
    assert_eq!(losses.len(), 800);
    let whole = right(&test, &reader.forward(&test, NoneTape).logits);
    assert!(whole >= 0.95, "{whole}");
    let without = |masked: &dyn Fn(&Sentence) -> usize| {
        let change = |s: &Sentence, row: &mut [f32]| mask(row, &[masked(s)]);
        right(&test, &reader.reweighed(&test, change))
    };
    // The noun matters most, the other one and "because" do not.
    assert!(without(&|s| s.place(s.meant)) < whole - 0.1);
    assert!(without(&|s| s.place(s.other)) > whole - 0.05);
    assert!(without(&|s| s.place("because")) > whole - 0.05);
}

/// Without positions the kind of noun is all there is to go by.
#[test]
fn without_positions_two_animals_are_a_guess() {
    let dev = Dev::seed_from_u64(1);
    let mut rng = StdRng::seed_from_u64(2);
    let mut reader = Reader::new(&dev, false);
    train(&mut reader, &mut rng, 300, |_| {}).expect("trains");
    let of = |animals: bool| {
        let mut all = drawn(7, 4000, true);
        let both =
            |s: &Sentence| ANIMALS.contains(&s.meant) && ANIMALS.contains(&s.other);
        all.retain(|s| both(s) == animals);
        all.truncate(512);
        let test: Batch<512> = Batch::new(&dev, all);
        right(&test, &reader.forward(&test, NoneTape).logits)
    };
    let (animals, places) = (of(true), of(false));
    assert!((0.35..0.65).contains(&animals), "{animals}");
    assert!(places > 0.9, "{places}");
}
