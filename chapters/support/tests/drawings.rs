//! Plots, heat maps and strips: what is drawn, counted in the SVG. That the figures
//! of the book are drawn as they were, byte for byte, is tested with the programs.

use roxmltree::{Document, Node};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use support::{
    Labels, Mark, Panels, Plot, Series, Strip, line_plots, show_heatmaps, strips,
};

fn maps(panels: impl Into<Panels>, labels: &Labels) -> String {
    show_heatmaps(panels, labels).expect("is drawn")
}

fn parse(svg: &str) -> Document<'_> {
    assert!(!svg.contains("\n\n"), "a blank line would end the SVG in Markdown");
    assert!(!svg.contains(" id="), "ids would meet those of another figure");
    Document::parse(svg).expect("is XML")
}

fn all<'a>(svg: &'a Document, tag: &str) -> Vec<Node<'a, 'a>> {
    let nodes = svg.descendants().filter(|node| node.has_tag_name(tag));
    nodes.collect()
}

fn number(node: Node, name: &str) -> f64 {
    node.attribute(name).expect(name).parse().expect("is a number")
}

fn texts<'a>(svg: &'a Document) -> Vec<&'a str> {
    all(svg, "text").iter().filter_map(|text| text.text()).collect()
}

/// The panels of heat maps.
fn panels<'a>(svg: &'a Document) -> Vec<Node<'a, 'a>> {
    let groups = all(svg, "g").into_iter();
    groups.filter(|g| g.has_attribute("data-values")).collect()
}

/// The colour of each cell of a panel: later paths lie on earlier ones.
fn cells(panel: Node) -> Vec<String> {
    let size = |name| number(panel, name) as usize;
    let (rows, columns) = (size("data-rows"), size("data-columns"));
    let mut cells = vec![String::new(); rows * columns];
    for path in panel.children().filter(|node| node.has_tag_name("path")) {
        let fill = path.attribute("fill").expect("has a colour");
        for run in path.attribute("d").expect("has an outline").split('M').skip(1) {
            let numbers: Vec<usize> = run
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|number| number.parse().ok())
                .collect();
            let [x, y, wide, high, ..] = numbers[..] else { panic!("{run}") };
            for cell in (y..y + high).flat_map(|y| (x..x + wide).map(move |x| (x, y))) {
                cells[cell.1 * columns + cell.0] = fill.to_string();
            }
        }
    }
    cells
}

/// From the darkest to the lightest, neighbours of one number and numbers at both
/// ends of the scale among them.
#[test]
fn each_cell_has_the_colour_of_its_number_and_lighter_is_more() {
    let numbers = [[0.5, 0.5, 0.0, 0.5], [1.0, 0.25, 0.0, 0.0], [0.75; 4]];
    let svg = maps(&numbers, &Labels::default());
    let svg = parse(&svg);
    let cells = cells(panels(&svg)[0]);
    let green = |colour: &str| u8::from_str_radix(&colour[3..5], 16).expect("hex");
    for (a, x) in numbers.as_flattened().iter().zip(&cells) {
        for (b, y) in numbers.as_flattened().iter().zip(&cells) {
            assert_eq!(a.total_cmp(b), green(x).cmp(&green(y)), "{a} {x}, {b} {y}");
        }
    }
    assert_eq!((&*cells[2], &*cells[4]), ("#440154", "#FEE825"));
}

#[test]
fn numbers_stay_in_the_figure_to_three_decimals() {
    let row = [0.0, 1.0, 0.12345, 0.5, -0.25, -0.0001, 12.0, 100.0, 0.9996, f32::NAN];
    let svg = maps(&[row], &Labels::default());
    let svg = parse(&svg);
    let values = panels(&svg)[0].attribute("data-values");
    assert_eq!(values, Some("0 1 .123 .5 -.25 0 12 100 1 NaN"));
}

/// A reader's sentences may hold anything.
#[test]
fn tokens_are_escaped() {
    let tokens = ["&", "<eos>", "\"n'est\""];
    let svg = maps(&[[0.5; 3]; 3], &Labels::tokens(&tokens, &tokens));
    let svg = parse(&svg);
    let found = texts(&svg);
    for token in tokens {
        assert_eq!(found.iter().filter(|&&text| text == token).count(), 2, "{found:?}");
    }
    let group = panels(&svg)[0].parent().expect("has one");
    assert_eq!(group.attribute("data-keys"), Some("&|<eos>|\"n'est\""));
}

#[test]
fn constant_and_negative_matrices_have_a_scale() {
    for (constant, end) in [(0.1, "0.10"), (0.0, "1.0"), (-3.0, "-3")] {
        let svg = maps(&[[constant; 5]; 5], &Labels::default());
        let svg = parse(&svg);
        let texts = texts(&svg);
        assert!(texts.iter().any(|t| t.starts_with(end)), "{end} in {texts:?}");
    }
}

/// Shrunk by a phone of 390 pixels to 350, its smallest text still has 12; a wide one
/// scrolls there.
#[test]
fn every_figure_of_the_book_is_readable_on_a_phone_and_follows_the_theme() {
    let figures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/figures");
    let entries = |folder: &Path| fs::read_dir(folder).expect("readable");
    let folders = entries(&figures).map(|folder| folder.expect("readable").path());
    let files = folders.flat_map(|folder| entries(&folder));
    for file in files.map(|file| file.expect("readable").path()) {
        let text = fs::read_to_string(&file).expect("is text");
        let svg = parse(&text);
        let (file, root) = (file.display(), svg.root_element());
        let width = number(root, "width");
        let view = root.attribute("viewBox").expect("has one");
        let units: f64 = view.split(' ').nth(2).expect("4").parse().expect("one");
        for text in all(&svg, "text") {
            let size = number(text, "font-size") / units * width.min(350.0);
            assert!(size >= 12.0 || width > 480.0, "{file}: {size} px");
            assert_eq!(text.attribute("fill"), Some("currentColor"), "{file}");
            assert_eq!(text.attribute("font-family"), None, "{file}");
            assert!(text.text().is_some(), "{file}: an empty text");
        }
        for stroke in svg.descendants().filter_map(|node| node.attribute("stroke")) {
            let ours = stroke == "none" || stroke.starts_with("var(--plot-");
            assert!(ours, "{file}: {stroke}");
        }
        assert!(all(&svg, "style").is_empty(), "{file}");
    }
}

// --- Strips -------------------------------------------------------------------

fn strip() -> Strip {
    Strip {
        name: "scores".into(),
        note: "attend".into(),
        rows: vec![vec![0.5, -1.0, 0.0, f32::NAN]],
        scale: 2.0,
        column_tokens: ["a", "b", "<pad>", "<pad>"].map(String::from).to_vec(),
        ..Strip::default()
    }
}

/// The bars of a strip: from where to where, in units of a cell.
fn bars(strip: Strip) -> Vec<String> {
    let svg = strips(&[vec![strip]]).expect("is drawn");
    let svg = parse(&svg);
    let paths = panels(&svg)[0].children().filter(|node| node.has_tag_name("path"));
    paths.skip(1).map(|path| path.attribute("d").expect("bars").to_string()).collect()
}

#[test]
fn bars_go_up_and_down_and_none_is_a_grey_cell() {
    assert_eq!(bars(strip()), ["M0.5 0.5V0.38", "M1.5 0.5V0.75", "M3.5 0V1.00"]);
    let up = Strip { rows: vec![vec![0.5, 4.0, 0.0, 2.0]], ..strip() };
    assert_eq!(bars(up), ["M0.5 1V0.75M1.5 1V0.00M3.5 1V0.00"]);
    let rows = vec![vec![2.0], vec![-2.0]];
    let two = Strip { rows, column_tokens: Vec::new(), ..strip() };
    assert_eq!(bars(two), ["M0.5 0.5V0.00", "M0.5 1.5V2.00"]);
}

// --- Line plots ---------------------------------------------------------------

fn series<'a>(svg: &'a Document, name: &str) -> Node<'a, 'a> {
    let groups = all(svg, "g").into_iter();
    let mut groups = groups.filter(|g| g.attribute("data-series") == Some(name));
    groups.next().unwrap_or_else(|| panic!("no series {name}"))
}

fn of(mark: Mark, name: &str) -> Series {
    Series::new(name, mark, (0..5).map(|i| (f64::from(i), f64::from(i * i))))
}

#[test]
fn no_two_series_differ_by_colour_alone() {
    let marks = [Mark::Line, Mark::Dashes, Mark::Dots, Mark::LineDots];
    let marks = marks.into_iter().flat_map(|mark| [mark; 3]);
    let names: Vec<String> = (0..12).map(|i| format!("s{i}")).collect();
    let all_series = marks.zip(&names).map(|(mark, name)| of(mark, name)).collect();
    let plot = Plot { series: all_series, ..Plot::default() };
    let svg = line_plots(&[plot], 1).expect("is drawn");
    let svg = parse(&svg);
    let mut styles: Vec<String> = Vec::new();
    for name in &names {
        let parts = series(&svg, name).children().filter(Node::is_element);
        let style = parts.map(|part| {
            let dashes = part.attribute("stroke-dasharray").unwrap_or("none");
            let width = part.attribute("stroke-width").expect("is a stroke");
            let cap = part.attribute("stroke-linecap").unwrap_or("none");
            let outline = part.attribute("d").unwrap_or("line");
            let shape = outline.split(['h', 'm']).nth(1).unwrap_or("none");
            format!("{} {dashes} {width} {cap} {shape}", part.tag_name().name())
        });
        styles.push(style.collect());
    }
    let distinct: BTreeSet<_> = styles.iter().collect();
    assert_eq!(distinct.len(), 12, "{styles:#?}");
}

#[test]
fn points_are_where_their_numbers_are() {
    let points = [(0.0, 0.0), (1.0, 1.0), (4.0, 0.5), (2.0, f64::NAN)];
    let series_of = vec![Series::new("s", Mark::Line, points)];
    let plot = Plot { series: series_of, ..Plot::default() };
    let svg = line_plots(&[plot], 1).expect("is drawn");
    let svg = parse(&svg);
    let line = series(&svg, "s").first_element_child().expect("a line");
    let drawn: Vec<(f64, f64)> = line
        .attribute("points")
        .expect("has points")
        .split(' ')
        .map(|point| point.split_once(',').expect("two numbers"))
        .map(|(x, y)| (x.parse().expect("one"), y.parse().expect("one")))
        .collect();
    let [a, b, c] = drawn[..] else { panic!("{drawn:?}") };
    let share = |from: f64, at: f64, to: f64| (at - from) / (to - from);
    assert!((share(a.0, b.0, c.0) - 0.25).abs() < 0.01, "{drawn:?}");
    assert!((share(a.1, c.1, b.1) - 0.5).abs() < 0.01, "{drawn:?}");
    assert!(b.1 < a.1, "up is more");
}

#[test]
fn nothing_to_draw_is_an_error() {
    let nan = Series::new("s", Mark::Line, [(0.0, f64::NAN)]);
    let plot = Plot { series: vec![nan], ..Plot::default() };
    let error = line_plots(&[plot], 1).expect_err("has no points");
    assert_eq!(error.to_string(), "a plot without points");
}
