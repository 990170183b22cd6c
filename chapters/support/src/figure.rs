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
/// Lines in a plot, told apart by the colour-blind too. On a page the theme
/// gives each a lighter or a darker shade.
pub const SERIES: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 128, 96),
    RGBColor(172, 84, 140),
    RGBColor(130, 100, 20),
];

/// The width of a line that becomes a broken one: plotters would draw each
/// dash as an element of its own.
pub const DASHED: u32 = 9;

/// Units drawn for each CSS pixel: plotters rounds to whole units.
const UNITS: f64 = 4.0;

/// `size` CSS pixels in the units of a drawing.
pub fn px(size: f64) -> i32 {
    (size * UNITS) as i32
}

/// The style of a label: its font size in CSS pixels, and which point of the
/// text is put at the coordinates it is drawn at.
pub fn label(size: f64, h: HPos, v: VPos) -> TextStyle<'static> {
    // plotters divides what it is told by 1.24.
    let font = ("sans-serif", (size * UNITS * 1.24).round()).into_font();
    font.color(&INK).pos(Pos::new(h, v))
}

/// A drawing `width` by `height` CSS pixels, as SVG. `paint` gets plotters'
/// drawing area; every length in it goes through [`px`].
///
/// # Errors
/// What plotters reports.
pub fn draw(
    width: u32,
    height: u32,
    paint: impl FnOnce(&DrawingArea<SVGBackend, Shift>) -> anyhow::Result<()>,
) -> anyhow::Result<String> {
    let mut svg = String::new();
    {
        let size = (width * UNITS as u32, height * UNITS as u32);
        let backend = SVGBackend::with_string(&mut svg, size);
        let area = backend.into_drawing_area();
        paint(&area)?;
        area.present()?;
    }
    Ok(themed(&svg, width, height))
}

/// Rewrites the SVG of plotters so that it takes its colours and its font
/// from the page around it. Filled cells of one colour become one path: a
/// heat map of thousands of cells stays a few dozen elements.
fn themed(svg: &str, width: u32, height: u32) -> String {
    let mut body: Vec<String> = Vec::new();
    let mut cells: Vec<(String, usize)> = Vec::new();
    for line in svg.lines().skip(1) {
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
    let (w, h) = (f64::from(width) * UNITS, f64::from(height) * UNITS);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {w} {h}\">\n"
    );
    for line in body {
        let _ = writeln!(out, "{}", recolour(&line));
    }
    out
}

/// A filled rectangle as its colour and its outline in path commands.
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

/// Replaces fixed colours by those of the theme, and drops what is default.
fn recolour(line: &str) -> String {
    let hex = |c: &RGBColor| format!("\"#{:02X}{:02X}{:02X}\"", c.0, c.1, c.2);
    let mut line = line
        .replace(&hex(&INK), "\"currentColor\"")
        .replace(&hex(&GRID), "\"var(--plot-grid, #808080)\"")
        .replace("stroke-width=\"9\"", "stroke-width=\"8\" stroke-dasharray=\"24 16\"")
        .replace(" opacity=\"1\"", "")
        .replace(" font-family=\"sans-serif\"", "");
    for (i, colour) in SERIES.iter().enumerate() {
        let name = hex(colour);
        let shade = format!("\"var(--plot-{}, {})\"", i + 1, &name[1..8]);
        line = line.replace(&name, &shade);
    }
    line
}
