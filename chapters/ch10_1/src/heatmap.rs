// ANCHOR: heatmap_header
//! Heat maps of attention weights: colour in place of number.
//!
//! Drawing alone: it computes no weights and writes no file. Section 10.1.

use crate::Dev;
use crate::colours::{STEPS, Scale, colour, round_step};
use anyhow::{Result, ensure};
use dfdx::prelude::*;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use support::{GRID, draw, label, px};
// ANCHOR_END: heatmap_header

// ANCHOR: labels
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
        }
    }
}
// ANCHOR_END: labels

// ANCHOR: show_heatmaps
/// Draws R rows by C columns of heat maps, each with Q rows and K columns of
/// cells, on shared axes and beside one colour bar; gives the SVG.
///
/// The bar runs from 0, or from the smallest entry if that is negative, to
/// the largest. An entry that is not finite leaves its cell empty.
///
/// # Errors
/// There are labels, but not one for each panel, key or query; there is
/// nothing to draw; or what plotters reports.
pub fn show_heatmaps<const R: usize, const C: usize, const Q: usize, const K: usize>(
    matrices: &Tensor<Rank4<R, C, Q, K>, f32, Dev>,
    labels: &Labels,
) -> Result<String> {
    ensure!(R * C * Q * K > 0, "a heat map without cells");
    counted("titles", labels.titles.len(), R * C)?;
    counted("key tokens", labels.key_tokens.len(), K)?;
    counted("query tokens", labels.query_tokens.len(), Q)?;
    let values = matrices.as_vec();
    let scale = Scale::over(&values);
    let page = Page::new([R, C, Q, K], labels);
    let (width, height) = page.size();
    draw(width, height, |area| {
        for (i, cells) in values.chunks_exact(Q * K).enumerate() {
            page.panel(area, i, cells, &scale)?;
        }
        page.axes(area)?;
        page.names(area)?;
        page.bar(area, &scale)
    })
}

fn counted(what: &str, found: usize, wanted: usize) -> Result<()> {
    let fits = found == 0 || found == wanted;
    ensure!(fits, "{found} {what} where {wanted} are needed");
    Ok(())
}
// ANCHOR_END: show_heatmaps

// ANCHOR: page
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Where everything is, in the units of the drawing.
struct Page<'a> {
    labels: &'a Labels,
    /// Panels down and across, cells down and across.
    dims: [i32; 4],
    /// Width and height of one cell.
    cell: (i32, i32),
    /// The left upper corner of the first panel.
    corner: (i32, i32),
    /// From one panel to the next, across and down.
    pitch: (i32, i32),
}

/// The space that a text takes, generously.
fn space(text: &str, size: f64) -> i32 {
    px(text.chars().count() as f64 * size * 0.6)
}

fn widest(texts: &[String]) -> i32 {
    texts.iter().map(|text| space(text, 12.0)).max().unwrap_or(px(18.0))
}

/// Cells are square, up to 40 pixels wide, and shrink to fit; but all names,
/// titles and tokens must have their place.
fn cell(dims: [i32; 4], labels: &Labels) -> (i32, i32) {
    let [rows, columns, queries, keys] = dims;
    let room = px(520.0) - widest(&labels.query_tokens);
    let room = (room / columns - px(12.0)).min(px(280.0));
    let side = (room / keys).min(px(320.0) / queries).min(px(40.0));
    let title = match labels.titles.is_empty() {
        true => 0,
        false => widest(&labels.titles),
    };
    let across = (space(labels.keys, 13.0) / columns).max(title) / keys;
    let down = space(labels.queries, 13.0) / rows / queries;
    let line = |tokens: &[String]| match tokens.is_empty() {
        true => 1,
        false => px(12.5),
    };
    (
        side.max(across + 1).max(line(&labels.key_tokens)),
        side.max(down + 1).max(line(&labels.query_tokens)),
    )
}

impl<'a> Page<'a> {
    fn new(dims: [usize; 4], labels: &'a Labels) -> Self {
        let dims = dims.map(|n| n as i32);
        let (wide, high) = cell(dims, labels);
        let head = if labels.titles.is_empty() { 0.0 } else { 20.0 };
        let gap = px(12.0);
        Page {
            labels,
            dims,
            cell: (wide, high),
            corner: (px(30.0) + widest(&labels.query_tokens), px(8.0 + head)),
            pitch: (wide * dims[3] + gap, high * dims[2] + gap + px(head)),
        }
    }

    /// Width and height of the whole, in CSS pixels.
    fn size(&self) -> (u32, u32) {
        let (right, bottom) = self.outer();
        let ticks = widest(&self.labels.key_tokens);
        let units = (right + px(66.0), bottom + ticks + px(28.0));
        ((units.0 / px(1.0)) as u32, (units.1 / px(1.0)) as u32)
    }

    /// The left upper corner of a panel, and the right lower one.
    fn place(&self, panel: usize) -> [(i32, i32); 2] {
        let (row, column) = (panel as i32 / self.dims[1], panel as i32 % self.dims[1]);
        let x = self.corner.0 + column * self.pitch.0;
        let y = self.corner.1 + row * self.pitch.1;
        let [.., queries, keys] = self.dims;
        [(x, y), (x + keys * self.cell.0, y + queries * self.cell.1)]
    }

    /// The right lower corner of the last panel.
    fn outer(&self) -> (i32, i32) {
        self.place((self.dims[0] * self.dims[1] - 1) as usize)[1]
    }
}
// ANCHOR_END: page

// ANCHOR: panels
impl Page<'_> {
    /// The cells of one panel, its frame and its title.
    fn panel(
        &self,
        area: &Area,
        panel: usize,
        values: &[f32],
        scale: &Scale,
    ) -> Result<()> {
        let [start, end] = self.place(panel);
        for (i, &value) in values.iter().enumerate() {
            let (q, k) = (i as i32 / self.dims[3], i as i32 % self.dims[3]);
            let x = start.0 + k * self.cell.0;
            let y = start.1 + q * self.cell.1;
            if let Some(step) = scale.step(value) {
                let corners = [(x, y), (x + self.cell.0, y + self.cell.1)];
                area.draw(&Rectangle::new(corners, colour(step).filled()))?;
            }
        }
        let frame = GRID.stroke_width(px(1.0) as u32);
        area.draw(&Rectangle::new([start, end], frame))?;
        if let Some(title) = self.labels.titles.get(panel) {
            let style = label(12.0, HPos::Center, VPos::Bottom);
            let at = ((start.0 + end.0) / 2, start.1 - px(4.0));
            area.draw_text(title, &style, at)?;
        }
        Ok(())
    }

    /// The colour bar, to the right of the panels.
    fn bar(&self, area: &Area, scale: &Scale) -> Result<()> {
        let end = self.outer();
        let (left, top) = (end.0 + px(14.0), self.corner.1);
        let high = (end.1 - top).min(px(240.0));
        let y = |share: f64| top + ((1.0 - share) * f64::from(high)) as i32;
        for step in 0..STEPS {
            let edge = |step: usize| y(step as f64 / STEPS as f64);
            let upper = (left, edge(step + 1));
            let lower = (left + px(12.0), edge(step));
            let filled = colour(step).filled();
            area.draw(&Rectangle::new([upper, lower], filled))?;
        }
        let style = label(12.0, HPos::Left, VPos::Center);
        for (share, text) in scale.ticks((high / px(36.0)).max(2)) {
            area.draw_text(&text, &style, (left + px(17.0), y(share)))?;
        }
        Ok(())
    }
}
// ANCHOR_END: panels

// ANCHOR: axes
/// The rows or columns that get a label: all if there are tokens, else as
/// many numbers as fit into `room`.
fn ticks(tokens: &[String], count: i32, room: i32) -> Vec<(i32, String)> {
    if !tokens.is_empty() {
        return (0..).zip(tokens.iter().cloned()).collect();
    }
    let last = f64::from(count - 1).max(1.0);
    let step = round_step(last, room / px(26.0)).max(1.0) as usize;
    (0..count).step_by(step).map(|i| (i, i.to_string())).collect()
}

impl Page<'_> {
    /// Labels below the last row and left of the first column, for all
    /// panels.
    fn axes(&self, area: &Area) -> Result<()> {
        let [rows, columns, queries, keys] = self.dims;
        let ((wide, high), end) = (self.cell, self.outer());
        let tokens = &self.labels.key_tokens;
        let style = match tokens.is_empty() {
            true => label(12.0, HPos::Center, VPos::Top),
            false => upwards(label(12.0, HPos::Right, VPos::Center)),
        };
        for column in 0..columns {
            let x = self.place(column as usize)[0].0 + wide / 2;
            for (i, text) in ticks(tokens, keys, wide * keys) {
                let at = (x + i * wide, end.1 + px(5.0));
                area.draw_text(&text, &style, at)?;
            }
        }
        let tokens = &self.labels.query_tokens;
        let style = label(12.0, HPos::Right, VPos::Center);
        for row in 0..rows {
            let y = self.place((row * columns) as usize)[0].1 + high / 2;
            for (i, text) in ticks(tokens, queries, high * queries) {
                let at = (self.corner.0 - px(6.0), y + i * high);
                area.draw_text(&text, &style, at)?;
            }
        }
        Ok(())
    }

    /// The names of the axes, once for all panels.
    fn names(&self, area: &Area) -> Result<()> {
        let (start, end) = (self.corner, self.outer());
        let middle = ((start.0 + end.0) / 2, (start.1 + end.1) / 2);
        let below = area.dim_in_pixel().1 as i32 - px(4.0);
        let style = label(13.0, HPos::Center, VPos::Bottom);
        area.draw_text(self.labels.keys, &style, (middle.0, below))?;
        let style = upwards(label(13.0, HPos::Center, VPos::Top));
        let at = (px(2.0), middle.1);
        Ok(area.draw_text(self.labels.queries, &style, at)?)
    }
}

/// Text that is read from the bottom to the top.
fn upwards(style: TextStyle<'static>) -> TextStyle<'static> {
    style.transform(FontTransform::Rotate270)
}
// ANCHOR_END: axes
