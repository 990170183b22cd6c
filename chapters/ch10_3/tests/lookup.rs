//! The trainings of the pages, on runs of the program made here.

use testing::{part, program, repository, row};

/// From each of six seeds, the errors after 300 steps are those that the page
/// describes; the mean of the values would have 0.8.
#[test]
fn layers_learn_to_look_up_as_the_page_says() {
    let folder = repository();
    for seed in ["0", "3"] {
        let run = program(env!("CARGO_BIN_EXE_ch10_3"), folder.path());
        let output = run.args(["--seed", seed]).run().printed();
        let table: Vec<&str> = part(&output, "A learned lookup").lines().collect();
        let errors = |label: &str| -> Vec<Vec<f64>> {
            let of_label = |line: &&&str| {
                let rest = line.strip_prefix(label).unwrap_or_default();
                rest.starts_with("  ")
            };
            table.iter().filter(of_label).map(|line| row(line, label)).collect()
        };
        for (label, after) in [
            ("additive", 0.6..0.9),
            ("additive, with 1", 0.0..0.03),
            ("bilinear", 0.15..0.36),
            ("bilinear, with lengths", 0.03..0.15),
        ] {
            let rows = errors(label);
            assert_eq!(rows.len(), 3, "{label}: {output}");
            for errors in rows {
                assert!(errors[0] > 0.65, "{label} starts at {errors:?}");
                assert!(after.contains(&errors[3]), "{label} ends at {errors:?}");
                let learns_on = label == "bilinear, with lengths";
                assert!(!learns_on || errors[3] < errors[2], "{label}: {errors:?}");
            }
        }
    }
}

/// Divided by the root, the lookup is learned with every learning rate of the
/// table; undivided only with the smallest, and divided by the width only with
/// the largest ones.
#[test]
fn the_root_suits_every_learning_rate() {
    let folder = repository();
    for seed in ["0", "3"] {
        let run = program(env!("CARGO_BIN_EXE_ch10_3"), folder.path());
        let output = run.args(["scaling", "--seed", seed]).run().printed();
        let table = part(&output, "Three divisors trained");
        for line in table.lines().filter(|line| line.starts_with("divisor")) {
            let (label, numbers) = line.split_at(24);
            let errors = row(numbers, "");
            assert_eq!(errors.len(), 4, "{line}");
            match label.split_once(',').expect("has a comma").0 {
                "divisor 16" => assert!(errors.iter().all(|&e| e < 0.36), "{line}"),
                "divisor 1" => assert!(errors[3] > errors[0] + 0.05, "{line}"),
                "divisor 256" => assert!(errors[0] > errors[3] + 0.15, "{line}"),
                other => panic!("{other}"),
            }
        }
    }
}
