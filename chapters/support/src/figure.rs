//! A drawing surface for plotters, and the pass that turns its SVG into one
//! that follows the theme of the page.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Write;

/// Text and axes: the colour of the page's own text.
pub const INK: RGBColor = RGBColor(0, 0, 0);
/// Grid lines and frames.
pub const GRID: RGBColor = RGBColor(128, 128, 128);
/// Series of a plot, distinct for the colour-blind too. On a page the theme
/// gives each a lighter or a darker shade.
pub const SERIES: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 128, 96),
    RGBColor(172, 84, 140),
    RGBColor(130, 100, 20),
];

/// The width of a figure in CSS pixels, unless its labels need more.
pub(crate) const WIDTH: f64 = 480.0;
/// The size of all text in CSS pixels: 12 where a phone of 390 pixels shows a
/// figure in 350.
pub const TEXT: f64 = 16.5;

/// Units drawn for each CSS pixel: plotters rounds to whole units.
const UNITS: f64 = 4.0;

/// Converts `size` CSS pixels to the units of a drawing.
pub fn px(size: f64) -> i32 {
    (size * UNITS) as i32
}

/// Returns the space in CSS pixels that a text of the usual size takes, generously.
pub(crate) fn space(text: &str) -> f64 {
    text.chars().count() as f64 * TEXT * 0.6
}

/// Returns a step of 1, 2 or 5 times a power of ten, at most `steps` of which cover
/// the span.
pub(crate) fn round_step(span: f64, steps: i32) -> f64 {
    let rough = span / f64::from(steps.max(1));
    let ten = 10f64.powf(rough.log10().floor());
    let round = [1.0, 2.0, 5.0].map(|m| m * ten);
    round.into_iter().find(|&s| s >= rough).unwrap_or(10.0 * ten)
}

/// Returns the style of a label: its font size in CSS pixels, and which point of the
/// text is put at the coordinates it is drawn at.
pub fn label(size: f64, h: HPos, v: VPos) -> TextStyle<'static> {
    // plotters divides the size that it is given by 1.24.
    let font = ("sans-serif", (size * UNITS * 1.24).round()).into_font();
    font.color(&INK).pos(Pos::new(h, v))
}

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws `width` by `height` CSS pixels, and returns the SVG. `paint` gets plotters'
/// drawing area; every length in it goes through [`px`].
///
/// # Errors
/// If plotters reports one.
pub fn draw(
    width: u32,
    height: u32,
    paint: impl FnOnce(&DrawingArea<SVGBackend, Shift>) -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    compose((width.into(), height.into()), "", |area| {
        paint(area)?;
        Ok(String::new())
    })
}

/// Draws like [`draw`], between two layers of elements that plotters lacks:
/// `under` is below, and what `paint` returns is above.
pub(crate) fn compose(
    (width, height): (f64, f64),
    under: &str,
    paint: impl FnOnce(&Area) -> anyhow::Result<String>,
) -> anyhow::Result<String> {
    let mut svg = String::new();
    let over = {
        let size = (px(width) as u32, px(height) as u32);
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let over = paint(&area)?;
        area.present()?;
        over
    };
    let (w, h) = (px(width), px(height));
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" \
         height=\"{height:.0}\" viewBox=\"0 0 {w} {h}\">\n{under}{}{over}</svg>\n",
        themed(&svg)
    ))
}

/// Rewrites the elements of plotters so that they take their colours and their
/// font from the page around them. Filled cells of one colour become one path.
fn themed(svg: &str) -> String {
    let mut body: Vec<String> = Vec::new();
    let mut cells: Vec<(String, usize)> = Vec::new();
    for line in svg.lines().skip(1).filter(|&line| line != "</svg>") {
        if let Some((fill, cell)) = cell(line) {
            let known = cells.iter().find(|(colour, _)| *colour == fill);
            let at = known.map_or(body.len(), |(_, at)| *at);
            if known.is_none() {
                body.push(String::new());
                cells.push((fill, at));
            }
            body[at].push_str(&cell);
        } else if line.starts_with('<') && line != "</text>" {
            body.push(line.to_string());
        } else {
            body.last_mut().expect("text is inside").push_str(line);
        }
    }
    for (fill, at) in cells {
        // Crisp edges: no seam of background between neighbours.
        let style = format!("fill=\"{fill}\" shape-rendering=\"crispEdges\"");
        body[at] = format!("<path {style} d=\"{}\"/>", body[at]);
    }
    let mut out = String::new();
    for line in body.iter().filter(|line| !line.ends_with("></text>")) {
        let _ = writeln!(out, "{}", recolour(line));
    }
    out
}

/// Returns a filled rectangle as its colour and its outline in path commands.
fn cell(line: &str) -> Option<(String, String)> {
    let rect = line.strip_prefix("<rect ")?;
    let value = |name: &str| {
        let rest = rect.split_once(&format!("{name}=\""))?.1;
        Some(rest.split_once('"')?.0)
    };
    let (x, y) = (value("x")?, value("y")?);
    let (w, h) = (value("width")?, value("height")?);
    let fill = value("fill").filter(|&fill| fill != "none")?;
    Some((fill.to_string(), format!("M{x} {y}h{w}v{h}h-{w}z")))
}

/// A colour as plotters writes it.
pub(crate) fn hex(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// Returns the colour of series `i` in the theme.
pub(crate) fn series_colour(i: usize) -> String {
    let i = i % SERIES.len();
    format!("var(--plot-{}, {})", i + 1, hex(SERIES[i]))
}

/// Replaces fixed colours by those of the theme, and drops what is default.
fn recolour(line: &str) -> String {
    let quoted = |colour| format!("\"{}\"", hex(colour));
    let mut line = line
        .replace(&quoted(INK), "\"currentColor\"")
        .replace(&quoted(GRID), "\"var(--plot-grid, #808080)\"")
        .replace(" opacity=\"1\"", "")
        .replace(" font-family=\"sans-serif\"", "");
    for (i, &colour) in SERIES.iter().enumerate() {
        line = line.replace(&quoted(colour), &format!("\"{}\"", series_colour(i)));
    }
    line
}

/// Escapes a text for the value of an attribute.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
