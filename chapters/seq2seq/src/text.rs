// ANCHOR: header
//! Interlude, sentences as data: pairs of sentences as lists of tokens. Files
//! are read elsewhere; here a file is a slice of bytes.

use anyhow::{Context, Result, ensure};
// ANCHOR_END: header

// ANCHOR: pair
/// A sentence and its translation, as tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The sentence to translate.
    pub source: Vec<String>,
    /// Its translation.
    pub target: Vec<String>,
}

impl Pair {
    /// Two sentences, split into tokens.
    pub fn new(source: &str, target: &str) -> Self {
        Pair { source: tokens(source), target: tokens(target) }
    }
}
// ANCHOR_END: pair

// ANCHOR: tokens
/// Splits a sentence into tokens: in lower case, with a space before each of
/// `,`, `.`, `!` and `?`. French sets a narrow or a plain no-break space before
/// some of them; both count as spaces.
pub fn tokens(sentence: &str) -> Vec<String> {
    let mut spaced = String::new();
    for c in sentence.to_lowercase().chars() {
        match c {
            '\u{202f}' | '\u{a0}' => spaced.push(' '),
            ',' | '.' | '!' | '?' => {
                spaced.push(' ');
                spaced.push(c);
            }
            _ => spaced.push(c),
        }
    }
    let words = spaced.split(' ').filter(|word| !word.is_empty());
    words.map(String::from).collect()
}
// ANCHOR_END: tokens

// ANCHOR: read_pairs
/// Reads the first `limit` pairs of a file in the form of Tatoeba and Anki: one
/// pair a line, the two sentences in the first two columns, a tab between
/// columns. Blank lines and a byte-order mark are skipped.
///
/// # Errors
/// The bytes are not UTF-8, a line has no tab, or a side has no token, with the
/// number of the line; or there is no pair at all.
pub fn read_pairs(file: &[u8], limit: usize) -> Result<Vec<Pair>> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(file.split(|&byte| byte == b'\n')) {
        if pairs.len() == limit {
            break;
        }
        let pair = read_line(line).with_context(|| format!("line {number}"))?;
        pairs.extend(pair);
    }
    ensure!(!pairs.is_empty(), "no pair of sentences in it");
    Ok(pairs)
}

fn read_line(line: &[u8]) -> Result<Option<Pair>> {
    let line = std::str::from_utf8(line).ok().context("not UTF-8")?;
    if line.trim().is_empty() {
        return Ok(None);
    }
    let mut columns = line.trim_end_matches('\r').split('\t');
    let source = columns.next().unwrap_or_default();
    let target = columns.next().context("no tab between two sentences")?;
    let pair = Pair::new(source, target);
    ensure!(!pair.source.is_empty(), "nothing before the tab");
    ensure!(!pair.target.is_empty(), "nothing after the tab");
    Ok(Some(pair))
}
// ANCHOR_END: read_pairs
