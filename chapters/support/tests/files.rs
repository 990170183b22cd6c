//! Files: nothing replaced but our own, nothing half-written; and what is printed of
//! them.

use std::fs;
use std::path::Path;
use support::{printable, read_whole, settings_hash, write_whole};
use tempfile::tempdir;

const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>";
const MODEL: &[u8] = b"\x02\0\0\0\0\0\0\0{}";

fn refused(path: &Path, bytes: &[u8]) -> String {
    let error = write_whole(path, bytes).expect_err("is refused");
    let text = format!("{error:#}");
    let named = text.strip_prefix(&format!("cannot write {}: ", path.display()));
    named.unwrap_or_else(|| panic!("{text}")).to_string()
}

#[test]
fn a_file_is_written_and_replaced_with_its_folders() {
    let folder = tempdir().expect("a temporary folder");
    let path = folder.path().join("a/b/figure.svg");
    write_whole(&path, SVG).expect("is written");
    let longer = [SVG, b"\n"].concat();
    write_whole(&path, &longer).expect("is replaced");
    assert_eq!(read_whole(&path).expect("is there"), longer);
    let entries = fs::read_dir(path.parent().expect("has one")).expect("readable");
    assert_eq!(entries.count(), 1, "and no other file is left");
}

#[test]
fn only_a_file_of_the_same_kind_of_ours_is_replaced() {
    let folder = tempdir().expect("a temporary folder");
    let path = folder.path().join("x");
    let kinds: [(&str, &[u8]); 3] = [
        ("a figure", SVG),
        ("a model", MODEL),
        ("something else", b"# Attention, Compiled\n"),
    ];
    for (there, bytes) in kinds {
        for (new, other) in kinds {
            fs::write(&path, bytes).expect("is written");
            if there == new && new != "something else" {
                write_whole(&path, other).expect("is of the same kind");
                continue;
            }
            let why = format!("it holds {there}, and this is {new}; remove it first");
            assert_eq!(refused(&path, other), why);
            assert_eq!(fs::read(&path).expect("is there"), bytes, "is untouched");
        }
    }
    let no_file = "it is a folder, a device or a pipe, not a file";
    assert_eq!(refused(folder.path(), SVG), no_file);
    #[cfg(unix)]
    {
        assert_eq!(refused(Path::new("/dev/null"), SVG), no_file);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("x", &link).expect("is linked");
        assert_eq!(refused(&link, SVG), "it is a link; name the file itself");
    }
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read_to_it() {
    let error = read_whole(Path::new("/dev/zero")).expect_err("is too large");
    assert_eq!(format!("{error:#}"), "cannot read /dev/zero: larger than 256 MiB");
}

#[test]
fn what_steers_a_terminal_is_escaped() {
    assert_eq!(
        printable("\u{1b}[31mred\n\u{9b}2J\u{202e}"),
        "\\u{1b}[31mred\\n\\u{9b}2J\\u{202e}"
    );
    assert_eq!(printable("« Où ? »  ok"), "« Où ? »  ok");
}

#[test]
fn a_hash_tells_settings_and_data_apart() {
    // The names of types are no settings.
    #[derive(Debug)]
    struct Old {
        _lr: f32,
    }
    #[derive(Debug)]
    struct New {
        _lr: f32,
    }
    let old = settings_hash(&(1, Some(Old { _lr: 0.1 })), b"");
    assert_eq!(old, settings_hash(&(1, Some(New { _lr: 0.1 })), b""));
    assert_ne!(old, settings_hash(&(1, Some(New { _lr: 0.2 })), b""));
    // CRC-32 of `7\n123`, from Python's zlib.
    assert_eq!(settings_hash(&7, b"123"), "cd97c92f");
    assert_ne!(settings_hash(&(0.003, 30), b""), settings_hash(&(0.003, 31), b""));
    // A checkout may end its lines in another way.
    assert_eq!(settings_hash(&7, b"a\r\nb\r\n"), settings_hash(&7, b"a\nb\n"));
    assert_ne!(settings_hash(&7, b"a\rb"), settings_hash(&7, b"ab"));
}

/// A crate below, its example, and a crate above, as sources; the hash is that of what
/// a program is made of.
#[test]
fn a_mechanism_is_its_code_and_the_code_below() {
    let root = tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path = root.path().join("chapters").join(name);
        fs::create_dir_all(path.parent().expect("has one")).expect("made");
        fs::write(path, text).expect("written");
    };
    let hash = |name: &str| support::mechanism_in(&root.path().join("chapters"), name);
    let table = "[package]\nname = \"b\"\n[dependencies]\na.workspace = true\n\
                 support = { workspace = true }\n[dev-dependencies]\nc.workspace = true\n";
    for name in ["a", "c", "support"] {
        write(&format!("{name}/src/lib.rs"), "pub fn f() {}\n");
    }
    write("b/Cargo.toml", table);
    write("b/examples/ex.rs", "fn main() {}\n");
    write("b/src/demo/x.rs", "");
    let lib = "pub fn g<'a>(x: &'a str) -> char { f(x, \"// no comment\", r#\"\"/*\"#, '\"') }";
    write("b/src/lib.rs", lib);
    let (alone, whole) = (hash("a"), hash("b"));
    let (of_example, unknown) = (hash("ex"), hash("nothing"));
    assert!(alone.is_some() && whole.is_some() && alone != whole);
    assert!(of_example != whole, "an example may use more");
    assert_eq!(unknown, None);
    // What changes no number.
    write("b/src/demo/x.rs", "fn other() {}");
    write("b/src/main.rs", "fn main() {}");
    write("support/src/lib.rs", "pub fn h() {}");
    let formatted = "// a \" note\npub fn g<'a>(\n    x: &'a str,\n) -> char {\n    \
                     /* 1 /* 2 */ */ f(x, \"// no comment\", r#\"\"/*\"#, '\"')\n}\n";
    write("b/src/lib.rs", formatted);
    assert_eq!(hash("b"), whole);
    write("c/src/lib.rs", "pub fn f() { 1 }");
    assert_eq!(hash("b"), whole, "no dependency of the library");
    assert_ne!(hash("ex"), of_example);
    // What may change one.
    for changed in [
        lib.replace("no comment", "a comment"),
        lib.replace("/*", "/"),
        lib.replace("f(x", "f(y"),
    ] {
        write("b/src/lib.rs", &changed);
        assert_ne!(hash("b"), whole, "{changed}");
    }
    write("b/src/lib.rs", lib);
    write("a/src/lib.rs", "pub fn f() { 1 }");
    assert_ne!(hash("b"), whole, "a library below");
}
