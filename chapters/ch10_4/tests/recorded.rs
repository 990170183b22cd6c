//! What a page may say of the long run with attention and without: it is
//! recorded, since it takes minutes, and other processors round differently.

use std::path::Path;

const RECORDED: &str = include_str!("../recorded/compare.txt");

/// The BLEU of each seed in the rows that begin with `name`.
fn scores(name: &str) -> Vec<f64> {
    let rows = RECORDED.lines().filter_map(|line| {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            [first, seed, loss, bleu] if first == name => {
                let _: (u64, f64) = (seed.parse().ok()?, loss.parse().ok()?);
                bleu.parse().ok()
            }
            _ => None,
        }
    });
    rows.collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The number behind `words` in a line of its own.
fn printed(words: &str) -> f64 {
    let mut rest = RECORDED.lines().filter_map(|line| line.strip_prefix(words));
    let number = rest.next().expect(words).split(',').next();
    number.and_then(|text| text.trim().parse().ok()).expect(words)
}

#[test]
fn it_is_the_run_that_the_page_names() {
    let command = RECORDED.lines().next();
    assert_eq!(command, Some("$ cargo run -p ch10_4 -- compare"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let root = root.expect("is in the repository");
    let figures = RECORDED.lines().filter_map(|l| l.strip_prefix("figure: "));
    let figures: Vec<&str> = figures.collect();
    assert_eq!(figures.len(), 2);
    assert!(figures.iter().all(|figure| root.join(figure).exists()));
}

#[test]
fn means_and_deviations_are_those_of_the_rows() {
    for name in ["with", "without"] {
        let scores = scores(name);
        assert_eq!(scores.len(), 3, "{name}");
        let middle = mean(&scores);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 2e-4, "{a} {b}");
        close(printed(&format!("{name}: mean ")), middle);
        let squares = scores.iter().map(|x| (x - middle) * (x - middle));
        let deviation = (squares.sum::<f64>() / 2.0).sqrt();
        let line = format!("{name}: mean {middle:.4}, standard deviation ");
        close(printed(&line), deviation);
    }
}

#[test]
fn with_attention_it_is_above_0_90_and_far_above_without() {
    let (with, without) = (scores("with"), scores("without"));
    assert!(mean(&with) >= 0.90, "{with:?}");
    assert!(mean(&with) - mean(&without) >= 0.2, "{without:?}");
    let worst = with.iter().copied().fold(1.0, f64::min);
    assert!(without.iter().all(|&other| other < worst), "{without:?}");
    let margin = printed("difference of the means ");
    assert!((margin - (mean(&with) - mean(&without))).abs() < 2e-4);
}
