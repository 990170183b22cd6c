// ANCHOR: colours_header
//! From numbers to colours and to round numbers on an axis. Section 10.1.

use plotters::style::RGBColor;
// ANCHOR_END: colours_header

// ANCHOR: colours
/// Viridis at equal distances: dark blue to yellow, lighter at each step, so
/// that neither grey print nor colour-blindness changes the order.
const ANCHORS: [[f32; 3]; 9] = [
    [68.0, 1.0, 84.0],
    [71.0, 45.0, 123.0],
    [59.0, 82.0, 139.0],
    [44.0, 114.0, 142.0],
    [33.0, 144.0, 140.0],
    [39.0, 173.0, 129.0],
    [93.0, 200.0, 99.0],
    [170.0, 220.0, 50.0],
    [253.0, 231.0, 37.0],
];

/// How many colours are told apart.
pub const STEPS: usize = 64;

/// The colour of one step, between the two anchors beside it.
pub fn colour(step: usize) -> RGBColor {
    let at = step as f32 / (STEPS - 1) as f32 * (ANCHORS.len() - 1) as f32;
    let low = (at as usize).min(ANCHORS.len() - 2);
    let share = at - low as f32;
    let mix = |i: usize| {
        let (a, b) = (ANCHORS[low][i], ANCHORS[low + 1][i]);
        (a + share * (b - a)).round() as u8
    };
    RGBColor(mix(0), mix(1), mix(2))
}
// ANCHOR_END: colours

// ANCHOR: scale
/// The numbers at the two ends of the colours.
pub struct Scale {
    low: f32,
    high: f32,
}

impl Scale {
    /// Spans the finite values, and 0.
    pub fn over(values: &[f32]) -> Self {
        let finite = || values.iter().copied().filter(|v| v.is_finite());
        let low = finite().fold(0.0, f32::min);
        let high = finite().fold(f32::NEG_INFINITY, f32::max);
        Scale { low, high: if high > low { high } else { low + 1.0 } }
    }

    /// The step of a number; none if it has no place on the scale.
    pub fn step(&self, value: f32) -> Option<usize> {
        let share = f64::from(value - self.low) / self.span();
        let step = (share * STEPS as f64) as usize;
        value.is_finite().then_some(step.min(STEPS - 1))
    }

    fn span(&self) -> f64 {
        f64::from(self.high - self.low)
    }

    /// At most `count` round numbers, each with its share of the way from
    /// the low end to the high one.
    pub fn ticks(&self, count: i32) -> Vec<(f64, String)> {
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

/// A step of 1, 2 or 5 times a power of ten that takes at most `steps` to
/// cover the span.
pub fn round_step(span: f64, steps: i32) -> f64 {
    let rough = span / f64::from(steps.max(1));
    let ten = 10f64.powf(rough.log10().floor());
    let round = [1.0, 2.0, 5.0].map(|m| m * ten);
    round.into_iter().find(|&s| s >= rough).unwrap_or(10.0 * ten)
}
// ANCHOR_END: scale
