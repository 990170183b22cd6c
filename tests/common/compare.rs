//! Compares what a program makes with what is recorded: text exactly, numbers
//! with room for another processor's last digit, figures by their structure.
//! What a trained model prints and draws has more room: see `declared`.

use super::declared::Room;
use std::collections::BTreeSet;

/// How far apart two numbers may be, absolutely or relative to the recorded
/// one. Sums are taken in another order on another processor; this is twenty
/// times the last digit of a number with four. A number with two or three may
/// differ by one in the last. Integers must be equal.
pub const TOLERANCE: f64 = 2e-3;

/// How far apart two coordinates of a figure may be: half a CSS pixel.
pub const UNITS: f64 = 2.0;

/// How far apart two channels of a colour may be, of 255: the next step of a
/// heat map's 64 colours.
pub const SHADES: i32 = 12;

/// Compares two texts line by line.
///
/// # Errors
/// The first difference, with the number of its line.
pub fn text(recorded: &str, made: &str) -> Result<(), String> {
    let mut pairs = recorded.lines().zip(made.lines()).enumerate();
    if let Some((n, (a, b))) = pairs.find(|(_, (a, b))| !same_line(a, b)) {
        return Err(format!("line {}:\n recorded {a}\n     made {b}", n + 1));
    }
    let (a, b) = (recorded.lines().count(), made.lines().count());
    if a != b {
        return Err(format!("recorded {a} lines, made {b}"));
    }
    Ok(())
}

/// Compares two texts part by part: `room` says what may differ under a
/// heading; the text before the first has the heading "".
///
/// # Errors
/// The first difference.
pub fn parts(
    recorded: &str,
    made: &str,
    room: impl Fn(&str) -> Option<Room>,
) -> Result<(), String> {
    let (a, b) = (split(recorded), split(made));
    let headings = |parts: &[(&str, String)]| -> Vec<String> {
        parts.iter().map(|(heading, _)| heading.to_string()).collect()
    };
    let (a_headings, b_headings) = (headings(&a), headings(&b));
    if a_headings != b_headings {
        return Err(format!("recorded {a_headings:?}, made {b_headings:?}"));
    }
    for ((heading, a), (_, b)) in a.iter().zip(&b) {
        let same = match room(heading) {
            None => text(a, b),
            Some(Room::Numbers) => numbers_apart(a, b),
            Some(Room::Words) => words_apart(a, b),
        };
        same.map_err(|what| format!("under `{heading}`, {what}"))?;
    }
    Ok(())
}

/// The parts of an output, each with its heading, which is underlined.
fn split(output: &str) -> Vec<(&str, String)> {
    let lines: Vec<&str> = output.lines().collect();
    let mut parts = vec![("", String::new())];
    for (n, line) in lines.iter().enumerate() {
        let rule = "-".repeat(line.chars().count());
        if !line.is_empty() && lines.get(n + 1) == Some(&&*rule) {
            parts.push((line, String::new()));
        }
        let (_, text) = parts.last_mut().expect("has the first");
        text.push_str(line);
        text.push('\n');
    }
    parts
}

/// The same lines, but for numbers and the space around them.
fn numbers_apart(recorded: &str, made: &str) -> Result<(), String> {
    let words = |line: &str| -> Vec<Token> {
        let mut tokens = tokens(line, false);
        tokens.retain(|token| !matches!(token, Token::Space(_)));
        for token in &mut tokens {
            if let Token::Number(text) = token {
                *text = "0".into();
            }
        }
        tokens
    };
    let (a, b) = (recorded.lines().count(), made.lines().count());
    let mut pairs = recorded.lines().zip(made.lines()).enumerate();
    match pairs.find(|(_, (a, b))| words(a) != words(b)) {
        _ if a != b => Err(format!("recorded {a} lines, made {b}")),
        Some((n, (a, b))) => {
            Err(format!("line {}:\n recorded {a}\n     made {b}", n + 1))
        }
        None => Ok(()),
    }
}

/// The same figures in the same order, and something that is said.
fn words_apart(recorded: &str, made: &str) -> Result<(), String> {
    let figures = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with("figure: "));
        lines.map(str::to_string).collect()
    };
    let said = |text: &str| text.lines().count() - figures(text).len();
    let (a, b) = (figures(recorded), figures(made));
    match a == b && (said(recorded) > 2) == (said(made) > 2) {
        true => Ok(()),
        false => Err(format!("recorded {a:?}, made {b:?}, or nothing")),
    }
}

fn same_line(recorded: &str, made: &str) -> bool {
    if recorded == made {
        return true;
    }
    let (a, b) = (tokens(recorded, false), tokens(made, false));
    let widths = |tokens: &[Token]| -> Vec<usize> {
        let numbers = tokens.iter().filter_map(|token| match token {
            Token::Number(text) => Some(text.len()),
            _ => None,
        });
        numbers.collect()
    };
    // A number that is a digit longer takes it from the space before it.
    let same_widths = widths(&a) == widths(&b);
    let same = |(a, b): (&Token, &Token)| match (a, b) {
        (Token::Number(a), Token::Number(b)) => close(a, b),
        (Token::Space(a), Token::Space(b)) => a == b || !same_widths,
        (a, b) => a == b,
    };
    a.len() == b.len() && a.iter().zip(&b).all(same)
}

/// Whether two printed numbers agree.
fn close(recorded: &str, made: &str) -> bool {
    let whole = |text: &str| !text.contains(['.', 'e']);
    if recorded == made || whole(recorded) && whole(made) {
        return recorded == made;
    }
    let digits = |text: &str| Some(text.split_once('.')?.1.len() as i32);
    let last = match (digits(recorded), recorded.contains('e')) {
        (Some(digits @ 2..), false) => 1.01 * 10f64.powi(-digits),
        _ => 0.0,
    };
    match (recorded.parse::<f64>(), made.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= last.max(TOLERANCE * a.abs().max(1.0)),
        _ => false,
    }
}

#[derive(Debug, PartialEq)]
enum Token {
    Text(String),
    Number(String),
    Space(usize),
    Colour([i32; 3]),
}

/// Splits a line; `glued` when a number may follow a letter, as in a path.
fn tokens(line: &str, glued: bool) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = line;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let word = before.is_alphanumeric() || before == '_' || before == '.';
        let minus = !word && before != ')';
        let number = number(rest, glued || minus);
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let (token, length) = if spaces > 0 {
            (Token::Space(spaces), spaces)
        } else if let Some(colour) = colour(rest) {
            (Token::Colour(colour), 7)
        } else if number > 0 && (glued || !word) {
            (Token::Number(rest[..number].to_string()), number)
        } else {
            let length = first.len_utf8();
            if let Some(Token::Text(text)) = tokens.last_mut() {
                text.push(first);
                (before, rest) = (first, &rest[length..]);
                continue;
            }
            (Token::Text(first.to_string()), length)
        };
        before = rest[..length].chars().next_back().unwrap_or(' ');
        rest = &rest[length..];
        tokens.push(token);
    }
    tokens
}

/// The length of the number that the text begins with; 0 if none.
fn number(text: &str, minus: bool) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let sign = usize::from(minus && bytes.first() == Some(&b'-'));
    let whole = digits(sign);
    if whole == 0 {
        return 0;
    }
    let mut end = sign + whole;
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if bytes.get(end) == Some(&b'e') {
        let sign = matches!(bytes.get(end + 1), Some(b'-' | b'+'));
        let from = end + 1 + usize::from(sign);
        end = if digits(from) > 0 { from + digits(from) } else { end };
    }
    end
}

/// The colour `#RRGGBB` that the text begins with.
fn colour(text: &str) -> Option<[i32; 3]> {
    let hex = text.strip_prefix('#')?.get(..6)?;
    let rgb = i32::from_str_radix(hex, 16).ok()?;
    Some([rgb >> 16, rgb >> 8 & 255, rgb & 255])
}

/// Compares two figures: the same elements with the same attributes and
/// labels, numbers and colours nearly the same.
///
/// # Errors
/// The first difference.
pub fn figure(recorded: &str, made: &str) -> Result<(), String> {
    let (a_rest, a_cells) = split_cells(parse(recorded)?);
    let (b_rest, b_cells) = split_cells(parse(made)?);
    let counts = [a_rest.len(), b_rest.len(), a_cells.len(), b_cells.len()];
    for (a, b) in a_rest.iter().zip(&b_rest) {
        a.same(b).map_err(|what| format!("<{}>: {what}", a.name))?;
    }
    for (a, b) in a_cells.iter().zip(&b_cells) {
        let apart = |i: usize| (a.place[i] - b.place[i]).abs() > UNITS;
        if (0..4).any(apart) || !near(a.colour, b.colour) {
            return Err(format!("a cell: recorded {a:?}, made {b:?}"));
        }
    }
    if counts[0] != counts[1] || counts[2] != counts[3] {
        return Err(format!(
            "recorded {} elements and {} cells, made {} and {}",
            counts[0], counts[2], counts[1], counts[3]
        ));
    }
    Ok(())
}

/// Compares two figures of a trained model: the same kinds of elements.
///
/// # Errors
/// What differs.
pub fn structure(recorded: &str, made: &str) -> Result<(), String> {
    let kinds = |svg: &str| -> Result<BTreeSet<String>, String> {
        Ok(parse(svg)?.into_iter().map(|element| element.name).collect())
    };
    let (a, b) = (kinds(recorded)?, kinds(made)?);
    match a == b {
        true => Ok(()),
        false => Err(format!("recorded {a:?}, made {b:?}")),
    }
}

fn near(a: [i32; 3], b: [i32; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SHADES)
}

/// An element: its name (with a `/` before it where it ends), its attributes
/// in order, and the text that follows.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
}

/// A filled rectangle: x, y, width, height.
#[derive(Debug)]
struct Cell {
    place: [f64; 4],
    colour: [i32; 3],
}

fn parse(svg: &str) -> Result<Vec<Element>, String> {
    let mut elements = Vec::new();
    for piece in svg.split('<').skip(1) {
        let bad = || format!("not well formed: <{piece}");
        let (tag, text) = piece.split_once('>').ok_or_else(bad)?;
        let tag = tag.trim_end_matches('/');
        let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while let Some((key, after)) = rest.split_once("=\"") {
            let (value, after) = after.split_once('"').ok_or_else(bad)?;
            attributes.push((key.trim().to_string(), value.to_string()));
            rest = after;
        }
        let (name, text) = (name.to_string(), text.trim().to_string());
        elements.push(Element { name, attributes, text });
    }
    match elements.is_empty() {
        true => Err("no element".to_string()),
        false => Ok(elements),
    }
}

/// Takes the paths that are cells of one colour apart into their cells: a
/// cell between two colours may be in either path. Sorted by place.
fn split_cells(elements: Vec<Element>) -> (Vec<Element>, Vec<Cell>) {
    let mut cells = Vec::new();
    let mut rest = Vec::new();
    for element in elements {
        match element.cells() {
            Some(some) => cells.extend(some),
            None => rest.push(element),
        }
    }
    let order =
        |a: &Cell, b: &Cell| a.place.partial_cmp(&b.place).expect("numbers are finite");
    cells.sort_by(order);
    (rest, cells)
}

/// Attributes whose numbers are coordinates of something drawn.
const PLACES: [&str; 9] = ["x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "points"];

impl Element {
    fn same(&self, made: &Element) -> Result<(), String> {
        if self.name != made.name {
            return Err(format!("made <{}>", made.name));
        }
        let keys = |e: &Element| -> Vec<String> {
            e.attributes.iter().map(|(key, _)| key.clone()).collect()
        };
        if keys(self) != keys(made) {
            let (a, b) = (keys(self), keys(made));
            return Err(format!("recorded {a:?}, made {b:?}"));
        }
        let pairs = self.attributes.iter().zip(&made.attributes);
        for ((key, a), (_, b)) in pairs {
            let place = PLACES.contains(&key.as_str()) || key == "d";
            if !same_value(a, b, place) {
                return Err(format!("{key}: recorded {a}, made {b}"));
            }
        }
        if !same_line(&self.text, &made.text) {
            let (a, b) = (&self.text, &made.text);
            return Err(format!("recorded `{a}`, made `{b}`"));
        }
        Ok(())
    }

    fn cells(&self) -> Option<Vec<Cell>> {
        let value = |name: &str| {
            let found = self.attributes.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_str())
        };
        if self.name != "path" || self.attributes.len() != 2 {
            return None;
        }
        let colour = colour(value("fill")?)?;
        let outlines = value("d")?.split_terminator('z');
        outlines.map(|one| Some(Cell { place: place(one)?, colour })).collect()
    }
}

/// Reads `M1 2h3v4h-3`.
fn place(outline: &str) -> Option<[f64; 4]> {
    let (x, rest) = outline.strip_prefix('M')?.split_once(' ')?;
    let (y, rest) = rest.split_once('h')?;
    let (width, rest) = rest.split_once('v')?;
    let (height, back) = rest.split_once("h-")?;
    let read = |text: &str| text.parse::<f64>().ok();
    let place = [read(x)?, read(y)?, read(width)?, read(height)?];
    (back == width).then_some(place)
}

/// Compares two values of an attribute.
fn same_value(recorded: &str, made: &str, place: bool) -> bool {
    let (a, b) = (tokens(recorded, place), tokens(made, place));
    let same = |(a, b): (&Token, &Token)| match (a, b) {
        (Token::Number(a), Token::Number(b)) if place => {
            match (a.parse::<f64>(), b.parse::<f64>()) {
                (Ok(a), Ok(b)) => (a - b).abs() <= UNITS,
                _ => false,
            }
        }
        (Token::Number(a), Token::Number(b)) => close(a, b),
        (Token::Colour(a), Token::Colour(b)) => near(*a, *b),
        (a, b) => a == b,
    };
    a.len() == b.len() && a.iter().zip(&b).all(same)
}
