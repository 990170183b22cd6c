//! The repository as its tests see it: where things are, and what is built.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file named from the root.
pub fn read(path: &str) -> String {
    let text = std::fs::read_to_string(root().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every file under `folder` with this extension, sorted, named from the root
/// with forward slashes.
pub fn files(folder: &str, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.expect("readable").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(slashed(&path));
            }
        }
    }
    found.sort();
    found
}

fn slashed(path: &Path) -> String {
    let short = path.strip_prefix(root()).expect("is under the root");
    short.to_string_lossy().replace('\\', "/")
}

/// The crates of chapters/ with a program and a page of their name.
pub fn sections() -> Vec<String> {
    let pages = files("book/en", "md").into_iter();
    let names = pages.filter_map(|page| {
        let name = page.strip_prefix("book/en/")?.strip_suffix(".md")?;
        let program = root().join("chapters").join(name).join("src/main.rs");
        program.is_file().then(|| name.to_string())
    });
    names.collect()
}

/// The built programs and examples, by kind and name.
pub type Built = BTreeMap<(String, String), String>;

/// Builds all programs and examples, as `cargo test` has.
pub fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let output = Command::new(env!("CARGO"))
            .args(["build", "--workspace", "--bins", "--examples", "--quiet"])
            .args(["--message-format", "json-render-diagnostics"])
            .current_dir(root())
            .output()
            .expect("cargo starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo build: {errors}");
        let text = String::from_utf8(output.stdout).expect("cargo prints UTF-8");
        let artifact = |line| {
            let one: Value = serde_json::from_str(line).expect("is JSON");
            let path = one["executable"].as_str()?.to_string();
            let kind = one["target"]["kind"][0].as_str()?.to_string();
            let name = one["target"]["name"].as_str()?.to_string();
            Some(((kind, name), path))
        };
        text.lines().filter_map(artifact).collect()
    })
}

/// Fails with all faults, if there are some.
#[track_caller]
pub fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}
