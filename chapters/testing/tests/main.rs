//! The helpers of tests themselves: each fails where it should.

use serde_json::json;
use std::panic::{AssertUnwindSafe, catch_unwind};
use testing::*;

/// Whether `check` fails.
fn fails<R>(check: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

#[test]
fn close_is_absolute_below_1_and_relative_above() {
    close(&[0.0, 1000.0], &[1e-6, 1000.009], 1e-5, "near");
    assert!(fails(|| close(&[0.0], &[2e-5], 1e-5, "far")));
    assert!(fails(|| close(&[1000.0], &[1000.02], 1e-5, "far")));
    assert!(fails(|| close(&[1.0], &[1.0, 1.0], 1e-5, "fewer")));
    assert!(fails(|| close(&[f32::NAN], &[1.0], 1e-5, "not a number")));
    assert!(fails(|| close(&[1.0], &[f32::NAN], 1e-5, "not a number")));
    assert_eq!(largest_difference(&[1.0, 2.0, 3.0], &[1.5, 2.0, 1.0]), 2.0);
    assert!(largest_difference(&[f32::NAN, 1.0], &[0.0, 3.0]).is_nan());
    assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
}

/// The sum of xᵢ³ + x₀ x₁, and its gradient.
fn cubes(x: &[f32]) -> f32 {
    x.iter().map(|x| x * x * x).sum::<f32>() + x[0] * x[1]
}

fn gradient(x: &[f32]) -> Vec<f32> {
    let mut gradient: Vec<f32> = x.iter().map(|x| 3.0 * x * x).collect();
    gradient[0] += x[1];
    gradient[1] += x[0];
    gradient
}

#[test]
fn finite_differences_find_a_wrong_gradient() {
    let x = [0.5, -0.25, 0.125, 0.0];
    let right = gradient(&x);
    gradient_agrees(&x, &right, cubes, 1e-4, "right");
    for i in 0..x.len() {
        let mut wrong = right.clone();
        wrong[i] += 0.01;
        assert!(fails(|| gradient_agrees(&x, &wrong, cubes, 1e-4, "wrong")));
    }
    assert!(fails(|| gradient_agrees(&x, &right[1..], cubes, 1e-4, "fewer")));
}

#[test]
fn parameters_come_in_our_order_and_none_is_left_out() {
    let file = json!({"W_q.weight": [[1, 2]], "W_o.weight": [3], "inputs.X": [9]});
    let theirs = |name: &str| format!("W_{}.weight", &name[2..]);
    let names =
        |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<Vec<_>>();
    let found = flat_parameters(names(&["w_o", "w_q"]), &file, theirs);
    assert_eq!(found, [3.0, 1.0, 2.0]);
    let wrong = |ours: &[&str]| fails(|| flat_parameters(names(ours), &file, theirs));
    assert!(wrong(&["w_o"]), "one is left over");
    assert!(wrong(&["w_o", "w_k"]), "one is not there");
    assert!(wrong(&["w_o", "w_q", "w_q"]), "one is there once");
}

const OUTPUT: &str = "$ cargo run -p ch10_4\n\nTraining\n--------\nloss 1e-3 (-0.5)\n\
    a - b, ch10_4: 3.\n\n--\nScores\n------\nBLEU, k = 2   0.97\n  right 12 of 13\n";

#[test]
fn numbers_are_found_in_what_is_printed() {
    let training = part(OUTPUT, "Training");
    assert_eq!(training, "loss 1e-3 (-0.5)\na - b, ch10_4: 3.\n\n--\n");
    assert_eq!(numbers_in(training), [0.001, -0.5, 3.0]);
    assert_eq!(row(part(OUTPUT, "Scores"), "right"), [12.0, 13.0]);
    assert!(fails(|| part(OUTPUT, "Score")));
    assert!(fails(|| row(OUTPUT, "wrong")));
    assert_eq!(numbers_in("NaN inf 1.5e3 v2 2x -7 +.5"), [1500.0, -7.0, 0.5]);
}

#[cfg(unix)]
#[test]
fn an_error_is_one_line_and_nothing_else() {
    let folder = repository();
    let shell = |script: &str| program("/bin/sh", folder.path()).args(["-c", script]);
    assert_eq!(shell("ls; echo a >&2").run().printed(), "book.toml\nchapters\n");
    assert_eq!(shell("echo no >&2; exit 3").run().error(), "no");
    for wrong in ["echo no >&2", "exit 3", "echo a >&2; echo b >&2; exit 1"] {
        assert!(fails(|| shell(wrong).run().error()), "{wrong}");
    }
    assert!(fails(|| shell("exit 1").run().printed()));
}
