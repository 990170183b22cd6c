//! LaTeX to MathML, when the book is built: pages need no script for it.

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

/// A formula that could not be read: what is wrong, and at which byte.
pub struct BadFormula {
    /// Offset into the LaTeX.
    pub at: usize,
    /// What the converter says.
    pub text: String,
}

/// A formula inside a paragraph, as HTML that can stand in Markdown; one in
/// `$$` is in `display` style.
///
/// # Errors
/// The LaTeX is not understood.
pub fn inline(latex: &str, display: bool) -> Result<String, BadFormula> {
    let style = if display { MathDisplay::Block } else { MathDisplay::Inline };
    Ok(shield(&convert(latex, style)?))
}

/// A formula on lines of its own, as a block of HTML.
///
/// # Errors
/// The LaTeX is not understood.
pub fn block(latex: &str) -> Result<String, BadFormula> {
    let math = convert(latex, MathDisplay::Block)?;
    Ok(format!("<div class=\"formula\">{math}</div>"))
}

fn convert(latex: &str, display: MathDisplay) -> Result<String, BadFormula> {
    // A tag is understood only in an environment that numbers.
    let (open, close) = match latex.contains("\\tag{") {
        true => ("\\begin{equation}", "\\end{equation}"),
        false => ("", ""),
    };
    let whole = format!("{open}{latex}{close}");
    let blank = BadFormula { at: 0, text: "it is empty".to_string() };
    if latex.trim().is_empty() {
        return Err(blank);
    }
    let converter = LatexToMathML::new(MathCoreConfig::default());
    let converter = converter.map_err(|_| blank)?;
    match converter.convert_with_local_state(&whole, display) {
        // One line: a blank line would end the block of HTML.
        Ok(done) => Ok(done.mathml.replace(['\n', '\r'], " ")),
        Err(error) => Err(BadFormula {
            at: error.0.start.saturating_sub(open.len()).min(latex.len()),
            text: error.error_message(),
        }),
    }
}

/// Markdown reads the text between tags, where `*` or `_` would be marks:
/// punctuation there becomes character references.
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
