//! `{{#question …}}`: a question with choices. A record decides which one is right.
//!
//! After the directive come a paragraph that asks, code to look at if there is any,
//! and the choices, a list of `- [ ] choice\` with its reason on the lines below.
//! Blocks of code that follow are folded together with the reasons.

use crate::listing::{Files, Source, right_line};
use crate::words::Words;
use mdbook_markdown::pulldown_cmark::{Event, Tag};
use std::iter;
use std::ops::Range;

/// Part of a page, as parsed from Markdown.
pub type Events<'a> = [(Event<'a>, Range<usize>)];

/// Parts of a page, as ranges of bytes, each with its replacement.
pub type Edits = Vec<(Range<usize>, String)>;

/// Rewrites the question that begins with the first of `events`, in the page `text`.
/// `weave` turns a piece of it into Markdown that stock mdBook understands.
///
/// # Errors
/// If something is wrong: where in the page, and what.
pub fn ask(
    files: &Files,
    words: &Words,
    (text, events): (&str, &Events),
    argument: &str,
    id: &str,
    weave: impl Fn(&str) -> String,
) -> Result<Edits, (usize, String)> {
    let start = events[0].1.start;
    let end = |block: &Events| {
        let range = block[0].1.clone();
        range.start + text[range].trim_end().len()
    };
    let is_code =
        |block: &&Events| matches!(block[0].0, Event::Start(Tag::CodeBlock(_)));
    let mut blocks = blocks(events).peekable();
    let (directive, asks) = (blocks.next(), blocks.next());
    while blocks.next_if(is_code).is_some() {}
    let (Some(directive), Some(asks), Some(list)) = (directive, asks, blocks.next())
    else {
        return Err((start, FORM.to_string()));
    };
    let choices = choices(text, list)?;
    let asked = matches!(asks[0].0, Event::Start(Tag::Paragraph));
    if !asked || !(2..=4).contains(&choices.len()) {
        return Err((start, FORM.to_string()));
    }
    let record = Record::find(files, argument).map_err(|fault| (start, fault))?;
    let right: Vec<bool> = choices.iter().map(|one| record.says(&one.code)).collect();
    let count = right.iter().filter(|right| **right).count();
    if count != 1 {
        let text = format!("{count} choices, not one, are what {} says", record.file);
        return Err((list[0].1.start, text));
    }
    let (mut labels, mut reasons) = (String::new(), String::new());
    for (choice, right) in choices.iter().zip(right) {
        let label = weave(choice.label);
        let input = format!("<input type=\"radio\" name=\"{id}\">");
        labels += &format!("1. <label>{input} {label}</label>\n");
        let lines: Vec<&str> = choice.reason.lines().map(str::trim).collect();
        let reason = weave(&lines.join("\n"));
        let mark = if right { words.right } else { words.wrong };
        let reason = reason.replace('\n', "\n   ");
        reasons += &format!("1. <b>{mark}</b> {reason}\n");
    }
    let open = format!(
        "<fieldset class=\"question\" aria-labelledby=\"{id}\">\n\
         <legend>{}</legend>\n<div id=\"{id}\">",
        words.question
    );
    let answer = words.answer;
    let fold = format!("{labels}\n<details><summary>{answer}</summary>\n\n{reasons}");
    let code = iter::from_fn(|| blocks.next_if(is_code)).last();
    let close = code.map_or(end(list), |block| block[0].1.end);
    let edits = vec![
        (start..end(directive), open),
        (end(asks)..end(asks), "\n\n</div>".to_string()),
        (list[0].1.start..end(list), fold),
        (close..close, "\n\n</details>\n</fieldset>\n\n".to_string()),
    ];
    Ok(edits)
}

const FORM: &str = "after {{#question}} come a paragraph, and a list of 2 to 4 \
                    choices, `- [ ] …`";

const NO_REASON: &str = "a choice ends its line with \\, and below it stands why it is \
                         right or wrong";

/// Returns the blocks at the beginning of `events`, up to the end of the element that
/// contains them.
fn blocks<'a, 'e>(mut events: &'a Events<'e>) -> impl Iterator<Item = &'a Events<'e>> {
    iter::from_fn(move || {
        let mut depth = 0;
        let end = events.iter().position(|(event, _)| {
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            depth <= 0
        })?;
        if depth < 0 {
            return None;
        }
        let block;
        (block, events) = events.split_at(end + 1);
        Some(block)
    })
}

struct Choice<'a> {
    label: &'a str,
    /// Its code spans.
    code: Vec<String>,
    reason: &'a str,
}

fn choices<'a>(
    text: &'a str,
    list: &Events,
) -> Result<Vec<Choice<'a>>, (usize, String)> {
    let inside = list.get(1..list.len() - 1).unwrap_or_default();
    blocks(inside)
        .map(|item| {
            let Range { start, end } = item[0].1;
            let find = |wanted: fn(&Event) -> bool| {
                let found = item.iter().find(|(event, _)| wanted(event));
                found.map(|(_, range)| range.clone())
            };
            let mark = find(|event| matches!(event, Event::TaskListMarker(false)));
            let cut = find(|event| matches!(event, Event::HardBreak));
            let mark = mark.ok_or((start, FORM.to_string()))?;
            let cut = cut.ok_or((start, NO_REASON.to_string()))?;
            let code = item.iter().filter_map(|(event, range)| match event {
                Event::Code(code) if range.end <= cut.start => Some(code.to_string()),
                _ => None,
            });
            Ok(Choice {
                label: text[mark.end..cut.start].trim(),
                code: code.collect(),
                reason: text[cut.end..end].trim(),
            })
        })
        .collect()
}

/// A message of the compiler, or a line of a program's output.
struct Record {
    file: String,
    /// Its pieces, split into words.
    pieces: Vec<Vec<String>>,
    /// Whether a choice has to name a whole piece.
    whole: bool,
}

impl Record {
    /// Finds the record that an argument names: the error of `ch10_3 01-name`, or a
    /// line of an output by its heading and by the beginnings of it and of lines above
    /// it, `ch10_3 Masked softmax > causal > example 0, query 1`.
    fn find(files: &Files, argument: &str) -> Result<Self, String> {
        let Some((output, path)) = argument.split_once(" > ") else {
            let program = Source::compile_fail(argument, "rs").file;
            let file = Source::compile_fail(argument, "stderr").file;
            let mut pieces = pieces(&files.text(&file)?);
            let right = files.text(&program)?;
            pieces.extend(right_line(&right).map(|(_, line)| words(line)));
            return Ok(Record { file, pieces, whole: true });
        };
        let mut output = Source::output(output);
        if !files.has(&output.file) {
            output.file = output.file.replace("/output/", "/examples/");
        }
        let lines = files.included(&output)?;
        let mut lines = lines.iter().map(|line| words(&line.text));
        let mut found = Vec::new();
        for step in path.split(" > ") {
            let begins = |line: &Vec<String>| line.join(" ").starts_with(step);
            let text = format!("no line of {} begins with {step}", output.file);
            found = lines.find(begins).ok_or(text)?;
        }
        Ok(Record { file: output.file, pieces: vec![found], whole: false })
    }

    /// Returns `true` if the record has all of `code`, and `code` is not empty.
    fn says(&self, code: &[String]) -> bool {
        let one = |code: &String| {
            let code = words(code);
            self.pieces.iter().any(|piece| match self.whole {
                true => *piece == code,
                false => piece.windows(code.len().max(1)).any(|part| part == code),
            })
        };
        !code.is_empty() && code.iter().all(one)
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

/// Splits an error into the pieces that a question may ask for: its code, its message,
/// the lines of the program that it quotes, the code underlined in them with `^` and
/// the note there, the type found.
fn pieces(error: &str) -> Vec<Vec<String>> {
    let (mut pieces, mut underlined) = (Vec::new(), Vec::new());
    let (mut in_program, mut quoted) = (false, "");
    for line in error.lines() {
        if let Some((code, message)) =
            line.strip_prefix("error[").and_then(|line| line.split_once("]: "))
        {
            let last = message.rsplit("failed: ").next();
            pieces.extend([Some(code), Some(message), last].into_iter().flatten());
        } else if let Some((_, place)) = line.split_once("--> ") {
            in_program = place.contains("/compile_fail/");
        } else if let Some(found) = line.trim_start().strip_prefix("found ") {
            let code =
                found.split_once('`').and_then(|(_, rest)| rest.rsplit_once('`'));
            pieces.extend(code.map(|(code, _)| code));
        } else if let Some((number, rest)) = line.split_once(" |")
            && in_program
        {
            if !number.trim().is_empty() {
                quoted = rest;
            } else if let (Some(first), Some(last)) = (rest.find('^'), rest.rfind('^'))
            {
                let until = |byte: usize| rest[..byte].chars().count();
                let under = quoted.chars().skip(until(first));
                underlined.push(under.take(1 + last - first).collect::<String>());
                pieces.extend([quoted, &rest[last + 1..]]);
            }
        }
    }
    let pieces = pieces.into_iter().chain(underlined.iter().map(String::as_str));
    pieces.map(words).collect()
}
