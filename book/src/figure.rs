//! Figures: an image alone in its paragraph, and the paragraph under it that
//! begins `Figure 10.2.1: `, become one `<figure>` with the SVG in the page,
//! where it takes the colours of the theme.

use crate::listing::escape;
use std::fs;
use std::path::Path;

/// The number in a caption that begins `Figure 10.2.1: `.
pub fn number(caption: &str) -> Option<&str> {
    let (number, _) = caption.strip_prefix("Figure ")?.split_once(':')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    (!number.is_empty() && number.chars().all(plain)).then_some(number)
}

/// What stands before the caption: the figure is left open for it, because
/// the caption is still Markdown.
///
/// # Errors
/// The file is missing or is no SVG.
pub fn open(path: &Path, number: &str, alt: &str) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let start = text.find("<svg").ok_or("it is not an SVG")?;
    let (_, rest) = text[start..].split_at("<svg".len());
    let lines = rest.lines().filter(|line| !line.trim().is_empty());
    let rest = lines.collect::<Vec<_>>().join("\n");
    let head = rest.split('>').next().unwrap_or_default();
    let wide = width(head).filter(|&width| width > 500.0);
    // Labels must stay readable on a phone: what is wide scrolls there.
    let least = wide.map_or(String::new(), |width| {
        format!(" style=\"min-width: {:.0}px\"", width * 0.75)
    });
    let id = number.replace('.', "-");
    let alt = escape(alt);
    Ok(format!(
        "<figure class=\"plot\" id=\"figure-{id}\">\
         <div class=\"scroll\" data-label=\"Figure {number}\">\n\
         <svg role=\"img\" aria-label=\"{alt}\"{least}{rest}\n\
         </div><figcaption>\n\n"
    ))
}

/// What stands after the caption.
pub const CLOSE: &str = "\n\n</figcaption></figure>";

/// The width that an `<svg>` tag gives, in CSS pixels.
fn width(tag: &str) -> Option<f64> {
    let rest = tag.split_once(" width=\"")?.1;
    rest.split_once('"')?.0.trim_end_matches("px").parse().ok()
}
