//! What the pages of section 10.7 and on speed say of recorded runs, read
//! from the records.

use ch10_1::Dev;
use ch10_7::{DecoderBlock, EncoderBlock, NormAt};
use dfdx::prelude::*;
use seq2seq::parameters::Parameters;
use std::path::Path;

/// A file of this chapter.
fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(path).expect(file)
}

/// The numbers of the first line that begins with `start`, after it.
fn numbers(text: &str, start: &str) -> Vec<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(start));
    let words = line.expect(start).split_whitespace();
    words.filter_map(|word| word.parse().ok()).collect()
}

/// The part under a heading.
fn part(text: &str, heading: &str) -> String {
    let lines = text.lines().skip_while(|line| *line != heading).skip(2);
    let lines = lines.take_while(|line| !line.starts_with("---"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_translator_is_as_told() {
    let output = read("output.txt");
    assert_eq!(numbers(&output, "parameters"), [222_232.0]);
    let words = 64 * (187 + 344 + 344) + 344;
    assert_eq!((words, 222_232 - words), (56_344, 165_888));
    let dev = Dev::default();
    let mut read: EncoderBlock<64, 4, 16, 128> =
        EncoderBlock::new(&dev, 0.0, NormAt::Post);
    let mut written: DecoderBlock<64, 4, 16, 128> =
        DecoderBlock::new(&dev, 0.0, NormAt::Post);
    assert_eq!(2 * (read.count() + written.count()), 165_888);
    let asked = part(&output, "Sentences never seen");
    assert_eq!(numbers(&asked, "sentences"), [287.0]);
    assert!(numbers(&asked, "BLEU, k = 2")[0] >= 0.95, "{asked}");
    assert!(numbers(&asked, "right as a whole")[0] >= 0.9, "{asked}");
}

/// The claims of the page about four ways to train.
#[test]
fn the_comparison_is_as_told() {
    let text = read("recorded/compare.txt");
    let of = |name: &str| -> Vec<Vec<f64>> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(name));
        let row = |line: &str| {
            line.split_whitespace().filter_map(|x| x.parse().ok()).collect()
        };
        lines.map(row).collect()
    };
    let mean = |name: &str| {
        let rows = of(name);
        assert_eq!(rows.len(), 2, "{name}");
        rows.iter().map(|row| row[1]).sum::<f64>() / 2.0
    };
    for norm in ["after", "before"] {
        let warm = mean(&format!("{norm}, warm-up"));
        let cold = mean(&format!("{norm}, none"));
        assert!(warm < cold, "{norm}: {warm} {cold}");
    }
    assert!(mean("before, none") < mean("after, warm-up"));
    let all = ["after", "before"].map(of).concat();
    assert_eq!(all.len(), 8);
    for row in all {
        let [_, loss, score] = row[..] else { panic!("{row:?}") };
        assert!((0.01..0.021).contains(&loss), "{loss}");
        assert!((0.986..0.994).contains(&score), "{score}");
    }
}

#[test]
fn the_setting_of_d2l_is_as_told() {
    let text = read("recorded/d2l.txt");
    assert_eq!(numbers(&text, "parameters"), [60_937.0]);
    for seed in ["0 ", "1 ", "2 "] {
        let row = numbers(&text, seed);
        assert!((0.0270..0.0290).contains(&row[1]), "{row:?}");
        assert!(row[2] < 0.2 && (0.57..0.6).contains(&row[3]), "{row:?}");
    }
    assert_eq!(text.matches("1.000  il est calme .").count(), 1);
}

/// Longer texts gain more, and both ways rise.
#[test]
fn keeping_pairs_gains_as_told() {
    let text = read("recorded/time.txt");
    let rows: Vec<Vec<f64>> = ["5", "10", "20", "40", "80", "160"]
        .iter()
        .map(|len| numbers(&text, &format!("{len:>6} ")))
        .collect();
    for pair in rows.windows(2) {
        assert!(pair[0].iter().zip(&pair[1]).all(|(a, b)| a < b), "{pair:?}");
    }
    assert!(rows[5][2] > 10.0);
}

#[test]
fn the_page_on_speed_is_as_told() {
    let text = read("recorded/speed.txt");
    let attention = numbers(&text, "GRU with attention");
    let one = numbers(&text, "Transformer, 1 layer");
    let two = numbers(&text, "Transformer, 2 layers");
    assert!(one[1] < attention[1] && two[1] > 1.5 * attention[1]);
    let all = numbers(&text, "all, so often");
    assert!((0.9..1.1).contains(&(two[1] / all[1])), "{all:?}");
    assert!((1.9..2.2).contains(&all[2]), "{all:?}");
    let share = |name| {
        let row = numbers(&text, name);
        row[0] * row[2]
    };
    assert!((5.6..5.8).contains(&share("linear layer")));
    assert!((3.6..3.8).contains(&share("feed-forward network")));
    assert!((2.2..2.35).contains(&share("dot products of heads")));
    assert_eq!(numbers(&text, "shape in the type, bytes"), [0.0]);
    assert_eq!(numbers(&text, "shape in numbers, bytes"), [24.0]);
}

/// What the types cost when the program runs.
#[test]
fn sizes_in_types_take_no_memory() {
    assert_eq!(size_of::<Rank3<64, 10, 32>>(), 0);
    assert_eq!(size_of::<Const<64>>(), 0);
    assert_eq!(size_of::<(usize, usize, usize)>(), 24);
    type Fixed = Tensor<Rank3<64, 10, 32>, f32, Dev>;
    type Free = Tensor<(usize, usize, usize), f32, Dev>;
    assert_eq!(size_of::<Fixed>() + 24, size_of::<Free>());
}

#[test]
fn exercises_are_as_told() {
    let text = read("examples/exercise_10_7_1.txt");
    let [one, two] = ["     1 ", "     2 "].map(|row| numbers(&text, row));
    assert!(one[0] > 0.98 && one[1] < 0.8 && two[1] > 0.95);
    let text = read("examples/exercise_10_7_2.txt");
    let [dot, sum] = ["dot product", "additive"].map(|row| numbers(&text, row));
    assert!(sum[3] < dot[3] && sum[4] < dot[4], "the sum is slower to learn");
    assert!(dot[5] > 0.99 && sum[5] > 0.99);
    let text = read("examples/exercise_10_7_7.txt");
    let rows: Vec<_> = ["1", "2", "4", "8"]
        .iter()
        .map(|width| numbers(&text, &format!("{width:>5} ")))
        .collect();
    for pair in rows.windows(2) {
        assert!(pair[0][0] < pair[1][0] && pair[0][2] < pair[1][2]);
    }
    assert!(rows[3][1] <= rows[0][1] && rows[3][2] == 61.0);
    let text = read("examples/exercise_10_7_6.txt");
    assert!(numbers(&text, "   600 ")[0] > 0.95);
    let text = read("examples/exercise_10_7_3.txt");
    assert!(numbers(&text, "causal")[0] < 0.2);
    assert!(numbers(&text, "none")[0] < 0.1);
    let text = read("examples/exercise_10_7_5.txt");
    let near = numbers(&text, "near, near");
    let far = numbers(&text, "near, far");
    assert!(near[1] < 0.3 && far[1] > 0.99 && far[0] == 128.0);
}
