//! The program as a reader meets it: the ends of its flags.

use testing::{program, repository};

const BINARY: &str = env!("CARGO_BIN_EXE_ch10_6");

#[test]
fn the_last_seed_is_a_seed_of_each_command() {
    let folder = repository();
    for command in ["coreference", "pixels"] {
        let args = [command, "--steps", "1", "--seed", "18446744073709551615"];
        assert!(!program(BINARY, folder.path()).args(args).run().printed().is_empty());
    }
}

#[test]
fn a_training_has_a_step() {
    let folder = repository();
    for command in ["coreference", "pixels"] {
        let args = [command, "--steps", "0"];
        let why = program(BINARY, folder.path()).args(args).run().error();
        assert!(why.contains("expected a whole number from 1 to 100000"), "{why}");
    }
}
