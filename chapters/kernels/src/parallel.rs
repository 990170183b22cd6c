//! Work on several cores. Where there are no threads (in a page), or where the
//! device must stay on its thread (a graphics card), the pieces are done one
//! after the other.

#[cfg(any(target_family = "wasm", feature = "cuda"))]
pub use sequential::{MaybeSend, in_parallel};
#[cfg(not(any(target_family = "wasm", feature = "cuda")))]
pub use threads::{MaybeSend, in_parallel};

#[cfg(any(target_family = "wasm", feature = "cuda"))]
mod sequential {
    /// What may go to another thread: anything, as there is none.
    pub trait MaybeSend {}
    impl<A> MaybeSend for A {}

    /// Does each piece of `work`, and gives the results in the same order.
    pub fn in_parallel<W: MaybeSend, R: MaybeSend>(
        work: Vec<W>,
        each: impl Fn(W) -> R + Sync,
    ) -> Vec<R> {
        work.into_iter().map(each).collect()
    }
}

#[cfg(not(any(target_family = "wasm", feature = "cuda")))]
mod threads {
    use std::hint::black_box;
    use std::panic::resume_unwind;
    use std::sync::{LazyLock, Once};
    use std::thread::{ScopedJoinHandle, available_parallelism, scope};

    /// Asked once: the answer takes a look at several files.
    static CORES: LazyLock<usize> =
        LazyLock::new(|| available_parallelism().map_or(1, |cores| cores.get()));

    /// What may go to another thread.
    pub trait MaybeSend: Send {}
    impl<A: Send> MaybeSend for A {}

    /// Does each piece of `work`, on a thread of its own where the machine has
    /// cores for them, and gives the results in the order of the pieces.
    pub fn in_parallel<W: MaybeSend, R: MaybeSend>(
        work: Vec<W>,
        each: impl Fn(W) -> R + Sync,
    ) -> Vec<R> {
        let each = &each;
        let piece = |piece| Box::new(move || each(piece)) as Piece<'_, R>;
        run(work.into_iter().map(piece).collect())
    }

    type Piece<'a, R> = Box<dyn FnOnce() -> R + Send + 'a>;

    /// Knows no work: it is compiled once for each kind of result.
    fn run<R: Send>(mut work: Vec<Piece<'_, R>>) -> Vec<R> {
        keep_memory();
        if *CORES == 1 || work.len() < 2 {
            return work.into_iter().map(|piece| piece()).collect();
        }
        let own = work.remove(work.len() - 1);
        scope(|threads| {
            let others: Vec<_> =
                work.into_iter().map(|piece| threads.spawn(piece)).collect();
            let own = own();
            let join = |thread: ScopedJoinHandle<'_, R>| {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            others.into_iter().map(join).chain([own]).collect()
        })
    }

    /// glibc gives memory back to the system as soon as a thread has more than
    /// a little that is free, and training asks for the same memory at each
    /// step. A large piece that is freed makes it keep twice as much:
    /// mallopt(3), `M_MMAP_THRESHOLD`.
    fn keep_memory() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| drop(black_box(vec![0u8; 24 << 20])));
    }
}
