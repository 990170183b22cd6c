//! How Chinese is written on the pages: punctuation, spaces, one line a paragraph.

use crate::compare::{Block, CODE};
use crate::words::is_han;

/// Punctuation as wide as a character.
const WIDE: &str = "，。：；？！（）、《》";

/// What is wrong with the text of a block, and where in the page.
pub fn faults(block: &Block) -> Vec<(usize, String)> {
    let faults = block.faults.iter().map(|(at, text)| (*at, text.to_string()));
    let mut faults: Vec<(usize, String)> = faults.collect();
    let text = &block.text;
    if !text.iter().any(|(_, c)| is_han(*c)) {
        let at = text.first().map(|(at, _)| *at).filter(|_| is_english(block));
        faults.extend(at.map(|at| (at, "is left in English".to_string())));
        return faults;
    }
    let get = |at: usize| text.get(at).map_or('\0', |(_, c)| *c);
    for at in 0..text.len() {
        // What is around it, and a space apart.
        let [before, c, next, after] =
            [at.wrapping_sub(1), at, at + 1, at + 2].map(get);
        let after = if next == ' ' { after } else { next };
        let is_wide = |c: char| is_han(c) || WIDE.contains(c);
        let half = match c {
            ',' | ';' | ':' | '?' | '!' => {
                is_wide(before)
                    || before == CODE && !after.is_ascii_lowercase()
                    || is_han(after)
            }
            '.' => is_han(before) || before == CODE || is_han(next) || next == '\0',
            '(' | ')' => is_han(before) || is_han(next),
            _ => false,
        };
        let fault = match c {
            _ if half => "half-width punctuation between Chinese characters",
            '\n' => "a paragraph is one line",
            '*' if next == '*' => {
                "this ** marks nothing: after punctuation it needs a space or \
                 punctuation behind it"
            }
            ' ' if WIDE.contains([before, next])
                || is_han(before) && next == '“'
                || before == '”' && is_han(next) =>
            {
                "no space beside full-width punctuation"
            }
            c if is_han(c) && is_latin(next) || is_latin(c) && is_han(next) => {
                "a space between Chinese and letters, digits, code, formulas"
            }
            _ => continue,
        };
        let around = text[at.saturating_sub(5)..text.len().min(at + 6)].iter();
        let around = around.map(|(_, c)| if *c == CODE { '…' } else { *c });
        let around = around.collect::<String>().replace(['\n', '\r'], " ");
        faults.push((text[at].0, format!("{fault}: {around}")));
    }
    faults
}

fn is_latin(c: char) -> bool {
    c == CODE || c == '%' || c.is_alphanumeric() && !is_han(c)
}

/// Whether it has words of English, not only names.
fn is_english(block: &Block) -> bool {
    let text: String = block.text.iter().map(|(_, c)| c).collect();
    let outside = text.split('“').map(|part| part.rsplit('”').next().unwrap_or(part));
    let outside: Vec<&str> = outside.collect();
    let outside = outside.join(" ");
    let words = outside.split(|c: char| !c.is_ascii_alphabetic());
    let words: Vec<&str> = words.filter(|word| word.len() > 1).collect();
    let small = words.iter().filter(|word| word.starts_with(char::is_lowercase));
    let is_heading = block.kind.starts_with("heading");
    match is_heading {
        true => small.count() > 0 && words.len() > 1,
        false => small.count() > 2,
    }
}
