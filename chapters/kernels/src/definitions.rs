//! The switch between kernels and definitions.

use std::cell::Cell;

thread_local! {
    static DEFINITIONS: Cell<bool> = const { Cell::new(false) };
}

/// Runs the definitions instead of the kernels inside `run`: on this thread,
/// and on the threads of [`in_parallel`](crate::in_parallel) below it.
pub fn with_definitions<R>(run: impl FnOnce() -> R) -> R {
    with_switch(true, run)
}

/// Whether a kernel that is called here runs its definition. On a graphics
/// card it always does.
pub fn uses_definitions() -> bool {
    cfg!(feature = "cuda") || DEFINITIONS.get()
}

/// Runs `run` with the switch at `on`, and turns it back after that, also when
/// `run` panics.
pub(crate) fn with_switch<R>(on: bool, run: impl FnOnce() -> R) -> R {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            DEFINITIONS.set(self.0);
        }
    }
    let _restore = Restore(DEFINITIONS.replace(on));
    run()
}
