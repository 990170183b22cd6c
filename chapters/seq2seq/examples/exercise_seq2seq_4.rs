//! Exercise 4 of the interlude: pieces with the mark at the end of a word.

use seq2seq::dataset::Dataset;
use seq2seq::pieces::{MERGES, Pieces};
use std::collections::BTreeSet;
use support::row;

fn backwards(word: &str) -> String {
    word.chars().rev().collect()
}

/// The pieces of a word by merges that were learned from words read backwards.
fn from_the_end(pieces: &Pieces, word: &str) -> Vec<String> {
    let cut = pieces.split(&backwards(word));
    cut.iter().rev().map(|piece| backwards(piece)).collect()
}

fn main() {
    let train = Dataset::book().train;
    let sentences: Vec<_> = train.into_iter().map(|pair| pair.source).collect();
    let mirror = |words: &Vec<String>| words.iter().map(|w| backwards(w)).collect();
    let mirrored: Vec<Vec<String>> = sentences.iter().map(mirror).collect();
    let start = Pieces::learn(&sentences, MERGES);
    let end = Pieces::learn(&mirrored, MERGES);
    let cut = |word: &str| [start.split(word), from_the_end(&end, word)];

    let words: BTreeSet<String> = sentences.into_iter().flatten().collect();
    let with_s = words.iter().map(|word| (word, format!("{word}s")));
    // "is" is no form of "i".
    let is_form =
        |(word, longer): &(&String, String)| word.len() > 1 && words.contains(longer);
    let both: Vec<_> = with_s.filter(is_form).collect();
    let (mut endings, mut stems) = ([0; 2], [0; 2]);
    for (word, longer) in &both {
        let pieces = cut(word).into_iter().zip(cut(longer));
        for (side, (short, long)) in pieces.enumerate() {
            let last = long.last().expect("has pieces").replace('▁', "");
            endings[side] += usize::from(last == "s");
            stems[side] += usize::from(long.starts_with(&short));
        }
    }
    for word in ["hotel", "king", "park", "table"] {
        let [[start, end], [starts, ends]] =
            [cut(word), cut(&format!("{word}s"))].map(|cut| cut.map(|c| c.join(" ")));
        println!("{:16} {:16} {end:16} {ends}", start, starts);
    }
    println!("\n{} words have a form with s", both.len());
    row("mark at the", 26, &["start", "end"]);
    row("the s is a piece", 26, &endings);
    row("the pieces before it too", 26, &stems);
    assert!(endings[0] > endings[1] && stems[0] > 20 && stems[1] == 0);
}
