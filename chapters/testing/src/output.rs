//! Numbers in what a program prints.

/// Returns the text under a heading, up to the next.
#[track_caller]
pub fn part<'a>(output: &'a str, heading: &str) -> &'a str {
    let rule = |text: &str| "-".repeat(text.chars().count());
    let start = format!("\n{heading}\n{}\n", rule(heading));
    let at = output.find(&start);
    let at = at.unwrap_or_else(|| panic!("no `{heading}` in: {output}"));
    let text = &output[at + start.len()..];
    // The next line that is underlined as long as it is.
    let mut end = 0;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for two in lines.windows(2) {
        let (line, below) = (two[0].trim_end(), two[1].trim_end());
        if !line.is_empty() && below == rule(line) {
            return &text[..end];
        }
        end += two[0].len();
    }
    text
}

/// Returns all numbers of a text, in order; digits inside a word, as in `ch10_4`, do
/// not count.
pub fn numbers_in(text: &str) -> Vec<f64> {
    let other = |c: char| !(c.is_alphanumeric() || "._+-".contains(c));
    let words = text.split(other).map(|word| word.trim_end_matches(['.', '-']));
    words.filter_map(number).collect()
}

fn number(word: &str) -> Option<f64> {
    let digit = |c: char| c.is_ascii_digit();
    if !word.starts_with(|c| digit(c) || "+-.".contains(c)) || !word.contains(digit) {
        return None;
    }
    word.parse().ok()
}

/// Returns the numbers of the first line that begins with this label.
#[track_caller]
pub fn row(text: &str, label: &str) -> Vec<f64> {
    let rest = text.lines().find_map(|line| line.trim_start().strip_prefix(label));
    let rest = rest.unwrap_or_else(|| panic!("no line `{label}` in: {text}"));
    numbers_in(rest)
}
