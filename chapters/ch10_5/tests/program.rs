//! The program as a reader meets it: the ends of its flags.

use testing::{program, repository};

#[test]
fn a_training_has_a_step() {
    let folder = repository();
    let program = program(env!("CARGO_BIN_EXE_ch10_5"), folder.path());
    let why = program.args(["--steps", "0"]).run().error();
    assert!(why.contains("expected a whole number from 1 to 100000"), "{why}");
}

/// `--steps` is of the default run: the command has its own.
#[test]
fn the_command_takes_no_steps() {
    let folder = repository();
    for args in [&["--steps", "1", "seeds"][..], &["seeds", "--steps", "1"]] {
        let program = program(env!("CARGO_BIN_EXE_ch10_5"), folder.path());
        let why = program.args(args).run().error();
        assert!(why.contains("--steps"), "{why}");
    }
}
