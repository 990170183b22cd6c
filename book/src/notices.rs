//! The licences of the crates that are compiled into the modules of the live figures:
//! who passes the modules on passes these on with them.

use crate::modules::{TARGET, output};
use crate::refresh::cargo;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Where they are kept, and what they are called beside the modules on the site.
pub const NOTICES: [&str; 2] = ["book/live/notices.txt", "notices.txt"];

const ABOUT: &str = "\
The live figures of the book are modules of WebAssembly. They contain the crates below and
Rust's standard library (MIT OR Apache-2.0, https://github.com/rust-lang/rust), compiled.
";

/// Writes down the crates of the modules, each text of a licence once, with those that it
/// is of.
///
/// # Errors
/// If cargo cannot say what the modules depend on, or a licence cannot be read.
pub fn notices(root: &Path) -> Result<String> {
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--package", "live", "--target", TARGET]);
    tree.args(["--edges", "normal,no-proc-macro", "--prefix", "none"]);
    let tree = output(tree.args(["--format", "{p}"]).current_dir(root))?;
    let name = |line: &str| {
        let mut words = line.split(' ');
        Some((
            words.next()?.to_string(),
            words.next()?.trim_start_matches('v').to_string(),
        ))
    };
    let compiled: BTreeSet<_> = tree.lines().filter_map(name).collect();

    let mut metadata = cargo();
    metadata.args(["metadata", "--locked", "--format-version", "1"]);
    metadata.args(["--filter-platform", TARGET]);
    let metadata: Value = serde_json::from_str(&output(metadata.current_dir(root))?)?;
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_string();
        let (name, version) = (text("name"), text("version"));
        // Ours have no source.
        if package["source"].is_null()
            || !compiled.contains(&(name.clone(), version.clone()))
        {
            continue;
        }
        let manifest = text("manifest_path");
        let folder = Path::new(&manifest).parent().context("is in a folder")?;
        let authors = package["authors"].as_array().into_iter().flatten();
        let authors: Vec<&str> = authors.filter_map(Value::as_str).collect();
        let licence = licence(folder)?.unwrap_or_else(|| {
            format!(
                "(The crate has no text of its licence. By {}.)\n",
                authors.join(", ")
            )
        });
        let named = format!("{name} {version}, {}\n", text("license"));
        *texts.entry(licence).or_default() += &named;
    }
    let mut parts: Vec<(String, String)> =
        texts.into_iter().map(|(licence, names)| (names, licence)).collect();
    parts.sort();
    let line = "-".repeat(72);
    let parts = parts.iter().map(|(names, text)| format!("\n{line}\n{names}\n{text}"));
    Ok(ABOUT.to_string() + &parts.collect::<String>())
}

/// The text of a crate's licence, the one of MIT if there are several.
fn licence(folder: &Path) -> Result<Option<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    let starts = ["licen", "copying", "unlicen"];
    names.retain(|name| starts.iter().any(|s| name.to_lowercase().starts_with(s)));
    names.sort_by_key(|name| (!name.to_uppercase().contains("MIT"), name.clone()));
    let Some(name) = names.first() else { return Ok(None) };
    let text = fs::read_to_string(folder.join(name))
        .with_context(|| format!("cannot read {}", folder.join(name).display()))?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    Ok(Some(lines.join("\n").trim().to_string() + "\n"))
}
