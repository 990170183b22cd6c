//! Plots of lines and points: panels on the same two scales, at most two side
//! by side.

use crate::figure::{
    Area, GRID, TEXT, WIDTH, compose, escape, label, px, round_step, series_colour,
    space,
};
use anyhow::{Result, ensure};
use plotters::coord::ranged1d::{
    KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter,
};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use std::fmt::Write;
use std::ops::Range;

/// How a series is drawn. Series of one kind are drawn apart: the second
/// broken line has other dashes, the second set of points another shape; so
/// they never differ by colour alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line, unbroken if it is the first of its plot.
    Line,
    /// A broken line.
    Dashes,
    /// Points that are not joined.
    Dots,
    /// A line through points.
    LineDots,
}

/// One named set of points (x, y).
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend calls it; empty for none.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// The points, in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// Creates a series from its points.
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
#[derive(Clone, Debug, Default)]
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

/// Draws plots of the same series in rows of `columns`, at most two, all on the
/// same two scales and under one legend, and returns the SVG. Each plot names its
/// horizontal axis; the name of the vertical one and the kinds of axes are those
/// of the first plot.
///
/// # Errors
/// If there is no finite point to draw, or plotters reports an error.
///
/// # Panics
/// If there is no plot.
pub fn line_plots(plots: &[Plot], columns: usize) -> Result<String> {
    let page = Page::new(plots, columns)?;
    compose(page.size(), "", |area| {
        let mut over = String::new();
        page.legend(area, &plots[0], &mut over)?;
        for (i, plot) in plots.iter().enumerate() {
            page.panel(area, i, plot, &mut over)?;
        }
        Ok(over)
    })
}

/// Where everything is, in CSS pixels.
struct Page {
    axes: (Axis, Axis),
    labels: (&'static str, &'static str),
    rows: usize,
    columns: usize,
    /// Where the first row of panels begins, below the legend.
    top: f64,
    /// Left of the first panel: the numbers and the name of the vertical axis.
    left: f64,
    /// Width and height of what is inside of the axes.
    inside: (f64, f64),
    /// Above what is inside of the axes: the title, if there are titles.
    head: f64,
}

/// The height of a line of a legend or a title.
const LINE: f64 = 23.0;
/// Between two panels, and right of the last.
const GAP: f64 = 16.0;
/// Below a panel: the numbers and the name of the horizontal axis.
const BELOW: f64 = 54.0;
/// A sample of a series in a legend, with the space around it.
const SAMPLE: f64 = 40.0;

impl Page {
    fn new(plots: &[Plot], columns: usize) -> Result<Self> {
        let points = || plots.iter().flat_map(|p| &p.series).flat_map(|s| &s.points);
        let first = &plots[0];
        let high = if columns == 1 { 250.0 } else { 190.0 };
        let y = Axis::new(points().map(|p| p.1), first.log.1, |labels| {
            labels.len() as f64 * 36.0 <= high
        })?;
        let widest = y.ticks.iter().map(|(_, label)| space(label));
        let left = widest.fold(0.0, f64::max) + 14.0 + TEXT + 6.0;
        let wide = (WIDTH - left - GAP * columns as f64) / columns as f64;
        let x = Axis::new(points().map(|p| p.0), first.log.0, |labels| {
            let label = labels.iter().map(|label| space(label) + 12.0);
            label.fold(0.0, f64::max) * labels.len() as f64 <= wide
        })?;
        let lines = entries(first, WIDTH - left).pop().map_or(0, |last| last.2 + 1);
        let titled = plots.iter().any(|plot| !plot.title.is_empty());
        Ok(Page {
            axes: (x, y),
            labels: first.labels,
            rows: plots.len().div_ceil(columns),
            columns,
            top: lines as f64 * LINE + 8.0,
            left,
            inside: (wide, high),
            head: if titled { LINE + 6.0 } else { 6.0 },
        })
    }

    fn size(&self) -> (f64, f64) {
        (WIDTH, self.top + self.rows as f64 * self.pitch() + 4.0)
    }

    /// From one row of panels to the next.
    fn pitch(&self) -> f64 {
        self.head + self.inside.1 + BELOW
    }

    fn legend(&self, area: &Area, plot: &Plot, over: &mut String) -> Result<()> {
        let styles = styles(plot);
        for (i, left, line) in entries(plot, WIDTH - self.left) {
            let x = self.left + left;
            let y = px(4.0 + (line as f64 + 0.5) * LINE);
            let [from, middle, to] = [0.0, 14.0, 28.0].map(|dx| (px(x + dx), y));
            put(over, &styles[i], &[from, to], &[middle]);
            let style = label(TEXT, HPos::Left, VPos::Center);
            area.draw_text(&plot.series[i].name, &style, (px(x + SAMPLE - 6.0), y))?;
        }
        Ok(())
    }

    fn panel(
        &self,
        area: &Area,
        i: usize,
        plot: &Plot,
        over: &mut String,
    ) -> Result<()> {
        let (row, column) = (i / self.columns, i % self.columns);
        let (wide, high) = self.inside;
        let left = self.left + column as f64 * (wide + GAP);
        let top = self.top + row as f64 * self.pitch();
        let title = label(TEXT, HPos::Center, VPos::Top);
        area.draw_text(&plot.title, &title, (px(left + wide / 2.0), px(top)))?;
        // The first of a row has the numbers of the vertical axis.
        let (before, name) = match column {
            0 => (self.left, self.labels.1),
            _ => (0.0, ""),
        };
        let body = area.clone().shrink(
            (px(left - before), px(top + self.head)),
            (px(before + wide), px(high + BELOW - 6.0)),
        );
        let mut chart = ChartBuilder::on(&body)
            .x_label_area_size(px(BELOW - 6.0))
            .y_label_area_size(px(before))
            .build_cartesian_2d(self.axes.0.clone(), self.axes.1.clone())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID.mix(0.3).stroke_width(px(0.75) as u32))
            .axis_style(GRID.stroke_width(px(1.0) as u32))
            .label_style(label(TEXT, HPos::Center, VPos::Center))
            .axis_desc_style(label(TEXT, HPos::Center, VPos::Center))
            .x_desc(plot.labels.0)
            .y_desc(name)
            .draw()?;
        for (series, style) in plot.series.iter().zip(styles(plot)) {
            let place = |point| chart.plotting_area().map_coordinate(point);
            let drawable = |p: &&(f64, f64)| p.0.is_finite() && p.1.is_finite();
            let points = series.points.iter().filter(drawable);
            let points: Vec<(i32, i32)> = points.map(place).collect();
            let _ = writeln!(over, "<g data-series=\"{}\">", escape(&series.name));
            put(over, &style, &points, &points);
            *over += "</g>\n";
        }
        Ok(())
    }
}

/// The series that have a name, by their number, and where a legend of this width
/// has them: one after the other, in lines.
fn entries(plot: &Plot, wide: f64) -> Vec<(usize, f64, usize)> {
    let (mut x, mut line) = (0.0, 0);
    let named = plot.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty());
    let entry = |(i, series): (usize, &Series)| {
        let entry = space(&series.name) + SAMPLE;
        if x > 0.0 && x + entry > wide {
            (x, line) = (0.0, line + 1);
        }
        let left = x;
        x += entry + 14.0;
        (i, left, line)
    };
    named.map(entry).collect()
}

/// How one series is drawn.
struct Style {
    colour: String,
    /// The lengths of dashes and gaps, empty for an unbroken line; or none for
    /// no line.
    dashes: Option<&'static str>,
    shape: Option<Shape>,
}

const DASHES: [&str; 6] =
    ["", "28 16", "8 14", "44 14 8 14", "64 20", "28 12 8 12 8 12"];

#[derive(Clone, Copy)]
enum Shape {
    Circle,
    Square,
    Triangle,
    Cross,
    Diamond,
}

const SHAPES: [Shape; 5] =
    [Shape::Circle, Shape::Square, Shape::Triangle, Shape::Cross, Shape::Diamond];

/// A style for each series, all different while the patterns last.
fn styles(plot: &Plot) -> Vec<Style> {
    let (mut used, mut shapes) = ([false; DASHES.len()], SHAPES.iter().cycle());
    let mut dashes = |from: usize| {
        let free = (from..DASHES.len()).find(|&i| !used[i]).unwrap_or(from);
        used[free] = true;
        DASHES[free]
    };
    let marks = plot.series.iter().map(|series| series.mark).enumerate();
    let style = marks.map(|(i, mark)| {
        let (dashes, dotted) = match mark {
            Mark::Line => (Some(dashes(0)), false),
            Mark::Dashes => (Some(dashes(1)), false),
            Mark::Dots => (None, true),
            Mark::LineDots => (Some(""), true),
        };
        let shape = if dotted { shapes.next().copied() } else { None };
        Style { colour: series_colour(i), dashes, shape }
    });
    style.collect()
}

/// Appends a line through `line` and shapes at `dots`, in the units of the
/// drawing; which of both there is, the style says.
fn put(svg: &mut String, style: &Style, line: &[(i32, i32)], dots: &[(i32, i32)]) {
    let colour = &style.colour;
    if let Some(dashes) = style.dashes {
        let points = line.iter().map(|(x, y)| format!("{x},{y}"));
        let points = points.collect::<Vec<_>>().join(" ");
        let dashes = match dashes {
            "" => String::new(),
            dashes => format!(" stroke-dasharray=\"{dashes}\""),
        };
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"8\"{dashes} \
             points=\"{points}\"/>"
        );
    }
    if let Some(shape) = style.shape {
        // A stroke of no length with a cap is a circle or a square.
        let (paint, outline) = match shape {
            Shape::Circle => ("stroke-width=\"22\" stroke-linecap=\"round\"", "h1"),
            Shape::Square => ("stroke-width=\"19\" stroke-linecap=\"square\"", "h1"),
            Shape::Triangle => ("stroke-width=\"4\"", "m0-13l12 21h-24z"),
            Shape::Cross => ("stroke-width=\"6\"", "m-10-10l20 20m0-20l-20 20"),
            Shape::Diamond => ("stroke-width=\"4\"", "m0-14l12 14l-12 14l-12-14z"),
        };
        let fill = match shape {
            Shape::Triangle | Shape::Diamond => colour,
            _ => "none",
        };
        let dots = dots.iter().map(|(x, y)| format!("M{x} {y}{outline}"));
        let _ = writeln!(
            svg,
            "<path fill=\"{fill}\" stroke=\"{colour}\" {paint} d=\"{}\"/>",
            dots.collect::<String>()
        );
    }
}

/// The range and the ticks of an axis, scaled to powers of ten if `log`.
#[derive(Clone)]
struct Axis {
    ends: Range<f64>,
    ticks: Vec<(f64, String)>,
    log: bool,
}

impl Axis {
    /// With as many ticks, up to eight, as `fit`.
    fn new(
        values: impl Iterator<Item = f64>,
        log: bool,
        fit: impl Fn(&[String]) -> bool,
    ) -> Result<Self> {
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values
            .map(|v| if log { v.log10() } else { v })
            .filter(|v| v.is_finite())
            .fold(none, |(low, high), v| (low.min(v), high.max(v)));
        ensure!(low <= high, "a plot without points");
        let pad = if high > low { (high - low) * 0.04 } else { 0.5 };
        let ends = low - pad..high + pad;
        let most = (2..=7).rev().map(|steps| ticks(&ends, steps, log));
        let ticks = most.reduce(|best, fewer| {
            let labels: Vec<String> = best.iter().map(|t| t.1.clone()).collect();
            if fit(&labels) { best } else { fewer }
        });
        Ok(Axis { ends, ticks: ticks.unwrap_or_default(), log })
    }
}

/// Round numbers in a range, at most `steps` of them apart, and as they are
/// printed.
fn ticks(ends: &Range<f64>, steps: i32, log: bool) -> Vec<(f64, String)> {
    let step = round_step(ends.end - ends.start, steps);
    let step = if log { step.ceil() } else { step };
    let digits = (-step.log10().floor()).max(0.0) as usize;
    let whole = (ends.start / step).ceil() as i64..=(ends.end / step).floor() as i64;
    let tick = |i: i64| match log {
        true => {
            let value = 10f64.powf(i as f64 * step);
            let text = match (1e-4..1e5).contains(&value) {
                true => format!("{}", value as f32),
                false => format!("{value:.0e}"),
            };
            (value, text)
        }
        false => (i as f64 * step, format!("{:.digits$}", i as f64 * step)),
    };
    whole.map(tick).collect()
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
        self.ticks.iter().map(|tick| tick.0).collect()
    }

    fn range(&self) -> Range<f64> {
        let value = |t: f64| if self.log { 10f64.powf(t) } else { t };
        value(self.ends.start)..value(self.ends.end)
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|tick| tick.0 == *value);
        tick.map_or(String::new(), |tick| tick.1.clone())
    }
}
