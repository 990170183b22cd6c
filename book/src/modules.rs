//! `cargo run -p book -- refresh live`: builds the modules of WebAssembly that
//! answer in the page. Each is committed, and ends with a hash of the sources
//! that it was built from, so that a test finds one that is stale.

use crate::listing::Files;
use crate::live::{MODELS, MODULES};
use crate::problem::{normal, short};
use crate::publish::write_file;
use crate::refresh::cargo;
use crate::terminal::say;
use anyhow::{Context, Error, Result, bail, ensure};
use rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the modules of the pages named in `only`, or of all; with `long`,
/// trains their models before.
///
/// # Errors
/// There is no page of such a name, nothing to build for WebAssembly with, or
/// a model cannot be trained or a module built.
pub fn refresh_live(root: &Path, only: &[String], long: bool) -> Result<()> {
    let mut pages = pages(root);
    if let Some(name) = only.iter().find(|name| !pages.contains(name)) {
        bail!("no live page {name}; there are {}", pages.join(", "));
    }
    pages.retain(|name| only.is_empty() || only.contains(name));
    let mut build = builder(root)?;
    // First, so that what is changed meanwhile counts as later.
    let depends = dependencies(root)?;
    let hashes = pages.iter().map(|page| hash(root, page, &depends));
    let hashes: Vec<String> = hashes.collect::<Result<_>>()?;
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
    for (page, hash) in pages.iter().zip(hashes) {
        let built = folder.join(format!("{TARGET}/live/examples/live_{page}.wasm"));
        let code = fs::read(&built)
            .with_context(|| format!("cannot read {}", built.display()))?;
        let module = [code, section(&hash)].concat();
        let file = format!("{MODULES}/{page}.wasm");
        let same = fs::read(root.join(&file)).is_ok_and(|old| old == module);
        write_file(&root.join(&file), &module)?;
        let what = if same { "as before" } else { "changed" };
        say(format_args!("{file}: {} bytes, {what}", module.len()))?;
    }
    Ok(())
}

/// The modules that were built from other sources than those that are there, or
/// that are missing; one line each.
///
/// # Errors
/// A source cannot be read, or cargo cannot say what the modules depend on.
pub fn stale_modules(root: &Path) -> Result<Vec<String>> {
    let depends = dependencies(root)?;
    let mut faults = Vec::new();
    for page in pages(root) {
        let file = format!("{MODULES}/{page}.wasm");
        let code = fs::read(root.join(&file)).unwrap_or_default();
        if !code.ends_with(&section(&hash(root, &page, &depends)?)) {
            let make = format!("cargo run -p book -- refresh live {page}");
            faults.push(format!("{file} is older than its sources; {make}"));
        }
    }
    Ok(faults)
}

/// A section that only tools read, with the hash of the sources.
fn section(hash: &str) -> Vec<u8> {
    [b"\0\x48\x07sources", hash.as_bytes()].concat()
}

/// The names of book/live/pages.
fn pages(root: &Path) -> Vec<String> {
    let files = Files::new(root).under("book/live/pages", ".rs");
    let name = |file: &String| file.rsplit(['/', '.']).nth(1).map(String::from);
    files.iter().filter_map(name).collect()
}

/// The hash of all that a module is built from, but for the compiler: the
/// Rust of its page and of the libraries that it calls, without comments; what
/// these depend on; and how it is compiled.
fn hash(root: &Path, page: &str, depends: &str) -> Result<String> {
    let mut sum = Sha256::new();
    for (file, text) in sources(root, page)? {
        sum.update(format!("{file}\n{text}"));
    }
    sum.update(depends);
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let profile = manifest.split("\n[").filter(|part| part.starts_with("profile.live"));
    for part in profile {
        let said = |line: &&str| !line.is_empty() && !line.starts_with('#');
        for line in format!("[{part}").lines().filter(said) {
            sum.update(format!("{line}\n"));
        }
    }
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The files that the module of a page is built from, in order: the tokens of
/// Rust, and what it includes as it is.
fn sources(root: &Path, page: &str) -> Result<BTreeSet<(String, String)>> {
    let files = Files::new(root);
    let of = |page: &str| format!("book/live/src/{page}.rs");
    let pages = pages(root);
    let libraries = files.under("chapters", "lib.rs");
    let libraries = libraries
        .iter()
        .filter_map(|file| file.strip_suffix("/src/lib.rs")?.split('/').nth(1));
    let libraries = libraries.filter(|name| !["support", "testing"].contains(name));
    let libraries: Vec<&str> = libraries.collect();
    let mut open = files.under("book/live/src", ".rs");
    open.retain(|file| !pages.iter().any(|other| *file == of(other)));
    open.extend([format!("book/live/pages/{page}.rs"), of(page)]);
    let mut known = BTreeSet::new();
    let mut found = BTreeSet::new();
    while let Some(file) = open.pop() {
        if !known.insert(file.clone()) {
            continue;
        }
        // A checkout may end its lines in another way.
        let text = files.text(&file).map_err(Error::msg)?.replace("\r\n", "\n");
        if !file.ends_with(".rs") {
            found.insert((file, text));
            continue;
        }
        let code = tokens(&text);
        // It names all pages and calls none.
        if file != of("lib") {
            let called = |name: &&&str| code.contains(&format!("\n{name}\n:\n:\n"));
            let called = libraries.iter().filter(called);
            open.extend(called.flat_map(|name| files.of_library(name)));
            let used =
                |page: &&String| code.contains(&format!("\ncrate\n:\n:\n{page}\n"));
            open.extend(pages.iter().filter(used).map(|page| of(page)));
        }
        for rest in code.split("include_str\n!\n(\n\"").skip(1) {
            let name = rest.split('"').next().unwrap_or_default();
            open.push(short(root, &root.join(&file).with_file_name(name)));
        }
        found.insert((file, code));
    }
    Ok(found)
}

/// The tokens of a file but for comments, each on its line.
fn tokens(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    for token in tokenize(text, FrontmatterAllowed::No) {
        let (this, more) = rest.split_at(token.len as usize);
        rest = more;
        use TokenKind::{BlockComment, LineComment, Whitespace};
        if !matches!(token.kind, LineComment { .. } | BlockComment { .. } | Whitespace)
        {
            out.extend([this, "\n"]);
        }
    }
    out
}

/// The crates that all modules together depend on, with their versions and
/// features, a line each.
fn dependencies(root: &Path) -> Result<String> {
    let mut tree = cargo();
    tree.args(["tree", "--package", "live", "--edges", "normal", "--target", TARGET]);
    tree.args(["--prefix", "none", "--format", "{p} {f}"]);
    let plain = |line: &str| {
        // Where a crate of ours lies is not a part of it; "(*)" is a repetition.
        let words = line.split(' ').filter(|word| !word.starts_with('('));
        words.collect::<Vec<_>>().join(" ").trim_end().to_string() + "\n"
    };
    let lines: BTreeSet<String> =
        output(tree.current_dir(root))?.lines().map(plain).collect();
    Ok(lines.into_iter().collect())
}

/// A cargo that builds for WebAssembly, the standard library too: with the
/// toolchain of the repository if it has the sources of that, or with Debian's.
fn builder(root: &Path) -> Result<Command> {
    let mut print = Command::new("rustc");
    let toolchain = output(print.args(["--print", "target-libdir"]).current_dir(root))?;
    let toolchain = Path::new(toolchain.trim());
    let sources = "src/rust/library";
    let mut command = cargo();
    // No path of this machine is in a module.
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let of =
        |name: &str, folder| env::var_os(name).map_or(home.join(folder), PathBuf::from);
    let (cargos, rustups) = (of("CARGO_HOME", ".cargo"), of("RUSTUP_HOME", ".rustup"));
    let mut flags: Vec<String> =
        [(root, "book"), (&cargos, "cargo"), (&rustups, "rustup")]
            .map(|(path, name)| {
                format!("--remap-path-prefix={}={name}", path.display())
            })
            .into();
    if !toolchain.join("../..").join(sources).is_dir() {
        ensure!(
            Path::new("/usr/lib/rustlib").join(sources).is_dir(),
            "there is nothing to build for WebAssembly with: `rustup component add \
             rust-src`, or on Debian `apt-get install rustc-web rust-web-src`"
        );
        command.env("RUSTC", "/usr/bin/rustc");
        let linker = toolchain.with_file_name("bin/rust-lld");
        flags.push(format!("-Clinker={}", linker.display()));
    }
    // What is said of a panic, and where it was, is most of a small module, and
    // nobody in a browser reads it: a panic ends at once.
    let small =
        ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none"];
    flags.extend(small.map(String::from));
    command.args(["-Zbuild-std=std,panic_abort"]);
    command.arg("-Zbuild-std-features=optimize_for_size");
    // Of the host's own flags none is for a browser.
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    command.env("RUSTC_BOOTSTRAP", "1");
    Ok(command)
}

fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name}: {}", said.trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
