//! What the book adds to Markdown, page by page: code from files, recorded
//! output, formulas, figures. What is wrong with a page alone is found here,
//! where file and line are known.

use crate::block::{Line, Part, Shown, assemble};
use crate::directive::{Directive, directives};
use crate::facts::{Facts, Figure, Heading, Taken};
use crate::highlight;
use crate::listing::{Files, Recorded, Source, is_mechanism, label};
use crate::problem::{Problem, line_at, normal, short};
use crate::question::{Edits, Events};
use crate::safe::Html;
use crate::words::{Words, is_han, words_of};
use crate::{figure, live, maths, question};
use mdbook_markdown::pulldown_cmark::{
    BrokenLink, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser,
    Tag, TagEnd,
};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A page that has been read.
pub struct Woven {
    /// Markdown that stock mdBook understands.
    pub text: String,
    /// What is wrong with the page.
    pub problems: Vec<Problem>,
    /// What the rules of the book need to know.
    pub facts: Facts,
}

/// Turns the Markdown of the file at `path` into Markdown that stock mdBook
/// understands, and says what is wrong with it.
pub fn weave(files: &Files, path: &Path, text: &str) -> Woven {
    let root = files.root();
    let file = short(root, path);
    let mut page = Page {
        files,
        words: words_of(&file),
        folder: path.parent().unwrap_or(root).to_path_buf(),
        facts: Facts { file: file.clone(), ..Facts::default() },
        file,
        text,
        directives: directives(text),
        used: Vec::new(),
        asked: 0,
        in_code: false,
        in_image: false,
        edits: Vec::new(),
        problems: Vec::new(),
    };
    let mut broken = Vec::new();
    let events = {
        let note = |link: BrokenLink| {
            broken.push((link.span, link.link_type, link.reference.to_string()));
            None::<(CowStr, CowStr)>
        };
        let parser =
            Parser::new_with_broken_link_callback(text, markdown(), Some(note));
        parser.into_offset_iter().collect::<Vec<_>>()
    };
    for (range, kind, reference) in broken {
        page.undefined(range, kind, &reference);
    }
    for at in 0..events.len() {
        page.event(&events, at);
    }
    page.check_directives();
    page.problems.sort();
    page.problems.dedup();
    Woven { text: page.edited(), problems: page.problems, facts: page.facts }
}

/// The Markdown that mdBook reads, and formulas.
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
    folder: PathBuf,
    file: String,
    text: &'a str,
    directives: Vec<Directive<'a>>,
    /// Where the directives begin that have been replaced or reported.
    used: Vec<usize>,
    /// How many questions there are so far.
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
        self.problems.push(Problem::new(&self.file, line, text));
    }

    /// Replaces what is wrong, so that it is reported only once.
    fn blank(&mut self, range: Range<usize>, text: impl AsRef<str>) {
        self.problem(range.start, text);
        self.edits.push((range, "(missing)".to_string()));
    }

    /// The page with all edits made.
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

    /// What a line inside the same list item or quotation begins with.
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
                self.formula(latex, range, None);
            }
            Event::DisplayMath(latex) => {
                self.formula(latex, range, Some(alone(events, at, at)));
            }
            Event::Start(tag) => self.start(events, at, tag),
            Event::End(TagEnd::CodeBlock) => self.in_code = false,
            Event::End(TagEnd::Image) => self.in_image = false,
            Event::Text(text) if !self.in_code => {
                self.loose(range);
                self.words(text);
            }
            Event::Code(text) => self.words(text),
            Event::InlineHtml(html) => self.html(html, range.start),
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
                self.image(events, at, dest_url);
            }
            Tag::Link { dest_url, .. } => {
                let line = line_at(self.text, range.start);
                self.facts.links.push((line, dest_url.to_string()));
            }
            Tag::Heading { level, id, .. } => {
                let text = text_of(events, at, TagEnd::Heading(*level));
                self.heading(*level, id.as_deref(), text, range);
            }
            Tag::HtmlBlock => {
                let mut html = String::new();
                for (event, _) in &events[at..closing(events, at, TagEnd::HtmlBlock)] {
                    if let Event::Html(text) = event {
                        html.push_str(text);
                    }
                }
                self.html(&html, range.start);
            }
            Tag::Paragraph => {
                self.program(range);
                self.live(range);
                self.question(&events[at..]);
            }
            _ => {}
        }
    }

    fn heading(
        &mut self,
        level: HeadingLevel,
        id: Option<&str>,
        text: String,
        range: &Range<usize>,
    ) {
        let line = line_at(self.text, range.start);
        let (level, id) = (level as usize, id.map(str::to_string));
        self.facts.ids.extend(id.iter().map(|id| (line, id.clone())));
        self.facts.headings.push(Heading { line, level, text, id });
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

    /// A formula; `display` says of one in `$$` whether it stands alone.
    fn formula(&mut self, latex: &str, range: &Range<usize>, display: Option<bool>) {
        let (html, dollars) = match display {
            None => (maths::inline(latex, false), 1),
            Some(false) => (maths::inline(latex, true), 2),
            Some(true) => (maths::block(latex), 2),
        };
        let with = html.unwrap_or_else(|bad| {
            let at = range.start + dollars + bad.at;
            self.problem(at, format!("bad formula: {}", bad.text));
            "(missing)".to_string()
        });
        self.edits.push((range.clone(), with));
    }

    /// A formula that is not closed is text to Markdown, so is one with a line that
    /// begins like a list or underlines a heading, and a footnote that nothing
    /// defines.
    fn loose(&mut self, range: &Range<usize>) {
        for (mark, text) in [
            (
                "$",
                "this $ makes no formula: no line of one begins with -, + or =; \
                 the sign itself is \\$",
            ),
            ("[^", "nothing defines this footnote"),
        ] {
            let is_mark = |&at: &usize| {
                // `[` is a text of its own.
                let (before, rest) = self.text.split_at(at);
                rest.starts_with(mark) && !before.ends_with('\\')
            };
            let mut starts = range.clone().filter(|&at| self.text.is_char_boundary(at));
            if let Some(at) = starts.find(is_mark) {
                self.problem(at, text);
            }
        }
    }

    /// A link by a name that nothing defines is text to Markdown.
    fn undefined(&mut self, range: Range<usize>, kind: LinkType, name: &str) {
        let is_shortcut =
            matches!(kind, LinkType::Shortcut | LinkType::ShortcutUnknown);
        // In [0, 1] nobody means a link.
        if !is_shortcut || name.contains(char::is_alphabetic) {
            let text = format!("nothing defines the link [{name}]; a bracket is \\[");
            self.problem(range.start, text);
        }
    }

    fn html(&mut self, html: &str, start: usize) {
        let before = line_at(self.text, start) - 1;
        let Html { faults, ids, links } = Html::new(html);
        for (line, text) in faults {
            self.problems.push(Problem::new(&self.file, before + line, text));
        }
        let there = |(line, text)| (before + line, text);
        self.facts.ids.extend(ids.into_iter().map(there));
        self.facts.links.extend(links.into_iter().map(there));
    }

    /// Directives that nothing has taken.
    fn check_directives(&mut self) {
        for i in 0..self.directives.len() {
            let Directive { start, end, name, argument: _ } = self.directives[i];
            if self.used.contains(&start) {
                continue;
            }
            let text = match name {
                "title" => continue,
                "" => "{{# is not closed by }} on its line".to_string(),
                "program" | "live" | "question" => {
                    format!("{{{{#{name}}}}} must be alone in its paragraph")
                }
                "include" | "listing" | "hidden" | "output" | "error"
                | "difference" => {
                    format!("{{{{#{name}}}}} must be alone in a code block")
                }
                name => format!("unknown {{{{#{name}}}}}"),
            };
            self.blank(start..end, text);
        }
    }

    /// A code block: what a reader types, or what comes from files.
    fn fence(&mut self, events: &Events<'a>, at: usize, info: &str) {
        let range = events[at].1.clone();
        let body = text_of(events, at, TagEnd::CodeBlock);
        if body.trim().is_empty() {
            return self.problem(range.start, "empty code block");
        }
        let language = info.split([',', ' ']).next().unwrap_or_default();
        let inside = self.directives.iter().filter(|d| range.contains(&d.start));
        let inside: Vec<Directive> = inside.copied().collect();
        let lines = body.lines().filter(|line| !line.trim().is_empty());
        let typed = lines.filter(|line| {
            !inside.iter().any(|d| &self.text[d.start..d.end] == line.trim())
        });
        let typed = typed.count() > 0;
        self.used.extend(inside.iter().map(|directive| directive.start));
        let made = match language {
            "sh" | "console" | "python" | "latex" if inside.is_empty() => {
                Ok(self.typed(&body))
            }
            "rust" | "text" | "toml" | "diff" if typed => {
                Err("code and output come from files: {{#listing}}, {{#output}}, …")
            }
            "rust" | "text" | "toml" | "diff" => match self.taken(&inside, language) {
                Some(made) => Ok(made),
                // What is wrong has been reported.
                None => return self.edits.push((range, "(missing)\n".to_string())),
            },
            _ => Err("a code block is rust, text, diff, toml, sh, console, python \
                      or latex"),
        };
        match made {
            Err(text) => self.blank(range, text),
            Ok((labels, lines)) => {
                if lines.iter().all(|line| line.shown != Shown::Plain) {
                    let text = "nothing of this block is shown: it belongs into \
                                the block of another listing (where a file's use \
                                and mod lines are by themselves)";
                    return self.problem(range.start, text);
                }
                self.block(range, language, &labels, &lines);
            }
        }
    }

    fn typed(&self, body: &str) -> (Vec<String>, Vec<Line>) {
        (Vec::new(), body.trim_end().lines().map(Line::plain).collect())
    }

    /// What the directives of a block take from files, and the labels that
    /// stand above it.
    fn taken(
        &mut self,
        inside: &[Directive],
        language: &str,
    ) -> Option<(Vec<String>, Vec<Line>)> {
        let mut labels: Vec<String> = Vec::new();
        let mut lines: Vec<Line> = Vec::new();
        let mut parts: Vec<Part> = Vec::new();
        let mut failed = false;
        for directive in inside {
            match self.one(directive) {
                Ok((label, made)) => {
                    // What is not seen is not announced, and a file once.
                    let file = |label: &str| {
                        label.find("<code>").map(|at| label[at..].to_string())
                    };
                    let known = |other: &String| {
                        *other == label
                            || file(other) == file(&label) && file(&label).is_some()
                    };
                    if directive.name != "hidden" && !labels.iter().any(known) {
                        labels.push(label);
                    }
                    match made {
                        Made::Part(part) => parts.push(part),
                        Made::Lines(more) => {
                            self.close(&mut lines, &mut parts);
                            append(&mut lines, more);
                        }
                    }
                }
                Err(text) => {
                    self.problem(directive.start, text);
                    failed = true;
                }
            }
        }
        self.close(&mut lines, &mut parts);
        if language == "rust" {
            let shown = lines.iter().filter(|line| line.shown != Shown::Hidden);
            self.facts.size.code += shown.count();
        }
        (!failed).then_some((labels, lines))
    }

    /// Adds the parts of Rust that have been gathered.
    fn close(&mut self, lines: &mut Vec<Line>, parts: &mut Vec<Part>) {
        let made = assemble(parts);
        let library = parts.iter().any(|part| is_mechanism(&part.file));
        if library {
            let shown = made.iter().filter(|line| line.shown != Shown::Hidden);
            self.facts.size.mechanism += shown.count();
        }
        append(lines, made);
        parts.clear();
    }

    /// What one directive of a code block takes.
    fn one(&mut self, directive: &Directive) -> Result<(String, Made), String> {
        let Directive { start, name, argument, .. } = *directive;
        let line = line_at(self.text, start);
        let (files, words) = (self.files, self.words);
        let mut note = |taken: Taken| self.facts.shown.push((line, taken));
        let pair = || {
            let (chapter, name) = argument.split_once(' ').ok_or(format!(
                "{{{{#{name}}}}} takes a chapter and a name: ch10_3 01-what-is-wrong"
            ))?;
            Ok::<_, String>((chapter, name.trim().trim_end_matches(".rs")))
        };
        match name {
            "listing" | "hidden" => {
                let source = Source::below_chapters(argument);
                let hidden = name == "hidden";
                note(match hidden {
                    true => Taken::Hidden(source.clone()),
                    false => Taken::Listing(source.clone()),
                });
                let label = label(words, &source.file, "");
                if source.file.ends_with(".rs") {
                    let mut part = files.part(&source, hidden)?;
                    let label =
                        files.address.source(&label, &source.file, Some(part.lines));
                    if source.part.is_some() && self.is_first_of(&source.file) {
                        part.preamble = part.rust.preamble();
                    }
                    Ok((label, Made::Part(part)))
                } else {
                    let label = files.address.source(&label, &source.file, None);
                    Ok((label, Made::Lines(files.included(&source)?)))
                }
            }
            "include" => {
                let source = Source::from_folder(files.root(), &self.folder, argument);
                note(Taken::Include(source.clone()));
                let lines = files.included(&source)?;
                let text = match source.part {
                    None => files.text(&source.file)?,
                    Some(_) => String::new(),
                };
                Ok((label(words, &source.file, &text), Made::Lines(lines)))
            }
            "output" => {
                let recorded = Recorded::new(argument);
                note(Taken::Output(recorded.clone()));
                let (command, lines) = files.recorded(&recorded)?;
                let command = highlight::escape(&command);
                let label = format!("{}<code>{command}</code>", words.output_of);
                Ok((label, Made::Lines(lines)))
            }
            "error" => {
                let (chapter, name) = pair()?;
                let file = format!("chapters/{chapter}/compile_fail/{name}");
                note(Taken::Error(format!("{file}.rs")));
                let source = Source { file: format!("{file}.stderr"), part: None };
                let label = label(words, &source.file, "");
                Ok((label, Made::Lines(files.included(&source)?)))
            }
            "difference" => {
                let (chapter, name) = pair()?;
                let file = format!("chapters/{chapter}/compile_fail/{name}.rs");
                let lines = files.difference(chapter, name)?;
                let label =
                    format!("{}{}", words.what_compiles, label(words, &file, ""));
                note(Taken::Difference(file));
                Ok((label, Made::Lines(lines)))
            }
            "" => Err("{{# is not closed by }} on its line".to_string()),
            name => Err(format!("unknown {{{{#{name}}}}} in a code block")),
        }
    }

    /// Whether the page shows only one part of a file, so far.
    fn is_first_of(&self, file: &str) -> bool {
        let of = |taken: &Taken| match taken {
            Taken::Listing(source) | Taken::Hidden(source) => source.file == file,
            _ => false,
        };
        self.facts.shown.iter().filter(|(_, taken)| of(taken)).count() == 1
    }

    /// Puts a block of code where the fence was.
    fn block(
        &mut self,
        range: Range<usize>,
        language: &str,
        labels: &[String],
        lines: &[Line],
    ) {
        let indent = self.indent(range.start);
        let mut html = String::new();
        if !labels.is_empty() {
            html = format!("<p class=\"file\">{}</p>\n\n", labels.join(", "));
        }
        html.push_str(&highlight::html(language, lines));
        html.push('\n');
        let inner = html.lines().enumerate().map(|(at, line)| match at {
            0 => line.to_string(),
            _ => format!("{indent}{line}").trim_end().to_string(),
        });
        let html = inner.collect::<Vec<_>>().join("\n");
        // The range of a fence ends before its last line break, or with it.
        let end = if self.text[range.clone()].ends_with('\n') { "\n" } else { "" };
        self.edits.push((range, format!("{html}{end}")));
    }

    /// `{{#program ch10_3}}`: every file of the demo, under its name.
    fn program(&mut self, range: &Range<usize>) {
        let Some((start, end, argument)) = self.whole("program", range) else {
            return;
        };
        let line = line_at(self.text, start);
        self.facts.shown.push((line, Taken::Program(argument.to_string())));
        let files = self.files.demo(argument);
        if files.is_empty() {
            return self
                .blank(start..end, format!("chapters/{argument} has no program"));
        }
        let mut out = String::new();
        for file in files {
            let text = match self.files.text(&file) {
                Ok(text) => text,
                Err(text) => return self.blank(start..end, text),
            };
            let lines = text.lines().filter(|line| !crate::rust::is_mark(line));
            let lines: Vec<Line> = lines.map(Line::plain).collect();
            self.facts.size.code += lines.len();
            let short = file.split_once("/src/").map_or(&*file, |(_, short)| short);
            let id: String = short
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                .collect();
            let html = highlight::html("rust", &lines);
            let id = id.to_lowercase();
            self.facts.ids.push((line, id.clone()));
            out.push_str(&format!("## `{short}` {{#{id}}}\n\n{html}\n\n"));
        }
        let html = format!("<div class=\"program\">\n\n{out}</div>");
        self.edits.push((start..end, html));
    }

    /// `{{#live ch10_3 scores}}`: a figure that answers.
    fn live(&mut self, range: &Range<usize>) {
        let Some((start, end, argument)) = self.whole("live", range) else { return };
        match live::element(self.files.root(), argument, self.words) {
            Ok(html) => self.edits.push((start..end, html)),
            Err(text) => self.blank(start..end, text),
        }
    }

    /// `{{#question ch10_3 01-name}}`, with what follows it.
    fn question(&mut self, events: &Events<'a>) {
        let range = &events[0].1;
        let Some((start, end, argument)) = self.whole("question", range) else {
            return;
        };
        self.asked += 1;
        let name = self.file.trim_end_matches(".md").replace('/', "-");
        let id = format!("question-{name}-{}", self.asked);
        let path = self.files.root().join(&self.file);
        let weave = |text: &str| weave(self.files, &path, text);
        let page = (self.text, events);
        match question::ask(self.files, self.words, page, argument, &id, weave) {
            Ok(edits) => self.edits.extend(edits),
            Err((at, text)) => {
                self.problem(at, text);
                self.edits.push((start..end, "(missing)".to_string()));
            }
        }
    }

    /// Takes the directive of this name that is all of a paragraph: where it
    /// stands, and its argument.
    fn whole(
        &mut self,
        name: &str,
        range: &Range<usize>,
    ) -> Option<(usize, usize, &'a str)> {
        let body = self.text[range.clone()].trim();
        let found = self.directives.iter().find(|d| {
            let alone = d.start == range.start && &self.text[d.start..d.end] == body;
            alone && d.name == name
        });
        let &Directive { start, end, argument, .. } = found?;
        self.used.push(start);
        Some((start, end, argument))
    }

    fn image(&mut self, events: &Events<'a>, at: usize, dest: &str) {
        let range = events[at].1.clone();
        let alt = text_of(events, at, TagEnd::Image);
        if alt.trim().is_empty() {
            self.blank(range.clone(), format!("{dest} has no alt text"));
        }
        if dest.contains("://") {
            return self
                .problem(range.start, format!("{dest} is loaded from another host"));
        }
        let path = normal(&self.folder.join(dest));
        self.facts.images.push(short(self.files.root(), &path));
        let there = path.is_file();
        if !there {
            self.blank(range, format!("there is no image {dest}"));
        }
        if dest.ends_with(".svg") && !alt.trim().is_empty() {
            self.figure(events, at, (path.as_path(), there), alt.trim());
        }
    }

    /// A figure; one whose file is missing has its number all the same.
    fn figure(
        &mut self,
        events: &Events<'a>,
        at: usize,
        (path, there): (&Path, bool),
        alt: &str,
    ) {
        let image = events[at].1.clone();
        let file = short(self.files.root(), path);
        let last = closing(events, at, TagEnd::Image);
        if !alone(events, at, last) {
            let text = format!("{file} must be alone in its paragraph");
            return self.blank(image, text);
        }
        let caption = match events.get(last + 2) {
            Some((Event::Start(Tag::Paragraph), range)) => range.clone(),
            _ => 0..0,
        };
        let words = self.text[caption.clone()].trim_end();
        let Some(number) = figure::number(self.words, words) else {
            let [before, after] = self.words.figure;
            let text = format!("has no caption \"{before}10.1.1{after} …\" under it");
            return self.blank(image, format!("{file} {text}"));
        };
        if let Some(other) = self.facts.figures.iter().find(|f| f.number == number) {
            let text = format!("Figure {number} is on line {} already", other.line);
            self.problem(caption.start, text);
            return self.edits.push((image, "(missing)".to_string()));
        }
        let end = caption.start + words.len();
        let line = line_at(self.text, image.start);
        let (number, alt) = (number.to_string(), alt.to_string());
        if there {
            let svg = self.files.text(&file);
            match svg.and_then(|svg| figure::open(self.words, &svg, &number, &alt)) {
                Ok((html, ids)) => {
                    self.edits.push((image, html));
                    let close =
                        self.files.address.drawn_by(&file, self.words) + figure::CLOSE;
                    self.edits.push((end..end, close));
                    self.facts.ids.extend(ids.into_iter().map(|id| (line, id)));
                }
                Err(error) => {
                    self.blank(image, format!("cannot show {file}: {error}"));
                }
            }
        }
        self.facts.figures.push(Figure { line, number, alt });
    }
}

enum Made {
    Part(Part),
    Lines(Vec<Line>),
}

fn append(lines: &mut Vec<Line>, more: Vec<Line>) {
    if !lines.is_empty() && !more.is_empty() {
        lines.push(Line::plain(""));
    }
    lines.extend(more);
}

/// Whether the events from `first` to `last` are all of a paragraph.
fn alone(events: &Events, first: usize, last: usize) -> bool {
    let before = first.checked_sub(1).and_then(|at| events.get(at));
    let after = events.get(last + 1);
    matches!(before, Some((Event::Start(Tag::Paragraph), _)))
        && matches!(after, Some((Event::End(TagEnd::Paragraph), _)))
}

/// Where the element that begins at `at` ends. Elements of its kind do not
/// stand in one another.
fn closing(events: &Events, at: usize, end: TagEnd) -> usize {
    let is_end = |event: &Event| *event == Event::End(end);
    let rest = events[at..].iter().position(|(event, _)| is_end(event));
    at + rest.unwrap_or(0)
}

/// The text of the element that begins at `at`.
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
