//! Pieces of the words of the corpus: the first merges, how many are enough,
//! and how words are cut.

use seq2seq::dataset::Dataset;
use seq2seq::pieces::{MERGES, PairPieces, Pieces};
use seq2seq::text::tokens;
use seq2seq::vocab::Vocab;
use std::collections::HashSet;
use support::{heading, printable, row};

/// Prints all of it, and the pieces of the English words `words`.
pub fn pieces(words: &[String]) {
    let train = Dataset::book().train;
    let pieces = PairPieces::learn(&train, MERGES);
    heading("The first merges");
    row("", 6, &["English", "French"]);
    for n in 0..10 {
        let of = |pieces: &Pieces| {
            let (left, right) = pieces.merges[n].pair;
            pieces.vocab.decode(&[left, right]).join(" ")
        };
        let cells = [&pieces.source, &pieces.target].map(of);
        row(&format!("{}", n + 1), 6, &cells);
    }
    heading("How many merges");
    row("merges", 14, &["pieces", "mean", "longest", "unused"]);
    for merges in [0, 100, 200, 300, usize::MAX] {
        let PairPieces { source, target } = PairPieces::learn(&train, merges);
        count("English", &source, train.iter().map(|pair| &pair.source));
        count("French", &target, train.iter().map(|pair| &pair.target));
    }
    heading("English words in pieces");
    for word in words.iter().flat_map(|word| tokens(word)) {
        let cut = pieces.source.split(&word).join(" ");
        println!("{:12} {}", printable(&word), printable(&cut));
    }
}

/// Prints how many pieces there are, how many of them a sentence has in the mean
/// and at most, and how many are in no word of the text once all merges are done.
fn count<'a>(
    language: &str,
    pieces: &Pieces,
    sentences: impl Iterator<Item = &'a Vec<String>>,
) {
    let cut: Vec<_> = sentences.map(|words| pieces.split_all(words)).collect();
    let used = HashSet::<&String>::from_iter(cut.iter().flatten()).len();
    let longest = cut.iter().map(Vec::len).max().unwrap_or(0);
    let mean = cut.iter().flatten().count() as f64 / cut.len() as f64;
    let size = pieces.vocab.size() - Vocab::new([], 1).size();
    let counts = [longest, size - used].map(|n| n.to_string());
    let cells = [&[size.to_string(), format!("{mean:.1}")], &counts[..]].concat();
    row(&format!("{language:7} {:6}", pieces.merges.len()), 14, &cells);
}
