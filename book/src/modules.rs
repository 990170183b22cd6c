//! The command `cargo run -p book -- refresh live`: builds the WebAssembly modules of
//! the live figures. They are committed together with a hash of their sources, so that
//! a test finds stale ones.

use crate::listing::Files;
use crate::live::{MODELS, MODULES};
use crate::notices::{NOTICES, notices};
use crate::problem::normal;
use crate::refresh::cargo;
use crate::root::write_file;
use crate::terminal::say;
use anyhow::{Context, Error, Result, bail, ensure};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

pub const TARGET: &str = "wasm32-unknown-unknown";

/// The file beside the modules with the hash of their sources.
const SOURCES: &str = "sources.sha256";

/// Builds the modules of the pages named in `only`, or of all; with `long`, first
/// trains their models. Only a build of all pages updates the hash.
///
/// # Errors
/// If there is no page of such a name or no compiler for WebAssembly, or a model cannot
/// be trained or a module built.
pub fn refresh_live(root: &Path, only: &[String], long: bool) -> Result<()> {
    let mut pages = pages(root);
    if let Some(name) = only.iter().find(|name| !pages.contains(name)) {
        bail!("no live page {name}; there are {}", pages.join(", "));
    }
    pages.retain(|name| only.is_empty() || only.contains(name));
    let mut build = builder(root)?;
    // First, so that what is changed meanwhile counts as later.
    let hash = hash(root)?;
    let run = |command: &mut Command| {
        let status =
            command.current_dir(root).status().context("cannot start cargo")?;
        ensure!(status.success(), "cargo cannot build the modules or train the models");
        Ok(())
    };
    let model = |page: &&String| root.join(format!("{MODELS}/{page}.safetensors"));
    if long {
        let mut train = cargo();
        train.args(["run", "--quiet", "--release", "--package", "live"]);
        train.args(["--features", "models", "--example", "models", "--"]);
        run(train.args(pages.iter().filter(|page| model(page).is_file())))?;
    }
    let folder = env::var_os("CARGO_TARGET_DIR").unwrap_or("target/live".into());
    let folder = normal(&root.join(folder));
    build.args(["build", "--quiet", "--profile", "live", "--package", "live"]);
    build.args(pages.iter().map(|page| format!("--example=live_{page}")));
    run(build.args(["--target", TARGET, "--target-dir"]).arg(&folder))?;
    for page in &pages {
        let built = folder.join(format!("{TARGET}/live/examples/live_{page}.wasm"));
        let module = fs::read(&built)
            .with_context(|| format!("cannot read {}", built.display()))?;
        let file = format!("{MODULES}/{page}.wasm");
        let same = fs::read(root.join(&file)).is_ok_and(|old| old == module);
        write_file(&root.join(&file), &module)?;
        let what = if same { "as before" } else { "changed" };
        say(format_args!("{file}: {} bytes, {what}", module.len()))?;
    }
    if only.is_empty() {
        write_file(&root.join(NOTICES[0]), notices(root)?.as_bytes())?;
        write_file(&root.join(MODULES).join(SOURCES), format!("{hash}\n").as_bytes())?;
    }
    Ok(())
}

/// Returns `true` if the sources have changed since the modules were built.
///
/// # Errors
/// If a source cannot be read, or cargo cannot list the dependencies of the modules.
pub fn stale_modules(root: &Path) -> Result<bool> {
    let built = fs::read_to_string(root.join(MODULES).join(SOURCES));
    Ok(built.unwrap_or_default().trim_end() != hash(root)?)
}

/// Returns the names of book/live/pages.
fn pages(root: &Path) -> Vec<String> {
    let files = Files::new(root).under("book/live/pages", ".rs");
    let name = |file: &String| file.rsplit(['/', '.']).nth(1).map(String::from);
    files.iter().filter_map(name).collect()
}

/// Hashes the sources of the modules: the Rust of the pages and of the libraries of the
/// chapters, without comments; their included files and dependencies; and the
/// compiler's settings, but not the compiler.
fn hash(root: &Path) -> Result<String> {
    let files = Files::new(root);
    let folders = ["book/live/src", "book/live/pages"];
    let mut sources = folders.map(|folder| files.under(folder, ".rs")).concat();
    let mut sum = Sha256::new();
    let mut add = |line: &str| sum.update(format!("{line}\n"));
    let mut tree = cargo();
    tree.args(["tree", "--package", "live", "--edges", "normal", "--target", TARGET]);
    tree.args(["--prefix", "none", "--format", "{p}|{f}"]);
    let tree = output(tree.current_dir(root))?;
    let crates = tree.lines().filter_map(|line| {
        let (package, features) = line.split_once('|')?;
        let mut words = package.split(' ');
        // The folder of one of ours comes after these, and is left out.
        Some((words.next()?, words.next()?, features.split(' ').next()?))
    });
    for (name, version, features) in crates.collect::<BTreeSet<_>>() {
        add(&format!("{name} {version} {features}"));
        sources.extend(files.under(&format!("chapters/{name}/src"), ".rs"));
        sources.extend(files.under(&format!("chapters/{name}/data"), ""));
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let profile = manifest.split("\n[").filter(|part| part.starts_with("profile.live"));
    profile.flat_map(str::lines).for_each(&mut add);
    // Of the programs nothing is in a module.
    let others = ["/demo/", "/main.rs", ".md"];
    sources.retain(|file| !others.iter().any(|other| file.contains(other)));
    for file in sources {
        add(&file);
        let text = files.text(&file).map_err(Error::msg)?;
        let lines = text.lines().map(str::trim);
        let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
        lines.filter(is_code).for_each(&mut add);
    }
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Creates a cargo command that builds for WebAssembly, the standard library too: with
/// the toolchain of the repository if it has the sources, otherwise with Debian's.
fn builder(root: &Path) -> Result<Command> {
    let mut print = Command::new("rustc");
    let toolchain = output(print.args(["--print", "target-libdir"]).current_dir(root))?;
    let toolchain = Path::new(toolchain.trim());
    let sources = "src/rust/library";
    let mut command = cargo();
    // What is said of a panic, and where it was, is most of a small module, and
    // nobody in a browser reads it: a panic ends at once.
    let mut flags = vec![
        "-Zunstable-options".to_string(),
        "-Cpanic=immediate-abort".to_string(),
        "-Zlocation-detail=none".to_string(),
    ];
    if !toolchain.join("../..").join(sources).is_dir() {
        ensure!(
            Path::new("/usr/lib/rustlib").join(sources).is_dir(),
            "there is nothing to build for WebAssembly with: `rustup component add \
             rust-src`, or on Debian `apt-get install rustc-web cargo-web \
             rust-web-src`"
        );
        command.env("RUSTC", "/usr/bin/rustc");
        let linker = toolchain.with_file_name("bin/rust-lld");
        flags.push(format!("-Clinker={}", linker.display()));
    }
    command.args(["-Zbuild-std=std,panic_abort"]);
    command.arg("-Zbuild-std-features=optimize_for_size");
    // Of the host's own flags none is for a browser.
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    command.env("RUSTC_BOOTSTRAP", "1");
    Ok(command)
}

pub fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name}: {}", said.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
