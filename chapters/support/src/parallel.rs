//! Work on several cores.

use std::thread::{available_parallelism, scope};

/// Does each piece of `work`, on a thread of its own where the machine has
/// cores for them, and gives the results in the order of the pieces.
pub fn in_parallel<A: Send, R: Send>(
    mut work: Vec<A>,
    each: impl Fn(A) -> R + Sync,
) -> Vec<R> {
    let cores = available_parallelism().map_or(1, |cores| cores.get());
    if cores == 1 || work.len() < 2 {
        return work.into_iter().map(each).collect();
    }
    let own = work.remove(work.len() - 1);
    scope(|threads| {
        let each = &each;
        let start = |piece| threads.spawn(move || each(piece));
        let others: Vec<_> = work.into_iter().map(start).collect();
        let own = each(own);
        let join = |thread: std::thread::ScopedJoinHandle<'_, R>| {
            thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e))
        };
        others.into_iter().map(join).chain([own]).collect()
    })
}
