//! Live figures: the directive, what stands beside the pages, and that no
//! module is older than its sources.

use crate::common::Tiny;
use book::stale_modules;
use std::fs;
use std::path::Path;

/// A tiny book with a live figure `scores`, without faults.
fn tiny() -> Tiny {
    let tiny = Tiny::new();
    tiny.write(
        "book/theme/live/ch10_3.js",
        "export const figures = { scores(figure) {} };",
    );
    tiny.write("book/theme/live/live.js", "");
    tiny.write("book/live/wasm/ch10_3.wasm", "module");
    tiny.write("book/live/models/ch10_3.safetensors", "model");
    tiny
}

#[test]
fn a_live_figure_is_hidden_until_a_script_wakes_it() {
    let tiny = tiny();
    tiny.page("Words.\n\n{{#live ch10_3 scores}}\n\nMore words.");
    let page = "# One {#one}\n\n## Two {#two}\n\n{{#live ch10_3 scores}}\n";
    tiny.write("book/en/sub/one.md", page);
    assert_eq!(tiny.faults(), [""; 0]);
    let html = tiny.html("intro.html");
    let at = html.find("<live-figure").expect("a live figure");
    let tag = html[at..].split('>').next().unwrap_or_default();
    for part in [
        " hidden",
        "data-live=\"live/\"",
        "data-page=\"ch10_3\"",
        "data-figure=\"scores\"",
        "data-model=\"ch10_3.safetensors\"",
    ] {
        assert!(tag.contains(part), "{tag}");
    }
    for name in ["live.js", "ch10_3.js", "ch10_3.wasm", "ch10_3.safetensors"] {
        assert!(tiny.pages().join("live").join(name).is_file(), "{name}");
    }
    assert!(!html.contains("src=\"live/"), "loaded with the page");
    assert!(tiny.html("sub/one.html").contains("data-live=\"../live/\""));
}

#[test]
fn a_live_figure_that_is_not_there_is_a_fault() {
    let tiny = tiny();
    for (text, fault) in [
        ("{{#live ch10_3}}", "{{#live}} takes a page and a figure: ch10_3 scores"),
        ("{{#live ch10_9 scores}}", "there is no book/theme/live/ch10_9.js"),
        (
            "{{#live ch10_3 score}}",
            "book/theme/live/ch10_3.js has no figure score(figure)",
        ),
        ("See {{#live ch10_3 scores}}.", "{{#live}} must be alone in its paragraph"),
    ] {
        tiny.page(text);
        assert_eq!(tiny.faults(), [format!("book/en/intro.md:5: {fault}")]);
    }
    fs::remove_file(tiny.root().join("book/live/wasm/ch10_3.wasm")).expect("is there");
    tiny.page("{{#live ch10_3 scores}}");
    let fault = "there is no book/live/wasm/ch10_3.wasm: \
                 cargo run -p book -- refresh live makes it";
    assert_eq!(tiny.faults(), [format!("book/en/intro.md:5: {fault}")]);
}

#[test]
fn no_module_is_older_than_its_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root");
    let stale = stale_modules(root).expect("the sources are there");
    assert!(!stale, "cargo run -p book -- refresh live makes them anew");
}

/// As they travel, in bytes.
const LIGHT: u64 = 120_000;

#[test]
fn modules_and_models_are_light() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("live");
    for entry in fs::read_dir(folder.join("wasm")).expect("modules") {
        let path = entry.expect("readable").path();
        let mut gzip = flate2::read::GzEncoder::new(
            fs::File::open(&path).expect("readable"),
            flate2::Compression::best(),
        );
        let bytes = std::io::copy(&mut gzip, &mut std::io::sink()).expect("packed");
        assert!(bytes <= LIGHT, "{}: {bytes} bytes packed", path.display());
    }
    for entry in fs::read_dir(folder.join("models")).into_iter().flatten() {
        let path = entry.expect("readable").path();
        let bytes = path.metadata().expect("readable").len();
        assert!(bytes <= 500_000, "{}: {bytes} bytes", path.display());
    }
}
