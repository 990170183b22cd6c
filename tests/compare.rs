//! Compares what a program makes with what is recorded: text exactly, numbers
//! with room for another processor's last digit, figures by their structure.
//! What a trained model prints and draws has the room that its section states.

use crate::tolerances::Tolerance;
use roxmltree::{Document, Node};

/// How far apart two numbers may be, absolutely or relative to the recorded
/// one. Sums are taken in another order on another processor; this is twenty
/// times the last digit of a number with four. A number with two or three may
/// differ by one in the last. Integers must be equal.
const CLOSE: f64 = 2e-3;

/// How far apart two coordinates of a figure may be: half a CSS pixel.
const UNITS: f64 = 2.0;

/// How far apart two channels of a colour may be, of 255: the next step of a
/// heat map's colours.
const SHADES: i32 = 12;

/// Numbers near 0 of a trained model differ by shares of this.
const SMALL: f64 = 0.1;

/// Compares two outputs part by part: `tolerance` says how far those of a
/// trained model may be under a heading; the text before the first has the
/// heading "".
///
/// # Errors
/// The first difference.
pub fn parts(
    recorded: &str,
    made: &str,
    tolerance: impl Fn(&str) -> Option<Tolerance>,
) -> Result<(), String> {
    let (a, b) = (headed(recorded), headed(made));
    let headings = |parts: &[(&str, String)]| -> Vec<String> {
        parts.iter().map(|(heading, _)| heading.to_string()).collect()
    };
    if headings(&a) != headings(&b) {
        return Err(format!("recorded {:?}, made {:?}", headings(&a), headings(&b)));
    }
    for ((heading, a), (_, b)) in a.iter().zip(&b) {
        let same = match tolerance(heading) {
            None => text(a, b, CLOSE_TEXT),
            Some(Tolerance::Numbers(share)) => text(a, b, trained(share)),
            Some(Tolerance::Lines(share)) => lines(a, b, share),
        };
        same.map_err(|what| format!("under `{heading}`, {what}"))?;
    }
    Ok(())
}

/// The parts of an output, each with its heading, which is underlined.
pub fn headed(output: &str) -> Vec<(&str, String)> {
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

/// How two numbers of a text are compared.
#[derive(Clone, Copy)]
struct Numbers {
    /// Of the recorded one, or of 1 or [`SMALL`] if that is more.
    share: f64,
    trained: bool,
}

const CLOSE_TEXT: Numbers = Numbers { share: CLOSE, trained: false };

fn trained(share: f64) -> Numbers {
    Numbers { share, trained: true }
}

fn text(recorded: &str, made: &str, numbers: Numbers) -> Result<(), String> {
    let mut pairs = recorded.lines().zip(made.lines()).enumerate();
    if let Some((n, (a, b))) = pairs.find(|(_, (a, b))| !same_line(a, b, numbers)) {
        return Err(format!("line {}:\n recorded {a}\n     made {b}", n + 1));
    }
    let (a, b) = (recorded.lines().count(), made.lines().count());
    match a == b {
        true => Ok(()),
        false => Err(format!("recorded {a} lines, made {b}")),
    }
}

/// The same figures, nearly as many lines, and this share of them the same.
fn lines(recorded: &str, made: &str, share: f64) -> Result<(), String> {
    let some = |text: &str| -> (Vec<String>, Vec<String>) {
        let ruled = text.lines().nth(1).is_some_and(|line| line.starts_with("---"));
        let body = text.lines().skip(if ruled { 2 } else { 0 });
        let lines = body.filter(|line| !line.is_empty());
        lines.map(str::to_string).partition(|line| line.starts_with("figure: "))
    };
    let ((a_figures, a), (b_figures, mut b)) = (some(recorded), some(made));
    if a_figures != b_figures {
        return Err(format!("recorded {a_figures:?}, made {b_figures:?}"));
    }
    let (recorded, made) = (a.len() as f64, b.len() as f64);
    let mut same = 0.0;
    for line in &a {
        if let Some(at) = b.iter().position(|b| same_line(line, b, trained(0.3))) {
            b.remove(at);
            same += 1.0;
        }
    }
    match (made - recorded).abs() <= 0.2 * recorded && same >= share * recorded {
        true => Ok(()),
        false => Err(format!("{same} of {recorded} lines are among {made}")),
    }
}

fn same_line(recorded: &str, made: &str, numbers: Numbers) -> bool {
    if recorded == made {
        return true;
    }
    let ((mut a, a_numbers), (mut b, b_numbers)) =
        (taken_out(recorded, false), taken_out(made, false));
    // A number that is a digit longer takes it from the space before it.
    let widths = |some: &[&str]| some.iter().map(|one| one.len()).collect::<Vec<_>>();
    if numbers.trained || widths(&a_numbers) != widths(&b_numbers) {
        for text in [&mut a, &mut b] {
            *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
    }
    let mut pairs = a_numbers.iter().zip(&b_numbers);
    a == b
        && a_numbers.len() == b_numbers.len()
        && pairs.all(|(a, b)| numbers.same(a, b))
}

impl Numbers {
    fn same(self, recorded: &str, made: &str) -> bool {
        let whole = |text: &str| !text.contains(['.', 'e']);
        if !self.trained && whole(recorded) && whole(made) {
            return recorded == made;
        }
        let digits = recorded.split_once('.').map_or(0, |(_, some)| some.len() as i32);
        let last = match digits >= 2 && !recorded.contains('e') {
            true => 1.01 * 10f64.powi(-digits),
            false => 0.0,
        };
        let least = if self.trained { SMALL } else { 1.0 };
        match (recorded.parse::<f64>(), made.parse::<f64>()) {
            (Ok(a), Ok(b)) => {
                (a - b).abs() <= last.max(self.share * a.abs().max(least))
            }
            _ => false,
        }
    }
}

/// A text with `0` for each number, and the numbers; `glued` if a number may
/// follow a letter, as in the path of a drawing.
fn taken_out(text: &str, glued: bool) -> (String, Vec<&str>) {
    let (mut rest, mut before) = (text, ' ');
    let (mut words, mut numbers) = (String::new(), Vec::new());
    while let Some(first) = rest.chars().next() {
        let word = before.is_alphanumeric() || before == '_' || before == '.';
        let length = match glued || !word {
            true => number(rest, glued || before != ')'),
            false => 0,
        };
        let taken = if length > 0 { length } else { first.len_utf8() };
        match length {
            0 => words.push(first),
            _ => {
                words.push('0');
                numbers.push(&rest[..length]);
            }
        }
        before = rest[..taken].chars().next_back().unwrap_or(' ');
        rest = &rest[taken..];
    }
    (words, numbers)
}

/// The length of the number that the text begins with; 0 if none.
fn number(text: &str, minus: bool) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let sign = usize::from(minus && bytes.first() == Some(&b'-'));
    let mut end = sign + digits(sign);
    if end == sign {
        return 0;
    }
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if bytes.get(end) == Some(&b'e') {
        let from =
            end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        end = if digits(from) > 0 { from + digits(from) } else { end };
    }
    end
}

// --- Figures ----------------------------------------------------------------

/// Compares two figures: the same elements with the same attributes and
/// labels, numbers and colours nearly the same. Of a heat map the values are
/// compared, not the cells, which are merged where their colours are equal.
///
/// # Errors
/// The first difference.
pub fn figure(recorded: &str, made: &str) -> Result<(), String> {
    let (a, b) = (parse(recorded)?, parse(made)?);
    same_element(a.root_element(), b.root_element())
}

/// Compares two figures of a trained model: the same series and kinds of
/// elements, half of the labels the same, and lines and values that are near
/// each other on average.
///
/// # Errors
/// What differs.
pub fn trained_figure(recorded: &str, made: &str) -> Result<(), String> {
    let (a, b) = (parse(recorded)?, parse(made)?);
    for what in [kinds, series_names] {
        if what(&a) != what(&b) {
            return Err(format!("recorded {:?}, made {:?}", what(&a), what(&b)));
        }
    }
    let (a_labels, b_labels) = (labels(&a), labels(&b));
    let same = a_labels.iter().filter(|label| b_labels.contains(label)).count();
    if 2 * same < a_labels.len() {
        return Err(format!("recorded labels {a_labels:?}, made {b_labels:?}"));
    }
    let height = a
        .root_element()
        .attribute("viewBox")
        .and_then(|view| view.split_whitespace().nth(3)?.parse::<f64>().ok());
    let apart = 0.2 * height.unwrap_or(0.0);
    for (what, limit, a, b) in [
        ("series", apart, series_heights(&a), series_heights(&b)),
        ("values of a heat map", 0.2, mean_values(&a), mean_values(&b)),
    ] {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() <= limit;
        if a.len() != b.len() || !a.iter().zip(&b).all(near) {
            return Err(format!("means of the {what}: recorded {a:?}, made {b:?}"));
        }
    }
    Ok(())
}

fn parse(svg: &str) -> Result<Document<'_>, String> {
    Document::parse(svg).map_err(|error| format!("not well formed: {error}"))
}

fn same_element(a: Node, b: Node) -> Result<(), String> {
    let name = a.tag_name().name();
    let keys = |node: Node| -> Vec<String> {
        node.attributes().map(|one| one.name().to_string()).collect()
    };
    if name != b.tag_name().name() || keys(a) != keys(b) {
        return Err(format!("recorded {a:?}, made {b:?}"));
    }
    for (a, b) in a.attributes().zip(b.attributes()) {
        if !same_value(a.name(), a.value(), b.value()) {
            let (key, a, b) = (a.name(), a.value(), b.value());
            return Err(format!("<{name}> {key}: recorded {a}, made {b}"));
        }
    }
    let said = |node: Node| node.text().unwrap_or_default().trim().to_string();
    if !same_line(&said(a), &said(b), CLOSE_TEXT) {
        return Err(format!("recorded `{}`, made `{}`", said(a), said(b)));
    }
    if a.has_attribute("data-values") {
        return Ok(());
    }
    let inner = |node: Node<'_, '_>| node.children().filter(Node::is_element).count();
    if inner(a) != inner(b) {
        let (a, b) = (inner(a), inner(b));
        return Err(format!("<{name}>: recorded {a} elements in it, made {b}"));
    }
    let children = a.children().filter(Node::is_element);
    let mut pairs = children.zip(b.children().filter(Node::is_element));
    pairs.try_for_each(|(a, b)| same_element(a, b))
}

/// Attributes whose numbers are coordinates of something drawn.
const PLACES: [&str; 11] =
    ["x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "points", "d", "transform"];

fn same_value(key: &str, recorded: &str, made: &str) -> bool {
    if let (Some(a), Some(b)) = (colour(recorded), colour(made)) {
        return a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SHADES);
    }
    let near = |limit: f64, a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>())
    {
        (Ok(a), Ok(b)) => (a - b).abs() <= limit,
        _ => false,
    };
    if key == "data-values" {
        let (a, b) = (recorded.split_whitespace(), made.split_whitespace());
        return a.clone().count() == b.clone().count()
            && a.zip(b).all(|(a, b)| near(CLOSE, a, b));
    }
    let place = PLACES.contains(&key);
    let ((a_words, a), (b_words, b)) =
        (taken_out(recorded, place), taken_out(made, place));
    let same = |(a, b): (&&str, &&str)| match place {
        true => near(UNITS, a, b),
        false => CLOSE_TEXT.same(a, b),
    };
    a_words == b_words && a.len() == b.len() && a.iter().zip(&b).all(same)
}

/// The colour `#RRGGBB`.
fn colour(text: &str) -> Option<[i32; 3]> {
    let hex = text.strip_prefix('#').filter(|hex| hex.len() == 6)?;
    let rgb = i32::from_str_radix(hex, 16).ok()?;
    Some([rgb >> 16, rgb >> 8 & 255, rgb & 255])
}

/// The kinds of elements that are drawn, each once.
fn kinds(figure: &Document) -> Vec<String> {
    let elements = figure.descendants().filter(Node::is_element);
    let mut names: Vec<String> =
        elements.map(|node| node.tag_name().name().to_string()).collect();
    names.sort();
    names.dedup();
    names
}

fn attributes<'a>(
    figure: &'a Document<'a>,
    key: &'a str,
) -> impl Iterator<Item = &'a str> {
    figure.descendants().filter_map(move |node| node.attribute(key))
}

fn series_names(figure: &Document) -> Vec<String> {
    attributes(figure, "data-series").map(str::to_string).collect()
}

/// What is written, but for numbers.
fn labels(figure: &Document) -> Vec<String> {
    let texts =
        figure.descendants().filter(Node::is_text).filter_map(|node| node.text());
    let words = texts
        .map(str::trim)
        .filter(|text| !text.is_empty() && number(text, true) != text.len());
    words.map(str::to_string).collect()
}

/// The mean height of each series: NaN, which is near nothing, if some number
/// is none.
fn series_heights(figure: &Document) -> Vec<f64> {
    let series = figure.descendants().filter(|node| node.has_attribute("data-series"));
    let mean = |series: Node| {
        let points = series.descendants().filter_map(|node| node.attribute("points"));
        let text: String = points.flat_map(|points| [points, " "]).collect();
        let numbers = text.split([',', ' ']).filter(|number| !number.is_empty());
        let heights = numbers.skip(1).step_by(2);
        mean(heights.map(|y| y.parse().unwrap_or(f64::NAN)))
    };
    series.map(mean).collect()
}

/// The mean value of each heat map.
fn mean_values(figure: &Document) -> Vec<f64> {
    let values = attributes(figure, "data-values");
    let number = |value: &str| value.parse().unwrap_or(f64::NAN);
    values.map(|values| mean(values.split_whitespace().map(number))).collect()
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let numbers: Vec<f64> = numbers.collect();
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

// --- A planted change is found ----------------------------------------------

#[test]
fn a_change_in_a_text_is_found() {
    let recorded = "loss   0.1234  step 10 ch10_3\nw    9.9996\n";
    let same = |a: &str, b: &str| text(a, b, CLOSE_TEXT).is_ok();
    let accepted = |from: &str, to: &str| {
        assert!(recorded.contains(from), "{from}");
        same(recorded, &recorded.replace(from, to))
    };
    assert!(accepted("0.1234", "0.1234"));
    assert!(accepted("0.1234", "0.1235"));
    assert!(accepted("   9.9996", "  10.0001"), "a digit more");
    assert!(!accepted("0.1234", "0.1334"));
    assert!(!accepted("0.1234", "-0.1234"));
    assert!(!accepted("0.1234", "NaN"));
    assert!(!accepted("step 10", "step 11"), "integers are exact");
    assert!(!accepted("ch10_3", "ch10_4"));
    assert!(!accepted("loss ", "cost "));
    assert!(!accepted("loss ", "loss  "), "text is exact");
    assert!(!accepted("\nw", "\n\nw"));
    assert!(!accepted("w    9.9996\n", ""));
    assert!(same("a 1000.0", "a 1001.0"), "relative");
    assert!(!same("a 1000.0", "a 1003.0"));
    assert!(same("x 1e-7", "x 3e-7"));
    assert!(same("0.54", "0.55"), "one in the last digit");
    assert!(!same("0.54", "0.56"));
    assert!(same("0.0000", "-0.0000"));
    assert!(!same("10-3 a", "10-4 a"));
}

#[test]
fn a_change_in_a_figure_is_found() {
    let recorded = "<svg width=\"480\" viewBox=\"0 0 1920 1200\">\n\
        <path fill=\"#440154\" d=\"M0 0h8v8h-8z\"/>\n\
        <g data-values=\"0 .123 1 1\"><path d=\"M0 0h8\"/></g>\n\
        <polyline fill=\"none\" opacity=\"0.3\" points=\"1,2 30,40 \"/>\n\
        <text x=\"9\" y=\"9\" font-size=\"48\">0.5</text>\n</svg>\n";
    figure(recorded, recorded).expect("is itself");
    let accepted = |from: &str, to: &str| {
        assert!(recorded.contains(from), "{from}");
        figure(recorded, &recorded.replace(from, to)).is_ok()
    };
    assert!(accepted("30,40", "31,40"));
    assert!(accepted("#440154", "#440458"));
    assert!(accepted(
        "<path d=\"M0 0h8\"/>",
        "<path d=\"M0 0h7\"/><path d=\"M7 0h1\"/>"
    ));
    assert!(accepted(".123", ".124"));
    assert!(!accepted(".123", ".223"));
    assert!(!accepted("1 1\"", "1\""));
    assert!(!accepted("30,40", "34,40"));
    assert!(!accepted("30,40 ", ""));
    assert!(!accepted("M0 0h8v8", "M0 9h8v8"));
    assert!(!accepted("#440154", "#904356"));
    assert!(!accepted("opacity=\"0.3\"", "opacity=\"0.4\""));
    assert!(!accepted("opacity=\"0.3\" ", ""));
    assert!(!accepted("font-size=\"48\"", "font-size=\"47\""));
    assert!(!accepted("width=\"480\"", "width=\"481\""));
    assert!(!accepted(">0.5<", ">0.6<"));
    assert!(!accepted("<polyline", "<polygon"));
    assert!(!accepted("<text", "<text/>\n<text"));
    assert!(!accepted("</svg>", ""));
}

#[test]
fn a_change_in_what_a_trained_model_prints_is_found() {
    const TRAINED: &str = "$ cargo run\n\nShapes\n------\nrows 2\n\n\
        Said\n----\nloss  0.5 of 10\nil est là\nelle est là\nfigure: a/b.svg\n";
    let accepted = |tolerance: Tolerance, from: &str, to: &str| {
        assert!(TRAINED.contains(from), "{from}");
        let tolerance = |heading: &str| (heading == "Said").then_some(tolerance);
        parts(TRAINED, &TRAINED.replace(from, to), tolerance).is_ok()
    };
    let numbers = |from, to| accepted(Tolerance::Numbers(0.3), from, to);
    assert!(numbers(" 0.5 of 10", " 0.6 of 12"));
    assert!(!numbers("0.5", "0.7"), "no number is any number");
    assert!(!numbers("0.5", "NaN"));
    assert!(!numbers("0.5", "none"));
    assert!(!numbers("of 10", "of 14"));
    assert!(!numbers("loss", "cost"));
    assert!(!numbers("il est là\n", ""));
    assert!(!numbers("b.svg", "c.svg"));
    assert!(!numbers("rows 2", "rows 3"), "nothing is trained there");
    assert!(!numbers("\nSaid\n----", "\nTold\n----"));
    let lines = |from, to| accepted(Tolerance::Lines(0.5), from, to);
    assert!(lines("elle est là", "elle est ici"));
    assert!(!lines("il est là\nelle est là", "il est ici\nelle est ici"));
    assert!(!lines("il est là\n", ""), "a line less than three and a fifth of them");
    assert!(!lines("figure: a/b.svg\n", ""));
    assert!(!lines("rows 2", "rows 3"), "nothing is trained there");
}

#[test]
fn a_change_in_the_figure_of_a_trained_model_is_found() {
    let recorded = "<svg viewBox=\"0 0 100 100\"><g data-series=\"ours\">\
        <polyline points=\"0,10 50,30\"/></g><g data-values=\"0 .5 1\"/>\
        <text>loss</text><text>0.5</text></svg>";
    let accepted = |from: &str, to: &str| {
        assert!(recorded.contains(from), "{from}");
        trained_figure(recorded, &recorded.replace(from, to)).is_ok()
    };
    assert!(accepted("50,30", "50,40"));
    assert!(accepted("0 .5 1", ".2 .5 1"));
    assert!(accepted(">0.5<", ">0.6<"));
    assert!(!accepted("50,30", "50,90"));
    assert!(!accepted("50,30", "50,NaN"));
    assert!(!accepted("0 .5 1", "1 .5 1"));
    assert!(!accepted("0 .5 1", "NaN .5 1"));
    assert!(!accepted("ours", "theirs"));
    assert!(!accepted("<text>loss</text>", ""));
    assert!(!accepted("<text>0.5</text>", "<circle/>"));
}
