//! `show_heatmaps`: what is drawn, counted in the SVG.

use ch10_1::*;
use dfdx::prelude::*;

/// The cells of a drawing: left, top, width, height and colour.
fn cells(svg: &str) -> Vec<([i32; 4], String)> {
    let mut cells = Vec::new();
    for path in svg.lines().filter(|line| line.starts_with("<path fill=")) {
        let colour = path.split('"').nth(1).unwrap();
        let outline = path.split(" d=\"").nth(1).unwrap();
        for cell in outline.split('M').skip(1) {
            let numbers = cell.split([' ', 'h', 'v']).take(4);
            let numbers: Vec<i32> = numbers.map(|n| n.parse().unwrap()).collect();
            cells.push((numbers.try_into().unwrap(), colour.to_string()));
        }
    }
    cells
}

/// Cells of the panels alone: those of the colour bar stand right of them.
fn panel_cells(svg: &str) -> Vec<([i32; 4], String)> {
    let all = cells(svg);
    let bar = all.iter().map(|(at, _)| at[0]).max().unwrap();
    all.into_iter().filter(|(at, _)| at[0] < bar).collect()
}

fn texts(svg: &str) -> Vec<&str> {
    let inside = |line: &str| line.starts_with("<text ");
    let lines = svg.lines().filter(|line| inside(line));
    lines.map(|l| l.split(['>', '<']).nth(2).unwrap()).collect()
}

fn frames(svg: &str) -> usize {
    svg.lines().filter(|line| line.starts_with("<rect ")).count()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

#[test]
fn identity_has_two_colours_and_numbered_axes() {
    let mut eye = [[0.0; 10]; 10];
    (0..10).for_each(|i| eye[i][i] = 1.0);
    let panels = Dev::default().tensor([[eye]]);
    let svg = show_heatmaps(&panels, &Labels::default()).unwrap();
    let cells = panel_cells(&svg);
    assert_eq!((cells.len(), frames(&svg)), (100, 1));
    let of = |c: &str| cells.iter().filter(|(_, colour)| colour == c).count();
    assert_eq!((of("#FDE725"), of("#440154")), (10, 90));
    let texts = texts(&svg);
    for wanted in ["Keys", "Queries", "0", "9", "0.0", "1.0"] {
        assert!(texts.contains(&wanted), "{wanted} in {texts:?}");
    }
}

#[test]
fn eight_panels_share_one_bar_and_their_axes() {
    let titles: Vec<String> = (1..9).map(|i| format!("Head {i}")).collect();
    let labels = Labels {
        titles: titles.clone(),
        ..Labels::tokens(&["<bos>", "n'est"], &["go", "&", "<eos>"])
    };
    let dev = Dev::seed_from_u64(1);
    let panels: Tensor<Rank4<2, 4, 2, 3>, f32, Dev> = dev.sample_uniform();
    let svg = show_heatmaps(&panels, &labels).unwrap();
    assert_eq!(frames(&svg), 8);
    assert_eq!(panel_cells(&svg).len(), 8 * 6);
    assert_eq!(cells(&svg).len(), 8 * 6 + 64);
    let texts = texts(&svg);
    let count = |t: &str| texts.iter().filter(|text| **text == t).count();
    for title in &titles {
        assert_eq!(count(title), 1);
    }
    assert_eq!((count("Keys"), count("Queries")), (1, 1));
    // Below each column, and left of each row.
    assert_eq!((count("&lt;eos&gt;"), count("&amp;")), (4, 4));
    assert_eq!((count("&lt;bos&gt;"), count("n&apos;est")), (2, 2));
}

#[test]
fn panels_hold_each_number_at_its_place() {
    let panels = Dev::default().tensor([[[[0.0, 0.5], [1.0, 0.25]]]]);
    let svg = show_heatmaps(&panels, &Labels::default()).unwrap();
    let mut cells = panel_cells(&svg);
    cells.sort_by_key(|(at, _)| (at[1], at[0]));
    let colours: Vec<_> = cells.iter().map(|(_, c)| c.as_str()).collect();
    assert_eq!(colours[0], "#440154");
    assert_eq!(colours[2], "#FDE725");
    let green = |c: &str| u8::from_str_radix(&c[3..5], 16).unwrap();
    let greens: Vec<u8> = colours.iter().map(|c| green(c)).collect();
    assert!(greens[0] < greens[3] && greens[3] < greens[1]);
    assert!(greens[1] < greens[2]);
}

#[test]
fn numbers_that_are_not_finite_leave_a_hole() {
    let holes = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0];
    let panels = Dev::default().tensor([[[holes, [0.5, 0.25, 0.0, 1.0]]]]);
    let svg = show_heatmaps(&panels, &Labels::default()).unwrap();
    assert_eq!(panel_cells(&svg).len(), 5);
    let panels: Tensor<Rank4<1, 1, 2, 2>, f32, Dev> = Dev::default().ones() * f32::NAN;
    let svg = show_heatmaps(&panels, &Labels::default()).unwrap();
    assert_eq!(cells(&svg).len(), 64);
}

#[test]
fn constant_matrices_have_a_scale() {
    for (constant, ends) in
        [(0.1, ["0.00", "0.10"]), (0.0, ["0.0", "1.0"]), (-3.0, ["-3", "-2"])]
    {
        let panels: Tensor<Rank4<1, 2, 5, 5>, f32, Dev> =
            Dev::default().ones() * constant;
        let svg = show_heatmaps(&panels, &Labels::default()).unwrap();
        let texts = texts(&svg);
        for end in ends {
            let found = texts.iter().any(|t| t.starts_with(end));
            assert!(found, "{end} in {texts:?}");
        }
    }
}

#[test]
fn negative_numbers_widen_the_scale() {
    let panels = Dev::default().tensor([[[[-1.0, 0.0, 1.0]]]]);
    let svg = show_heatmaps(&panels, &Labels::default()).unwrap();
    assert!(texts(&svg).contains(&"-1"), "{:?}", texts(&svg));
}

#[test]
fn labels_that_do_not_fit_are_an_error() {
    let panels: Tensor<Rank4<1, 2, 3, 4>, f32, Dev> = Dev::default().zeros();
    let error =
        |labels: Labels| show_heatmaps(&panels, &labels).unwrap_err().to_string();
    let titles = words(&["one"]);
    let titles = Labels { titles, ..Labels::default() };
    assert_eq!(error(titles), "1 titles where 2 are needed");
    let keys = Labels::tokens(&["a", "b", "c"], &["a", "b", "c"]);
    assert_eq!(error(keys), "3 key tokens where 4 are needed");
    let queries = Labels::tokens(&["a"], &["a", "b", "c", "d"]);
    assert_eq!(error(queries), "1 query tokens where 3 are needed");
}

#[test]
fn no_cells_are_an_error() {
    let panels: Tensor<Rank4<1, 1, 0, 3>, f32, Dev> = Dev::default().zeros();
    let error = show_heatmaps(&panels, &Labels::default()).unwrap_err();
    assert_eq!(error.to_string(), "a heat map without cells");
}

#[test]
fn sizes_stay_within_a_page_and_text_is_readable() {
    let dev = Dev::seed_from_u64(2);
    let large: Tensor<Rank4<1, 2, 50, 49>, f32, Dev> = dev.sample_uniform();
    let thin: Tensor<Rank4<4, 2, 1, 10>, f32, Dev> = dev.sample_uniform();
    let heads: Tensor<Rank4<2, 4, 10, 10>, f32, Dev> = dev.sample_uniform();
    let none = Labels::default();
    for svg in [
        show_heatmaps(&large, &none).unwrap(),
        show_heatmaps(&thin, &none).unwrap(),
        show_heatmaps(&heads, &none).unwrap(),
    ] {
        let width = svg.split("width=\"").nth(1).unwrap();
        let width: u32 = width.split('"').next().unwrap().parse().unwrap();
        assert!(width <= 680, "{width} pixels");
        for size in svg.split("font-size=\"").skip(1) {
            let size = size.split('"').next().unwrap();
            assert!(size.parse::<f64>().unwrap() >= 4.0 * 11.0);
        }
    }
}
