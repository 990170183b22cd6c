//! Figures: an image alone in its paragraph, and the paragraph under it that
//! begins `Figure 10.2.1: `, in Chinese `图 10.2.1：`, become one `<figure>` with the SVG in the page,
//! where it takes the colours of the theme.

use crate::highlight::escape;
use crate::words::Words;
use roxmltree::{Document, Node};

/// The smallest text of a figure, in CSS pixels, also where it scrolls on a phone.
const SMALLEST_TEXT: f64 = 12.0;

/// The smallest for which it is shrunk there, so that it is seen whole.
const SMALLEST_WHOLE: f64 = 10.0;

/// What a phone has for a figure, in CSS pixels.
const PHONE: f64 = 356.0;

/// What a figure is drawn with: nothing that runs or loads something, or that changes
/// the page around it.
const ELEMENTS: [&str; 16] = [
    "svg", "g", "defs", "marker", "clipPath", "title", "desc", "text", "tspan", "path",
    "line", "polyline", "polygon", "rect", "circle", "ellipse",
];

/// Colours that are unseen in one of the themes.
const FIXED: [&str; 6] = ["black", "white", "#000", "#fff", "#000000", "#ffffff"];

/// The number in a caption that begins `Figure 10.2.1: `.
pub fn number<'a>(words: &Words, caption: &'a str) -> Option<&'a str> {
    let [before, after] = words.figure;
    let (number, _) = caption.strip_prefix(before)?.split_once(after)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    (!number.is_empty() && number.chars().all(plain)).then_some(number)
}

/// What stands before the caption, and its ids: the figure is left open for the
/// caption, which is still Markdown.
///
/// # Errors
/// It is no SVG, or one that does not belong into a page.
pub fn open(
    words: &Words,
    svg: &str,
    number: &str,
    alt: &str,
) -> Result<(String, Vec<String>), String> {
    let tree = Document::parse(svg).map_err(|error| error.to_string())?;
    for node in tree.descendants().filter(Node::is_element) {
        check(node).map_err(|error| {
            format!("{error} at {}", tree.text_pos_at(node.range().start))
        })?;
    }
    let width = tree.root_element().attribute("width");
    let width = width.and_then(|width| width.trim_end_matches("px").parse().ok());
    let width: f64 = width.ok_or("it has no width")?;
    let start = svg.find("<svg").unwrap_or(0) + "<svg".len();
    let lines = svg[start..].lines().filter(|line| !line.trim().is_empty());
    let rest = lines.collect::<Vec<_>>().join("\n");
    // Labels stay readable on a phone: what cannot shrink scrolls there.
    let least = least_width(&tree, width);
    let least = match least * SMALLEST_WHOLE / SMALLEST_TEXT > PHONE {
        true => format!(" style=\"min-width: {least:.0}px\""),
        false => String::new(),
    };
    let id = format!("figure-{}", number.replace('.', "-"));
    let alt = escape(alt);
    let [label, _] = words.figure;
    let html = format!(
        "<figure class=\"plot\" id=\"{id}\">\
         <div class=\"scroll\" data-label=\"{label}{number}\">\n\
         <svg role=\"img\" aria-label=\"{alt}\"{least}{rest}\n\
         </div><figcaption>\n\n"
    );
    let ids = tree.descendants().filter_map(|node| node.attribute("id"));
    Ok((html, ids.map(str::to_string).chain([id]).collect()))
}

fn check(element: Node) -> Result<(), String> {
    let name = element.tag_name().name();
    if !ELEMENTS.contains(&name) {
        return Err(format!("<{name}> does not belong into a figure"));
    }
    for attribute in element.attributes() {
        let (key, value) = (attribute.name(), attribute.value());
        if FIXED.contains(&value) {
            return Err("a fixed black or white is unseen in one of the themes".into());
        }
        if key.starts_with("on") || value.contains("//") {
            return Err(format!("{key}= does not belong into a figure"));
        }
    }
    Ok(())
}

/// What stands after the caption.
pub const CLOSE: &str = "\n\n</figcaption></figure>";

/// The width at which the smallest text is as large as it must be, but never
/// more than the figure's own.
fn least_width(tree: &Document, width: f64) -> f64 {
    let view = tree
        .root_element()
        .attribute("viewBox")
        .and_then(|view| view.split([' ', ',']).nth(2)?.parse::<f64>().ok());
    let scale = view.map_or(1.0, |view| width / view);
    let texts = tree.descendants().filter(|node| node.tag_name().name() == "text");
    let sizes = texts.filter_map(|node| {
        let with = node.ancestors().find_map(|node| node.attribute("font-size"))?;
        with.trim_end_matches("px").parse::<f64>().ok().map(|size| size * scale)
    });
    match sizes.fold(None, |least: Option<f64>, size| {
        Some(least.map_or(size, |least| least.min(size)))
    }) {
        Some(smallest) => (width * SMALLEST_TEXT / smallest).min(width),
        None => 0.0,
    }
}
