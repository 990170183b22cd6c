//! What the numbers of a run were computed by: a hash of the libraries of a
//! section, kept with its recorded runs and its models.

use crate::find_root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates that compute no number.
const MACHINERY: [&str; 3] = ["program", "support", "testing"];

/// Returns eight hexadecimal digits over the libraries that a program is made of: that of
/// its section, and those of the chapters below it. Comments, white space and the
/// programs themselves do not count. `name` is a crate of `chapters`, or an
/// example of one, which may use its crate's dev-dependencies too.
///
/// The sources are those of the repository that the program was started in, or,
/// where that has none, those that it was built from; without either the result
/// is `unknown`.
pub fn mechanism(name: &str) -> String {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let here = find_root().ok().map(|root| root.join("chapters"));
    let folders = here.into_iter().chain([built]);
    let mut hashes = folders.filter_map(|chapters| mechanism_in(&chapters, name));
    hashes.next().unwrap_or_else(|| "unknown".into())
}

/// Returns the hash of [`mechanism`], if the folder `chapters` has sources of that
/// name.
pub fn mechanism_in(chapters: &Path, name: &str) -> Option<String> {
    let library = |name: &str| chapters.join(name).join("src/lib.rs").is_file();
    let mut waiting = match library(name) {
        true => vec![name.to_string()],
        false => {
            let section = section_of_example(chapters, name)?;
            let own = dependencies(&chapters.join(&section), "[dev-dependencies]");
            [vec![section], own].concat()
        }
    };
    let mut crates = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if library(&name) && !MACHINERY.contains(&&*name) && crates.insert(name.clone())
        {
            waiting.extend(dependencies(&chapters.join(&name), "[dependencies]"));
        }
    }
    let mut sum = crc32fast::Hasher::new();
    for name in crates {
        let mut files = Vec::new();
        rust_files(&chapters.join(&name).join("src"), &mut files);
        files.sort();
        for file in files {
            sum.update(code(&fs::read_to_string(file).ok()?).as_bytes());
        }
    }
    Some(format!("{:08x}", sum.finalize()))
}

/// Returns the crate of `chapters` that has this example.
fn section_of_example(chapters: &Path, name: &str) -> Option<String> {
    let file = format!("examples/{name}.rs");
    let mut crates = fs::read_dir(chapters).ok()?.filter_map(Result::ok);
    let found = crates.find(|one| one.path().join(&file).is_file())?;
    found.file_name().into_string().ok()
}

/// Returns the names in a table of a crate's manifest.
fn dependencies(folder: &Path, table: &str) -> Vec<String> {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let lines = manifest.lines().skip_while(|line| line.trim() != table).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let name = |line: &str| line.split(['.', ' ', '=']).next().map(String::from);
    lines.filter_map(name).collect()
}

/// Appends the files of a library: all of `src` but the program.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "demo" {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|kind| kind == "rs") && name != "main.rs"
        {
            files.push(path);
        }
    }
}

/// Returns Rust without comments and white space, and without the commas that stand
/// before a closing bracket only if it is on another line.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '/' if rest.starts_with("//") => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            '/' if rest.starts_with("/*") => {
                rest = &rest[comment(rest)..];
                continue;
            }
            '"' => string(rest),
            '\'' => character(rest),
            'r' if !code.ends_with(|c: char| c.is_alphanumeric() || c == '_') => {
                raw_string(rest).unwrap_or(1)
            }
            _ => c.len_utf8(),
        };
        if matches!(c, ')' | ']' | '}') && code.ends_with(',') {
            code.pop();
        }
        if !c.is_whitespace() {
            code.push_str(&rest[..len]);
        }
        rest = &rest[len..];
    }
    code
}

/// Returns the length of a comment between `/*` and `*/`, which may hold others.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        let next = text[at..].find(['/', '*']).map(|found| at + found);
        let Some(next) = next else { return text.len() };
        let (step, by) = match &text.as_bytes()[next..] {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, 1),
        };
        (depth, at) = (depth + step, next + by);
        if depth == 0 {
            return at;
        }
    }
}

/// Returns the length of a literal between quotation marks.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

/// Returns the length of a literal such as `'a'`; of a lifetime, that of its mark.
fn character(text: &str) -> usize {
    let mut rest = text.char_indices().skip(1);
    match (rest.next(), rest.next()) {
        (Some((_, '\\')), Some((at, c))) => {
            let after = at + c.len_utf8();
            text[after..].find('\'').map_or(text.len(), |end| after + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// Returns the length of a literal such as `r#"a"#`; none if it is no such literal.
fn raw_string(text: &str) -> Option<usize> {
    let marks = text[1..].bytes().take_while(|byte| *byte == b'#').count();
    let start = 1 + marks;
    text[start..].starts_with('"').then(|| {
        let end = format!("\"{}", "#".repeat(marks));
        let found = text[start + 1..].find(&end);
        found.map_or(text.len(), |at| start + 1 + at + end.len())
    })
}
