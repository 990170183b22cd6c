//! Plots of lines and points, side by side on one drawing.

use crate::figure::{DASHED, GRID, SERIES, draw, label, px};
use anyhow::{Result, ensure};
use plotters::coord::ranged1d::{
    KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter,
};
use plotters::coord::{CoordTranslate, Shift};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use std::ops::Range;

/// How a series is drawn; series never differ by colour alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// An unbroken line.
    Line,
    /// A broken line.
    Dashes,
    /// Circles that are not joined.
    Dots,
    /// A line through circles.
    LineDots,
}

/// One named set of points (x, y).
pub struct Series {
    /// What the legend calls it; empty for none.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// The points, in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// A series from its points.
    pub fn new(
        name: &str,
        mark: Mark,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let points = points.into_iter().collect();
        Series { name: name.to_string(), mark, points }
    }
}

/// One pair of axes with its series.
#[derive(Default)]
pub struct Plot {
    /// Above the axes; empty for none.
    pub title: String,
    /// Names of the horizontal and the vertical axis, with units.
    pub labels: (&'static str, &'static str),
    /// Whether the horizontal and the vertical axis count powers of ten.
    pub log: (bool, bool),
    /// What is drawn, the first series at the bottom.
    pub series: Vec<Series>,
}

/// Draws the plots in rows of `columns`, all on the same two scales, and
/// gives the SVG.
///
/// # Errors
/// There is no finite point to draw; or what plotters reports.
pub fn line_plots(plots: &[Plot], columns: usize) -> Result<String> {
    let points = || plots.iter().flat_map(|p| &p.series).flat_map(|s| &s.points);
    let log = plots.first().map_or((false, false), |p| p.log);
    let x = Axis::over(points().map(|p| p.0), log.0)?;
    let y = Axis::over(points().map(|p| p.1), log.1)?;
    let rows = plots.len().div_ceil(columns);
    let width = if columns == 1 { 480 } else { 340 * columns as u32 };
    draw(width, 300 * rows as u32, |area| {
        let areas = area.split_evenly((rows, columns));
        plots.iter().zip(areas).try_for_each(|(p, a)| one(p, &a, &x, &y))
    })
}

/// The range and the ticks of an axis, scaled to powers of ten if `log`.
#[derive(Clone)]
struct Axis {
    ends: Range<f64>,
    ticks: Vec<f64>,
    digits: usize,
    log: bool,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, log: bool) -> Result<Self> {
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values
            .map(|v| if log { v.log10() } else { v })
            .filter(|v| v.is_finite())
            .fold(none, |(low, high), v| (low.min(v), high.max(v)));
        ensure!(low <= high, "a plot without points");
        let pad = if high > low { (high - low) * 0.04 } else { 0.5 };
        let (low, high) = (low - pad, high + pad);
        let rough = (high - low) / 7.0;
        let ten = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * ten);
        let step = steps.into_iter().find(|&s| s >= rough).unwrap_or(ten);
        let step = if log { step.ceil() } else { step };
        let whole = (low / step).ceil() as i64..=(high / step).floor() as i64;
        Ok(Axis {
            ends: low..high,
            ticks: whole.map(|i| i as f64 * step).collect(),
            digits: (-step.log10().floor()).max(0.0) as usize,
            log,
        })
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let value = if self.log { value.log10() } else { *value };
        let share = (value - self.ends.start) / (self.ends.end - self.ends.start);
        limit.0 + (f64::from(limit.1 - limit.0) * share).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, _: H) -> Vec<f64> {
        let place = |&t: &f64| if self.log { 10f64.powf(t) } else { t };
        self.ticks.iter().map(place).collect()
    }

    fn range(&self) -> Range<f64> {
        let place = |t: f64| if self.log { 10f64.powf(t) } else { t };
        place(self.ends.start)..place(self.ends.end)
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        match self.log {
            true if !(1e-4..1e5).contains(value) => format!("{value:.0e}"),
            true => format!("{}", *value as f32),
            false => format!("{value:.0$}", self.digits),
        }
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

fn one(plot: &Plot, area: &Area, x: &Axis, y: &Axis) -> Result<()> {
    let area = area.margin(px(4.0), px(4.0), px(2.0), px(12.0));
    let title = label(14.0, HPos::Center, VPos::Top);
    let middle = area.dim_in_pixel().0 as i32 / 2;
    area.draw_text(&plot.title, &title, (middle, 0))?;
    let named = || plot.series.iter().filter(|s| !s.name.is_empty());
    let lines = named().count().div_ceil(2);
    let top = px(if plot.title.is_empty() { 0.0 } else { 22.0 });
    let (head, body) = area.split_vertically(top + px(18.0) * lines as i32);
    let mut chart = ChartBuilder::on(&body)
        .x_label_area_size(px(40.0))
        .y_label_area_size(px(48.0))
        .build_cartesian_2d(x.clone(), y.clone())?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID.mix(0.3).stroke_width(px(0.75) as u32))
        .axis_style(GRID.stroke_width(px(1.0) as u32))
        .label_style(label(12.0, HPos::Center, VPos::Center))
        .axis_desc_style(label(13.0, HPos::Center, VPos::Center))
        .x_desc(plot.labels.0)
        .y_desc(plot.labels.1)
        .draw()?;
    for (i, series) in plot.series.iter().enumerate() {
        put(chart.plotting_area(), series.mark, i, series.points.clone())?;
    }
    for (n, series) in named().enumerate() {
        let i = plot.series.iter().position(|s| std::ptr::eq(s, series));
        let (left, line) = ((n % 2) as i32 * middle, (n / 2) as i32);
        let at = (left + px(48.0), top + px(9.0) + line * px(18.0));
        let ends = vec![(at.0 - px(34.0), at.1), (at.0 - px(10.0), at.1)];
        let one = vec![(at.0 - px(22.0), at.1)];
        let ends = if series.mark == Mark::Dots { one } else { ends };
        put(&head, series.mark, i.unwrap_or(0), ends)?;
        let style = label(12.0, HPos::Left, VPos::Center);
        head.draw_text(&series.name, &style, at)?;
    }
    Ok(())
}

/// Draws one series, or its sample in the legend.
fn put<C: CoordTranslate>(
    area: &DrawingArea<SVGBackend, C>,
    mark: Mark,
    colour: usize,
    points: Vec<C::From>,
) -> Result<()>
where
    C::From: Clone,
{
    let colour = SERIES[colour % SERIES.len()];
    let thick = if mark == Mark::Dashes { DASHED } else { px(2.0) as u32 };
    if mark == Mark::Dots || mark == Mark::LineDots {
        for point in points.clone() {
            area.draw(&Circle::new(point, px(2.5), colour.filled()))?;
        }
    }
    if mark != Mark::Dots {
        area.draw(&PathElement::new(points, colour.stroke_width(thick)))?;
    }
    Ok(())
}
