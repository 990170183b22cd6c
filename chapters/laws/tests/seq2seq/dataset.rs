//! The corpus and its parts, batches, and the evaluation of a model.

use ch10_2::parameters::{NamedParameters, Parameters};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1};
use rand::{SeedableRng, rngs::StdRng};
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::text::Pair;
use seq2seq::train::{BATCH, PART, STEPS, Seq2SeqModel, WORKERS};
use seq2seq::vocab::{BOS, Batch, UNK, Vocabularies};
use std::collections::BTreeSet;

#[test]
fn the_corpus_is_what_the_page_says() {
    let data = Dataset::book();
    let sizes = [&data.train, &data.validation, &data.held_out].map(Vec::len);
    assert_eq!(sizes, [2528, 156, 287]);
    assert_eq!(data.vocabularies.sizes(), (187, 344));
    assert_eq!(data.vocabularies, Vocabularies::new(&data.train));
    let all = || data.train.iter().chain(&data.validation).chain(&data.held_out);
    assert!(
        all().all(|pair| pair.source.len() < STEPS && pair.target.len() < STEPS + 1)
    );
    let sources = |pairs: &[Pair]| -> BTreeSet<Vec<String>> {
        pairs.iter().map(|pair| pair.source.clone()).collect()
    };
    let [train, validation, held_out] =
        [&data.train, &data.validation, &data.held_out].map(|pairs| sources(pairs));
    assert!(train.is_disjoint(&validation) && train.is_disjoint(&held_out));
    assert!(validation.is_disjoint(&held_out));
    let vocab = &data.vocabularies.source;
    let unknown = |word: &String| vocab.number(word) == UNK;
    assert!(!data.held_out.iter().any(|pair| pair.source.iter().any(unknown)));
    let shown = Pair::new("The red car is new.", "");
    assert!(held_out.contains(&shown.source));
}

/// The pairs of the batches, in their order.
fn sources(batches: &[Vec<Batch<PART, STEPS>>]) -> Vec<([usize; STEPS], usize)> {
    let rows = batches.iter().flatten().flat_map(|part| {
        part.source.into_iter().zip(part.source_lens).filter(|&(_, len)| len > 0)
    });
    rows.collect()
}

#[test]
fn an_epoch_has_each_pair_once_in_an_order_drawn_anew() {
    let data = Dataset::book();
    let mut rng = StdRng::seed_from_u64(1);
    let mut epoch = || data.shuffled_batches(&mut rng).expect("has pairs");
    let (first, second) = (epoch(), epoch());
    assert_eq!(first.len(), data.train.len().div_ceil(BATCH));
    assert!(first.iter().all(|parts| parts.len() == WORKERS));
    let (mut first, mut second) = (sources(&first), sources(&second));
    let encode = |pair: &Pair| data.vocabularies.source.encode::<STEPS>(&pair.source);
    let mut all: Vec<_> = data.train.iter().map(encode).collect();
    assert_ne!(first, all);
    assert_ne!(first, second);
    let moved = first.iter().zip(&second).filter(|(a, b)| a != b).count();
    assert!(moved > all.len() * 9 / 10, "{moved} of {} moved", all.len());
    first.sort();
    second.sort();
    all.sort();
    assert_eq!(first, all);
    assert_eq!(second, all);
    let none = Dataset::without_split(vec![]).shuffled_batches::<STEPS>(&mut rng);
    assert_eq!(none.expect_err("no pair").to_string(), "no pair to train with");
}

#[test]
fn translations_of_a_sentence_are_held_out_together() {
    let pairs: Vec<Pair> = (0..60)
        .map(|n| Pair::new(&format!("a {}", n % 20), &format!("b {n}")))
        .collect();
    let drawn = |seed| {
        let mut rng = StdRng::seed_from_u64(seed);
        Dataset::hold_out(pairs.clone(), 3, &mut rng).expect("enough sentences")
    };
    let Dataset { train, validation, held_out, vocabularies } = drawn(1);
    let parts = [&train, &validation, &held_out];
    assert_eq!(parts.map(Vec::len), [42, 9, 9]);
    let source = |part: &Vec<Pair>| -> BTreeSet<Vec<String>> {
        part.iter().map(|pair| pair.source.clone()).collect()
    };
    assert_eq!(parts.map(|part| source(part).len()), [14, 3, 3]);
    let all: Vec<&Pair> = parts.into_iter().flatten().collect();
    assert!(pairs.iter().all(|pair| all.contains(&pair)));
    assert_eq!(vocabularies, Vocabularies::new(&train));
    assert_eq!(drawn(1).held_out, held_out);
    assert_ne!(drawn(2).held_out, held_out);
    let mut rng = StdRng::seed_from_u64(1);
    let why = Dataset::hold_out(pairs.clone(), 10, &mut rng).expect_err("too many");
    assert_eq!(why.to_string(), "of 20 sentences at most 9 can be held out");
}

#[test]
fn near_is_what_differs_in_one_token() {
    let pairs = |sources: &[&str]| -> Vec<Pair> {
        sources.iter().map(|source| Pair::new(source, "x")).collect()
    };
    let dataset = Dataset::without_split(pairs(&["a b c", "d e"]));
    let all = pairs(&["a b d", "d", "d f", "b a c", "d e e", "a b c"]);
    let [near, far] = dataset.near_and_far(&all);
    assert_eq!(near, pairs(&["a b d", "d f"]));
    assert_eq!(far, pairs(&["d", "b a c", "d e e", "a b c"]));
    let book = Dataset::book();
    let [near, far] = book.near_and_far(&book.held_out);
    assert_eq!((near.len(), far.len()), (136, 151));
    let [near, far] = book.near_and_far(&book.validation);
    assert_eq!((near.len(), far.len()), (85, 71));
}

/// The interlude trains with these, and so do two rows of a table of 10.4.
#[test]
fn the_first_pairs_leave_the_sentences_of_their_words() {
    let pairs =
        ["a b", "c", "a", "c b", "b d", "a b a"].map(|text| Pair::new(text, text));
    let [a, b, c, d, e, f] = pairs;
    let data = Dataset::without_split(vec![a.clone(), b.clone(), c, d]);
    let data =
        Dataset { validation: vec![e.clone()], held_out: vec![f.clone(), e], ..data };
    let first = data.first(2);
    assert_eq!(first.train, [a, b]);
    assert_eq!((first.validation.len(), first.held_out), (0, vec![f]));
    assert_eq!(first.vocabularies, data.vocabularies);
    // A word may be known on one side only.
    let other = Dataset { held_out: vec![Pair::new("a", "d")], ..data };
    assert!(other.first(2).held_out.is_empty());
    let book = Dataset::book().first(128);
    assert_eq!((book.train.len(), book.held_out.len()), (128, 114));
}

/// Writes the sentence that it reads.
pub struct Echo;

impl Parameters for Echo {
    fn parameters(&mut self) -> NamedParameters<'_> {
        vec![]
    }
}

impl Seq2SeqModel for Echo {
    fn loss<const B: usize, const S: usize, T: Tape<f32, Dev>>(
        &self,
        _: &Batch<B, S>,
        tape: T,
    ) -> Tensor1<B, T> {
        Dev::default().zeros().put_tape(tape)
    }

    fn decode<const S: usize>(&self, (source, len): ([usize; S], usize)) -> Vec<usize> {
        source[..len - 1].to_vec()
    }
}

#[test]
fn a_sentence_is_judged_once_by_its_nearest_translation() {
    let pairs = [
        Pair::new("a b", "a b"),
        Pair::new("a b", "b a"),
        Pair::new("a", "b"),
        Pair::new("b b", "b b"),
    ];
    let vocabularies = Vocabularies::new(&pairs);
    // The same numbers in both languages.
    let vocabularies =
        Vocabularies { source: vocabularies.target.clone(), ..vocabularies };
    let dataset = Dataset { vocabularies, ..Dataset::without_split(pairs.to_vec()) };
    let Evaluation { sentences, mean_bleu, exact, wrong, copied, .. } =
        Evaluation::new(&Echo, &dataset, &pairs);
    assert_eq!(sentences, 3);
    assert!((mean_bleu - 2.0 / 3.0).abs() < 1e-12, "{mean_bleu}");
    assert!((exact - 2.0 / 3.0).abs() < 1e-12);
    // "a" is no right translation of "a", nor a French sentence of the training.
    assert_eq!((wrong, copied), (1, 0));
    let swapped = [Pair::new("b b", "a"), Pair::new("a", "b")];
    let Evaluation { wrong, copied, .. } = Evaluation::new(&Echo, &dataset, &swapped);
    assert_eq!((wrong, copied), (2, 1));
    let long = [Pair::new("a b a b", "a b a b"), Pair::new("b b a a", "b b a a")];
    let evaluation = Evaluation::new(&Echo, &dataset, &long);
    assert_eq!(evaluation.corpus_bleu, 1.0);
    let Evaluation { sentences, mean_bleu, corpus_bleu, exact, wrong, copied } =
        Evaluation::new(&Echo, &dataset, &[]);
    assert_eq!((sentences, wrong, copied), (0, 0, 0));
    assert_eq!((mean_bleu, corpus_bleu, exact), (0.0, 0.0, 0.0));
}

#[test]
fn greedy_decoding_takes_the_most_probable_until_the_end() {
    use seq2seq::greedy::{argmax, greedy};
    let mut read = Vec::new();
    let written = greedy(9, |token| {
        read.push(token);
        let next = [4, 5, 3][read.len() - 1];
        (0..6).map(|i| f32::from(i == next)).collect()
    });
    assert_eq!((written, read), (vec![4, 5], vec![BOS, 4, 5]));
    assert_eq!(greedy(2, |_| vec![0.0, 1.0, 2.0, -1.0, 3.0]), [4, 4]);
    assert_eq!(greedy(9, |_| vec![0.0, 0.0, 0.0, 1.0]), [0; 0]);
    assert_eq!(argmax(&[0.5, -1.0, 2.0, 1.0]), 2);
    assert_eq!(argmax(&[0.5, 2.0, -1.0, 2.0]), 1);
    assert_eq!(argmax(&[]), 0);
}
