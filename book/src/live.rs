//! Figures that answer in the page: `{{#live ch10_3 scores}}` becomes an
//! element that the scripts of the page wake, and what they load is put beside
//! the pages. Nothing of it is loaded with a page.

use crate::listing::Files;
use crate::notices::NOTICES;
use crate::words::Words;
use std::fs;
use std::io;
use std::path::Path;

/// Where the scripts are.
const SCRIPTS: &str = "book/theme/live";
/// Where the modules are that answer.
pub const MODULES: &str = "book/live/wasm";
/// Where trained models are.
pub const MODELS: &str = "book/live/models";

/// What stands in the page for a directive with this argument. It is hidden
/// until a script finds that it can answer.
///
/// # Errors
/// There is no such figure.
pub fn element(root: &Path, argument: &str, words: &Words) -> Result<String, String> {
    let (page, figure) = argument
        .split_once(' ')
        .ok_or("{{#live}} takes a page and a figure: ch10_3 scores")?;
    let figure = figure.trim();
    let script = format!("{SCRIPTS}/{page}.js");
    let text = fs::read_to_string(root.join(&script))
        .map_err(|_| format!("there is no {script}"))?;
    if !text.contains(&format!(" {figure}(")) {
        return Err(format!("{script} has no figure {figure}(figure)"));
    }
    let module = format!("{MODULES}/{page}.wasm");
    if !root.join(&module).is_file() {
        let make = "cargo run -p book -- refresh live makes it";
        return Err(format!("there is no {module}: {make}"));
    }
    let model = match root.join(format!("{MODELS}/{page}.safetensors")).is_file() {
        true => format!(" data-model=\"{page}.safetensors\""),
        false => String::new(),
    };
    Ok(format!(
        "<div class=\"live\"><live-figure hidden data-page=\"{page}\" \
         data-figure=\"{figure}\"{model}><button type=\"button\">{}</button>\
         </live-figure></div>",
        words.try_it
    ))
}

/// Puts scripts, modules, models and the licences of what is in them beside the pages in `folder`.
///
/// # Errors
/// A file cannot be read or written.
pub fn copy(root: &Path, folder: &Path) -> io::Result<()> {
    let to = folder.join("live");
    let files = Files::new(root);
    for (from, end) in [
        (SCRIPTS, ".js"),
        (SCRIPTS, ".css"),
        (MODULES, ".wasm"),
        (MODELS, ".safetensors"),
    ] {
        for file in files.under(from, end) {
            fs::create_dir_all(&to)?;
            let name = file.rsplit('/').next().unwrap_or_default();
            fs::copy(root.join(&file), to.join(name))?;
        }
    }
    let [from, name] = NOTICES;
    if root.join(from).is_file() {
        fs::copy(root.join(from), to.join(name))?;
    }
    Ok(())
}

/// The page `name` with the place of the scripts where something may ask for
/// them: a live figure, or a heat map that can be read cell by cell.
pub fn linked(name: &str, page: &str) -> String {
    let up = "../".repeat(name.matches('/').count());
    let with = |page: String, start: &str| {
        page.replace(start, &format!("{start} data-live=\"{up}live/\""))
    };
    let page = with(page.to_string(), "<live-figure");
    with(page, "<g class=\"heatmaps\"")
}
