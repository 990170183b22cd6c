//! What of a reader's own sentences a model cannot learn: said before it trains.

use seq2seq::dataset::Dataset;
use seq2seq::text::Pair;
use seq2seq::train::STEPS;
use seq2seq::vocab::{UNK, Vocab};
use support::note;

/// Notes, a line each, what is lost of the sentences in `file`, and what helps.
pub(crate) fn warn(file: &str, dataset: &Dataset) {
    for problem in problems(dataset) {
        note(format_args!("{file}: {problem}"));
    }
}

fn problems(dataset: &Dataset) -> Vec<String> {
    let all = [&dataset.train, &dataset.validation, &dataset.held_out];
    let all: Vec<&Pair> = all.into_iter().flatten().collect();
    let Dataset { train, vocabularies, .. } = dataset;
    let mut problems = Vec::new();
    let most = STEPS - 1;
    let long = |pair: &&&Pair| pair.source.len().max(pair.target.len()) > most;
    let cut = all.iter().filter(long).count();
    if cut > 0 {
        problems.push(format!(
            "{cut} of {} pairs have a sentence of more than {most} tokens, which is cut \
             there: shorten it, or raise STEPS in chapters/seq2seq/src/train.rs",
            all.len()
        ));
    }
    for side in [|pair: &Pair| pair.source.clone(), |pair: &Pair| pair.target.clone()] {
        let sentences: Vec<Vec<String>> = all.iter().map(|pair| side(pair)).collect();
        let whole: Vec<_> = sentences.iter().filter(|one| is_unspaced(one)).collect();
        if 2 * whole.len() > sentences.len() {
            problems.push(format!(
                "{} of {} sentences such as `{}` are one token each: put a space \
                 between their words, or between all their characters",
                whole.len(),
                sentences.len(),
                support::printable(&whole[0].join(" "))
            ));
        }
    }
    let unknown = |words: &[String], vocab: &Vocab| {
        words.iter().all(|word| vocab.number(word) == UNK)
    };
    let sources =
        train.iter().filter(|pair| unknown(&pair.source, &vocabularies.source));
    let targets =
        train.iter().filter(|pair| unknown(&pair.target, &vocabularies.target));
    for (what, count) in
        [("sentences", sources.count()), ("translations", targets.count())]
    {
        if count > 0 {
            problems.push(format!(
                "{count} of {} {what} to train with are all <unk>, since none of their \
                 words occurs twice: add sentences that share words",
                train.len()
            ));
        }
    }
    problems
}

/// Whether a sentence is written without spaces: several characters of a script
/// that needs none in a single token, with or without a mark behind it.
fn is_unspaced(words: &[String]) -> bool {
    let unspaced = |c: &char| {
        // Thai to Burmese, and Khmer; kana; Han.
        matches!(c, '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
            || matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
            || matches!(c, '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
    };
    let letters = words.iter().flat_map(|word| word.chars()).filter(unspaced).count();
    let spaced = words.iter().filter(|word| word.chars().any(|c| unspaced(&c))).count();
    spaced == 1 && letters > 2
}
