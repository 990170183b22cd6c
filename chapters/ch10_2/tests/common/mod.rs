//! What the tests of section 10.2 share.

/// Whether two numbers agree to `tolerance`, relative to the wanted one; a
/// tenth of it more is allowed, for what is near 0.
#[track_caller]
pub fn close(found: f32, wanted: f64, tolerance: f64) {
    let difference = (f64::from(found) - wanted).abs();
    let allowed = tolerance * (wanted.abs() + 0.1);
    assert!(difference <= allowed, "{found} where {wanted} is wanted");
}
