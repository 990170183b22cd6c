//! Numbers that should agree.

/// Fails unless each number is within `tolerance` of the wanted one, times the
/// size of that one where it is above 1. NaN agrees with nothing.
#[track_caller]
pub fn close(found: &[f32], wanted: &[f32], tolerance: f32, what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}: how many numbers");
    for (i, (f, w)) in found.iter().zip(wanted).enumerate() {
        let allowed = tolerance * w.abs().max(1.0);
        assert!((f - w).abs() <= allowed, "{what}: number {i} is {f}, not {w}");
    }
}

/// Returns the largest distance between two numbers at one place; NaN if one is.
#[track_caller]
pub fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len(), "how many numbers");
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    apart.fold(0.0, |most, x| if x > most || x.is_nan() { x } else { most })
}

/// Returns the mean of numbers.
#[track_caller]
pub fn mean(values: &[f64]) -> f64 {
    assert!(!values.is_empty(), "the mean of nothing");
    values.iter().sum::<f64>() / values.len() as f64
}
