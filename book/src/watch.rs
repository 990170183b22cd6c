//! Watches the sources of the book.

use crate::listing::Files;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// The time between two looks at the sources.
const INTERVAL: Duration = Duration::from_millis(200);

/// Calls `rebuild` whenever a page, a figure, the theme or a file of a chapter changes.
/// `built` are the [`sources`] of the current pages.
pub fn watch(root: &Path, mut built: Sources, mut rebuild: impl FnMut()) -> ! {
    let mut last = built.clone();
    loop {
        sleep(INTERVAL);
        let now = sources(root);
        // An editor may write several files; the last of them is waited for.
        if now == last && now != built {
            rebuild();
            built.clone_from(&now);
        }
        last = now;
    }
}

/// Files with the times of their last changes.
pub type Sources = Vec<(String, Option<SystemTime>)>;

/// Lists the sources of the book in `root`.
pub fn sources(root: &Path) -> Sources {
    let files = Files::new(root);
    let mut sources = vec!["book.toml".to_string()];
    sources.extend(["book", "chapters"].iter().flat_map(|name| files.under(name, "")));
    // What editors write aside is no source.
    sources.retain(|file| !file.contains("/.") && !file.ends_with('~'));
    let with_age = |file: String| {
        let data = fs::metadata(root.join(&file)).ok();
        (file, data.and_then(|data| data.modified().ok()))
    };
    sources.into_iter().map(with_age).collect()
}
