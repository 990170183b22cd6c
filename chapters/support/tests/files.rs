//! Files: nothing replaced but our own, nothing half-written, nothing left.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};
use support::{read_whole, refuse_same, settings_hash, write_whole};
use tempfile::{TempDir, tempdir};

const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>";
const MODEL: &[u8] = b"\x02\0\0\0\0\0\0\0{}";

fn folder() -> TempDir {
    tempdir().expect("a temporary folder")
}

fn refused(path: &Path, bytes: &[u8]) -> String {
    let error = write_whole(path, bytes).expect_err("is refused");
    let text = format!("{error:#}");
    assert!(text.starts_with(&format!("cannot write {}: ", path.display())), "{text}");
    text.rsplit_once(": ").expect("has a reason").1.to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("readable");
    let names = entries.map(|entry| entry.expect("readable").file_name());
    let mut names: Vec<String> =
        names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_and_replaced_with_its_folders() {
    let folder = folder();
    let path = folder.path().join("a/b/figure.svg");
    write_whole(&path, SVG).expect("is written");
    let longer = [SVG, b"\n"].concat();
    write_whole(&path, &longer).expect("is replaced");
    assert_eq!(read_whole(&path).expect("is there"), longer);
    assert_eq!(names(path.parent().expect("has one")), ["figure.svg"]);
}

#[cfg(unix)]
#[test]
fn everybody_may_read_what_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let path = folder.path().join("figure.svg");
    write_whole(&path, SVG).expect("is written");
    let mode = fs::metadata(&path).expect("is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
}

#[test]
fn another_kind_of_file_is_not_replaced() {
    let folder = folder();
    let path = folder.path().join("x");
    let kinds: [(&str, &[u8]); 4] = [
        ("a figure", SVG),
        ("a model", MODEL),
        ("something else", b"# Attention, Compiled\n"),
        ("something else", b"Go.\tVa !\n"),
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
    fs::write(&path, b"").expect("is written");
    write_whole(&path, MODEL).expect("an empty file is no loss");
}

#[test]
fn a_folder_is_not_replaced() {
    let folder = folder();
    assert_eq!(refused(folder.path(), SVG), "it is a folder");
}

#[cfg(unix)]
#[test]
fn a_link_is_neither_replaced_nor_followed() {
    let folder = folder();
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    fs::write(&target, SVG).expect("is written");
    std::os::unix::fs::symlink(&target, &link).expect("is linked");
    assert_eq!(refused(&link, SVG), "it is a link; name the file itself");
    fs::remove_file(&target).expect("is removed");
    assert_eq!(refused(&link, SVG), "it is a link; name the file itself");
    assert!(fs::symlink_metadata(&link).expect("is there").is_symlink());
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let null = Path::new("/dev/null");
    assert_eq!(refused(null, SVG), "it is a device or a pipe, not a file");
    let is_device = fs::metadata(null).expect("is there").file_type();
    assert!(is_device.is_char_device());
    let folder = folder();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    // A pipe that is opened to be read would hang here.
    assert_eq!(refused(&pipe, SVG), "it is a device or a pipe, not a file");
}

#[test]
fn what_a_killed_run_left_is_removed_after_an_hour_and_nothing_else() {
    let folder = folder();
    let old = SystemTime::now() - Duration::from_secs(2 * 3600);
    for name in [".attention-compiled-a1b2c3.tmp", ".tmpa1b2c3", "notes.tmp"] {
        let file = fs::File::create(folder.path().join(name)).expect("is made");
        file.set_modified(old).expect("is made older");
    }
    let new = ".attention-compiled-d4e5f6.tmp";
    fs::write(folder.path().join(new), SVG).expect("is written");
    fs::create_dir(folder.path().join(".attention-compiled-x.tmp")).expect("is made");
    write_whole(&folder.path().join("figure.svg"), SVG).expect("is written");
    let left = [new, ".attention-compiled-x.tmp", ".tmpa1b2c3", "figure.svg"];
    assert_eq!(names(folder.path()), [&left[..], &["notes.tmp"]].concat());
}

#[test]
fn one_file_by_two_names_is_found() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.tsv"), b"a\tb\n").expect("is written");
    fs::hard_link(at("a.tsv"), at("hard")).expect("is linked");
    let flags = ("--data", "--model");
    // Off Unix two names of one file are not found out.
    let names = ["a.tsv", "./a.tsv", "hard"];
    for other in &names[..if cfg!(unix) { 3 } else { 2 }] {
        let error = refuse_same(flags, &at("a.tsv"), &at(other));
        let error = error.expect_err("is one file").to_string();
        assert!(error.starts_with("--data and --model are one file: "), "{error}");
    }
    refuse_same(flags, &at("a.tsv"), &at("model")).expect("are two");
    refuse_same(flags, &at("no"), &at("no")).expect_err("will be one file");
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read_to_it() {
    let error = read_whole(Path::new("/dev/zero")).expect_err("is too large");
    assert_eq!(format!("{error:#}"), "cannot read /dev/zero: larger than 256 MiB");
}

#[test]
fn a_hash_tells_settings_and_data_apart() {
    let hash = |lr: f32, epochs: usize, data: &[u8]| settings_hash(&(lr, epochs), data);
    let first = hash(0.003, 30, b"go .");
    assert_eq!(first, hash(0.003, 30, b"go ."));
    assert_eq!(first.len(), 8);
    let others = [
        hash(0.003_000_1, 30, b"go ."),
        hash(0.003, 31, b"go ."),
        hash(0.003, 30, b"go !"),
        hash(0.003, 30, b""),
    ];
    assert!(others.iter().all(|other| *other != first), "{first}: {others:?}");
    // CRC-32 of `7\n123`, from Python's zlib.
    assert_eq!(settings_hash(&7, b"123"), "cd97c92f");
    // A checkout may end its lines in another way.
    assert_eq!(settings_hash(&7, b"a\r\nb\r\n"), settings_hash(&7, b"a\nb\n"));
    assert_ne!(settings_hash(&7, b"a\rb"), settings_hash(&7, b"ab"));
}
