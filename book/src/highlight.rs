//! Colours code as HTML when the book is built: pages need no script for it.

use crate::block::{Line, Shown};
use rustc_lexer::{DocStyle, FrontmatterAllowed, LiteralKind, TokenKind, tokenize};
use std::ops::Range;

/// A piece of text, with the class of its `<span>`.
type Piece = (Range<usize>, &'static str);

/// Formats a block of code as HTML. Each name stays whole, so that a search finds it.
pub fn html(language: &str, lines: &[Line]) -> String {
    let text: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let text = text.join("\n");
    let pieces = match language {
        "rust" => rust(&text),
        "diff" => by_line(&text, difference),
        "sh" => shell(&text),
        _ => Vec::new(),
    };
    let folded = lines.iter().any(|line| line.shown == Shown::Hidden);
    let fold = if folded { " hide-boring" } else { "" };
    let mut out = format!("<pre><code class=\"language-{language} hljs{fold}\">");
    let mut start = 0;
    let mut pieces = pieces.into_iter().peekable();
    for (at, line) in lines.iter().enumerate() {
        let end = start + line.text.len();
        let newline = if at + 1 < lines.len() { "\n" } else { "" };
        let body = coloured(&text, start..end, &mut pieces);
        match line.shown {
            Shown::Plain => out.push_str(&format!("{body}{newline}")),
            Shown::Dim => {
                out.push_str(&format!("<span class=\"dim\">{body}</span>{newline}"));
            }
            Shown::Hidden => {
                out.push_str(&format!("<span class=\"boring\">{body}{newline}</span>"));
            }
        }
        start = end + 1;
    }
    out + "</code></pre>"
}

/// Marks the pieces in a line of a text. A piece may continue in the next line.
fn coloured(
    text: &str,
    line: Range<usize>,
    pieces: &mut std::iter::Peekable<std::vec::IntoIter<Piece>>,
) -> String {
    let mut out = String::new();
    let mut at = line.start;
    while let Some((range, class)) = pieces.peek() {
        if range.start >= line.end {
            break;
        }
        let (start, end) = (range.start.max(line.start), range.end.min(line.end));
        out.push_str(&escape(&text[at..start]));
        let inner = escape(&text[start..end]);
        if class.is_empty() || inner.is_empty() {
            out.push_str(&inner);
        } else {
            out.push_str(&format!("<span class=\"{class}\">{inner}</span>"));
        }
        at = end;
        if range.end > line.end {
            break;
        }
        pieces.next();
    }
    out.push_str(&escape(&text[at..line.end]));
    out
}

/// Escapes `text` as the content of an element or an attribute.
pub fn escape(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
        out
    })
}

/// Gives each line a class as a whole.
fn by_line(text: &str, mut class: impl FnMut(&str) -> &'static str) -> Vec<Piece> {
    let mut start = 0;
    let mut pieces = Vec::new();
    for line in text.split('\n') {
        pieces.push((start..start + line.len(), class(line)));
        start += line.len() + 1;
    }
    pieces
}

fn difference(line: &str) -> &'static str {
    match line.as_bytes().first() {
        Some(b'-') => "del",
        Some(b'+') => "ins",
        _ => "",
    }
}

/// Marks commands: the styles show a prompt before each, which is not copied.
fn shell(text: &str) -> Vec<Piece> {
    let mut goes_on = false;
    by_line(text, |line| {
        let went_on = std::mem::replace(&mut goes_on, line.ends_with('\\'));
        match line.starts_with('#') {
            true => "c",
            false if went_on => "",
            false => "cmd",
        }
    })
}

const KEYWORDS: &str = "\
    as async await break const continue crate dyn else enum extern fn for if \
    impl in let loop match mod move mut pub ref return self Self static struct \
    super trait type union unsafe use where while macro_rules";

const PRIMITIVES: &str = "\
    bool char str f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize";

/// Finds the tokens of Rust that have a colour, with rustc's own lexer.
fn rust(text: &str) -> Vec<Piece> {
    let mut tokens: Vec<(TokenKind, Range<usize>)> = Vec::new();
    let mut at = 0;
    for token in tokenize(text, FrontmatterAllowed::No) {
        let end = at + token.len as usize;
        tokens.push((token.kind, at..end));
        at = end;
    }
    let mut pieces = Vec::new();
    let mut n = 0;
    while n < tokens.len() {
        let (kind, range) = &tokens[n];
        if let Some(last) = attribute(&tokens, n) {
            pieces.push((range.start..tokens[last].1.end, "a"));
            n = last + 1;
            continue;
        }
        let class = match kind {
            TokenKind::LineComment { doc_style } => comment(*doc_style),
            TokenKind::BlockComment { doc_style, .. } => comment(*doc_style),
            TokenKind::Lifetime { .. } | TokenKind::RawLifetime => "t",
            TokenKind::Literal { kind, .. } => literal(*kind),
            TokenKind::Ident => name(text, &tokens, n),
            _ => "",
        };
        if !class.is_empty() {
            push(&mut pieces, text, range.clone(), class);
        }
        n += 1;
    }
    pieces
}

/// Adds a piece. `pub fn` is a single one.
fn push(pieces: &mut Vec<Piece>, text: &str, range: Range<usize>, class: &'static str) {
    if let Some((last, of)) = pieces.last_mut()
        && *of == class
        && &text[last.end..range.start] == " "
    {
        last.end = range.end;
    } else {
        pieces.push((range, class));
    }
}

fn comment(doc: Option<DocStyle>) -> &'static str {
    if doc.is_some() { "d" } else { "c" }
}

fn literal(kind: LiteralKind) -> &'static str {
    match kind {
        LiteralKind::Int { .. } | LiteralKind::Float { .. } => "n",
        _ => "s",
    }
}

/// Returns the last token of an attribute that begins at `n`.
fn attribute(tokens: &[(TokenKind, Range<usize>)], n: usize) -> Option<usize> {
    let kind = |at: usize| tokens.get(at).map(|(kind, _)| *kind);
    if kind(n) != Some(TokenKind::Pound) {
        return None;
    }
    let open = if kind(n + 1) == Some(TokenKind::Bang) { n + 2 } else { n + 1 };
    if kind(open) != Some(TokenKind::OpenBracket) {
        return None;
    }
    let mut depth = 0;
    for (at, (kind, _)) in tokens.iter().enumerate().skip(open) {
        match kind {
            TokenKind::OpenBracket => depth += 1,
            TokenKind::CloseBracket => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Classifies the name at `n` by Rust's style and the tokens beside it.
fn name(text: &str, tokens: &[(TokenKind, Range<usize>)], n: usize) -> &'static str {
    let word = &text[tokens[n].1.clone()];
    let after = |k: usize| tokens.get(n + k).map(|(kind, _)| *kind);
    let before = tokens[..n].iter().rev();
    let mut before = before.filter(|(kind, _)| *kind != TokenKind::Whitespace);
    let first = word.chars().next().unwrap_or_default();
    let is_one_of = |words: &str| words.split(' ').any(|one| one == word);
    if is_one_of(KEYWORDS) {
        return "k";
    }
    if matches!(word, "true" | "false") {
        return "n";
    }
    let is_macro = after(1) == Some(TokenKind::Bang) && after(2) != Some(TokenKind::Eq);
    if is_macro {
        return "m";
    }
    let defined = before.next().is_some_and(|(_, range)| &text[range.clone()] == "fn");
    let turbofish = (1..4).map(after).eq([
        Some(TokenKind::Colon),
        Some(TokenKind::Colon),
        Some(TokenKind::Lt),
    ]);
    let called = after(1) == Some(TokenKind::OpenParen) || turbofish;
    if word.len() == 1 {
        // Widths and the tape: a signature has a dozen of them.
        ""
    } else if first.is_uppercase() || is_one_of(PRIMITIVES) {
        "t"
    } else if defined || called {
        "f"
    } else {
        ""
    }
}
