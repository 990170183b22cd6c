//! What a section says of its trained parts, in `tests/tolerances.txt` of its
//! crate. CONTRIBUTING.md describes the file.
//!
//! Another processor adds up in another order, which changes the last digit
//! of a sum; a training of hundreds of steps makes it a change of every digit,
//! and of words that are chosen by them.

use crate::repository::root;

/// How far a part of an output may be from the recorded one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// The same words; numbers apart by this share of the recorded one.
    Numbers(f64),
    /// At least this share of the lines the same.
    Lines(f64),
}

/// What one section declares.
#[derive(Debug, Default, PartialEq)]
pub struct Tolerances {
    /// Files of the crate with headings (empty: the whole file).
    pub parts: Vec<(String, String, Tolerance)>,
    /// Figures of trained models.
    pub figures: Vec<String>,
    /// Arguments that make a long default run short.
    pub again: Vec<String>,
    /// Whether nothing is random, so that a seed changes nothing.
    pub no_chance: bool,
}

impl Tolerances {
    /// Reads what the section declares.
    pub fn of(section: &str) -> Self {
        let file = format!("chapters/{section}/tests/tolerances.txt");
        let text = std::fs::read_to_string(root().join(&file)).unwrap_or_default();
        Self::parse(&text).unwrap_or_else(|line| panic!("{file}: `{line}`"))
    }

    /// Reads the lines.
    ///
    /// # Errors
    /// The first line that is none of the kinds.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut all = Tolerances::default();
        for line in text.lines() {
            let content = line.split(" #").next().unwrap_or_default().trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            all.line(content).ok_or(line)?;
        }
        Ok(all)
    }

    fn line(&mut self, line: &str) -> Option<()> {
        if line == "no chance" {
            self.no_chance = true;
        } else if let Some(name) = line.strip_prefix("figure ") {
            self.figures.push(name.to_string());
        } else if let Some(arguments) = line.strip_prefix("again: ") {
            self.again = arguments.split_whitespace().map(str::to_string).collect();
        } else {
            let (part, tolerance) = line.rsplit_once(": ")?;
            let (kind, share) = tolerance.split_once(' ')?;
            let share =
                share.parse().ok().filter(|share| (0.0..1.0).contains(share))?;
            let tolerance = match kind {
                "numbers" => Tolerance::Numbers(share),
                "lines" => Tolerance::Lines(share),
                _ => return None,
            };
            let (file, heading) = part.split_once(" / ").unwrap_or((part, ""));
            self.parts.push((file.to_string(), heading.to_string(), tolerance));
        }
        Some(())
    }

    /// How far a part of a file may be from the recorded one, if it is trained.
    pub fn tolerance(&self, file: &str, heading: &str) -> Option<Tolerance> {
        let mut rows = self.parts.iter().filter(|(of, _, _)| of == file);
        let row = rows.find(|(_, part, _)| part == heading || part.is_empty());
        row.map(|(_, _, tolerance)| *tolerance)
    }
}

#[test]
fn the_lines_are_understood() {
    let text = "# A comment.\nagain: --epochs 1 --steps 10  # short\nno chance\n\
        figure loss\noutput.txt / A: b: numbers 0.3\noutput/x.txt: lines 0.5\n";
    let all = Tolerances::parse(text).expect("is well formed");
    assert_eq!(all.again, ["--epochs", "1", "--steps", "10"]);
    assert!(all.no_chance);
    assert_eq!(all.figures, ["loss"]);
    let of = |file, heading| all.tolerance(file, heading);
    assert_eq!(of("output.txt", "A: b"), Some(Tolerance::Numbers(0.3)));
    assert_eq!(of("output.txt", "B"), None);
    assert_eq!(of("output/x.txt", "Any"), Some(Tolerance::Lines(0.5)));
    for wrong in ["output.txt", "x: numbers", "x: numbers 2", "x: any 0.1", "chance"] {
        assert_eq!(Tolerances::parse(wrong), Err(wrong.to_string()));
    }
}
