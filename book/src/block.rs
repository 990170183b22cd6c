//! A block of code on its way to the page: lines of one or several files, each shown,
//! dimmed or hidden.

use crate::rust::{Enclosing, Rust, is_mark};
use std::rc::Rc;

/// How a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Unchanged.
    Plain,
    /// Dimmed, as the `impl` around a method and its closing brace are.
    Dim,
    /// Hidden until the reader asks for it.
    Hidden,
}

/// One line of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The text without the line end.
    pub text: String,
    /// How the line is shown.
    pub shown: Shown,
}

impl Line {
    /// Creates a line that is shown unchanged.
    pub fn plain(text: &str) -> Self {
        Line { text: text.to_string(), shown: Shown::Plain }
    }
}

/// A part of a file of Rust in a block.
pub struct Part {
    /// The path of the file from the root.
    pub file: String,
    /// The parsed file.
    pub rust: Rc<Rust>,
    /// The first line and the last, counted from 1.
    pub lines: (usize, usize),
    /// Whether the part is hidden until the reader asks for it.
    pub hidden: bool,
    /// The file's plumbing, hidden before its first listing.
    pub preamble: Vec<usize>,
}

impl Part {
    fn enclosing(&self) -> Option<&Enclosing> {
        self.rust.around(self.lines.0, self.lines.1)
    }

    /// The `impl` that is still open after it.
    fn left_open(&self) -> Option<&Enclosing> {
        let inside = self.enclosing().filter(|one| one.close > self.lines.1);
        inside.or_else(|| self.rust.open_after(self.lines.0, self.lines.1))
    }

    /// Returns `true` if `next` continues the `impl` that this part leaves open.
    fn continues(&self, next: &Part) -> bool {
        let open = self.left_open().map(|one| one.close);
        self.file == next.file
            && open.is_some()
            && open == next.enclosing().map(|one| one.close)
    }

    fn header(&self) -> &[String] {
        let header =
            self.enclosing().map(|one| one.header.start() - 1..*one.header.end());
        &self.rust.lines[header.unwrap_or(0..0)]
    }

    /// Returns how far the lines move to the left: methods stay under their `impl`,
    /// statements move to the margin.
    fn margin(&self) -> usize {
        let of = |line: &String| line.len() - line.trim_start().len();
        match self.header() {
            [first, ..] => of(first),
            [] => {
                let text = self.rust.lines[self.lines.0 - 1..self.lines.1].iter();
                let text =
                    text.filter(|line| !line.trim().is_empty() && !is_mark(line));
                text.map(of).min().unwrap_or(0)
            }
        }
    }

    fn own_lines(&self) -> Vec<Line> {
        let margin = self.margin();
        let numbers = self.lines.0..=self.lines.1;
        let wanted = numbers.filter(|&number| !is_mark(&self.rust.lines[number - 1]));
        let line = |number: usize| {
            let hidden = self.hidden || self.rust.is_plumbing(number);
            Line {
                text: without_margin(&self.rust.lines[number - 1], margin).to_string(),
                shown: if hidden { Shown::Hidden } else { Shown::Plain },
            }
        };
        wanted.map(line).collect()
    }

    fn preamble(&self) -> Vec<Line> {
        let hidden = |text: &str| Line { text: text.to_string(), shown: Shown::Hidden };
        let lines = self.preamble.iter().map(|&number| &self.rust.lines[number - 1]);
        let mut lines: Vec<Line> = lines.map(|line| hidden(line)).collect();
        if !lines.is_empty() {
            lines.push(hidden(""));
        }
        lines
    }
}

fn without_margin(line: &str, margin: usize) -> &str {
    let blank = line.len() - line.trim_start().len();
    &line[margin.min(blank)..]
}

/// Joins the lines of all parts, separated by blank lines. An `impl` of several methods
/// appears once.
pub fn assemble(parts: &[Part]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        let mut end = at;
        while end + 1 < parts.len() && parts[end].continues(&parts[end + 1]) {
            end += 1;
        }
        let group = &parts[at..=end];
        let visible = group.iter().any(|part| !part.hidden);
        let shown = if visible { Shown::Dim } else { Shown::Hidden };
        let frame = |text: String| Line { text, shown };
        if !lines.is_empty() {
            lines.push(Line::plain(""));
        }
        lines.extend(group.iter().flat_map(Part::preamble));
        let margin = group[0].margin();
        let header = group[0].header().iter().map(|line| without_margin(line, margin));
        lines.extend(header.map(|line| frame(line.to_string())));
        for (n, part) in group.iter().enumerate() {
            if n > 0 {
                lines.push(Line::plain(""));
            }
            lines.extend(part.own_lines());
        }
        if let Some(last) = group.last()
            && let Some(one) = last.left_open()
        {
            let close = &last.rust.lines[one.close - 1];
            let brace = without_margin(close, last.margin());
            lines.push(frame(brace.trim_end().to_string()));
        }
        at = end + 1;
    }
    hide_blanks(&mut lines);
    lines
}

/// Hides blank lines that are not between two shown lines, and all but one of several.
fn hide_blanks(lines: &mut [Line]) {
    // Whether a blank line may follow the last one that is shown.
    let mut above: Option<bool> = None;
    for line in lines.iter_mut().filter(|line| line.shown != Shown::Hidden) {
        let blank = line.text.trim().is_empty();
        if blank && above != Some(true) {
            line.shown = Shown::Hidden;
        } else {
            let opens = line.shown == Shown::Dim && !line.text.starts_with('}');
            above = Some(!blank && !opens);
        }
    }
    let last = lines.iter_mut().rfind(|line| line.shown != Shown::Hidden);
    if let Some(last) = last
        && last.text.trim().is_empty()
    {
        last.shown = Shown::Hidden;
    }
}
