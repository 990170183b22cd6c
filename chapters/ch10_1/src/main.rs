//! The program of section 10.1: a desk with five things on it, attended to
//! without a cue, with one, and with the wish to read. Nothing is random.

mod demo;

use ch10_1::Dev;
use std::process::ExitCode;

fn main() -> ExitCode {
    let about = "Attention cues: soft attention over a desk, and its heat maps";
    support::run_plain("ch10_1", about, |run| {
        let dev = Dev::seed_from_u64(run.seed);
        demo::desk::the_desk(&dev);
        demo::desk::average(&dev);
        demo::desk::three_queries(&run, &dev)?;
        demo::desk::identity(&run, &dev)?;
        demo::sweeps::from_cup_to_book(&run, &dev)?;
        demo::sweeps::from_soft_to_hard(&run, &dev)?;
        demo::sweeps::an_equal_key(&dev);
        Ok(())
    })
}
