//! The book's additions to Markdown, page by page: code from files, recorded output,
//! formulas, figures. Faults of a single page are found here, where file and line are
//! known.

use crate::block::{Line, Part, Shown, assemble};
use crate::directive::{Directive, directives};
use crate::facts::Facts;
use crate::highlight::{self, escape};
use crate::listing::{Files, Source, command, plain};
use crate::problem::{Problem, beside, line_at};
use crate::question::{Edits, Events};
use crate::rust::is_mark;
use crate::words::{Words, is_han, words_of};
use crate::{figure, live, maths, question};
use mdbook_markdown::pulldown_cmark::{
    CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd,
};
use std::ops::Range;

/// A page with its directives replaced.
pub struct Woven {
    /// Markdown that stock mdBook understands.
    pub text: String,
    /// The faults of the page.
    pub problems: Vec<Problem>,
    /// The facts that the rules of the book check.
    pub facts: Facts,
}

/// Turns the Markdown of a file, named from the root, into Markdown that stock mdBook
/// understands, and finds what is wrong with it.
pub fn weave(files: &Files, file: &str, text: &str) -> Woven {
    let mut page = Page {
        files,
        words: words_of(file),
        file,
        text,
        directives: directives(text),
        asked: 0,
        in_code: false,
        in_image: false,
        edits: Vec::new(),
        problems: Vec::new(),
        facts: Facts { file: file.to_string(), ..Facts::default() },
    };
    let events = Parser::new_ext(text, markdown()).into_offset_iter();
    let events: Vec<_> = events.collect();
    let is_title = |event: &Event| match event {
        Event::Start(Tag::Heading { level, .. }) => *level == HeadingLevel::H1,
        _ => false,
    };
    if !events.iter().any(|(event, _)| is_title(event)) {
        page.problem(0, "has no title");
    }
    for at in 0..events.len() {
        page.event(&events, at);
    }
    page.check_directives();
    Woven { text: page.edited(), problems: page.problems, facts: page.facts }
}

/// Returns the options of Markdown in mdBook, with formulas.
pub fn markdown() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST
        | Options::ENABLE_GFM
        | Options::ENABLE_MATH
}

/// One page on its way to mdBook.
struct Page<'a> {
    files: &'a Files,
    words: &'static Words,
    /// The path from the root of the repository.
    file: &'a str,
    text: &'a str,
    /// The directives that nothing has taken yet.
    directives: Vec<Directive<'a>>,
    /// The number of questions so far.
    asked: usize,
    in_code: bool,
    in_image: bool,
    edits: Edits,
    problems: Vec<Problem>,
    facts: Facts,
}

impl<'a> Page<'a> {
    fn problem(&mut self, at: usize, text: impl AsRef<str>) {
        let line = line_at(self.text, at);
        self.problems.push(Problem::new(self.file, line, text));
    }

    /// Returns the page with all edits made.
    fn edited(&mut self) -> String {
        self.edits.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(2 * self.text.len());
        let mut from = 0;
        for (range, with) in &self.edits {
            // An edit inside another one has nothing left to change.
            if range.start >= from {
                out.push_str(&self.text[from..range.start]);
                out.push_str(with);
                from = range.end;
            }
        }
        out + &self.text[from..]
    }

    /// Returns the beginning of a line inside the same list item or quotation.
    fn indent(&self, at: usize) -> String {
        let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let keep = |c| if matches!(c, '>' | '\t') { c } else { ' ' };
        self.text[start..at].chars().map(keep).collect()
    }

    fn event(&mut self, events: &Events<'a>, at: usize) {
        let (event, range) = &events[at];
        match event {
            Event::InlineMath(latex) => {
                self.facts.size.words += 1;
                self.formula(maths::inline(latex), range, 1);
            }
            Event::DisplayMath(latex) => self.formula(maths::block(latex), range, 2),
            Event::Start(tag) => self.start(events, at, tag),
            Event::End(TagEnd::CodeBlock) => self.in_code = false,
            Event::End(TagEnd::Image) => self.in_image = false,
            Event::Text(text) if !self.in_code => {
                self.loose(range);
                self.words(text);
            }
            Event::Code(text) => self.words(text),
            Event::Html(html) | Event::InlineHtml(html) => self.html(html, range.start),
            _ => {}
        }
    }

    fn start(&mut self, events: &Events<'a>, at: usize, tag: &Tag<'a>) {
        let range = &events[at].1;
        match tag {
            Tag::CodeBlock(kind) => {
                self.in_code = true;
                match kind {
                    CodeBlockKind::Fenced(info) => self.fence(events, at, info),
                    CodeBlockKind::Indented => {
                        let text = "four spaces make this line code, and code comes \
                                    from files: {{#listing}}, {{#output}}, …";
                        self.problem(range.start, text);
                    }
                }
            }
            Tag::Image { dest_url, .. } => {
                self.in_image = true;
                if let Err(text) = self.image(events, at, dest_url) {
                    self.problem(range.start, text);
                }
            }
            Tag::Link { dest_url, .. } => {
                let line = line_at(self.text, range.start);
                self.facts.links.push((line, dest_url.to_string()));
            }
            Tag::Heading { id: Some(id), .. } => {
                let line = line_at(self.text, range.start);
                self.facts.ids.push((line, id.to_string()));
            }
            Tag::Heading { id: None, .. } => {
                self.problem(range.start, "this heading has no {#id}");
            }
            Tag::Paragraph => self.paragraph(&events[at..]),
            _ => {}
        }
    }

    /// Replaces a paragraph that is a directive.
    fn paragraph(&mut self, events: &Events<'a>) {
        let range = &events[0].1;
        let body = self.text[range.clone()].trim();
        let is_it = |d: &mut Directive| {
            d.start == range.start
                && &self.text[d.start..d.end] == body
                && matches!(d.name, "program" | "live" | "question")
        };
        let Some(directive) = self.directives.extract_if(.., is_it).next() else {
            return;
        };
        let made = match directive.name {
            "program" => self.program(&directive),
            "live" => live::element(self.files.root(), directive.argument, self.words),
            _ => return self.question(events, directive.argument),
        };
        match made {
            Ok(html) => self.edits.push((directive.start..directive.end, html)),
            Err(text) => self.problem(directive.start, text),
        }
    }

    fn words(&mut self, text: &str) {
        if self.in_image {
            return;
        }
        let words = text.split(|c: char| c.is_whitespace() || is_han(c));
        let words = words.filter(|word| word.contains(char::is_alphanumeric));
        let han = text.chars().filter(|&c| is_han(c));
        self.facts.size.words += words.count() + han.count();
    }

    /// Replaces a formula between `dollars` dollars.
    fn formula(
        &mut self,
        html: Result<String, maths::BadFormula>,
        range: &Range<usize>,
        dollars: usize,
    ) {
        match html {
            Ok(html) => self.edits.push((range.clone(), html)),
            Err(bad) => {
                let at = range.start + dollars + bad.at;
                self.problem(at, format!("bad formula: {}", bad.text));
            }
        }
    }

    /// Reports a loose dollar: Markdown takes a formula for text if it is not closed,
    /// or if one of its lines begins like a list or underlines a heading.
    fn loose(&mut self, range: &Range<usize>) {
        let text = "this $ makes no formula: no line of one begins with -, + or =; \
                    the sign itself is \\$";
        let mut signs = range.clone().filter(|&at| self.text.as_bytes()[at] == b'$');
        if let Some(at) = signs.find(|&at| !self.text[..at].ends_with('\\')) {
            self.problem(at, text);
        }
    }

    /// Reports all other elements: those that run or load something, and what should be
    /// a code span, such as `Rank2<A, B>`.
    fn html(&mut self, html: &str, start: usize) {
        let mut html = html.to_string();
        for tag in ["<details>", "</details>", "<summary>", "</summary>"] {
            html = html.replace(tag, "");
        }
        if html.contains('<') {
            let text = "the HTML of a page is <details> and <summary>; a < is \\<";
            self.problem(start, text);
        }
    }

    /// Reports directives that nothing has taken.
    fn check_directives(&mut self) {
        for Directive { start, name, .. } in std::mem::take(&mut self.directives) {
            let text = match name {
                "" => "{{# is not closed by }} on its line".to_string(),
                "program" | "live" | "question" => {
                    format!("{{{{#{name}}}}} must be alone in its paragraph")
                }
                name => {
                    format!("{{{{#{name}}}}} is unknown, or not alone in a code block")
                }
            };
            self.problem(start, text);
        }
    }

    /// Replaces a code block: commands that a reader types, or parts of files.
    fn fence(&mut self, events: &Events<'a>, at: usize, language: &str) {
        let range = events[at].1.clone();
        let body = text_of(events, at, TagEnd::CodeBlock);
        let inside = self.directives.extract_if(.., |d| range.contains(&d.start));
        let inside: Vec<Directive> = inside.collect();
        let lines = body.lines().map(str::trim).filter(|line| !line.is_empty());
        let typed = inside.is_empty()
            || !lines.eq(inside.iter().map(|d| &self.text[d.start..d.end]));
        let start = inside.first().map_or(range.start, |one| one.start);
        let made = match (language, &inside[..]) {
            ("sh" | "python", []) => Ok((String::new(), plain(body.trim_end()))),
            ("rust" | "text" | "diff", _) if typed => {
                Err("code and output come from files: {{#listing}}, {{#output}}, …"
                    .into())
            }
            ("rust", [Directive { name: "listing" | "hidden", .. }, ..]) => {
                return self.listings(range, &inside);
            }
            ("rust" | "text" | "diff" | "python", [one]) => self.one(one),
            ("rust" | "text" | "diff", _) => {
                Err("only {{#listing}} and {{#hidden}} share a block, of rust".into())
            }
            _ => Err("a code block is rust, text, diff, sh or python".into()),
        };
        match made {
            Ok((label, lines)) => self.block(range, language, &label, &lines),
            Err(text) => self.problem(start, text),
        }
    }

    /// Replaces a block of `{{#listing}}` and `{{#hidden}}`.
    fn listings(&mut self, range: Range<usize>, inside: &[Directive]) {
        let files = self.files;
        let (mut labels, mut named, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for directive in inside {
            let hidden = directive.name == "hidden";
            let source = Source::below_chapters(directive.argument);
            let is_first =
                self.facts.shown.iter().all(|(_, of)| of.file != source.file);
            self.note(directive.start, &source);
            let mut part: Part = match files.part(&source, hidden) {
                Ok(part) => part,
                Err(text) => {
                    self.problem(directive.start, text);
                    continue;
                }
            };
            if source.part.is_some() && is_first {
                part.preamble = part.rust.preamble();
            }
            // What is not seen is not announced, and a file once.
            if !hidden && !named.contains(&source.file) {
                let label = format!("<code>{}</code>", escape(&source.file));
                labels.push(files.address.source(&label, &source.file, part.lines));
                named.push(source.file);
            }
            parts.push(part);
        }
        let lines = assemble(&parts);
        let all_there = parts.len() == inside.len();
        if all_there && lines.iter().all(|line| line.shown != Shown::Plain) {
            let text = "every line of this block is hidden; put it in the block of \
                        another listing";
            return self.problem(range.start, text);
        }
        self.block(range, "rust", &labels.join(", "), &lines);
    }

    /// Returns the label and the lines of any other directive.
    fn one(&mut self, directive: &Directive) -> Result<(String, Vec<Line>), String> {
        let (files, words) = (self.files, self.words);
        let argument = directive.argument;
        let (argument, short) = match argument.strip_suffix(" short") {
            Some(argument) if directive.name == "error" => (argument, true),
            _ => (argument, false),
        };
        let source = match directive.name {
            "include" => Source::beside(self.file, argument),
            "output" => Source::output(argument),
            "error" => Source::compile_fail(argument, "stderr"),
            "difference" => Source::compile_fail(argument, "rs"),
            name => return Err(format!("unknown {{{{#{name}}}}} in a code block")),
        };
        self.note(directive.start, &source);
        let mut lines = match directive.name {
            "difference" => files.difference(&source.file)?,
            _ => files.included(&source)?,
        };
        if short {
            hide_notes(&mut lines);
        }
        let file = format!("<code>{}</code>", escape(&source.file));
        let text = files.text(&source.file)?;
        // A page may show lines of a record one by one.
        let command = command(&text)
            .filter(|_| directive.name == "output" || source.part.is_none());
        let label = match (directive.name, command) {
            ("error", _) => words.rustc_says.to_string(),
            ("difference", _) => format!("{}{file}", words.what_compiles),
            (_, Some(command)) => {
                format!("{}<code>{}</code>", words.output_of, escape(command))
            }
            (_, None) => file,
        };
        Ok((label, lines))
    }

    fn note(&mut self, at: usize, source: &Source) {
        self.facts.shown.push((line_at(self.text, at), source.clone()));
    }

    /// Replaces a fence by a block of code.
    fn block(
        &mut self,
        range: Range<usize>,
        language: &str,
        label: &str,
        lines: &[Line],
    ) {
        if language == "rust" {
            self.facts.size.code += seen(lines);
        }
        let indent = self.indent(range.start);
        let label = match label {
            "" => String::new(),
            label => format!("<p class=\"file\">{label}</p>\n\n"),
        };
        let html = label + &highlight::html(language, lines);
        let inner = html.lines().enumerate().map(|(at, line)| match at {
            0 => line.to_string(),
            _ => format!("{indent}{line}").trim_end().to_string(),
        });
        let html = inner.collect::<Vec<_>>().join("\n");
        // The range of a fence ends before its last line break, or with it.
        let end = if self.text[range.clone()].ends_with('\n') { "\n" } else { "" };
        self.edits.push((range, format!("{html}{end}")));
    }

    /// Formats `{{#program ch10_3}}`: every file of the demo, under its name.
    fn program(&mut self, directive: &Directive) -> Result<String, String> {
        let mut out = String::new();
        for file in self.files.demo(directive.argument) {
            let source = Source { file, part: None };
            self.note(directive.start, &source);
            let mut lines = self.files.included(&source)?;
            lines.retain(|line| !is_mark(&line.text));
            self.facts.size.code += lines.len();
            let (_, short) = source.file.split_once("/src/").unwrap_or_default();
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            let id: String = short.chars().map(plain).collect();
            let id = id.to_lowercase();
            let html = highlight::html("rust", &lines);
            out.push_str(&format!("## `{short}` {{#{id}}}\n\n{html}\n\n"));
            self.facts.ids.push((line_at(self.text, directive.start), id));
        }
        if out.is_empty() {
            return Err(format!("chapters/{} has no program", directive.argument));
        }
        Ok(format!("<div class=\"program\">\n\n{out}</div>"))
    }

    /// Replaces `{{#question ch10_3 01-name}}` and the blocks that belong to it.
    fn question(&mut self, events: &Events<'a>, argument: &str) {
        self.asked += 1;
        let name = self.file.trim_end_matches(".md").replace('/', "-");
        let id = format!("question-{name}-{}", self.asked);
        let weave = |text: &str| weave(self.files, self.file, text).text;
        let page = (self.text, events);
        match question::ask(self.files, self.words, page, argument, &id, weave) {
            Ok(edits) => self.edits.extend(edits),
            Err((at, text)) => self.problem(at, text),
        }
    }

    /// Replaces a figure and its caption.
    fn image(
        &mut self,
        events: &Events<'a>,
        at: usize,
        dest: &str,
    ) -> Result<(), String> {
        let image = events[at].1.clone();
        let file = beside(self.file, dest);
        self.note(image.start, &Source { file: file.clone(), part: None });
        let alt = text_of(events, at, TagEnd::Image);
        let least = self.words.shortest_alt;
        if alt.trim().chars().count() < least {
            return Err(format!("{file} is described in less than {least} characters"));
        }
        let last = closing(events, at, TagEnd::Image);
        if !alone(events, at, last) {
            return Err(format!("{file} must be alone in its paragraph"));
        }
        let caption = match events.get(last + 2) {
            Some((Event::Start(Tag::Paragraph), range)) => range.clone(),
            _ => 0..0,
        };
        let words = self.text[caption.clone()].trim_end();
        let number = figure::number(self.words, words).ok_or_else(|| {
            let [before, after] = self.words.figure;
            format!("{file} has no caption \"{before}10.1.1{after} …\" under it")
        })?;
        let line = line_at(self.text, image.start);
        self.facts.figures.push((line, number.to_string()));
        let end = caption.start + words.len();
        let svg = self.files.text(&file);
        let figure =
            svg.and_then(|svg| figure::open(self.words, &svg, number, alt.trim()));
        let (html, ids) =
            figure.map_err(|error| format!("cannot show {file}: {error}"))?;
        self.edits.push((image, html));
        let close = self.files.address.drawn_by(&file, self.words) + figure::CLOSE;
        self.edits.push((end..end, close));
        self.facts.ids.extend(ids.into_iter().map(|id| (line, id)));
        Ok(())
    }
}

/// Counts the lines that are not hidden.
fn seen(lines: &[Line]) -> usize {
    lines.iter().filter(|line| line.shown != Shown::Hidden).count()
}

/// Returns `true` if the events from `first` to `last` are a whole paragraph.
fn alone(events: &Events, first: usize, last: usize) -> bool {
    let before = first.checked_sub(1).and_then(|at| events.get(at));
    let after = events.get(last + 1);
    matches!(before, Some((Event::Start(Tag::Paragraph), _)))
        && matches!(after, Some((Event::End(TagEnd::Paragraph), _)))
}

/// Returns the end of the element that begins at `at`. Elements of its kind are never
/// nested.
fn closing(events: &Events, at: usize, end: TagEnd) -> usize {
    let is_end = |event: &Event| *event == Event::End(end);
    let rest = events[at..].iter().position(|(event, _)| is_end(event));
    at + rest.unwrap_or(0)
}

/// Returns the text of the element that begins at `at`.
fn text_of(events: &Events, at: usize, end: TagEnd) -> String {
    let mut out = String::new();
    for (event, _) in &events[at..closing(events, at, end)] {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(text),
            Event::InlineMath(text) => out.push_str(text),
            Event::SoftBreak | Event::HardBreak => out.push(' '),
            _ => {}
        }
    }
    out
}

/// Hides what an error says after its first place: types in full, notes, help.
fn hide_notes(lines: &mut [Line]) {
    let is_note = |line: &Line| {
        let text = line.text.trim_start();
        ["= note", "note:", "= help", "help:"]
            .iter()
            .any(|start| text.starts_with(start))
    };
    let mut end = lines.iter().position(is_note).unwrap_or(lines.len());
    // The bar that leads to a note.
    if end < lines.len() && lines[..end].last().is_some_and(|l| l.text.trim() == "|") {
        end -= 1;
    }
    for line in &mut lines[end..] {
        line.shown = Shown::Hidden;
    }
}
