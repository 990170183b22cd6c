//! The learned lookup of the page, on a run of the program made here.

use testing::{part, program, repository, row};

/// From each of three seeds: additive attention and the bilinear score learn
/// to look the value up, from an error of at least 0.7, the mean's, to less
/// than 0.1 and to less than 0.4.
#[test]
fn layers_with_parameters_learn_to_look_up() {
    let folder = repository();
    for seed in ["0", "3"] {
        let run = program(env!("CARGO_BIN_EXE_ch10_3"), folder.path());
        let output = run.args(["--seed", seed]).run().printed();
        let table = part(&output, "A learned lookup");
        println!("{table}");
        for line in table.lines().filter(|line| line.starts_with("bilinear")) {
            let errors = row(line, "bilinear");
            assert!(errors[0] > 0.7 && errors[3] < 0.4, "{line}");
        }
    }
}
