//! `cargo run -p book -- refresh live`: builds the modules of WebAssembly that
//! answer in the page. Each is committed, and carries a hash of the sources
//! that it was built from, so that a test finds one that is stale.

use crate::listing::Files;
use crate::live::{MODELS, MODULES};
use crate::problem::{normal, short};
use crate::publish::write_file;
use crate::refresh::cargo;
use crate::terminal::say;
use anyhow::{Context, Result, bail, ensure};
use rustc_lexer::{FrontmatterAllowed, TokenKind, tokenize};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

/// The section of a module that has the hash of its sources.
const SECTION: &str = "sources";

/// Builds the modules of the pages named in `only`, or of all; with `long`,
/// trains their models before.
///
/// # Errors
/// There is no page of such a name, nothing to build for WebAssembly with, or
/// a model cannot be trained or a module built.
pub fn refresh_live(root: &Path, only: &[String], long: bool) -> Result<()> {
    let pages = pages(root)?;
    if let Some(name) = only.iter().find(|name| !pages.contains(name)) {
        bail!("no live page {name}; there are {}", pages.join(", "));
    }
    let chosen = pages.iter().filter(|name| only.is_empty() || only.contains(name));
    let chosen: Vec<&String> = chosen.collect();
    let compiler = Compiler::find(root)?;
    // First, so that what is changed meanwhile counts as later.
    let depends = dependencies(root)?;
    let hashes: Vec<String> =
        chosen.iter().map(|page| hash(root, page, &depends)).collect::<Result<_>>()?;
    if long {
        train(root, &chosen)?;
    }
    let folder = normal(&root.join(match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from("target/live"),
    }));
    let mut command = cargo();
    command.args(["build", "--quiet", "--profile", "live", "--package", "live"]);
    command.args(["--target", TARGET, "--target-dir"]).arg(&folder);
    for page in &chosen {
        command.args(["--example", &format!("live_{page}")]);
    }
    compiler.prepare(&mut command, root);
    let status = command.current_dir(root).status().context("cannot start cargo")?;
    ensure!(status.success(), "cargo cannot build the modules");
    for (page, hash) in chosen.into_iter().zip(hashes) {
        let built = folder.join(format!("{TARGET}/live/examples/live_{page}.wasm"));
        let code = fs::read(&built)
            .with_context(|| format!("cannot read {}", built.display()))?;
        let module = with_section(&code, &hash);
        let file = format!("{MODULES}/{page}.wasm");
        let same = fs::read(root.join(&file)).is_ok_and(|old| old == module);
        write_file(&root.join(&file), &module)?;
        let what = if same { "as before" } else { "changed" };
        say(format_args!("{file}: {} bytes, {what}", module.len()))?;
    }
    Ok(())
}

/// Trains those models of the pages that there are.
fn train(root: &Path, pages: &[&String]) -> Result<()> {
    let has_model =
        |page: &&&String| root.join(format!("{MODELS}/{page}.safetensors")).is_file();
    let trained: Vec<&&String> = pages.iter().filter(has_model).collect();
    if trained.is_empty() {
        return Ok(());
    }
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "live"]);
    command.args(["--features", "models", "--example", "models", "--"]).args(trained);
    let status = command.current_dir(root).status().context("cannot start cargo")?;
    ensure!(status.success(), "the models cannot be trained");
    Ok(())
}

/// The modules that were built from other sources than those that are there,
/// or that are missing, and those of no page; one line each.
///
/// # Errors
/// A source cannot be read, or cargo cannot say what the modules depend on.
pub fn stale_modules(root: &Path) -> Result<Vec<String>> {
    let pages = pages(root)?;
    let depends = dependencies(root)?;
    let mut faults = Vec::new();
    for page in &pages {
        let file = format!("{MODULES}/{page}.wasm");
        let make = format!("cargo run -p book -- refresh live {page}");
        match fs::read(root.join(&file)) {
            Err(error) => faults.push(format!("{file}: {error}; {make}")),
            Ok(code) if section(&code) != Some(hash(root, page, &depends)?) => {
                faults.push(format!("{file} is older than its sources; {make}"));
            }
            Ok(_) => {}
        }
    }
    let all = Files::new(root).under(MODULES, ".wasm");
    let known = |file: &String| {
        pages.iter().any(|page| *file == format!("{MODULES}/{page}.wasm"))
    };
    let strays = all.iter().filter(|file| !known(file));
    faults.extend(strays.map(|file| format!("{file} belongs to no page")));
    Ok(faults)
}

/// The names of book/live/pages.
fn pages(root: &Path) -> Result<Vec<String>> {
    let files = Files::new(root).under("book/live/pages", ".rs");
    let name = |file: &String| {
        file.rsplit('/')
            .next()
            .and_then(|name| name.strip_suffix(".rs"))
            .map(String::from)
    };
    let mut pages: Vec<String> = files.iter().filter_map(name).collect();
    pages.sort();
    ensure!(!pages.is_empty(), "there are no live pages in book/live/pages");
    Ok(pages)
}

/// The hash of all that a module is built from, but for the compiler: the
/// Rust of its page and of the libraries that it calls, without comments; what
/// these depend on; and how it is compiled.
fn hash(root: &Path, page: &str, depends: &str) -> Result<String> {
    let mut sum = Sha256::new();
    for file in sources(root, page)? {
        let text = fs::read_to_string(root.join(&file))
            .with_context(|| format!("cannot read {file}"))?;
        // A checkout may end its lines in another way.
        let text = text.replace("\r\n", "\n");
        sum.update(format!("{file}\n"));
        sum.update(if file.ends_with(".rs") { without_comments(&text) } else { text });
    }
    sum.update(depends);
    let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
    let mut ours = false;
    for line in manifest.lines().filter(|line| !line.starts_with('#')) {
        ours = if line.starts_with('[') {
            line.starts_with("[profile.live")
        } else {
            ours
        };
        if ours && !line.is_empty() {
            sum.update(format!("{line}\n"));
        }
    }
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The files that the module of a page is built from: Rust, and what it includes.
fn sources(root: &Path, page: &str) -> Result<BTreeSet<String>> {
    let files = Files::new(root);
    let (pages, libraries) = (pages(root)?, libraries(root)?);
    let of = |page: &str| format!("book/live/src/{page}.rs");
    let mut open = vec![format!("book/live/pages/{page}.rs"), of(page)];
    // What all pages share.
    open.extend(files.under("book/live/src", ".rs").into_iter().filter(|file| {
        !pages.iter().any(|page| *file == of(page)) && !file.ends_with("/lib.rs")
    }));
    let mut found = BTreeSet::from(["book/live/src/lib.rs".to_string()]);
    while let Some(file) = open.pop() {
        if !file.ends_with(".rs") || !found.insert(file.clone()) {
            found.insert(file);
            continue;
        }
        let text = files.text(&file).map_err(anyhow::Error::msg)?;
        let code = without_comments(&text);
        let called = |name: &str| code.contains(&format!("\n{name}\n:\n:\n"));
        let page = |name: &str| code.contains(&format!("\ncrate\n:\n:\n{name}\n"));
        if file.starts_with("book/live/") {
            open.extend(pages.iter().filter(|name| page(name)).map(|name| of(name)));
        }
        for name in libraries.iter().filter(|name| called(name)) {
            open.extend(files.of_library(name));
        }
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        for rest in code.split("include_str\n!\n(\n\"").skip(1) {
            let name = rest.split('"').next().unwrap_or_default();
            open.push(short(root, &normal(&root.join(folder).join(name))));
        }
    }
    Ok(found)
}

/// The crates of chapters/ that a page may call.
fn libraries(root: &Path) -> Result<Vec<String>> {
    let folders =
        fs::read_dir(root.join("chapters")).context("cannot read chapters")?;
    let mut names = Vec::new();
    for entry in folders {
        let path = entry?.path();
        if path.join("src/lib.rs").is_file() {
            let name = path.file_name().unwrap_or_default();
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.retain(|name| name != "support" && name != "testing");
    Ok(names)
}

/// The tokens of a file, each on its line.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    for token in tokenize(text, FrontmatterAllowed::No) {
        let (this, more) = rest.split_at(token.len as usize);
        rest = more;
        let silent = matches!(
            token.kind,
            TokenKind::LineComment { .. }
                | TokenKind::BlockComment { .. }
                | TokenKind::Whitespace
        );
        if !silent {
            out.push_str(this);
            out.push('\n');
        }
    }
    out
}

/// The crates that all modules together depend on, with their versions and
/// features, a line each.
fn dependencies(root: &Path) -> Result<String> {
    let output = cargo()
        .args(["tree", "--package", "live", "--edges", "normal", "--target", TARGET])
        .args(["--prefix", "none", "--format", "{p} {f}"])
        .current_dir(root)
        .output()
        .context("cannot start cargo")?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo tree: {}", error.trim());
    let text = String::from_utf8_lossy(&output.stdout);
    let plain = |line: &str| {
        // Where a crate of ours lies is not a part of it; "(*)" is a repetition.
        let words = line.split(' ').filter(|word| !word.starts_with('('));
        words.collect::<Vec<_>>().join(" ").trim_end().to_string() + "\n"
    };
    let lines: BTreeSet<String> = text.lines().map(plain).collect();
    Ok(lines.into_iter().collect())
}

/// What builds for WebAssembly on this machine.
enum Compiler {
    /// The toolchain of the repository, with the sources of its library.
    Rustup,
    /// Debian's, with the sources of its library, and a linker.
    Debian(PathBuf),
    /// The toolchain of the repository, with a library that was built before:
    /// it cannot be built for size, and the modules become larger.
    Prebuilt,
}

impl Compiler {
    fn find(root: &Path) -> Result<Self> {
        let print = |what: &[&str]| {
            let mut rustc = Command::new("rustc");
            output(rustc.args(["--print"]).args(what).current_dir(root)).ok()
        };
        let toolchain = print(&["sysroot"]).unwrap_or_default();
        if Path::new(toolchain.trim()).join(SOURCES).is_dir() {
            return Ok(Compiler::Rustup);
        }
        if Path::new(DEBIAN).is_file() && Path::new("/usr").join(SOURCES).is_dir() {
            return Ok(Compiler::Debian(linker(Path::new(toolchain.trim()))?));
        }
        let built = print(&["target-libdir", "--target", TARGET]).unwrap_or_default();
        if Path::new(built.trim()).is_dir() {
            say("modules will be larger: `rustup component add rust-src`")?;
            return Ok(Compiler::Prebuilt);
        }
        bail!(
            "there is nothing to build for WebAssembly with: \
             `rustup component add rust-src`, or on Debian without rustup's \
             `apt-get install rustc-web cargo-web rust-web-src`"
        );
    }

    fn prepare(&self, command: &mut Command, root: &Path) {
        let mut flags = remapped(root);
        if let Compiler::Debian(linker) = self {
            command.env("RUSTC", DEBIAN);
            flags.push(format!("-Clinker={}", linker.display()));
        }
        if !matches!(self, Compiler::Prebuilt) {
            // What is said of a panic, and where it was, is most of a small
            // module, and nobody in a browser reads it: a panic ends at once.
            command.args(["-Zbuild-std=std,panic_abort"]);
            command.arg("-Zbuild-std-features=optimize_for_size");
            command.env("RUSTC_BOOTSTRAP", "1");
            let small = [
                "-Zunstable-options",
                "-Cpanic=immediate-abort",
                "-Zlocation-detail=none",
            ];
            flags.extend(small.map(String::from));
        }
        // Of the host's own flags none is for a browser.
        command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    }
}

/// Debian's compiler.
const DEBIAN: &str = "/usr/bin/rustc";

/// The sources of the library, from where a compiler is.
const SOURCES: &str = "lib/rustlib/src/rust/library";

/// No path of this machine is in a module.
fn remapped(root: &Path) -> Vec<String> {
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = env::var_os("CARGO_HOME").map_or(home.join(".cargo"), PathBuf::from);
    let rustup = env::var_os("RUSTUP_HOME").map_or(home.join(".rustup"), PathBuf::from);
    let pairs = [(root, "book"), (&cargo, "cargo"), (&rustup, "rustup")];
    pairs
        .map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display()))
        .into()
}

/// A linker for WebAssembly: that of a toolchain of rustup, or Debian's.
fn linker(toolchain: &Path) -> Result<PathBuf> {
    let folders = fs::read_dir(toolchain.join("lib/rustlib")).into_iter().flatten();
    let ours = folders.flatten().map(|entry| entry.path().join("bin/rust-lld"));
    let debian = ["/usr/bin/wasm-ld-22", "/usr/bin/wasm-ld"].map(PathBuf::from);
    let mut all = ours.chain(debian);
    all.find(|path| path.is_file())
        .context("there is no linker for WebAssembly: `apt-get install lld` has one")
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.output().context("cannot start rustc")?;
    ensure!(output.status.success(), "rustc cannot say what it is");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The module with a section of ours at its end.
fn with_section(code: &[u8], text: &str) -> Vec<u8> {
    let content = [named(SECTION.as_bytes()), text.as_bytes().to_vec()].concat();
    // 0 is a section that only tools read.
    [code, &[0], &named(&content)].concat()
}

/// Bytes after their number, as WebAssembly has them.
fn named(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes.len();
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
    [out, bytes.to_vec()].concat()
}

/// What stands in the section of ours, which is the last.
fn section(code: &[u8]) -> Option<String> {
    let length = Sha256::output_size() * 2;
    let (before, text) = code.split_at_checked(code.len().checked_sub(length)?)?;
    let text = std::str::from_utf8(text).ok()?;
    (with_section(&[], text).strip_suffix(text.as_bytes()))
        .is_some_and(|start| before.ends_with(start))
        .then(|| text.to_string())
}
