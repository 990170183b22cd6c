//! The libraries of the sections, and what answers in the page, compile for a
//! browser: they depend on nothing that touches files, threads, clocks, the
//! terminal or plots. The programs of the sections may.

use crate::repository::{root, sections};
use std::process::Command;

#[test]
fn libraries_depend_on_no_system() {
    let mut faults = Vec::new();
    for section in sections().into_iter().chain(["live".to_string()]) {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "--package", &section, "--edges", "normal"])
            .args(["--target", "wasm32-unknown-unknown", "--no-default-features"])
            .args(["--prefix", "none", "--format", "{p}"])
            .current_dir(root())
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "cargo tree -p {section}");
        let text = String::from_utf8_lossy(&output.stdout);
        for line in text.lines() {
            let name = line.split(' ').next().unwrap_or_default();
            let system = [
                "clap",
                "getrandom",
                "indicatif",
                "plotters",
                "program",
                "support",
                "tempfile",
            ];
            if system.contains(&name) {
                faults.push(format!("{section} depends on {name}"));
            }
        }
    }
    faults.sort();
    faults.dedup();
    crate::repository::none(faults);
}
