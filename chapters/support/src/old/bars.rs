//! Bars in groups, side by side on one scale.

use crate::figure::{GRID, INK, SERIES, draw, label, px};
use anyhow::{Result, ensure};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

/// One panel of bars.
pub struct Bars {
    /// Above the panel.
    pub title: String,
    /// What is below each group of bars, and its bars: one for each series.
    pub groups: Vec<(String, Vec<f64>)>,
}

/// Draws panels side by side, all on one scale that begins at 0, each group
/// as wide as any other; gives the SVG. `series` names the bars of a group,
/// `labels` the horizontal and the vertical axis.
///
/// # Errors
/// There is no bar, or one that is negative or not finite; or what plotters
/// reports.
pub fn bar_plots(
    panels: &[Bars],
    series: &[&str],
    labels: (&str, &str),
) -> Result<String> {
    let groups: Vec<usize> = panels.iter().map(|p| p.groups.len()).collect();
    let heights = panels.iter().flat_map(|p| &p.groups).flat_map(|g| &g.1);
    let high = heights.clone().copied().fold(0.0, f64::max);
    let sound = heights.clone().all(|h| h.is_finite() && *h >= 0.0);
    ensure!(high > 0.0 && sound, "bars have a height of 0 or more");
    let step = step(high);
    let scale = Scale { step, top: (high / step).ceil() * step };
    draw(520, 300, |area| {
        legend(area, series)?;
        scale.axis(area, labels)?;
        let all = groups.iter().sum::<usize>() + panels.len() - 1;
        let wide = px(450.0) / all as i32;
        let mut left = px(56.0);
        for panel in panels {
            scale.panel(area, panel, left, wide)?;
            left += wide * (panel.groups.len() as i32 + 1);
        }
        Ok(())
    })
}

/// A round distance between ticks, four to ten of them.
fn step(high: f64) -> f64 {
    let ten = 10f64.powf((high / 4.0).log10().floor());
    let fits = [5.0, 2.0, 1.0].into_iter().find(|m| m * ten <= high / 4.0);
    fits.unwrap_or(1.0) * ten
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const TOP: f64 = 44.0;
const BOTTOM: f64 = 250.0;

struct Scale {
    step: f64,
    top: f64,
}

impl Scale {
    fn y(&self, height: f64) -> i32 {
        px(BOTTOM - (BOTTOM - TOP) * height / self.top)
    }

    /// The ticks, and the names of both axes.
    fn axis(&self, area: &Area, labels: (&str, &str)) -> Result<()> {
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        for tick in 0..=(self.top / self.step).round() as i32 {
            let value = f64::from(tick) * self.step;
            let ends = [px(50.0), px(512.0)].map(|x| (x, self.y(value)));
            let thin = GRID.mix(0.3).stroke_width(px(0.75) as u32);
            area.draw(&PathElement::new(ends.to_vec(), thin))?;
            let style = label(12.0, HPos::Right, VPos::Center);
            let at = (px(46.0), self.y(value));
            area.draw_text(&format!("{value:.digits$}"), &style, at)?;
        }
        let style = label(13.0, HPos::Center, VPos::Bottom);
        area.draw_text(labels.0, &style, (px(280.0), px(296.0)))?;
        let up = style.transform(FontTransform::Rotate270);
        let middle = px((TOP + BOTTOM) / 2.0);
        area.draw_text(labels.1, &up, (px(14.0), middle))?;
        Ok(())
    }

    fn panel(&self, area: &Area, panel: &Bars, left: i32, wide: i32) -> Result<()> {
        let middle = left + wide * panel.groups.len() as i32 / 2;
        let style = label(13.0, HPos::Center, VPos::Bottom);
        area.draw_text(&panel.title, &style, (middle, px(TOP - 4.0)))?;
        for (n, (name, bars)) in panel.groups.iter().enumerate() {
            let x = left + wide * n as i32;
            let bar = wide * 4 / 5 / bars.len().max(1) as i32;
            for (i, &height) in bars.iter().enumerate() {
                let from = x + wide / 10 + bar * i as i32;
                put(area, i, (from, self.y(height)), (from + bar, px(BOTTOM)))?;
            }
            let style = label(12.0, HPos::Center, VPos::Top);
            area.draw_text(name, &style, (x + wide / 2, px(BOTTOM + 5.0)))?;
        }
        let ends = [left, left + wide * panel.groups.len() as i32];
        let ends = ends.map(|x| (x, px(BOTTOM))).to_vec();
        let line = INK.stroke_width(px(1.0) as u32);
        area.draw(&PathElement::new(ends, line))?;
        Ok(())
    }
}

fn legend(area: &Area, series: &[&str]) -> Result<()> {
    let mut left = px(56.0);
    for (i, name) in series.iter().enumerate() {
        put(area, i, (left, px(5.0)), (left + px(12.0), px(17.0)))?;
        let style = label(12.0, HPos::Left, VPos::Center);
        area.draw_text(name, &style, (left + px(17.0), px(11.0)))?;
        left += px(17.0 + 24.0 + 6.6 * name.chars().count() as f64);
    }
    Ok(())
}

/// A bar: every second series is hollow, so that none differs by colour
/// alone.
fn put(area: &Area, i: usize, a: (i32, i32), b: (i32, i32)) -> Result<()> {
    let colour = SERIES[i % SERIES.len()];
    let edge = px(1.0);
    let (left, right) = (a.0 + edge, b.0 - edge);
    if i.is_multiple_of(2) {
        let corners = [(left, a.1), (right, b.1)];
        area.draw(&Rectangle::new(corners, colour.filled()))?;
    } else if b.1 - a.1 > 2 * edge {
        let (left, right, top) = (left + edge, right - edge, a.1 + edge);
        let line = colour.stroke_width(px(2.0) as u32);
        let outline =
            [(left, b.1), (left, top), (right, top), (right, b.1), (left, b.1)];
        area.draw(&PathElement::new(outline.to_vec(), line))?;
    }
    Ok(())
}
