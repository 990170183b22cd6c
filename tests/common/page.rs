//! A page of the book, as far as its tests read Markdown: headings, fences,
//! figures, paragraphs, each with the number of its first line.

/// One piece of a page.
#[derive(Debug, PartialEq)]
pub enum Block {
    /// `## Text {#id}`.
    Heading { level: usize, text: String, id: Option<String> },
    /// A fenced block: what follows the backticks, and its lines.
    Fence { info: String, lines: Vec<String> },
    /// A paragraph that is only an image.
    Image { alt: String, path: String },
    /// Any other lines between blank ones.
    Text(Vec<String>),
}

/// A page with its place in the repository.
pub struct Page {
    /// Named from the root.
    pub file: String,
    /// Blocks with the numbers of their first lines.
    pub blocks: Vec<(usize, Block)>,
    /// Whether a fence is still open at the end.
    pub unclosed: Option<usize>,
}

/// A `{{#include …}}` or `{{#output …}}` of a page.
#[derive(Debug, PartialEq)]
pub enum Directive {
    /// A file named from the root, and an anchor in it.
    Include { file: String, anchor: Option<String> },
    /// A part of the output of a crate.
    Output { name: String, heading: String },
}

impl Page {
    /// Splits the text of a page.
    pub fn parse(file: &str, text: &str) -> Page {
        let mut page = Page { file: file.to_string(), blocks: vec![], unclosed: None };
        let mut lines = text.lines().enumerate().peekable();
        while let Some((n, line)) = lines.next() {
            let bare = line.trim_start();
            if bare.starts_with("```") {
                let ticks = bare.chars().take_while(|&c| c == '`').count();
                let end = &bare[..ticks];
                let info = bare[ticks..].trim().to_string();
                let mut body = Vec::new();
                let mut closed = false;
                for (_, line) in lines.by_ref() {
                    if line.trim() == end {
                        closed = true;
                        break;
                    }
                    body.push(line.to_string());
                }
                if !closed {
                    page.unclosed = Some(n + 1);
                }
                page.blocks.push((n + 1, Block::Fence { info, lines: body }));
            } else if let Some(heading) = heading(line) {
                page.blocks.push((n + 1, heading));
            } else if !bare.is_empty() {
                let mut body = vec![line.to_string()];
                while let Some((_, line)) = lines.next_if(|(_, line)| {
                    let bare = line.trim_start();
                    !bare.is_empty() && !bare.starts_with("```")
                }) {
                    body.push(line.to_string());
                }
                let block = image(&body.join(" "));
                page.blocks.push((n + 1, block.unwrap_or(Block::Text(body))));
            }
        }
        page
    }

    /// The headings: line, level, text, id.
    pub fn headings(&self) -> impl Iterator<Item = (usize, usize, &str, Option<&str>)> {
        self.blocks.iter().filter_map(|(line, block)| match block {
            Block::Heading { level, text, id } => {
                Some((*line, *level, text.as_str(), id.as_deref()))
            }
            _ => None,
        })
    }

    /// The lines of prose with their numbers.
    pub fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        self.blocks.iter().flat_map(|(first, block)| {
            let lines: Vec<&str> = match block {
                Block::Text(lines) => lines.iter().map(|l| &**l).collect(),
                Block::Heading { text, .. } => vec![text],
                Block::Image { alt, .. } => vec![alt],
                Block::Fence { .. } => vec![],
            };
            lines.into_iter().enumerate().map(move |(n, l)| (first + n, l))
        })
    }

    /// The directives inside fences, with the lines of the fences.
    pub fn directives(&self) -> impl Iterator<Item = (usize, Directive)> {
        self.blocks.iter().filter_map(|(line, block)| match block {
            Block::Fence { lines, .. } => lines
                .iter()
                .find_map(|text| self.directive(text))
                .map(|directive| (*line, directive)),
            _ => None,
        })
    }

    /// Reads a line that is one directive and nothing else.
    pub fn directive(&self, line: &str) -> Option<Directive> {
        let inside = line.trim().strip_prefix("{{#")?.strip_suffix("}}")?;
        let (what, rest) = inside.split_once(' ')?;
        match what {
            "include" => {
                let (path, anchor) = match rest.trim().split_once(':') {
                    Some((path, anchor)) => (path, Some(anchor.to_string())),
                    None => (rest.trim(), None),
                };
                let file = self.resolve(path);
                Some(Directive::Include { file, anchor })
            }
            "output" => {
                let (name, heading) = rest.trim().split_once(' ')?;
                let (name, heading) = (name.to_string(), heading.to_string());
                Some(Directive::Output { name, heading })
            }
            _ => None,
        }
    }

    /// A path on this page, named from the root.
    pub fn resolve(&self, path: &str) -> String {
        let folder = self.file.rsplit_once('/').map_or("", |(f, _)| f);
        let mut parts: Vec<&str> = folder.split('/').collect();
        for part in path.split('/') {
            match part {
                ".." => drop(parts.pop()),
                "." | "" => {}
                part => parts.push(part),
            }
        }
        parts.join("/")
    }
}

fn heading(line: &str) -> Option<Block> {
    let level = line.chars().take_while(|&c| c == '#').count();
    let text = line[level..].strip_prefix(' ').filter(|_| level > 0)?.trim();
    let (text, id) = match text.rsplit_once("{#") {
        Some((text, id)) => (text.trim(), id.strip_suffix('}')),
        None => (text, None),
    };
    let (text, id) = (text.to_string(), id.map(str::to_string));
    Some(Block::Heading { level, text, id })
}

fn image(paragraph: &str) -> Option<Block> {
    let inside = paragraph.trim().strip_prefix("![")?.strip_suffix(')')?;
    let (alt, path) = inside.rsplit_once("](")?;
    (!path.contains(')'))
        .then(|| Block::Image { alt: alt.to_string(), path: path.to_string() })
}
