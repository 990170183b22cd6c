//! Converts LaTeX to MathML when the book is built: pages need no script for it.

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

/// A formula that could not be parsed: what is wrong, and at which byte.
pub struct BadFormula {
    /// The offset into the LaTeX.
    pub at: usize,
    /// The message of the converter.
    pub text: String,
}

/// Converts a formula inside a paragraph to HTML that can stand in Markdown.
///
/// # Errors
/// If the LaTeX is not understood.
pub fn inline(latex: &str) -> Result<String, BadFormula> {
    Ok(shield(&breakable(&convert(latex, MathDisplay::Inline)?)))
}

/// Converts a formula on lines of its own to a block of HTML.
///
/// # Errors
/// If the LaTeX is not understood.
pub fn block(latex: &str) -> Result<String, BadFormula> {
    let math = convert(latex, MathDisplay::Block)?;
    Ok(format!("<div class=\"formula\">{math}</div>"))
}

fn convert(latex: &str, display: MathDisplay) -> Result<String, BadFormula> {
    let bad = |at, text| BadFormula { at, text };
    let converter = LatexToMathML::new(MathCoreConfig::default());
    let converter = converter.map_err(|_| bad(0, "no converter".to_string()))?;
    match converter.convert_with_local_state(latex, display) {
        // One line: a blank line would end the block of HTML.
        Ok(done) => Ok(done.mathml.replace(['\n', '\r'], " ")),
        Err(error) => Err(bad(error.0.start.min(latex.len()), error.error_message())),
    }
}

/// The length from which a formula may be broken at the end of a line.
const LONG: usize = 20;

/// The signs after which it may be broken, outside of brackets.
const BETWEEN: [&str; 9] = ["=", "≈", "≤", "≥", "&lt;", "&gt;", "+", "−", "∈"];

/// Splits a long formula in running text into several, each ending with a relation, a
/// plus or a minus: browsers never break a line inside of `<math>`.
fn breakable(html: &str) -> String {
    let parts = html.split('<').filter_map(|part| part.split_once('>'));
    let length: usize = parts.map(|(_, text)| text.chars().count()).sum();
    if length <= LONG {
        return html.to_string();
    }
    let mut out = String::with_capacity(html.len() + 64);
    let (mut depth, mut brackets, mut operand) = (0_i32, 0_i32, false);
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').map_or(rest.len(), |e| start + e + 1);
        let (text, tag) = (&rest[..start], &rest[start..end]);
        rest = &rest[end..];
        out.push_str(text);
        out.push_str(tag);
        if !tag.starts_with("</") {
            depth += i32::from(!tag.ends_with("/>"));
            continue;
        }
        depth -= 1;
        if depth > 1 {
            continue; // inside a fraction, a root, an index
        }
        brackets += match text {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0,
        };
        let operator = tag == "</mo>" && BETWEEN.contains(&text);
        // A minus that has nothing before it belongs to what follows.
        let between = operator && operand && !rest.starts_with("</math>");
        if between && brackets == 0 {
            out.push_str("</math><wbr><math>");
        }
        operand = !operator;
    }
    out + rest
}

/// Escapes punctuation between tags as character references: Markdown would read `*` or
/// `_` there as marks.
fn shield(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut in_tag = false;
    for c in html.chars() {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            '&' | ';' | '#' => {}
            _ if in_tag || !c.is_ascii_punctuation() => {}
            _ => {
                out.push_str(&format!("&#{};", u32::from(c)));
                continue;
            }
        }
        out.push(c);
    }
    out
}
