//! A Rust file, as far as the tests read it: its anchors, and how deep inside
//! brackets each line begins.

use super::repo::Findings;

/// A named stretch of a file: `// ANCHOR: name` to `// ANCHOR_END: name`.
#[derive(Debug, PartialEq)]
pub struct Anchor {
    /// Its name, unique in the file.
    pub name: String,
    /// The number of the line that opens it.
    pub line: usize,
}

/// The anchors of a file in order. Notes every anchor that is not well made,
/// and every line that is outside of all of them.
pub fn anchors(file: &str, text: &str, faults: &mut Findings) -> Vec<Anchor> {
    let depths = depths(text);
    let mut found: Vec<Anchor> = Vec::new();
    let mut open: Option<&str> = None;
    let mut last = "";
    for (n, line) in text.lines().enumerate() {
        let mut fault = |what: String| faults.add(file, n + 1, what);
        let bare = line.trim_start();
        let start = bare.strip_prefix("// ANCHOR: ").map(str::trim_end);
        let end = bare.strip_prefix("// ANCHOR_END: ").map(str::trim_end);
        if start.is_none() && end.is_none() {
            if line.contains("ANCHOR:") || line.contains("ANCHOR_END:") {
                fault("an anchor is written `// ANCHOR: name`".into());
            } else if open.is_none() && !bare.is_empty() {
                fault("this line is in no anchor, so on no page".into());
            } else if last.is_empty() && line.starts_with([' ', '\t', '}']) {
                fault("an anchor begins inside an item".into());
            }
            last = if bare.is_empty() { last } else { line };
            continue;
        }
        if line != bare {
            fault("an anchor stands at column 0".into());
        }
        if depths[n] != Some(0) {
            fault("an anchor stands between top-level items".into());
        }
        match (start, end, open) {
            (Some(name), _, None) => {
                if found.iter().any(|anchor| anchor.name == name) {
                    fault(format!("a second anchor `{name}`"));
                }
                if name.is_empty() || !name.chars().all(is_name) {
                    fault(format!("`{name}` is no name for an anchor"));
                }
                found.push(Anchor { name: name.into(), line: n + 1 });
                open = Some(name);
                last = "";
            }
            (Some(name), _, Some(other)) => {
                fault(format!("anchor `{name}` inside of `{other}`"));
            }
            (None, Some(name), Some(other)) => {
                if name != other {
                    fault(format!("`{name}` closes, but `{other}` is open"));
                }
                if last.is_empty() {
                    fault(format!("anchor `{name}` is empty"));
                } else if !last.ends_with(['}', ';']) && !last.starts_with("//!") {
                    fault(format!("anchor `{name}` ends inside an item"));
                }
                open = None;
            }
            (_, Some(name), None) => {
                fault(format!("`{name}` closes, but no anchor is open"));
            }
            (None, None, _) => unreachable!("handled above"),
        }
    }
    if let (Some(name), Some(anchor)) = (open, found.last()) {
        faults.add(file, anchor.line, format!("anchor `{name}` never closes"));
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// How many brackets are open where each line begins; none inside a string
/// or a comment.
pub fn depths(text: &str) -> Vec<Option<usize>> {
    let mut starts = Vec::new();
    let mut depth = 0usize;
    for (code, line) in code_only(text).lines().zip(text.lines()) {
        let inside = !line.is_empty() && code.starts_with(HIDDEN);
        let comment = line.starts_with("//");
        starts.push((!inside || comment).then_some(depth));
        for c in code.chars() {
            match c {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    starts
}

/// Takes the place of a character of a string or a comment.
const HIDDEN: char = '\u{1}';

/// The text with every character of a string, a character literal or a
/// comment replaced; line ends stay.
pub fn code_only(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < chars.len() {
        let end = match literal(&chars, i) {
            Some(end) => end,
            None => {
                out.push(chars[i]);
                i += 1;
                continue;
            }
        };
        let hide = |&c: &char| if c == '\n' { c } else { HIDDEN };
        out.extend(chars[i..end].iter().map(hide));
        i = end;
    }
    out
}

/// Where the string, character literal or comment that begins at `i` ends.
fn literal(chars: &[char], i: usize) -> Option<usize> {
    let find = |from: usize, what: &str| {
        let what: Vec<char> = what.chars().collect();
        let rest = chars.get(from..).unwrap_or_default();
        let at = rest.windows(what.len()).position(|w| w == what);
        at.map_or(chars.len(), |at| from + at + what.len())
    };
    let next = chars.get(i + 1).copied();
    let glued = i > 0 && (is_name(chars[i - 1]));
    match chars[i] {
        '/' if next == Some('/') => {
            let rest = chars[i..].iter().position(|&c| c == '\n');
            Some(rest.map_or(chars.len(), |rest| i + rest))
        }
        '/' if next == Some('*') => Some(find(i + 2, "*/")),
        'r' if !glued && matches!(next, Some('"' | '#')) => {
            let hashes = chars[i + 1..].iter().take_while(|&&c| c == '#');
            let hashes = hashes.count();
            let quote = chars.get(i + 1 + hashes) == Some(&'"');
            let end = format!("\"{}", "#".repeat(hashes));
            quote.then(|| find(i + 2 + hashes, &end))
        }
        '"' => Some(quoted(chars, i, '"')),
        '\'' if next == Some('\\') || chars.get(i + 2) == Some(&'\'') => {
            Some(quoted(chars, i, '\''))
        }
        _ => None,
    }
}

fn quoted(chars: &[char], start: usize, quote: char) -> usize {
    let mut i = start + 1;
    while i < chars.len() && chars[i] != quote {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    (i + 1).min(chars.len())
}

/// Each function with a body: the line of its `fn`, and how many lines stand
/// between its braces.
pub fn functions(text: &str) -> Vec<(usize, usize)> {
    let code = code_only(text);
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(is_name) {
            continue;
        }
        let mut depth = 0usize;
        let mut outside = |c: char| {
            depth += usize::from("([{".contains(c));
            depth = depth.saturating_sub(usize::from(")]}".contains(c)));
            depth == 0
        };
        let mut rest = code[at..].char_indices().map(|(i, c)| (at + i, c));
        let Some((open, _)) = rest.find(|&(_, c)| outside(c) && c == ';' || c == '{')
        else {
            continue;
        };
        if !code[open..].starts_with('{') {
            continue;
        }
        let close = rest.find(|&(_, c)| outside(c));
        let close = close.map_or(code.len(), |(close, _)| close);
        let line = code[..at].matches('\n').count() + 1;
        let body = code[open..close].matches('\n').count();
        found.push((line, body.saturating_sub(1)));
    }
    found
}
