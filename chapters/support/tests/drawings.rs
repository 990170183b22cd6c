//! Plots and heat maps: what is drawn, counted in the SVG.

use roxmltree::{Document, Node};
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
fn cells(panel: Node) -> Vec<Option<String>> {
    let size = |name| number(panel, name) as usize;
    let (rows, columns) = (size("data-rows"), size("data-columns"));
    let mut cells = vec![None; rows * columns];
    for path in panel.children().filter(|node| node.has_tag_name("path")) {
        let fill = path.attribute("fill").expect("has a colour");
        for run in path.attribute("d").expect("has an outline").split('M').skip(1) {
            let numbers: Vec<usize> = run
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|number| number.parse().ok())
                .collect();
            let [x, y, wide, high, ..] = numbers[..] else { panic!("{run}") };
            for cell in (y..y + high).flat_map(|y| (x..x + wide).map(move |x| (x, y))) {
                cells[cell.1 * columns + cell.0] = Some(fill.to_string());
            }
        }
    }
    cells
}

fn eye() -> [[f32; 10]; 10] {
    let mut eye = [[0.0; 10]; 10];
    (0..10).for_each(|i| eye[i][i] = 1.0);
    eye
}

#[test]
fn identity_has_two_colours_and_numbered_axes() {
    let svg = maps(&eye(), &Labels::default());
    let svg = parse(&svg);
    let [panel] = panels(&svg)[..] else { panic!("one panel") };
    for (i, cell) in cells(panel).iter().enumerate() {
        let colour = if i / 10 == i % 10 { "#FEE825" } else { "#440154" };
        assert_eq!(cell.as_deref(), Some(colour), "cell {i}");
    }
    let texts = texts(&svg);
    for wanted in ["Keys", "Queries", "0", "8", "0.0", "1.0"] {
        assert!(texts.contains(&wanted), "{wanted} in {texts:?}");
    }
}

#[test]
fn numbers_stay_in_the_figure_to_three_decimals() {
    let row = [0.0, 1.0, 0.12345, 0.5, -0.25, -0.0001, 12.0, 100.0, 0.9996, f32::NAN];
    let svg = maps(&[row], &Labels::default());
    let svg = parse(&svg);
    let values = panels(&svg)[0].attribute("data-values");
    assert_eq!(values, Some("0 1 .123 .5 -.25 0 12 100 1 NaN"));
}

#[test]
fn neighbours_of_one_colour_are_one_run() {
    let mut causal = [[0.0; 40]; 40];
    for (q, row) in causal.iter_mut().enumerate() {
        row[..=q].fill(1.0 / (q + 1) as f32);
    }
    let svg = maps(&causal, &Labels::default());
    assert!(svg.len() < 16_000, "{} bytes for 1600 cells", svg.len());
    let svg = parse(&svg);
    let cells = cells(panels(&svg)[0]);
    for (i, cell) in cells.iter().enumerate() {
        assert_eq!(cell, &cells[i / 40 * 40 + if i % 40 <= i / 40 { 0 } else { 39 }]);
    }
}

#[test]
fn each_number_has_its_colour_and_lighter_is_more() {
    let svg = maps(&[[0.0, 0.5], [1.0, 0.25]], &Labels::default());
    let svg = parse(&svg);
    let cells = cells(panels(&svg)[0]);
    let green = |i: usize| {
        let colour: &String = cells[i].as_ref().expect("has a colour");
        u8::from_str_radix(&colour[3..5], 16).expect("is hexadecimal")
    };
    assert!(green(0) < green(3) && green(3) < green(1) && green(1) < green(2));
}

#[test]
fn panels_are_two_wide_and_share_a_bar_and_names() {
    let titles: Vec<String> = (1..9).map(|i| format!("Head {i}")).collect();
    let labels = Labels {
        titles: titles.clone(),
        ..Labels::tokens(&["<bos>", "n'est"], &["go", "&", "<eos>"])
    };
    let svg = maps(&[[[[0.5; 3]; 2]; 4]; 2], &labels);
    let svg = parse(&svg);
    let places: Vec<(i32, i32)> = panels(&svg)
        .iter()
        .map(|panel| {
            let place = panel.attribute("transform").expect("has a place");
            let mut numbers = place.split(['(', ' ', ')']).skip(1);
            let mut number = || numbers.next().expect("two").parse().expect("whole");
            (number(), number())
        })
        .collect();
    let mut columns: Vec<i32> = places.iter().map(|place| place.0).collect();
    columns.sort();
    columns.dedup();
    assert_eq!((places.len(), columns.len()), (8, 2));
    assert!(places[0].1 == places[1].1 && places[1].1 < places[2].1);
    let texts = texts(&svg);
    let count = |t: &str| texts.iter().filter(|text| **text == t).count();
    assert!(titles.iter().all(|title| count(title) == 1));
    assert_eq!((count("Keys"), count("Queries")), (1, 1));
    // Below each column, and left of each row.
    assert_eq!((count("<eos>"), count("&")), (2, 2));
    assert_eq!((count("<bos>"), count("n'est")), (4, 4));
    let named = panels(&svg).into_iter().zip(&titles);
    for (panel, title) in named {
        assert_eq!(panel.attribute("data-title"), Some(&**title));
    }
    let group = panels(&svg)[0].parent().expect("has one");
    assert_eq!(group.attribute("data-keys"), Some("go|&|<eos>"));
    assert_eq!(group.attribute("data-queries"), Some("<bos>|n'est"));
}

#[test]
fn an_odd_panel_leaves_no_column_without_numbers() {
    let svg = maps(&[[[0.5f32; 4]; 2]; 3], &Labels::default());
    let svg = parse(&svg);
    assert_eq!(panels(&svg).len(), 3);
    let below = texts(&svg).iter().filter(|&&text| text == "3").count();
    assert_eq!(below, 2);
}

#[test]
fn arrays_and_vectors_are_drawn_alike() {
    let array = [[0.0, 0.5, 0.25], [1.0, 0.25, 0.125]];
    let rows: Vec<Vec<f32>> = array.iter().map(|row| row.to_vec()).collect();
    let labels = Labels::default();
    let svg = maps(&array, &labels);
    assert_eq!(svg, maps(&[rows][..], &labels));
    assert_eq!(svg, maps(&[array], &labels));
    assert_eq!(svg, maps(&[[array]], &labels));
}

#[test]
fn numbers_that_are_not_finite_leave_a_hole() {
    let holes = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0];
    let svg = maps(&[holes, [0.5, 0.25, 0.0, 1.0]], &Labels::default());
    let svg = parse(&svg);
    let drawn = cells(panels(&svg)[0]);
    let holes: Vec<bool> = drawn.iter().map(Option::is_none).collect();
    assert_eq!(holes, [true, true, true, false, false, false, false, false]);
    maps(&[[f32::NAN; 3]; 2], &Labels::default());
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

#[test]
fn labels_that_do_not_fit_are_an_error() {
    let numbers = [[[0.0; 4]; 3]; 2];
    let error =
        |labels: &Labels| show_heatmaps(&numbers, labels).unwrap_err().to_string();
    let titles = Labels { titles: vec!["one".into()], ..Labels::default() };
    assert_eq!(error(&titles), "1 titles where 2 are needed");
    let keys = Labels::tokens(&["a", "b", "c"], &["a", "b", "c"]);
    assert_eq!(error(&keys), "3 key tokens where 4 are needed");
    let queries = Labels::tokens(&["a"], &["a", "b", "c", "d"]);
    assert_eq!(error(&queries), "1 query tokens where 3 are needed");
    let none = show_heatmaps(&[[0.0; 3]; 0], &Labels::default()).unwrap_err();
    assert_eq!(none.to_string(), "a heat map without cells");
}

/// The size of the smallest text in CSS pixels where a page of 390 pixels
/// shows the figure in 350.
fn on_a_phone(svg: &Document) -> f64 {
    let root = svg.root_element();
    let width = number(root, "width");
    let view = root.attribute("viewBox").expect("has one");
    let units: f64 = view.split(' ').nth(2).expect("a width").parse().expect("is one");
    let sizes = all(svg, "text").into_iter().map(|text| number(text, "font-size"));
    sizes.fold(f64::INFINITY, f64::min) / units * width.min(350.0)
}

#[test]
fn text_is_readable_on_a_phone() {
    let none = Labels::default();
    let tokens = ["she", "does", "not", "see", "the", "black", "cat", ".", "<eos>"];
    let titled = Labels {
        titles: ["layer 1, head 1", "layer 1, head 2"].map(String::from).to_vec(),
        ..Labels::tokens(&tokens, &tokens)
    };
    let curve = |name: &str| {
        let points = (0..50).map(|i| (f64::from(i) / 7.0, f64::from(i).sin() * 1e-3));
        Series::new(name, Mark::Line, points)
    };
    let plot = Plot {
        title: "a".into(),
        labels: ("x", "y"),
        series: ["a series", "another", "one with a long name", "d"].map(curve).into(),
        ..Plot::default()
    };
    for svg in [
        maps(&[[[0.5; 49]; 50]; 2], &none),
        maps(&[[[[0.5; 10]; 1]; 2]; 4], &none),
        maps(&[[[[0.5; 10]; 10]; 4]; 2], &none),
        maps(&[[[0.5; 9]; 9]; 2], &titled),
        maps(&[[0.5; 32]; 60], &none),
        line_plots(std::slice::from_ref(&plot), 1).expect("is drawn"),
        line_plots(&[plot.clone(), plot.clone(), plot], 4).expect("is drawn"),
        strips(&[vec![strip(), strip()], vec![strip()]]).expect("is drawn"),
    ] {
        let svg = parse(&svg);
        assert!(number(svg.root_element(), "width") <= 480.0);
        let size = on_a_phone(&svg);
        assert!(size >= 12.0, "{size} px");
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

#[test]
fn a_strip_says_its_name_shape_and_scale_and_keeps_its_numbers() {
    let svg = strips(&[vec![strip()], vec![strip(), strip()]]).expect("is drawn");
    let svg = parse(&svg);
    let texts = texts(&svg);
    let count = |wanted: &str| texts.iter().filter(|text| **text == wanted).count();
    assert_eq!((count("scores, 4, ±2.0"), count("scores, 4")), (1, 2));
    assert_eq!((count("attend"), count("a"), count("&lt;pad>")), (3, 3, 0));
    assert_eq!(count("<pad>"), 3, "neighbours of one name have it once");
    let [first, ..] = panels(&svg)[..] else { panic!("three strips") };
    assert_eq!(first.attribute("data-values"), Some(".5 -1 0 NaN"));
    assert_eq!(first.attribute("data-keys"), Some("a|b|<pad>|<pad>"));
    assert_eq!(first.attribute("data-title"), Some("scores"));
}

#[test]
fn strips_that_are_not_whole_are_an_error() {
    let error = |strip: Strip| strips(&[vec![strip]]).unwrap_err().to_string();
    let none = Strip { rows: Vec::new(), ..strip() };
    assert_eq!(error(none), "scores: a strip without numbers");
    let uneven = Strip { rows: vec![vec![1.0; 4], vec![1.0; 3]], ..strip() };
    assert_eq!(error(uneven), "scores: rows of several lengths");
    let tokens = Strip { column_tokens: vec!["a".into()], ..strip() };
    assert_eq!(error(tokens), "scores: not a token for each");
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
    let distinct: std::collections::BTreeSet<_> = styles.iter().collect();
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
fn one_legend_serves_panels_with_the_same_series() {
    let plot = |name: &str| Plot {
        series: vec![of(Mark::Line, name), of(Mark::Dots, "")],
        ..Plot::default()
    };
    let count = |plots: &[Plot], name: &str| {
        let svg = line_plots(plots, 2).expect("is drawn");
        texts(&parse(&svg)).iter().filter(|&&text| text == name).count()
    };
    assert_eq!(count(&[plot("one"), plot("one"), plot("one")], "one"), 1);
    assert_eq!(count(&[plot("one"), plot("two")], "one"), 1);
    assert_eq!(count(&[plot("one"), plot("two")], "two"), 1);
}

#[test]
fn categories_and_powers_of_ten_name_an_axis() {
    let names = ["none", "head 0", "head 1", "head 2", "head 3"];
    let plot = Plot {
        categories: names.map(String::from).to_vec(),
        series: vec![of(Mark::Dots, "s")],
        ..Plot::default()
    };
    let svg = line_plots(&[plot], 1).expect("is drawn");
    let svg = parse(&svg);
    let found = texts(&svg);
    assert!(names.iter().all(|name| found.contains(name)), "{found:?}");
    let powers = (0..6).map(|i| (10f64.powi(i), 10f64.powi(-i)));
    let plot = Plot {
        log: (true, true),
        series: vec![Series::new("s", Mark::Line, powers)],
        ..Plot::default()
    };
    let svg = line_plots(&[plot], 1).expect("is drawn");
    let svg = parse(&svg);
    let found = texts(&svg);
    for power in ["1", "100", "10000", "0.001", "1e-5"] {
        assert!(found.contains(&power), "{power} in {found:?}");
    }
}

#[test]
fn nothing_to_draw_is_an_error() {
    let nan = Series::new("s", Mark::Line, [(0.0, f64::NAN)]);
    let plot = Plot { series: vec![nan], ..Plot::default() };
    for plots in [&[][..], &[Plot::default()], &[plot]] {
        let error = line_plots(plots, 1).expect_err("has no points");
        assert_eq!(error.to_string(), "a plot without points");
    }
}

#[test]
fn colours_and_fonts_are_those_of_the_page() {
    let plot = Plot {
        title: "title".into(),
        labels: ("x", "y"),
        series: vec![of(Mark::Line, "a"), of(Mark::LineDots, "b")],
        ..Plot::default()
    };
    let plot = line_plots(&[plot], 1).expect("is drawn");
    let strips = strips(&[vec![strip()]]).expect("is drawn");
    for svg in [plot, strips, maps(&eye(), &Labels::default())] {
        let svg = parse(&svg);
        for text in all(&svg, "text") {
            assert_eq!(text.attribute("fill"), Some("currentColor"));
            assert_eq!(text.attribute("font-family"), None);
            assert!(text.text().is_some(), "an empty text");
        }
        let strokes = svg.descendants().filter_map(|node| node.attribute("stroke"));
        for stroke in strokes {
            assert!(stroke.starts_with("var(--plot-"), "{stroke}");
        }
        assert!(all(&svg, "style").is_empty());
    }
}
