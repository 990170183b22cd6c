//! Page and code are one: every line of a chapter's source is on its page
//! exactly once and in order, every printed part and every figure too, and no
//! Rust is typed into Markdown.
//!
//! Each rule is a function over texts, so that the tests at the end can plant
//! a fault and see it found.

mod common;

use common::page::{Block, Directive, Page};
use common::repo::{
    Findings, WITHOUT_PAGE, exercise_number, files, packages, read, root, sections,
    targets,
};
use common::source::{anchors, functions};
use std::collections::{HashMap, HashSet};

fn pages() -> Vec<Page> {
    let files = files("book/en", "md");
    files.iter().map(|file| Page::parse(file, &read(file))).collect()
}

/// A file that must be there; a fault if it is not.
fn expect(file: &str, faults: &mut Findings) -> Option<String> {
    let text = std::fs::read_to_string(root().join(file));
    text.inspect_err(|error| faults.add(file, 1, error.to_string())).ok()
}

fn page(file: &str, faults: &mut Findings) -> Option<Page> {
    expect(file, faults).map(|text| Page::parse(file, &text))
}

// --- Code -----------------------------------------------------------------

#[test]
fn every_line_of_source_is_on_its_page_once_and_in_order() {
    let mut faults = Findings::default();
    for name in sections() {
        let sources = files(&format!("chapters/{name}/src"), "rs");
        let sources: Vec<_> =
            sources.iter().map(|file| (file.as_str(), read(file))).collect();
        let page = page(&format!("book/en/{name}.md"), &mut faults);
        let Some(page) = page else { continue };
        told_once_in_order(&page, &sources, &mut faults);
    }
    faults.none();
}

/// An example that is no exercise belongs to the page that has its anchors.
#[test]
fn every_line_of_an_example_is_on_one_page_too() {
    let mut faults = Findings::default();
    let pages = pages();
    for name in sections() {
        let examples = files(&format!("chapters/{name}/examples"), "rs");
        for file in examples.iter().filter(|file| !is_exercise(file)) {
            let beside = file.replace(".rs", ".txt");
            let long = beside.replace("/examples/", "/recorded/");
            let there = root().join(&long).is_file();
            let record = if there { long } else { beside };
            let has = |page: &&Page, wanted: &str| {
                let mut all = page.directives();
                all.any(|(_, directive)| match directive {
                    Directive::Include { file, .. } => file == wanted,
                    Directive::Output { .. } => false,
                })
            };
            let Some(page) = pages.iter().find(|page| has(page, file)) else {
                faults.add(file, 1, "is on no page");
                continue;
            };
            let sources = [(file.as_str(), read(file))];
            told_once_in_order(page, &sources, &mut faults);
            if !has(&page, &record) {
                faults.add(file, 1, format!("no output on {}", page.file));
            }
        }
    }
    faults.none();
}

fn is_exercise(file: &str) -> bool {
    file.contains("/exercise_")
}

fn told_once_in_order(page: &Page, sources: &[(&str, String)], faults: &mut Findings) {
    let mut told: HashMap<String, Vec<(usize, String)>> = HashMap::new();
    for (line, directive) in page.directives() {
        if let Directive::Include { file, anchor } = directive
            && sources.iter().any(|(source, _)| *source == file)
        {
            match anchor {
                Some(anchor) => {
                    told.entry(file).or_default().push((line, anchor));
                }
                None => faults.add(
                    &page.file,
                    line,
                    format!("{file} is included without an anchor"),
                ),
            }
        }
    }
    for (file, text) in sources {
        let anchors = anchors(file, text, faults);
        let told = told.remove(*file).unwrap_or_default();
        for anchor in &anchors {
            let count = told.iter().filter(|t| t.1 == anchor.name).count();
            if count != 1 {
                let (name, page) = (&anchor.name, &page.file);
                let what = format!("`{name}` is {count} times on {page}");
                faults.add(file, anchor.line, what);
            }
        }
        let place = |name: &str| anchors.iter().position(|a| a.name == name);
        let mut reached = 0;
        for (line, name) in told {
            match place(&name) {
                None => faults.add(
                    &page.file,
                    line,
                    format!("{file} has no anchor `{name}`"),
                ),
                Some(place) if place < reached => faults.add(
                    &page.file,
                    line,
                    format!("`{name}` is told later than it stands in {file}"),
                ),
                Some(place) => reached = place,
            }
        }
    }
}

#[test]
fn a_fence_holds_one_include_and_no_typed_rust() {
    let mut faults = Findings::default();
    for page in pages() {
        fences(&page, &mut faults);
        for (line, directive) in page.directives() {
            if let Some(fault) = dangling(&directive) {
                faults.add(&page.file, line, fault);
            }
        }
    }
    faults.none();
}

fn fences(page: &Page, faults: &mut Findings) {
    if let Some(line) = page.unclosed {
        faults.add(&page.file, line, "this fence never closes");
    }
    for (line, block) in &page.blocks {
        let Block::Fence { info, lines } = block else { continue };
        let language = info.split(',').next().unwrap_or_default();
        match language {
            // What the reader types, and what another language would say.
            "sh" | "console" | "python" | "latex" => {}
            "rust" | "text" | "toml" => {
                if lines.len() != 1 || page.directive(&lines[0]).is_none() {
                    let what = "a fence is one {{#include}} or {{#output}}";
                    faults.add(&page.file, *line, what);
                }
            }
            _ => faults.add(
                &page.file,
                *line,
                format!("a fence of `{info}`: rust, text, toml, sh, python"),
            ),
        }
    }
    for (line, text) in page.prose() {
        if text.contains("{{#") {
            faults.add(&page.file, line, "a directive outside of a fence");
        }
        if text.contains("```") {
            faults.add(&page.file, line, "a fence inside of a paragraph");
        }
    }
}

/// What a directive names and the repository does not have.
fn dangling(directive: &Directive) -> Option<String> {
    match directive {
        Directive::Include { file, anchor } => {
            let Ok(text) = std::fs::read_to_string(root().join(file)) else {
                return Some(format!("{file} is not there"));
            };
            let anchor = anchor.as_ref()?;
            let start = format!("// ANCHOR: {anchor}");
            let there = text.lines().any(|line| line.trim() == start);
            (!there).then(|| format!("{file} has no anchor `{anchor}`"))
        }
        Directive::Output { name, heading } => {
            let file = format!("chapters/{name}/output.txt");
            let Ok(text) = std::fs::read_to_string(root().join(&file)) else {
                return Some(format!("{file} is not there"));
            };
            let there = parts(&text).iter().any(|(_, part)| part == heading);
            (!there).then(|| format!("{file} has no part `{heading}`"))
        }
    }
}

// --- Output ---------------------------------------------------------------

/// The headings of a recorded output: each underlined from end to end.
fn parts(output: &str) -> Vec<(usize, &str)> {
    let lines: Vec<&str> = output.lines().collect();
    let pairs = lines.windows(2).enumerate();
    pairs
        .filter(|(_, pair)| {
            let width = pair[0].chars().count();
            width > 0 && pair[1] == "-".repeat(width)
        })
        .map(|(n, pair)| (n + 1, pair[0]))
        .collect()
}

#[test]
fn every_part_of_an_output_is_on_its_page_once_and_in_order() {
    let mut faults = Findings::default();
    for name in sections() {
        let file = format!("chapters/{name}/output.txt");
        let page = page(&format!("book/en/{name}.md"), &mut faults);
        let output = expect(&file, &mut faults);
        let (Some(page), Some(output)) = (page, output) else { continue };
        shown_once_in_order(&page, &name, &file, &output, &mut faults);
    }
    faults.none();
}

fn shown_once_in_order(
    page: &Page,
    name: &str,
    file: &str,
    output: &str,
    faults: &mut Findings,
) {
    let parts = parts(output);
    if output.lines().next() != Some(&format!("$ cargo run -p {name}")) {
        faults.add(file, 1, "the first line is the command");
    }
    let start = parts.first().map_or(usize::MAX, |(line, _)| *line);
    let loose = output.lines().take(start - 1).skip(1);
    if loose.into_iter().any(|line| !line.trim().is_empty()) {
        faults.add(file, 2, "something is printed before the first heading");
    }
    let shown = page.directives().filter_map(|(line, directive)| {
        let Directive::Output { name: of, heading } = directive else {
            return None;
        };
        (of == name).then_some((line, heading))
    });
    let shown: Vec<(usize, String)> = shown.collect();
    for (line, part) in &parts {
        let count = shown.iter().filter(|(_, shown)| shown == part).count();
        if count != 1 {
            let what = format!("`{part}` is {count} times on {}", page.file);
            faults.add(file, *line, what);
        }
        if parts.iter().filter(|(_, other)| other == part).count() > 1 {
            faults.add(file, *line, format!("two parts are called `{part}`"));
        }
    }
    let mut reached = 0;
    for (line, heading) in shown {
        match parts.iter().position(|(_, part)| *part == heading) {
            Some(place) if place < reached => faults.add(
                &page.file,
                line,
                format!("`{heading}` is shown later than it is printed"),
            ),
            Some(place) => reached = place,
            None => {
                faults.add(&page.file, line, format!("{file} has no part `{heading}`"))
            }
        }
    }
}

/// A run that no test repeats: it takes minutes, or measures time, or reads
/// what is not ours to give away. Its record tells how it was made.
#[test]
fn every_long_run_is_recorded_with_its_machine_and_shown() {
    let mut faults = Findings::default();
    let pages = pages();
    let shown: Vec<HashSet<String>> = pages.iter().map(whole_files).collect();
    for name in sections() {
        for file in files(&format!("chapters/{name}/recorded"), "txt") {
            long_run(&file, &name, &read(&file), &mut faults);
            if !shown.iter().any(|page| page.contains(&file)) {
                faults.add(&file, 1, "is on no page");
            }
        }
    }
    faults.none();
}

fn long_run(file: &str, name: &str, text: &str, faults: &mut Findings) {
    let mut lines = text.lines();
    let commands = ["run", "bench"].map(|c| format!("$ cargo {c} -p {name} "));
    let first = lines.next().unwrap_or_default();
    if !commands.iter().any(|command| first.starts_with(command)) {
        faults.add(file, 1, format!("begins with `{}…`", commands[0]));
    }
    let made = lines.next().and_then(|line| line.strip_prefix("# "));
    if !made.is_some_and(|made| made.contains("core") && made.contains(" s")) {
        let what = "tells how it was made: `# 2 cores of …, 95 s`";
        faults.add(file, 2, what);
    }
    if lines.all(|line| line.trim().is_empty()) {
        faults.add(file, 3, "says nothing");
    }
}

// --- Figures --------------------------------------------------------------

/// Shorter than this, a description cannot stand in for a figure.
const SHORTEST_ALT: usize = 40;

#[test]
fn every_figure_is_drawn_shown_described_and_numbered() {
    let mut faults = Findings::default();
    let mut used = HashSet::new();
    for page in pages() {
        used.extend(figures(&page, &mut faults));
    }
    let drawn = files("book/figures", "svg");
    let by_hand = files("book/diagrams", "svg");
    for file in drawn.iter().chain(&by_hand) {
        if !used.contains(file) {
            faults.add(file, 1, "is on no page");
        }
        picture(file, &read(file), &mut faults);
    }
    faults.none();
}

/// Checks the figures of a page and gives their files.
fn figures(page: &Page, faults: &mut Findings) -> Vec<String> {
    let section = page.file.rsplit('/').next().unwrap_or_default();
    let section = section.trim_start_matches("ch").trim_end_matches(".md");
    let section = section.replace('_', ".");
    let mut used = Vec::new();
    for (n, (line, block)) in page.blocks.iter().enumerate() {
        let mut fault = |what: String| faults.add(&page.file, *line, what);
        let Block::Image { alt, path } = block else { continue };
        let file = page.resolve(path);
        if !root().join(&file).is_file() {
            fault(format!("{file} is not there"));
        }
        if alt.chars().count() < SHORTEST_ALT {
            fault(format!("alt text of under {SHORTEST_ALT} characters"));
        }
        used.push(file);
        let number = used.len();
        let start = match page.file.contains("/solutions/") {
            true => "Figure ".to_string(),
            false => format!("Figure {section}.{number}: "),
        };
        let caption = page.blocks.get(n + 1).map(|(_, block)| block);
        match caption {
            Some(Block::Text(lines)) if lines[0].starts_with(&start) => {}
            _ => fault(format!("a caption follows: `{start}…`")),
        }
    }
    for (line, text) in page.prose() {
        let whole = page
            .blocks
            .iter()
            .any(|(at, block)| *at == line && matches!(block, Block::Image { .. }));
        if text.contains("](") && text.contains("![") && !whole {
            faults.add(&page.file, line, "an image is a paragraph of its own");
        }
    }
    used
}

/// What an SVG needs to live inside of a page.
fn picture(file: &str, svg: &str, faults: &mut Findings) {
    for (n, line) in svg.lines().enumerate() {
        let mut fault = |what: &str| faults.add(file, n + 1, what);
        if line.trim().is_empty() {
            fault("a blank line ends the HTML around a figure");
        }
        if line.contains("<style") || line.contains("<script") {
            fault("a style or script in a figure reaches the whole page");
        }
        for fixed in ["black", "white", "#000", "#FFF", "#fff"] {
            let fixed = [format!("\"{fixed}\""), format!("\"{fixed}000\"")];
            if fixed.iter().any(|fixed| line.contains(fixed)) {
                fault("a fixed black or white is unseen in one of the themes");
            }
        }
        let stem = file.rsplit('/').next().unwrap_or_default();
        let stem = stem.trim_end_matches(".svg");
        for (at, _) in line.match_indices(" id=\"") {
            if !line[at + 5..].starts_with(stem) {
                fault("an id begins with the name of its figure");
            }
        }
    }
    if !svg.starts_with("<svg ") || !svg.trim_end().ends_with("</svg>") {
        faults.add(file, 1, "is not one <svg> element");
    }
}

// --- Headings and words ---------------------------------------------------

#[test]
fn headings_have_ids_and_pages_one_title() {
    let mut faults = Findings::default();
    for page in pages().iter().filter(|p| !p.file.ends_with("SUMMARY.md")) {
        headings(page, &mut faults);
    }
    faults.none();
}

fn headings(page: &Page, faults: &mut Findings) {
    let mut ids = HashSet::new();
    let mut above = 0;
    for (line, level, text, id) in page.headings() {
        let mut fault = |what: String| faults.add(&page.file, line, what);
        match id {
            None => fault(format!("`{text}` has no {{#id}}")),
            Some(id) if !ids.insert(id) => fault(format!("a second #{id}")),
            Some(id) if !id.chars().all(is_id) => {
                fault(format!("#{id} has other signs than a-z, 0-9 and -"));
            }
            Some(_) => {}
        }
        if level > above + 1 || (level == 1) != (above == 0) {
            fault(format!("level {level} after level {above}"));
        }
        above = level;
    }
    if above == 0 {
        faults.add(&page.file, 1, "has no title");
    }
}

fn is_id(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
}

/// Words that tell a reader who is stuck that they should not be.
const UNKIND: [&str; 5] = ["simply", "obviously", "trivially", "of course", "just"];

#[test]
fn no_word_tells_the_reader_that_it_is_easy() {
    let mut faults = Findings::default();
    for page in pages() {
        words(&page, &mut faults);
    }
    faults.none();
}

fn words(page: &Page, faults: &mut Findings) {
    for (line, text) in page.prose() {
        let text = text.to_lowercase();
        for word in UNKIND {
            let found = text.match_indices(word).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                let after = text[at + word.len()..].chars().next();
                let letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
                !letter(before) && !letter(after)
            });
            if found {
                faults.add(&page.file, line, format!("the word `{word}`"));
            }
        }
    }
}

#[test]
fn a_term_is_bold_once() {
    let mut faults = Findings::default();
    for page in pages() {
        bold_once(&page, &mut faults);
    }
    faults.none();
}

fn bold_once(page: &Page, faults: &mut Findings) {
    let mut seen = HashSet::new();
    for (line, text) in page.prose() {
        let code_gone: String = text.split('`').step_by(2).collect();
        for term in code_gone.split("**").skip(1).step_by(2) {
            if !seen.insert(term.to_lowercase()) {
                let what = format!("`{term}` is bold for the second time");
                faults.add(&page.file, line, what);
            }
        }
    }
}

#[test]
fn a_section_opens_with_its_command_and_ends_with_exercises() {
    let mut faults = Findings::default();
    for name in sections() {
        let page = page(&format!("book/en/{name}.md"), &mut faults);
        page.iter().for_each(|page| frame(page, &name, &mut faults));
    }
    faults.none();
}

fn frame(page: &Page, name: &str, faults: &mut Findings) {
    let second = page.headings().filter(|h| h.1 == 2);
    let second: Vec<(usize, &str)> = second.map(|h| (h.0, h.2)).collect();
    let ends: Vec<&str> = second.iter().rev().take(2).map(|h| h.1).collect();
    if ends != ["Exercises", "Summary"] {
        faults.add(&page.file, 1, "ends with Summary and Exercises");
    }
    let body = second.first().map_or(usize::MAX, |(line, _)| *line);
    let command = format!("cargo run -p {name}");
    let told = page.blocks.iter().any(|(line, block)| {
        let lines = match block {
            Block::Text(lines) | Block::Fence { lines, .. } => lines,
            _ => return false,
        };
        *line < body && lines.iter().any(|line| line.contains(&command))
    });
    if !told {
        faults.add(&page.file, 1, format!("opens with `{command}`"));
    }
}

#[test]
fn the_table_of_contents_lists_every_page() {
    let mut faults = Findings::default();
    let summary = read("book/en/SUMMARY.md");
    let listed = links(&summary);
    for (line, target) in &listed {
        if !root().join("book/en").join(target).is_file() {
            faults.add("book/en/SUMMARY.md", *line, format!("no {target}"));
        }
    }
    for file in files("book/en", "md") {
        let short = file.trim_start_matches("book/en/");
        let count = listed.iter().filter(|(_, t)| t == short).count();
        if short != "SUMMARY.md" && short != "404.md" && count != 1 {
            faults.add(&file, 1, format!("is {count} times in SUMMARY.md"));
        }
    }
    faults.none();
}

/// The targets of the links of a page, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let lines = text.lines().enumerate();
    lines
        .flat_map(|(n, line)| {
            let targets = line.split("](").skip(1);
            targets.filter_map(move |rest| {
                let target = rest.split_once(')')?.0;
                Some((n + 1, target.to_string()))
            })
        })
        .filter(|(_, target)| !target.is_empty())
        .collect()
}

// --- Compile errors and exercises -----------------------------------------

#[test]
fn every_compile_error_is_told_with_its_twin() {
    let mut faults = Findings::default();
    let pages = pages();
    let shown: Vec<HashSet<String>> = pages.iter().map(whole_files).collect();
    for name in sections() {
        let folder = format!("chapters/{name}/compile_fail");
        let twins = format!("chapters/{name}/compile_pass");
        for file in files(&folder, "rs") {
            let twin = file.replace(&folder, &twins);
            let error = file.replace(".rs", ".stderr");
            for other in [&twin, &error] {
                if !root().join(other).is_file() {
                    faults.add(&file, 1, format!("{other} is not there"));
                }
            }
            if root().join(&twin).is_file() {
                one_line_apart(&file, &read(&file), &read(&twin), &mut faults);
            }
            let all = [&file, &error, &twin];
            if !shown.iter().any(|on| all.iter().all(|f| on.contains(*f))) {
                let what = "no page has it with its error and its twin";
                faults.add(&file, 1, what);
            }
        }
        for twin in files(&twins, "rs") {
            let file = twin.replace(&twins, &folder);
            if !root().join(&file).is_file() {
                faults.add(&twin, 1, format!("{file} is not there"));
            }
        }
        for error in files(&folder, "stderr") {
            if !root().join(error.replace(".stderr", ".rs")).is_file() {
                faults.add(&error, 1, "is the error of no file");
            }
        }
    }
    faults.none();
}

/// The files that a page includes whole.
fn whole_files(page: &Page) -> HashSet<String> {
    let of = page.directives().filter_map(|(_, directive)| match directive {
        Directive::Include { file, anchor: None } => Some(file),
        _ => None,
    });
    of.collect()
}

fn one_line_apart(file: &str, text: &str, twin: &str, faults: &mut Findings) {
    let (a, b): (Vec<_>, Vec<_>) = (text.lines().collect(), twin.lines().collect());
    let apart = a.iter().zip(&b).filter(|(a, b)| a != b).count();
    if a.len() != b.len() || apart != 1 {
        let (a, b) = (a.len(), b.len());
        let what = format!("twin: {apart} lines differ ({a} and {b} lines)");
        faults.add(file, 1, what);
    }
}

#[test]
fn every_exercise_is_answered_compiled_and_run() {
    let mut faults = Findings::default();
    for name in sections() {
        let asked = page(&format!("book/en/{name}.md"), &mut faults);
        let answers = format!("book/en/solutions/{name}.md");
        let answers = page(&answers, &mut faults);
        let (Some(asked), Some(answers)) = (asked, answers) else { continue };
        let folder = format!("chapters/{name}/examples");
        let mut examples = files(&folder, "rs");
        for file in files(&folder, "txt") {
            if !examples.contains(&file.replace(".txt", ".rs")) {
                faults.add(&file, 1, "is the output of no example");
            }
        }
        examples.retain(|file| is_exercise(file));
        exercises(&asked, &answers, &name, &examples, &mut faults);
        for file in &examples {
            if !read(file).contains("assert") {
                faults.add(file, 1, "ends without an assert");
            }
            if !root().join(file.replace(".rs", ".txt")).is_file() {
                faults.add(file, 1, "has no recorded output");
            }
        }
    }
    faults.none();
}

/// An exercise is a link to its answer, a heading there, and an example.
fn exercises(
    asked: &Page,
    answers: &Page,
    name: &str,
    examples: &[String],
    faults: &mut Findings,
) {
    let prefix = format!("solutions/{name}.md#exercise-");
    let mut numbers = Vec::new();
    for (line, text) in asked.prose() {
        for rest in text.split(&prefix).skip(1) {
            let number = rest.split(')').next().unwrap_or_default();
            match number.parse::<usize>() {
                Ok(n) if n == numbers.len() + 1 => numbers.push(n),
                _ => faults.add(
                    &asked.file,
                    line,
                    format!("link to exercise-{number} is out of order"),
                ),
            }
        }
    }
    if numbers.is_empty() {
        faults.add(&asked.file, 1, format!("no link to {prefix}N"));
    }
    let shown = whole_files(answers);
    for n in &numbers {
        let id = format!("exercise-{n}");
        if !answers.headings().any(|h| h.3 == Some(&id)) {
            let what = format!("no heading {{#{id}}}");
            faults.add(&answers.file, 1, what);
        }
        let Some(file) = examples.iter().find(|f| exercise_number(f) == *n) else {
            let what = format!("no example for exercise {n}");
            faults.add(&answers.file, 1, what);
            continue;
        };
        for file in [file.clone(), file.replace(".rs", ".txt")] {
            if !shown.contains(&file) {
                let what = format!("{file} is not included");
                faults.add(&answers.file, 1, what);
            }
        }
    }
    for file in examples {
        if !numbers.contains(&exercise_number(file)) {
            faults.add(file, 1, format!("no exercise on {}", asked.file));
        }
    }
}

// --- Crates and budgets ---------------------------------------------------

#[test]
fn a_chapter_depends_on_earlier_ones_only() {
    let mut faults = Findings::default();
    for package in packages() {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(order) = number(name) else { continue };
        for on in package["dependencies"].as_array().into_iter().flatten() {
            let on = on["name"].as_str().unwrap_or_default();
            if number(on).is_some_and(|number| number >= order) {
                let file = format!("chapters/{name}/Cargo.toml");
                faults.add(&file, 1, format!("depends on the later {on}"));
            }
        }
    }
    faults.none();
}

/// The N of ch10_N; the interlude stands between 10.3 and 10.4.
fn number(name: &str) -> Option<u32> {
    match name {
        "seq2seq" => Some(35),
        name => Some(10 * name.strip_prefix("ch10_")?.parse::<u32>().ok()?),
    }
}

/// Cargo builds all examples into one folder: of two that share a name, the
/// one built last would run.
#[test]
fn no_two_examples_share_a_name() {
    let mut faults = Findings::default();
    let mut seen = HashMap::new();
    for package in packages() {
        for (name, file) in targets(&package, "example") {
            if let Some(other) = seen.insert(name.clone(), file.clone()) {
                let what = format!("{other} is `--example {name}` too");
                faults.add(&file, 1, what);
            }
        }
    }
    faults.none();
}

#[test]
fn files_keep_to_their_budgets() {
    let mut faults = Findings::default();
    for name in sections() {
        for file in files(&format!("chapters/{name}"), "rs") {
            let text = read(&file);
            lengths(&file, &text, &mut faults);
            let mut lines = text.lines();
            let head = lines.find(|line| !line.starts_with("// ANCHOR"));
            if head.is_none_or(|head| !head.starts_with("//!")) {
                faults.add(&file, 1, "has no header that says what it is");
            }
        }
    }
    let others = WITHOUT_PAGE.map(|name| format!("chapters/{name}"));
    let tools = ["book/src", "tests"].map(String::from);
    for folder in others.iter().chain(&tools) {
        for file in files(folder, "rs") {
            wide(&file, &read(&file), &mut faults);
        }
    }
    faults.none();
}

fn lengths(file: &str, text: &str, faults: &mut Findings) {
    wide(file, text, faults);
    if !file.contains("/src/") {
        return;
    }
    let told = text.lines().filter(|line| !line.contains("// ANCHOR"));
    let (count, most) = match file.ends_with("/main.rs") {
        true => (told.count(), 120),
        false => (told.count(), 300),
    };
    if count > most {
        faults.add(file, count, format!("{count} lines, at most {most}"));
    }
    for (line, body) in functions(text) {
        if body > 25 {
            let what = format!("a function of {body} lines, at most 25");
            faults.add(file, line, what);
        }
    }
}

fn wide(file: &str, text: &str, faults: &mut Findings) {
    for (n, line) in text.lines().enumerate() {
        if line.chars().count() > 80 {
            faults.add(file, n + 1, "more than 80 columns");
        }
    }
}

// --- Each rule finds a planted fault ----------------------------------------

#[cfg(test)]
mod planted {
    use super::*;

    const CODE: &str = "\
// ANCHOR: header
//! Says what it is.

use a::b;
// ANCHOR_END: header

// ANCHOR: f
/// Does.
fn f(s: [u8; 2]) {
    g(\"{\");
}
// ANCHOR_END: f
";
    const TOLD: &str = "\
```rust
{{#include ../../x/src/lib.rs:header}}
```

```rust
{{#include ../../x/src/lib.rs:f}}
```
";

    fn code(text: &str) -> Findings {
        let mut faults = Findings::default();
        anchors("lib.rs", text, &mut faults);
        faults
    }

    fn told(page: &str) -> Findings {
        let mut faults = Findings::default();
        let page = Page::parse("book/en/x.md", page);
        let sources = [("x/src/lib.rs", CODE.to_string())];
        told_once_in_order(&page, &sources, &mut faults);
        faults
    }

    fn on(page: &str, rule: fn(&Page, &mut Findings)) -> Findings {
        let mut faults = Findings::default();
        rule(&Page::parse("book/en/ch10_9.md", page), &mut faults);
        faults
    }

    #[test]
    fn anchors_that_are_not_well_made() {
        code(CODE).none();
        let planted = |from: &str, to: &str, fault: &str| {
            assert!(CODE.contains(from), "{from}");
            let faults = code(&CODE.replacen(from, to, 1));
            assert!(faults.has(fault), "{from} -> {to}: no `{fault}`");
        };
        planted("// ANCHOR_END: f\n", "", "never closes");
        planted("// ANCHOR: f\n", "", "lib.rs:8: this line is in no anchor");
        planted("// ANCHOR_END: header\n", "", "inside of `header`");
        planted("ANCHOR_END: f", "ANCHOR_END: g", "`f` is open");
        planted("ANCHOR: f", "ANCHOR: header", "a second anchor");
        planted("ANCHOR: f", "ANCHOR: f g", "no name for an anchor");
        planted("// ANCHOR: f", "  // ANCHOR: f", "column 0");
        planted("// ANCHOR: f", "//ANCHOR: f", "an anchor is written");
        planted("}\n// ANCHOR_END: f", "// ANCHOR_END: f\n}", "top-level");
        planted("use a::b;\n", "use a::b;\n/// Doc.\n", "ends inside an item");
    }

    #[test]
    fn a_page_that_leaves_out_doubles_or_turns_round() {
        told(TOLD).none();
        let (first, second) = TOLD.split_once("\n\n").expect("two fences");
        assert!(told(first).has("lib.rs:7: `f` is 0 times"));
        assert!(told(&format!("{TOLD}\n{second}")).has("`f` is 2 times"));
        let turned = told(&format!("{second}\n\n{first}\n"));
        assert!(turned.has("x.md:6: `header` is told later"));
        let wrong = told(&TOLD.replace(":f}", ":g}"));
        assert!(wrong.has("has no anchor `g`"));
        let whole = told(&TOLD.replace(":f}", "}"));
        assert!(whole.has("without an anchor"));
    }

    #[test]
    fn rust_typed_into_markdown() {
        on(TOLD, fences).none();
        let typed = on("text\n\n```rust\nlet x = 1;\n```\n", fences);
        assert!(typed.has("ch10_9.md:3: a fence is one"));
        assert!(on("```\nx\n```\n", fences).has("a fence of ``"));
        assert!(on("```sh\nx\n", fences).has("never closes"));
        assert!(on("a {{#include x}} b\n", fences).has("outside"));
        let missing = Directive::Include { file: "no.rs".into(), anchor: None };
        assert!(dangling(&missing).is_some());
    }

    #[test]
    fn output_that_is_left_out_or_turned_round() {
        let output = "$ cargo run -p x\n\nOne\n---\n1\n\nTwo\n---\n2\n";
        let check = |page: &str, output: &str| {
            let mut faults = Findings::default();
            let page = Page::parse("book/en/x.md", page);
            shown_once_in_order(&page, "x", "o.txt", output, &mut faults);
            faults
        };
        let one = "```text\n{{#output x One}}\n```\n\n";
        let two = "```text\n{{#output x Two}}\n```\n\n";
        check(&format!("{one}{two}"), output).none();
        assert!(check(one, output).has("o.txt:7: `Two` is 0 times"));
        let turned = check(&format!("{two}{one}"), output);
        assert!(turned.has("x.md:5: `One` is shown later"));
        let wrong = output.replace("-p x", "-p y");
        assert!(check(one, &wrong).has("the first line is the command"));
        let loose = output.replacen('\n', "\nHello\n", 1);
        assert!(check(one, &loose).has("before the first heading"));
    }

    #[test]
    fn long_runs_that_do_not_say_how_they_were_made() {
        let check = |text: &str| {
            let mut faults = Findings::default();
            long_run("r.txt", "x", text, &mut faults);
            faults
        };
        let right = "$ cargo run -p x -- compare\n# 2 cores of A, 95 s\n\n1\n";
        check(right).none();
        assert!(check(&right.replace("-p x", "-p y")).has("begins with"));
        assert!(check(&right.replace("# 2", "2")).has("r.txt:2"));
        assert!(check(&right.replace("95 s", "")).has("how it was made"));
        assert!(check(&right.replace("\n1", "")).has("says nothing"));
    }

    #[test]
    fn figures_without_description_number_or_file() {
        let alt = "A heat map of ten queries against ten keys, the diagonal";
        let page = |alt: &str, number: u32| {
            format!("![{alt}](../../Cargo.toml)\n\nFigure 10.9.{number}: x\n")
        };
        let check = |text: &str| on(text, |page, faults| drop(figures(page, faults)));
        check(&page(alt, 1)).none();
        assert!(check(&page("", 1)).has("alt text"));
        assert!(check(&page(alt, 2)).has("Figure 10.9.1"));
        assert!(check(&page(alt, 1).replace("toml", "x")).has("not there"));
        assert!(check("see ![x](y.svg) here\n").has("paragraph of its own"));
        let svg = |body: &str| {
            let mut faults = Findings::default();
            let svg = format!("<svg x=\"1\">\n{body}\n</svg>\n");
            picture("f/a.svg", &svg, &mut faults);
            faults
        };
        svg("<path id=\"a-1\"/>").none();
        assert!(svg("").has("blank line"));
        assert!(svg("<style>").has("style"));
        assert!(svg("<path fill=\"#000000\"/>").has("fixed black"));
        assert!(svg("<path id=\"b\"/>").has("an id begins"));
    }

    #[test]
    fn headings_words_and_bold_terms() {
        on("# A {#a}\n\n## B {#b}\n", headings).none();
        assert!(on("# A\n", headings).has("has no {#id}"));
        assert!(on("# A {#a}\n\n## B {#a}\n", headings).has("second #a"));
        assert!(on("# A {#a}\n\n# B {#b}\n", headings).has("level 1"));
        assert!(on("# A {#a}\n\n### B {#b}\n", headings).has("level 3"));
        on("adjust, unjustly\n\n```text\njust\n```\n", words).none();
        assert!(on("a\nWe simply add.\n", words).has("ch10_9.md:2"));
        on("**query** and **key**\n", bold_once).none();
        assert!(on("**key**, **Key**\n", bold_once).has("second time"));
        let framed = "# A {#a}\n\n`cargo run -p x`\n\n## B {#b}\n\n\
            ## Summary {#s}\n\n## Exercises {#e}\n";
        let check = |text: &str| on(text, |p, faults| frame(p, "x", faults));
        check(framed).none();
        assert!(check(&framed.replace("-p x", "-p y")).has("opens with"));
        assert!(check(&framed.replace("Summary", "End")).has("ends with"));
    }

    #[test]
    fn twins_and_exercises() {
        let twin = |twin: &str| {
            let mut faults = Findings::default();
            one_line_apart("a.rs", "a\nb\nc\n", twin, &mut faults);
            faults
        };
        twin("a\nx\nc\n").none();
        assert!(twin("a\nb\nc\n").has("0 lines differ"));
        assert!(twin("x\ny\nc\n").has("2 lines differ"));
        assert!(twin("a\nx\nc\nd\n").has("4 lines"));
        let check = |asked: &str, answers: &str, files: &[&str]| {
            let mut faults = Findings::default();
            let asked = Page::parse("book/en/x.md", asked);
            let answers = Page::parse("book/en/solutions/x.md", answers);
            let files: Vec<_> = files.iter().map(|f| f.to_string()).collect();
            exercises(&asked, &answers, "x", &files, &mut faults);
            faults
        };
        let asked = "1. Why? ([answer](solutions/x.md#exercise-1))\n";
        let answers = "## Exercise 1 {#exercise-1}\n\n```rust\n{{#include \
            ../../../e/exercise_1.rs}}\n```\n\n```text\n{{#include \
            ../../../e/exercise_1.txt}}\n```\n";
        let file = ["e/exercise_1.rs"];
        check(asked, answers, &file).none();
        assert!(check(asked, answers, &[]).has("no example"));
        assert!(check(asked, "", &file).has("no heading"));
        let no_output = answers.replace(".txt", ".md");
        assert!(check(asked, &no_output, &file).has(".txt is not included"));
        let both = [file[0], "e/exercise_2.rs"];
        assert!(check(asked, answers, &both).has("no exercise on"));
        assert!(check("", answers, &file).has("no link"));
        let twice = asked.replace("-1", "-2");
        assert!(check(&twice, answers, &file).has("out of order"));
    }

    #[test]
    fn budgets() {
        let check = |file: &str, text: &str| {
            let mut faults = Findings::default();
            lengths(file, text, &mut faults);
            faults
        };
        let file = "chapters/x/src/main.rs";
        check(file, CODE).none();
        assert!(check(file, &"\n".repeat(121)).has("at most 120"));
        assert!(check(file, &"x".repeat(81)).has("80 columns"));
        let body = "    x();\n".repeat(26);
        let long = check(file, &format!("\nfn f(a: [u8; 2]) {{\n{body}}}\n"));
        assert!(long.has("main.rs:2: a function of 26 lines"));
    }
}
