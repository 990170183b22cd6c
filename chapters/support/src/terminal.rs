//! What a program prints: on standard output, where a broken stream ends it with
//! one line, and on standard error, where a broken stream is ignored.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

/// Prints a heading; the book finds a part of the output by it.
pub fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.chars().count()));
}

/// Prints one row: a label in `width` columns, then the cells, each
/// right-aligned in ten.
pub fn row<D: Display>(label: &str, width: usize, cells: &[D]) {
    print!("{label:<width$}");
    for cell in cells {
        print!("{cell:>10}");
    }
    println!();
}

/// Prints on standard error what is no result. Unlike `eprintln!` it
/// never fails: a long training outlives the terminal that it was started
/// from.
pub fn note(text: impl Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Escapes what could steer a terminal in a text from outside: control characters,
/// line ends, and the marks that turn the direction of writing.
pub fn printable(text: &str) -> String {
    let steers = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match steers(c) {
            true => safe.extend(c.escape_default()),
            false => safe.push(c),
        }
    }
    safe
}

/// Prints the line on standard error with which a program fails.
pub(crate) fn complain(name: &str, text: &str) {
    note(format_args!("{name}: {}", printable(text)));
}

/// Replaces backtraces: a closed pipe (`… | head`) ends the program quietly, a full
/// disk and any other panic with one line.
pub(crate) fn quiet_panics(name: &'static str) {
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload_as_str().unwrap_or("unknown cause");
        if let Some((_, why)) = text.split_once("failed printing to stdout: ") {
            let closed = ["Broken pipe", "os error 109", "os error 232"];
            if closed.iter().any(|text| why.contains(text)) {
                std::process::exit(0);
            }
            complain(name, &format!("{FULL}: {why}"));
            std::process::exit(1);
        }
        let text = text.lines().next().unwrap_or_default();
        complain(name, &format!("internal error, please report it: {text}"));
    }));
}

const FULL: &str = "cannot write to standard output";

/// Ends a program: fails with one line if it returned an error, or if not all that
/// it printed arrived.
pub(crate) fn report(name: &str, result: anyhow::Result<()>) -> ExitCode {
    let printed = match io::stdout().flush() {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    };
    match (result, printed) {
        (Ok(()), Ok(())) => return ExitCode::SUCCESS,
        (Err(error), _) => complain(name, &format!("{error:#}")),
        (_, Err(error)) => complain(name, &format!("{FULL}: {error}")),
    }
    ExitCode::FAILURE
}
