//! `cargo run -p book -- refresh`: makes anew everything that the programs of
//! the chapters make, and that is committed beside them.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs the programs and the exercises of the chapters named in `only`, or of
/// all, and records what they print; they draw their figures themselves. Then
/// records the errors of what must not compile. Says which files changed.
///
/// # Errors
/// There is no chapter of such a name, a program fails, or a file cannot be
/// written.
pub fn refresh(root: &Path, only: &[String], _records: bool) -> Result<()> {
    let chapters = chapters(root)?;
    if let Some(name) = only.iter().find(|name| !chapters.contains(name)) {
        bail!("no chapter {name}; there are {}", chapters.join(", "));
    }
    let before = generated(root)?;
    for name in &chapters {
        if only.is_empty() || only.contains(name) {
            chapter(root, name)?;
        }
    }
    compile_errors(root, only)?;
    let after = generated(root)?;
    let mut changed = 0;
    for (path, bytes) in &after {
        let what = match before.get(path) {
            None => "new",
            Some(old) if old != bytes => "changed",
            Some(_) => continue,
        };
        println!("{what}: {}", path.display());
        changed += 1;
    }
    println!("{} files, of which {changed} changed", after.len());
    Ok(())
}

/// The crates with a program to run.
fn chapters(root: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for path in entries(&root.join("chapters"))? {
        if path.join("src/main.rs").is_file() {
            names.push(name(&path));
        }
    }
    Ok(names)
}

/// Records what a chapter's program and its exercises print.
fn chapter(root: &Path, chapter: &str) -> Result<()> {
    let folder = root.join("chapters").join(chapter);
    record(root, &["-p", chapter], &folder.join("output.txt"))?;
    for path in entries(&folder.join("examples"))? {
        if path.extension() == Some(OsStr::new("rs")) {
            let example = name(&path.with_extension(""));
            let flags = ["-p", chapter, "--example", &example];
            record(root, &flags, &path.with_extension("txt"))?;
        }
    }
    Ok(())
}

/// Writes a command and what it prints.
fn record(root: &Path, flags: &[&str], to: &Path) -> Result<()> {
    let command = format!("cargo run {}", flags.join(" "));
    println!("$ {command}");
    let output = cargo(root)
        .args(["run", "--quiet"])
        .args(flags)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "`{command}` failed");
    let mut text = format!("$ {command}\n").into_bytes();
    text.extend(output.stdout);
    write_whole(to, &text)
}

/// Lets trybuild write what the compiler says of each file in compile_fail/.
fn compile_errors(root: &Path, only: &[String]) -> Result<()> {
    println!("$ TRYBUILD=overwrite cargo test --test compile_fail");
    let some = only.iter().map(|name| format!("trybuild=chapters/{name}/"));
    let status = cargo(root)
        .args(["test", "--quiet", "--test", "compile_fail"])
        .args(["--", "as_shown"])
        .args(some)
        .env("TRYBUILD", "overwrite")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("cannot start cargo")?;
    ensure!(
        status.success(),
        "something compiles that must not, or the other way round; \
         `cargo test --test compile_fail` says what"
    );
    Ok(())
}

fn cargo(root: &Path) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root);
    command
}

/// All files that a refresh may write, with what is in them.
fn generated(root: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for chapter in chapters(root)? {
        let folder = root.join("chapters").join(&chapter);
        let figures = root.join("book/figures").join(&chapter);
        let mut paths = vec![folder.join("output.txt")];
        for (folder, kind) in [
            (folder.join("examples"), "txt"),
            (folder.join("compile_fail"), "stderr"),
            (figures, "svg"),
        ] {
            let of_kind = |path: &PathBuf| {
                path.extension().is_some_and(|extension| extension == kind)
            };
            paths.extend(entries(&folder)?.into_iter().filter(of_kind));
        }
        for path in paths.into_iter().filter(|path| path.is_file()) {
            let bytes = std::fs::read(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let short = path.strip_prefix(root).unwrap_or(&path);
            files.insert(short.to_path_buf(), bytes);
        }
    }
    Ok(files)
}

/// What is in a folder, sorted; nothing if it is not there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let read = || -> std::io::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(folder)?;
        entries.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths =
        read().with_context(|| format!("cannot read {}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Writes a file beside its place and moves it there when it is complete.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = path.with_extension("tmp");
    let write = || -> std::io::Result<()> {
        std::fs::write(&beside, bytes)?;
        std::fs::rename(&beside, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
