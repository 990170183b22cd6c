//! Figures: an image alone in its paragraph, and the paragraph under it that
//! begins `Figure 10.2.1: `, in Chinese `图 10.2.1：`, become one `<figure>` with the SVG in the page,
//! where it takes the colours of the theme.

use crate::highlight::escape;
use crate::words::Words;
use roxmltree::{Document, Node};

/// The least font size in a figure, in CSS pixels, also where it scrolls on a phone.
const SMALLEST_TEXT: f64 = 12.0;

/// The least font size to which a figure is shrunk there to be seen whole.
const SMALLEST_WHOLE: f64 = 10.0;

/// The width of a figure on a phone, in CSS pixels.
const PHONE: f64 = 356.0;

/// The elements of a figure: none runs or loads something or changes the page around
/// it.
const ELEMENTS: [&str; 16] = [
    "svg", "g", "defs", "marker", "clipPath", "title", "desc", "text", "tspan", "path",
    "line", "polyline", "polygon", "rect", "circle", "ellipse",
];

/// The attributes of a figure, besides `data-…`: none runs or loads something.
const ATTRIBUTES: &str = "\
    class clip-path cx cy d dominant-baseline dx dy fill fill-opacity fill-rule \
    font-family font-size font-style font-weight height id marker-end marker-mid \
    marker-start markerHeight markerUnits markerWidth opacity orient points r refX \
    refY rx ry shape-rendering stroke stroke-dasharray stroke-linecap \
    stroke-linejoin stroke-opacity stroke-width text-anchor transform viewBox width \
    x x1 x2 y y1 y2";

/// Colours that are unseen in one of the themes.
const FIXED: [&str; 6] = ["black", "white", "#000", "#fff", "#000000", "#ffffff"];

/// Returns the number in a caption that begins `Figure 10.2.1: `.
pub fn number<'a>(words: &Words, caption: &'a str) -> Option<&'a str> {
    let [before, after] = words.figure;
    let (number, _) = caption.strip_prefix(before)?.split_once(after)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    (!number.is_empty() && number.chars().all(plain)).then_some(number)
}

/// Returns the HTML before the caption, and the ids in it. The figure is left open
/// for the caption, which is still Markdown.
///
/// # Errors
/// If it is no SVG, or one with something that is not allowed in a page.
pub fn open(
    words: &Words,
    svg: &str,
    number: &str,
    alt: &str,
) -> Result<(String, Vec<String>), String> {
    let tree = Document::parse(svg).map_err(|error| error.to_string())?;
    for node in tree.descendants().skip(1) {
        check(node).map_err(|error| {
            format!("{error} at {}", tree.text_pos_at(node.range().start))
        })?;
    }
    let width = tree.root_element().attribute("width");
    let width = width.and_then(|width| width.trim_end_matches("px").parse().ok());
    let width = width.filter(|width: &f64| width.is_finite() && *width > 0.0);
    let width = width.ok_or("it has no width")?;
    let start = tree.root_element().range().start + "<svg".len();
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

fn check(node: Node) -> Result<(), String> {
    let raw = &node.document().input_text()[node.range()];
    if !node.is_element() {
        // HTML and XML differ in how they read <!…> and <?…>.
        return match node.is_text() && !raw.contains('<') {
            true => Ok(()),
            false => Err("only elements and text are allowed in a figure".into()),
        };
    }
    let name = node.tag_name().name();
    if !ELEMENTS.contains(&name) {
        return Err(format!("<{name}> is not allowed in a figure"));
    }
    for attribute in node.attributes() {
        let (key, value) = (attribute.name(), attribute.value());
        let known =
            key.starts_with("data-") || ATTRIBUTES.split(' ').any(|name| name == key);
        if FIXED.contains(&value) {
            return Err(
                "a fixed black or white is invisible in one of the themes".into()
            );
        }
        let value = value.to_ascii_lowercase();
        let mut urls = value.split("url(").skip(1);
        let loads = value.contains('\\') || !urls.all(|url| url.starts_with('#'));
        if !known || attribute.namespace().is_some() || loads {
            return Err(format!("{key}= is not allowed in a figure"));
        }
    }
    Ok(())
}

/// The HTML after the caption.
pub const CLOSE: &str = "\n\n</figcaption></figure>";

/// Returns the width at which the smallest text is large enough, at most the figure's
/// own.
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
