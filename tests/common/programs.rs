//! The programs of the book, built.

use super::repo::root;
use std::collections::BTreeMap;
use std::process::Command;

/// Builds all programs and examples as `cargo test` has them, and gives the
/// built files by kind and name.
pub fn build() -> BTreeMap<(String, String), String> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--workspace", "--bins", "--examples"])
        .args(["--quiet", "--message-format", "json-render-diagnostics"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo build: {errors}");
    let text = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
    let messages = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("is JSON"));
    let built = messages.filter_map(|message| {
        let path = message["executable"].as_str()?.to_string();
        let kind = message["target"]["kind"][0].as_str()?.to_string();
        let name = message["target"]["name"].as_str()?.to_string();
        Some(((kind, name), path))
    });
    built.collect()
}
