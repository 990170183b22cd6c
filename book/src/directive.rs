//! `{{#name argument}}`: what a page asks the book builder for.

/// One directive in a page.
#[derive(Clone, Copy)]
pub struct Directive<'a> {
    /// Where it begins in the page.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// `listing`, `output`, …
    pub name: &'a str,
    /// The rest, trimmed.
    pub argument: &'a str,
}

/// All directives of a page, in order. One that is not closed reaches to the
/// end of its line and has no name.
pub fn directives(page: &str) -> Vec<Directive<'_>> {
    let mut found = Vec::new();
    for (start, _) in page.match_indices("{{#") {
        if page[..start].ends_with('\\') {
            continue; // left in the page, and found there
        }
        let line = page[start..].lines().next().unwrap_or_default();
        let inner = line.split_once("}}").map(|(inner, _)| &inner[3..]);
        let end = start + inner.map_or(line.len(), |inner| inner.len() + 5);
        let inner = inner.unwrap_or_default();
        let (name, argument) = inner.split_once(' ').unwrap_or((inner, ""));
        found.push(Directive { start, end, name, argument: argument.trim() });
    }
    found
}
