//! The libraries of the sections, and what answers in the page, compile for a
//! browser: they depend on nothing that touches files, threads, clocks, the
//! terminal or plots. The programs of the sections may.

use crate::repository::{root, sections};
use std::process::Command;

const SYSTEM: [&str; 7] =
    ["clap", "getrandom", "indicatif", "plotters", "program", "support", "tempfile"];

#[test]
fn libraries_depend_on_no_system() {
    for library in sections().into_iter().chain(["live".to_string()]) {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "--package", &library, "--edges", "normal"])
            .args(["--target", "wasm32-unknown-unknown", "--no-default-features"])
            .args(["--prefix", "none", "--format", "{p}"])
            .current_dir(root())
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "cargo tree -p {library}");
        let text = String::from_utf8_lossy(&output.stdout);
        for line in text.lines() {
            let name = line.split(' ').next().unwrap_or_default();
            assert!(!SYSTEM.contains(&name), "{library} depends on {name}");
        }
    }
}
