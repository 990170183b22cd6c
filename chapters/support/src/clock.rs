//! How long a computation takes.

use std::time::Instant;

/// Returns the seconds that `work` takes: the fewest of `times` runs, which other
/// programs of the machine have disturbed least. A run before them warms up the
/// caches.
pub fn fastest(times: usize, mut work: impl FnMut()) -> f64 {
    work();
    let seconds = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..times).map(seconds).fold(f64::INFINITY, f64::min)
}
