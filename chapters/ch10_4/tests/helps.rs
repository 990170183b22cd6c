//! A training of seconds in which attention helps: words are translated one by
//! one, and their order is turned around.

use ch10_1::Dev;
use ch10_4::Attention;
use rand::{Rng, SeedableRng, rngs::StdRng};
use seq2seq::context::{Context, LastState};
use seq2seq::course::{BOOK, Course, Schedule};
use seq2seq::text::Pair;
use seq2seq::translator::Translator;
use seq2seq::vocab::Languages;

/// A sentence of 3 to 8 of twelve words, and its translation, backwards.
fn pair(random: &mut StdRng) -> Pair {
    let len = random.gen_range(3u32..=8);
    let words: Vec<u32> = (0..len).map(|_| random.gen_range(0..12)).collect();
    let source = words.iter().map(|word| format!("e{word}"));
    let target = words.iter().rev().map(|word| format!("f{word}"));
    Pair { source: source.collect(), target: target.collect() }
}

fn course() -> Course {
    let mut random = StdRng::seed_from_u64(5);
    let mut pairs = |count| (0..count).map(|_| pair(&mut random)).collect();
    let (training, asked): (Vec<Pair>, Vec<Pair>) = (pairs(640), pairs(64));
    let languages = Languages::of(&training);
    Course { training, asked, languages }
}

/// The BLEU of new sentences after a short training.
fn score<C: Context<32> + Send>(course: &Course, context: impl Fn(&Dev) -> C) -> f64 {
    let how = Schedule { epochs: 16, ..BOOK.schedule };
    let model = |dev: &Dev| -> Translator<32, 32, C> {
        course.translator(dev, &BOOK, context(dev))
    };
    let learnt = course.learn("test", &how, 0, model);
    course.score(&learnt.expect("learns").0, 2)
}

#[test]
fn attention_helps_on_sentences_that_are_new() {
    let course = course();
    let with = score(&course, |dev| Attention::new(dev, 0.0));
    let without = score(&course, |_| LastState);
    assert!(with > without + 0.2, "with {with:.3}, without {without:.3}");
}
