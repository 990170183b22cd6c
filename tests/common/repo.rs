//! The repository as its tests see it: where things are, and a list of what
//! is wrong with them.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// The crates of chapters/ without a page: `support` is used and not taught,
/// and `corpus` makes the sentences that a translator is trained with, by a
/// grammar of French that says nothing about attention.
pub const WITHOUT_PAGE: [&str; 2] = ["corpus", "support"];

/// The crates that have a page: all others of chapters/.
pub fn sections() -> Vec<String> {
    let folder = root().join("chapters");
    let entries = std::fs::read_dir(folder).expect("chapters/ is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("readable").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| !WITHOUT_PAGE.contains(&&**name))
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

/// The number of an exercise: what follows the last `_` in its file's name.
pub fn exercise_number(path: &str) -> usize {
    let stem = path.rsplit('/').next().and_then(|f| f.split('.').next());
    let number = stem.and_then(|stem| stem.rsplit('_').next()?.parse().ok());
    number.unwrap_or_else(|| panic!("{path} is no exercise_N.rs"))
}

/// What `cargo metadata` says of each package of the workspace.
pub fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "cargo metadata failed");
    let mut all: Value =
        serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    match all["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("no packages but {other}"),
    }
}

/// The names of a package's targets of one kind, with their files.
pub fn targets(package: &Value, kind: &str) -> Vec<(String, String)> {
    let targets = package["targets"].as_array().expect("has targets");
    let of_kind = targets.iter().filter(|t| t["kind"][0] == *kind);
    let mut found: Vec<_> = of_kind
        .map(|target| {
            let name = target["name"].as_str().expect("has a name");
            let file = target["src_path"].as_str().expect("has a file");
            (name.to_string(), slashed(&PathBuf::from(file)))
        })
        .collect();
    found.sort();
    found
}

/// What is wrong, each with its place.
#[derive(Default)]
pub struct Findings(Vec<String>);

impl Findings {
    /// Notes a fault in line `line` of `file`.
    pub fn add(&mut self, file: &str, line: usize, what: impl AsRef<str>) {
        self.0.push(format!("{file}:{line}: {}", what.as_ref()));
    }

    /// Fails with the whole list, if there is one.
    #[track_caller]
    pub fn none(self) {
        assert!(self.0.is_empty(), "\n{}\n", self.0.join("\n"));
    }

    /// Whether some fault contains the text, for tests of the tests.
    pub fn has(&self, text: &str) -> bool {
        self.0.iter().any(|fault| fault.contains(text))
    }
}
