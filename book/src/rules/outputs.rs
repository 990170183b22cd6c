//! Everything that a program prints is on the pages of its section once.

use super::{Book, Problems, Section};
use crate::facts::Taken;
use crate::listing::{Recorded, Source, command, headings};

/// Checks the outputs of a section.
pub fn check(book: &Book, section: &Section, problems: &mut Problems) {
    let chapter = format!("chapters/{}", section.name);
    let mut outputs = book.files.under(&format!("{chapter}/output"), ".txt");
    let main = format!("{chapter}/output.txt");
    if book.files.has(&main) {
        outputs.insert(0, main);
    }
    for file in outputs {
        if let Ok(text) = book.files.text(&file) {
            output(section, &file, &text, problems);
        }
    }
    for file in book.files.under(&format!("{chapter}/recorded"), ".txt") {
        if let Ok(text) = book.files.text(&file) {
            recorded(book, section, &file, &text, problems);
        }
    }
}

fn output(section: &Section, file: &str, text: &str, problems: &mut Problems) {
    let name = &section.name;
    let start = format!("cargo run -p {name}");
    let is_command = |command: &str| {
        command.strip_prefix(&start).is_some_and(|rest| {
            rest.is_empty() || (rest.starts_with(' ') && file.contains("/output/"))
        })
    };
    if !command(text).is_some_and(is_command) {
        problems.add(file, 1, format!("does not begin with `$ {start}`"));
    }
    let parts = headings(text);
    let first = parts.first().map_or(usize::MAX, |(line, _)| *line);
    let loose = text.lines().take(first.saturating_sub(1)).skip(1);
    if !parts.is_empty() && loose.into_iter().any(|line| !line.trim().is_empty()) {
        problems.add(file, 2, "something is printed before the first heading");
    }
    let is = |taken: &Taken, heading: &str| match taken {
        Taken::Output(Recorded { file: of, heading: shown }) => {
            of == file && (shown.is_empty() || shown == heading)
        }
        Taken::Include(Source { file: of, part: None }) => of == file,
        _ => false,
    };
    if parts.is_empty() {
        let found = section.shown(|taken| is(taken, ""));
        problems.once((file, 1), "it", &found, name);
    }
    for (line, heading) in &parts {
        if parts.iter().any(|(other, text)| other < line && text == heading) {
            problems.add(file, *line, format!("\"{heading}\" is there twice"));
            continue;
        }
        let found = section.shown(|taken| is(taken, heading));
        problems.once((file, *line), &format!("\"{heading}\""), &found, name);
    }
}

/// A run that no test repeats, since it takes minutes or measures time: it
/// begins with its command, and a page shows it.
fn recorded(
    book: &Book,
    section: &Section,
    file: &str,
    text: &str,
    problems: &mut Problems,
) {
    let name = &section.name;
    let starts = ["run", "bench"].map(|what| format!("cargo {what} -p {name}"));
    let right = command(text).is_some_and(|command| {
        // Variables may stand before it.
        starts.iter().any(|start| command.contains(start.as_str()))
    });
    if !right {
        problems.add(file, 1, format!("does not begin with `$ {}`", starts[0]));
    }
    let says = |line: &str| !line.starts_with(['$', '#']) && !line.trim().is_empty();
    if !text.lines().any(says) {
        problems.add(file, 1, "says nothing");
    }
    let is = |taken: &Taken| match taken {
        Taken::Include(Source { file: of, .. }) => of == file,
        Taken::Listing(Source { file: of, .. }) => of == file,
        _ => false,
    };
    if book.shown(is).is_empty() {
        problems.add(file, 1, "is on no page");
    }
}
