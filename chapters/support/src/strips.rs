//! Strips of numbers, one below the other: each number is a bar, upwards if it is
//! positive and downwards if not, so that nothing is said by colour alone. The
//! numbers stay in the figure, as data, for a page that answers to the pointer.

use crate::figure::{Area, TEXT, WIDTH, compose, escape, label, px, series_colour};
use crate::heatmap::numbers;
use anyhow::Result;
use plotters::style::text_anchor::{HPos, VPos};
use std::fmt::Write;

/// Rows of numbers with a name.
#[derive(Clone, Debug, Default)]
pub struct Strip {
    /// Above the strip, on the left; its shape and scale follow.
    pub name: String,
    /// Above it, on the right.
    pub note: String,
    /// At least one, all of one length. A number that is not finite leaves a
    /// grey cell.
    pub rows: Vec<Vec<f32>>,
    /// The number whose bar is as long as a bar can be.
    pub scale: f32,
    /// One for each row, for the pointer; or none.
    pub row_tokens: Vec<String>,
    /// One for each column; or none.
    pub column_tokens: Vec<String>,
}

impl Strip {
    fn shape(&self) -> [usize; 2] {
        [self.rows.len(), self.rows.first().map_or(0, Vec::len)]
    }

    /// A single row of numbers of which none is negative stands on its baseline.
    fn upwards(&self) -> bool {
        self.rows.len() == 1 && self.rows.iter().flatten().all(|&value| value >= 0.0)
    }

    fn height(&self) -> f64 {
        if self.rows.len() == 1 { 22.0 } else { 9.0 * self.rows.len() as f64 }
    }

    /// The name, the shape, and where the bars end, if there is room for that.
    fn title(&self, room: bool) -> String {
        let shape = match self.shape() {
            [1, columns] => columns.to_string(),
            [rows, columns] => format!("{rows} × {columns}"),
        };
        let sign = if self.upwards() { "to " } else { "±" };
        match room {
            true => format!("{}, {shape}, {sign}{:.1}", self.name, self.scale),
            false => format!("{}, {shape}", self.name),
        }
    }

    /// The bars of the rows, in units of a cell.
    fn bars(&self) -> String {
        let [mut up, mut down, mut hole] = [const { String::new() }; 3];
        let (base, most) = if self.upwards() { (1.0, 1.0) } else { (0.5, 0.5) };
        for (row, values) in self.rows.iter().enumerate() {
            for (column, &value) in values.iter().enumerate() {
                let end = base - most * (value / self.scale).clamp(-1.0, 1.0);
                let (path, from, to) = match value {
                    _ if !value.is_finite() => (&mut hole, 0.0, 1.0),
                    _ if value >= 0.0 => (&mut up, base, end),
                    _ => (&mut down, base, end),
                };
                if (from - to).abs() >= 0.005 {
                    let (from, to) = (row as f32 + from, row as f32 + to);
                    let _ = write!(path, "M{column}.5 {from}V{to:.2}");
                }
            }
        }
        let paths =
            [(up, series_colour(1)), (down, series_colour(0)), (hole, GREY.into())];
        let drawn = paths.iter().filter(|(path, _)| !path.is_empty());
        drawn
            .map(|(d, colour)| {
                format!("<path stroke=\"{colour}\" stroke-width=\".8\" d=\"{d}\"/>")
            })
            .collect()
    }
}

/// Baselines, and cells without a number.
const GREY: &str = "var(--plot-grid, #808080)";
/// The height of a line of text.
const LINE: f64 = TEXT + 2.0;
/// Below a strip, and between two that stand side by side.
const GAP: (f64, f64) = (1.0, 14.0);
/// Left and right of all.
const MARGIN: f64 = 4.0;

/// Draws lines of strips, from top to bottom, those of a line side by side, and
/// returns the SVG. Column tokens stand below their strip.
///
/// # Errors
/// If plotters reports one.
pub fn strips(lines: &[Vec<Strip>]) -> Result<String> {
    let (mut cells, mut labels) = (String::new(), Vec::new());
    let mut top = 2.0;
    for line in lines {
        let across = line.len() as f64;
        let wide = (WIDTH - 2.0 * MARGIN + GAP.1) / across - GAP.1;
        let mut high: f64 = 0.0;
        for (strip, left) in line.iter().zip(0..) {
            let left = MARGIN + f64::from(left) * (wide + GAP.1);
            let [rows, columns] = strip.shape();
            let (from, height) = (top + LINE, strip.height());
            let cell = (wide / columns as f64, height / rows as f64);
            labels.push((HPos::Left, left, top, strip.title(line.len() == 1)));
            labels.push((HPos::Right, left + wide, top, strip.note.clone()));
            // Neighbours of one name, such as padding, have it once.
            let mut column = 0.0;
            for run in strip.column_tokens.chunk_by(|a, b| a == b) {
                let x = left + (column + run.len() as f64 / 2.0) * cell.0;
                labels.push((HPos::Center, x, from + height, run[0].clone()));
                column += run.len() as f64;
            }
            let tokens = if strip.column_tokens.is_empty() { 0.0 } else { LINE };
            high = high.max(height + tokens);
            group(&mut cells, strip, (left, from), cell);
        }
        top += LINE + high + GAP.0;
    }
    let cells = format!("<g class=\"heatmaps\" data-strips=\"\">\n{cells}</g>\n");
    compose((WIDTH, top.ceil()), &cells, |area: &Area| {
        for (anchor, x, y, text) in labels {
            let style = label(TEXT, anchor, VPos::Top);
            area.draw_text(&text, &style, (px(x), px(y)))?;
        }
        Ok(String::new())
    })
}

/// A strip as SVG: a group, in whose units a cell is 1 by 1, with its numbers and
/// a baseline.
fn group(svg: &mut String, strip: &Strip, at: (f64, f64), cell: (f64, f64)) {
    let [rows, columns] = strip.shape();
    let tokens = |name: &str, tokens: &[String]| match tokens {
        [] => String::new(),
        tokens => format!(" data-{name}=\"{}\"", escape(&tokens.join("|"))),
    };
    let base = if strip.upwards() { 1.0 } else { 0.5 };
    let lines = (0..rows).map(|row| format!("M0 {}h{columns}", row as f64 + base));
    let _ = writeln!(
        svg,
        "<g data-title=\"{}\"{}{} data-rows=\"{rows}\" data-columns=\"{columns}\" \
         data-values=\"{}\" transform=\"translate({} {}) scale({:.2} {:.2})\">\
         <path stroke=\"{GREY}\" stroke-width=\"{:.3}\" d=\"{}\"/>{}</g>",
        escape(&strip.name),
        tokens("queries", &strip.row_tokens),
        tokens("keys", &strip.column_tokens),
        numbers(&strip.rows.concat()),
        px(at.0),
        px(at.1),
        cell.0 * f64::from(px(1.0)),
        cell.1 * f64::from(px(1.0)),
        1.0 / cell.1,
        lines.collect::<String>(),
        strip.bars(),
    );
}
