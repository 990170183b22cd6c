//! Heat maps of attention weights: colour in place of number. The numbers stay
//! in the figure, as data, for a page that answers to the pointer.

use crate::figure::{
    Area, GRID, TEXT, WIDTH, compose, escape, hex, label, px, round_step, space,
};
use anyhow::Result;
use plotters::prelude::*;
use plotters::style::colors::colormaps::ViridisRGB;
use plotters::style::text_anchor::{HPos, VPos};
use std::fmt::Write;

/// What is written around the panels.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Name of the horizontal axis.
    pub keys: &'static str,
    /// Name of the vertical axis.
    pub queries: &'static str,
    /// One title for each panel, row by row; or none.
    pub titles: Vec<String>,
    /// One token for each key; or none, then keys are numbered.
    pub key_tokens: Vec<String>,
    /// One token for each query; or none, then queries are numbered.
    pub query_tokens: Vec<String>,
    /// How many panels stand side by side; 0 for at most two, and only one
    /// where two do not fit.
    pub columns: usize,
}

impl Labels {
    /// The usual names of the axes, and a token for each query and key.
    pub fn tokens(queries: &[&str], keys: &[&str]) -> Self {
        let owned = |tokens: &[&str]| tokens.iter().map(|&t| t.into()).collect();
        Labels {
            key_tokens: owned(keys),
            query_tokens: owned(queries),
            ..Labels::default()
        }
    }
}

impl Default for Labels {
    fn default() -> Self {
        Labels {
            keys: "Keys",
            queries: "Queries",
            titles: Vec::new(),
            key_tokens: Vec::new(),
            query_tokens: Vec::new(),
            columns: 0,
        }
    }
}

/// The numbers of heat maps: panels, rows (queries) and columns (keys).
#[derive(Clone, Debug)]
pub struct Panels {
    /// How many panels, rows and columns of each.
    dims: [usize; 3],
    values: Vec<f32>,
}

/// C panels side by side, as of the weights of a batch or of heads.
impl<const C: usize, const Q: usize, const K: usize> From<&[[[f32; K]; Q]; C]>
    for Panels
{
    fn from(panels: &[[[f32; K]; Q]; C]) -> Self {
        let values = panels.as_flattened().as_flattened().to_vec();
        Panels { dims: [C, Q, K], values }
    }
}

/// One panel.
impl<const Q: usize, const K: usize> From<&[[f32; K]; Q]> for Panels {
    fn from(panel: &[[f32; K]; Q]) -> Self {
        Panels { dims: [1, Q, K], values: panel.as_flattened().to_vec() }
    }
}

/// Panels of one size whose rows are counted at run time.
impl From<&[Vec<Vec<f32>>]> for Panels {
    fn from(panels: &[Vec<Vec<f32>>]) -> Self {
        let rows = panels.first().map_or(0, Vec::len);
        let columns = panels.iter().flatten().next().map_or(0, Vec::len);
        let values = panels.iter().flatten().flatten().copied().collect();
        Panels { dims: [panels.len(), rows, columns], values }
    }
}

/// Draws heat maps on shared axes beside one colour bar, and returns the SVG.
/// From arrays (`&weights.array()`) or from vectors: see [`Panels`].
///
/// The bar runs from 0, or from the smallest entry if that is negative, to
/// the largest.
///
/// # Errors
/// If plotters reports one.
pub fn show_heatmaps(panels: impl Into<Panels>, labels: &Labels) -> Result<String> {
    let Panels { dims: [panels, queries, keys], values } = panels.into();
    let scale = Scale::over(&values);
    let page = |columns| Page::new([panels, columns, queries, keys], labels);
    let page = match labels.columns {
        0 => Some(page(panels.min(2))).filter(|page| page.size().0 <= WIDTH),
        columns => Some(page(columns.min(panels))),
    }
    .unwrap_or_else(|| page(1));
    compose(page.size(), &page.cells(&values, &scale), |area| {
        page.frames(area)?;
        page.axes(area)?;
        page.names(area)?;
        page.bar(area, &scale)?;
        Ok(String::new())
    })
}

/// Where everything is, in the units of the drawing.
struct Page<'a> {
    labels: &'a Labels,
    /// Panels, panels across, cells down and across.
    dims: [i32; 4],
    /// Width and height of one cell.
    cell: (i32, i32),
    /// The left upper corner of the first panel.
    corner: (i32, i32),
    /// From one panel to the next, across and down.
    pitch: (i32, i32),
}

/// The height of a line of text.
const LINE: f64 = TEXT + 1.0;
/// Between panels.
const GAP: f64 = 14.0;
/// The colour bar, its numbers and the space before it.
const BAR: f64 = 76.0;

fn widest(texts: &[String]) -> f64 {
    texts.iter().map(|text| space(text)).fold(space("00"), f64::max)
}

/// Cells are square, up to 40 pixels wide, and shrink to fit; but all names,
/// titles and tokens have their room.
fn cell([panels, across, queries, keys]: [f64; 4], labels: &Labels) -> (i32, i32) {
    let room = WIDTH - 34.0 - widest(&labels.query_tokens) - BAR;
    let room = (room + GAP) / across - GAP;
    let side = (room / keys).min(320.0 / queries).min(40.0);
    let title = match labels.titles.is_empty() {
        true => 0.0,
        false => widest(&labels.titles),
    };
    let down = (panels / across).ceil();
    let name = |text: &str, panels: f64, cells: f64| space(text) / panels / cells;
    let line = |tokens: &[String]| if tokens.is_empty() { 0.25 } else { LINE };
    let wide = name(labels.keys, across, keys).max(title / keys);
    let high = name(labels.queries, down, queries);
    (
        px(side.max(wide).max(line(&labels.key_tokens))),
        px(side.max(high).max(line(&labels.query_tokens))),
    )
}

impl<'a> Page<'a> {
    fn new(dims: [usize; 4], labels: &'a Labels) -> Self {
        let (wide, high) = cell(dims.map(|n| n as f64), labels);
        let dims = dims.map(|n| n as i32);
        let head = if labels.titles.is_empty() { 0.0 } else { LINE + 8.0 };
        Page {
            labels,
            dims,
            cell: (wide, high),
            corner: (px(34.0 + widest(&labels.query_tokens)), px(8.0 + head)),
            pitch: (wide * dims[3] + px(GAP), high * dims[2] + px(GAP + head)),
        }
    }

    /// Width and height of the whole, in CSS pixels.
    fn size(&self) -> (f64, f64) {
        let (right, bottom) = self.outer();
        let ticks = match self.labels.key_tokens.is_empty() {
            true => LINE,
            false => widest(&self.labels.key_tokens),
        };
        let css = |units: i32| f64::from(units) / f64::from(px(1.0));
        (css(right) + BAR, (css(bottom) + ticks + LINE + 18.0).ceil())
    }

    /// The left upper corner of a panel, and the right lower one.
    fn corners(&self, panel: i32) -> [(i32, i32); 2] {
        let (row, column) = (panel / self.dims[1], panel % self.dims[1]);
        let x = self.corner.0 + column * self.pitch.0;
        let y = self.corner.1 + row * self.pitch.1;
        let [.., queries, keys] = self.dims;
        [(x, y), (x + keys * self.cell.0, y + queries * self.cell.1)]
    }

    /// The right lower corner of all panels.
    fn outer(&self) -> (i32, i32) {
        let [panels, across, ..] = self.dims;
        (self.corners(across - 1)[1].0, self.corners(panels - 1)[1].1)
    }

    /// Frames and titles.
    fn frames(&self, area: &Area) -> Result<()> {
        for panel in 0..self.dims[0] {
            let [start, end] = self.corners(panel);
            let frame = GRID.stroke_width(px(1.0) as u32);
            area.draw(&Rectangle::new([start, end], frame))?;
            if let Some(title) = self.labels.titles.get(panel as usize) {
                let style = label(TEXT, HPos::Center, VPos::Bottom);
                let at = ((start.0 + end.0) / 2, start.1 - px(5.0));
                area.draw_text(title, &style, at)?;
            }
        }
        Ok(())
    }

    /// The cells of all panels as SVG: each panel is a group, in whose units a
    /// cell is 1 by 1, with its numbers, row by row, as `data-values`.
    fn cells(&self, values: &[f32], scale: &Scale) -> String {
        let [.., queries, keys] = self.dims;
        let tokens = |tokens: &[String]| escape(&tokens.join("|"));
        let mut svg = format!(
            "<g class=\"heatmaps\" data-queries=\"{}\" data-keys=\"{}\" \
             shape-rendering=\"crispEdges\">\n",
            tokens(&self.labels.query_tokens),
            tokens(&self.labels.key_tokens)
        );
        for (i, panel) in values.chunks((queries * keys) as usize).enumerate() {
            let ((x, y), (w, h)) = (self.corners(i as i32)[0], self.cell);
            let title = match self.labels.titles.get(i) {
                Some(title) => format!(" data-title=\"{}\"", escape(title)),
                None => String::new(),
            };
            let _ = writeln!(
                svg,
                "<g{title} data-rows=\"{queries}\" data-columns=\"{keys}\" \
                 data-values=\"{}\" transform=\"translate({x} {y}) scale({w} {h})\">\
                 {}</g>",
                numbers(panel),
                runs(panel, keys as usize, scale)
            );
        }
        svg + "</g>\n"
    }

    /// The colour bar, to the right of the panels.
    fn bar(&self, area: &Area, scale: &Scale) -> Result<()> {
        let end = self.outer();
        let (left, top) = (end.0 + px(14.0), self.corner.1);
        let high = (end.1 - top).min(px(260.0));
        let y = |share: f64| top + ((1.0 - share) * f64::from(high)) as i32;
        for step in (0..STEPS).step_by(2) {
            let edge = |step: usize| y(step as f64 / STEPS as f64);
            let upper = (left, edge(step + 2));
            let lower = (left + px(12.0), edge(step));
            let filled = colour(step + step * 2 / STEPS).filled();
            area.draw(&Rectangle::new([upper, lower], filled))?;
        }
        let style = label(TEXT, HPos::Left, VPos::Center);
        for (share, text) in scale.ticks((high / px(40.0)).max(2)) {
            area.draw_text(&text, &style, (left + px(17.0), y(share)))?;
        }
        Ok(())
    }

    /// Labels below each column and left of each row of panels.
    fn axes(&self, area: &Area) -> Result<()> {
        let [panels, across, queries, keys] = self.dims;
        let (wide, high) = self.cell;
        let tokens = &self.labels.key_tokens;
        let style = match tokens.is_empty() {
            true => label(TEXT, HPos::Center, VPos::Top),
            false => upwards(label(TEXT, HPos::Right, VPos::Center)),
        };
        for last in (panels - across).max(0)..panels {
            let [start, end] = self.corners(last);
            let x = start.0 + wide / 2;
            for (i, text) in ticks(tokens, keys, wide * keys) {
                area.draw_text(&text, &style, (x + i * wide, end.1 + px(6.0)))?;
            }
        }
        let tokens = &self.labels.query_tokens;
        let style = label(TEXT, HPos::Right, VPos::Center);
        for first in (0..panels).step_by(across as usize) {
            let y = self.corners(first)[0].1 + high / 2;
            for (i, text) in ticks(tokens, queries, high * queries) {
                area.draw_text(&text, &style, (self.corner.0 - px(6.0), y + i * high))?;
            }
        }
        Ok(())
    }

    /// The names of the axes, once for all panels.
    fn names(&self, area: &Area) -> Result<()> {
        let (start, end) = (self.corner, self.outer());
        let middle = ((start.0 + end.0) / 2, (start.1 + end.1) / 2);
        let below = area.dim_in_pixel().1 as i32 - px(4.0);
        let style = label(TEXT, HPos::Center, VPos::Bottom);
        area.draw_text(self.labels.keys, &style, (middle.0, below))?;
        let style = upwards(label(TEXT, HPos::Center, VPos::Top));
        let at = (px(2.0), middle.1);
        Ok(area.draw_text(self.labels.queries, &style, at)?)
    }
}

/// Text that is read from the bottom to the top.
fn upwards(style: TextStyle<'static>) -> TextStyle<'static> {
    style.transform(FontTransform::Rotate270)
}

/// Returns the rows or columns that get a label: all if there are tokens, else as
/// many numbers as fit into `room`.
fn ticks(tokens: &[String], count: i32, room: i32) -> Vec<(i32, String)> {
    if !tokens.is_empty() {
        return (0..).zip(tokens.iter().cloned()).collect();
    }
    let last = f64::from(count - 1).max(1.0);
    let step = round_step(last, room / px(32.0)).max(1.0) as usize;
    (0..count).step_by(step).map(|i| (i, i.to_string())).collect()
}

/// Formats numbers with at most three decimals, as short as they can be.
pub(crate) fn numbers(values: &[f32]) -> String {
    let short = |value: &f32| {
        let text = format!("{value:.3}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        let size = text.trim_start_matches('-');
        match size.strip_prefix('0') {
            Some("") => size.to_string(),
            Some(decimals) if size.len() < text.len() => format!("-{decimals}"),
            Some(decimals) => decimals.to_string(),
            None => text.to_string(),
        }
    };
    values.iter().map(short).collect::<Vec<_>>().join(" ")
}

/// Returns the cells of a panel, one path a colour; neighbours in a row are one run.
/// The commonest colour is a ground below the others.
fn runs(values: &[f32], columns: usize, scale: &Scale) -> String {
    let mut paths: Vec<(usize, String)> = vec![(0, String::new()); STEPS];
    for (row, values) in values.chunks(columns).enumerate() {
        let mut from = 0;
        for run in values.chunk_by(|a, b| scale.step(*a) == scale.step(*b)) {
            let n = run.len();
            let step = scale.step(run[0]);
            paths[step].0 += n;
            let _ = write!(paths[step].1, "M{from} {row}h{n}v1h-{n}z");
            from += n;
        }
    }
    let ground = (0..STEPS).max_by_key(|&step| paths[step].0).unwrap_or(0);
    let rows = values.len() / columns;
    let mut svg = path(ground, &format!("M0 0h{columns}v{rows}H0z"));
    paths[ground].1.clear();
    let used = paths.iter().enumerate().filter(|(_, (_, path))| !path.is_empty());
    svg.extend(used.map(|(step, (_, outline))| path(step, outline)));
    svg
}

fn path(step: usize, outline: &str) -> String {
    format!("<path fill=\"{}\" d=\"{outline}\"/>", hex(colour(step)))
}

/// How many colours there are.
const STEPS: usize = 64;

/// The colour of one step: viridis, dark blue to yellow, lighter at each step,
/// so that neither grey print nor colour-blindness changes the order.
fn colour(step: usize) -> RGBColor {
    ViridisRGB::get_color(step as f64 / (STEPS - 1) as f64)
}

/// The numbers at the two ends of the colours.
struct Scale {
    low: f32,
    high: f32,
}

impl Scale {
    /// Spans the values, and 0.
    fn over(values: &[f32]) -> Self {
        let low = values.iter().copied().fold(0.0, f32::min);
        let high = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        Scale { low, high: if high > low { high } else { low + 1.0 } }
    }

    fn step(&self, value: f32) -> usize {
        let share = f64::from(value - self.low) / self.span();
        ((share * STEPS as f64) as usize).min(STEPS - 1)
    }

    fn span(&self) -> f64 {
        f64::from(self.high - self.low)
    }

    /// At most `count` round numbers, each with its share of the way from
    /// the low end to the high one.
    fn ticks(&self, count: i32) -> Vec<(f64, String)> {
        let (low, high) = (f64::from(self.low), f64::from(self.high));
        let step = round_step(self.span(), count);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let first = (low / step).ceil() as i32;
        let last = (high / step + 1e-4).floor() as i32;
        let tick = |i: i32| f64::from(i) * step;
        let share = |value: f64| (value - low) / self.span();
        (first..=last)
            .map(|i| (share(tick(i)), format!("{:.digits$}", tick(i))))
            .collect()
    }
}
