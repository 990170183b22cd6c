//! Notices that a source of the book has changed.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// How often the sources are asked for their age.
const INTERVAL: Duration = Duration::from_millis(200);

/// Calls `rebuild` each time that a page, a figure, the theme or a file of a
/// chapter has changed since the call of this function.
pub fn watch(root: &Path, mut rebuild: impl FnMut()) -> ! {
    let mut built = state(root);
    loop {
        sleep(INTERVAL);
        let mut now = state(root);
        if now == built {
            continue;
        }
        // An editor may write several files; the last of them is waited for.
        loop {
            sleep(INTERVAL / 4);
            let later = state(root);
            if later == now {
                break;
            }
            now = later;
        }
        rebuild();
        built = now;
    }
}

/// A number that changes with any source.
fn state(root: &Path) -> u64 {
    let folders = ["book", "chapters"].map(|name| of_folder(&root.join(name)));
    folders.iter().fold(of_file(&root.join("book.toml")), |a, b| a.wrapping_add(*b))
}

/// The sum over its files, since a folder is not read in order.
fn of_folder(folder: &Path) -> u64 {
    let mut sum = 0u64;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // What editors and programs write aside is no source.
        if name.starts_with('.') || name.ends_with('~') || name == "target" {
            continue;
        }
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let one = if is_folder { of_folder(&path) } else { of_file(&path) };
        sum = sum.wrapping_add(one);
    }
    sum
}

fn of_file(path: &Path) -> u64 {
    let Ok(data) = fs::metadata(path) else { return 0 };
    let mut hasher = DefaultHasher::new();
    (path, data.modified().ok(), data.len()).hash(&mut hasher);
    hasher.finish()
}
