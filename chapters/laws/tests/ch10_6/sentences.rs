//! The sentences are as they are said to be.

use ch10_6::task::sentences::*;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::collections::HashSet;

fn drawn(seed: u64, count: usize, split: Split) -> Vec<Sentence> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..count).map(|_| Sentence::draw(&mut rng, split)).collect()
}

#[test]
fn the_vocabulary_has_each_word_once() {
    let words = vocabulary();
    assert_eq!(words.len(), VOCABULARY);
    let set: HashSet<_> = words.iter().collect();
    assert_eq!(set.len(), VOCABULARY);
    assert_eq!(id(""), 0);
    assert_eq!(words[id("street")], "street");
    assert_eq!(ANIMALS.len() + LOCATIONS.len(), 20);
    assert_eq!(WEAK.len() + WIDE.len() + FAST.len(), 22);
}

#[test]
fn a_fact_has_four_orders_of_words() {
    let fact = Fact {
        agent: "animal",
        patient: "street",
        verb: CROSS[0],
        why: "wide",
        of_agent: false,
    };
    let words = |passive, reason_first, opening| {
        let style = Style { passive, reason_first, opening };
        Sentence::new(&fact, &style).words.join(" ")
    };
    let plain = "the animal did not cross the street because it was too wide";
    assert_eq!(words(false, false, ""), plain);
    assert_eq!(
        words(true, false, "today"),
        "today the street was not crossed by the animal because it was too wide"
    );
    assert_eq!(
        words(false, true, ""),
        "because it was too wide the animal did not cross the street"
    );
    assert_eq!(
        words(true, true, "yesterday"),
        "yesterday because it was too wide the street was not crossed by the animal"
    );
}

#[test]
fn sentences_are_well_formed_and_balanced() {
    for split in [Split::Train, Split::Validation, Split::Test] {
        let all = drawn(1, 2000, split);
        let mut first = 0;
        for s in &all {
            assert!(s.words.len() <= LENGTH, "{:?}", s.words);
            assert!(s.words.iter().all(|w| id(w) > 0), "{:?}", s.words);
            assert_eq!(s.words[s.position(s.meant)], s.meant);
            assert_ne!(s.meant, s.other);
            assert_eq!(s.words[s.position("it") + 3], s.words[s.adjective()]);
            first += usize::from(s.position(s.meant) < s.position(s.other));
        }
        // "it" is the first noun about as often as the second.
        assert!((850..1150).contains(&first), "{split:?} {first}");
        let is_first = |s: &&Sentence| {
            LOCATIONS.contains(&s.meant) && s.position(s.meant) < s.position(s.other)
        };
        assert!(all.iter().filter(is_first).count() > 100);
    }
}

/// A noun and an adjective of another split's pairs never meet in training.
#[test]
fn held_out_pairs_are_in_no_sentence_of_the_training() {
    let pair = |s: &Sentence, noun| (noun, s.words[s.adjective()]);
    let mut trained = HashSet::new();
    for s in drawn(2, 20_000, Split::Train) {
        trained.insert(pair(&s, s.meant));
        trained.insert(pair(&s, s.other));
    }
    let pairs = |split| -> HashSet<_> {
        drawn(3, 3000, split).iter().map(|s| pair(s, s.meant)).collect()
    };
    let (validation, test) = (pairs(Split::Validation), pairs(Split::Test));
    assert!(test.is_disjoint(&trained) && validation.is_disjoint(&trained));
    assert!(test.is_disjoint(&validation));
    assert_eq!(test.len(), 44, "a fifth of 10 * (8 + 8 + 6)");
    assert_eq!(validation.len(), 44);
    // But every word of the test is in the training.
    let all = drawn(2, 20_000, Split::Train);
    let known: HashSet<_> = all.iter().flat_map(|s| s.words.clone()).collect();
    let mut test = drawn(3, 2000, Split::Test).into_iter();
    assert!(test.all(|s| s.words.iter().all(|word| known.contains(word))));
}
