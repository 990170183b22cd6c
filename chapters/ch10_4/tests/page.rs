//! The numbers that the page of section 10.4 names in its prose, and the
//! bounds that it claims for trained models, read from what was recorded.

use ch10_1::Dev;
use ch10_4::Attention;
use seq2seq::bleu::bleu;
use seq2seq::course::{BATCH, BOOK, Course, D2L, STEPS, Settings};
use seq2seq::parameters::Parameters;
use seq2seq::text::tokens;
use seq2seq::vocab::UNK;
use std::path::Path;

/// A file of this chapter.
fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    std::fs::read_to_string(path).expect(file)
}

/// The lines of a part of an output, without its heading.
fn part(output: &str, heading: &str) -> Vec<String> {
    let lines = output.lines().skip_while(|line| *line != heading).skip(2);
    lines.take_while(|line| !line.starts_with("---")).map(String::from).collect()
}

/// The number at the end of the line that begins with `start`.
fn number(lines: &[String], start: &str) -> f64 {
    let line = lines.iter().find(|line| line.starts_with(start));
    let last = line.expect(start).split_whitespace().next_back();
    last.and_then(|text| text.parse().ok()).expect(start)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

// --- Settings ---------------------------------------------------------------

#[test]
fn the_settings_are_those_told() {
    assert_eq!((BATCH, STEPS), (64, 10));
    assert_eq!((BOOK.layers, BOOK.dropouts.words), (1, 0.15));
    assert_eq!(BOOK.schedule.epochs, 40);
    let Settings { layers, dropouts, schedule } = D2L;
    assert_eq!((layers, dropouts.layers, dropouts.words), (2, 0.1, 0.0));
    let told = (schedule.epochs, schedule.rate, schedule.left);
    assert_eq!(told, (250, 0.005, 1.0));
    assert_eq!(ch10_4::DROPOUT, 0.1);
    let mut attention: Attention<64> = Attention::new(&Dev::default(), 0.0);
    assert_eq!(attention.count(), 8_256);
}

#[test]
fn the_corpus_is_as_told() {
    let course = Course::book().expect("is there");
    let (training, asked) = (course.training.len(), course.asked.len());
    assert_eq!((training, asked), (2684, 287));
    assert_eq!(course.words(), (183 + 4, 340 + 4));
    let pairs = || course.training.iter().chain(&course.asked);
    assert!(pairs().all(|pair| pair.source.len() < STEPS));
    let vocab = &course.languages.source;
    let unknown = |word: &String| vocab.number(word) == UNK;
    assert!(!pairs().any(|pair| pair.source.iter().any(unknown)));
    let shown = tokens("The red car is new.");
    assert!(course.asked.iter().any(|pair| pair.source == shown));
}

// --- The default run --------------------------------------------------------

#[test]
fn the_recorded_run_is_as_good_as_told() {
    let output = read("output.txt");
    let training = part(&output, "Training");
    assert_eq!(number(&training, "parameters"), 126_808.0);
    assert!(number(&training, "40 ") < 0.1);
    assert!(number(&training, "5 ") < 1.2);
    let asked = part(&output, "Sentences never seen");
    assert_eq!(number(&asked, "sentences"), 287.0);
    assert!(number(&asked, "BLEU") >= 0.90);
    assert!(number(&asked, "right as a whole") >= 0.70);
}

/// Which token read the largest weight of a token written lies on, in the
/// alignment of that number.
fn looks(output: &str, alignment: usize, word: &str) -> String {
    let lines = part(output, "Alignments");
    let mut all = lines.split(|line| line.starts_with("figure: "));
    let lines = all.nth(alignment).expect("is there").iter();
    let cells = |line: &String| -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    };
    let mut cells = lines.map(cells).filter(|cells| cells[0] == word);
    cells.next().expect(word)[3].clone()
}

#[test]
fn the_alignments_are_as_told() {
    let output = read("output.txt");
    for (alignment, word, read) in [
        (0, "voiture", "car"),
        (0, "rouge", "red"),
        (0, "neuve", "new"),
        (0, "<eos>", "<eos>"),
        (1, "ne", "see"),
        (1, "voit", "see"),
        (1, "chat", "cat"),
        (1, "noir", "black"),
        (1, "<eos>", "<eos>"),
        (2, "me", "me"),
        (2, "regarde", "me"),
        (2, "<eos>", "<eos>"),
    ] {
        assert_eq!(looks(&output, alignment, word), read, "{word}");
    }
}

// --- Translations -----------------------------------------------------------

/// The rows of weights below a translation: token and per cents.
fn rows(file: &str) -> Vec<(String, Vec<f64>)> {
    let text = read(file);
    let table = text.lines().skip_while(|line| !line.ends_with("in %"));
    let row = |line: &str| {
        let mut cells = line.split_whitespace();
        let token = cells.next().unwrap_or_default().to_string();
        (token, cells.filter_map(|cell| cell.parse().ok()).collect())
    };
    table.skip(1).map(row).collect()
}

fn largest(rows: &[(String, Vec<f64>)], token: &str) -> usize {
    let row = rows.iter().find(|(name, _)| name == token).expect(token);
    let cells = row.1.iter().enumerate();
    cells.max_by(|a, b| a.1.total_cmp(b.1)).expect("has weights").0
}

#[test]
fn the_translation_shown_is_right_and_aligned() {
    let text = read("recorded/translate.txt");
    let lines: Vec<&str> = text.lines().collect();
    let command = "$ cargo run -p ch10_4 -- translate \"The red car is new.\"";
    assert_eq!(lines[0], command);
    assert_eq!(lines[2], "la voiture rouge est neuve .");
    let rows = rows("recorded/translate.txt");
    assert_eq!(rows.len(), 6);
    for (token, cells) in &rows {
        assert_eq!(cells.len(), 7, "{token}");
        let sum: f64 = cells.iter().sum();
        assert!((sum - 100.0).abs() <= 4.0, "{token}: {sum}, rounded");
    }
    assert_eq!(largest(&rows, "voiture"), 2);
    assert_eq!(largest(&rows, "rouge"), 1);
}

#[test]
fn the_unknown_word_is_said() {
    let text = read("recorded/unknown.txt");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("translate \"The red zebra is new.\""));
    assert_eq!(lines[2], "not in the vocabulary, read as <unk>: zebra");
    assert_eq!(lines[3], "la voiture rouge est neuf .");
}

// --- The setting of d2l -----------------------------------------------------

#[test]
fn the_setting_of_d2l_reaches_what_is_told() {
    let output = read("recorded/d2l.txt");
    let head = part(&output, "The setting of d2l");
    assert_eq!(number(&head, "pairs"), 601.0);
    assert_eq!(number(&head, "parameters"), 49_449.0);
    assert!(head.contains(&"words      (184, 201)".to_string()));
    let table = part(&output, "Loss a token, and BLEU of all sentences");
    let rows: Vec<Vec<f64>> = table
        .iter()
        .filter_map(|line| {
            let cells = line.split_whitespace().map(|cell| cell.parse());
            cells.collect::<Result<_, _>>().ok()
        })
        .filter(|row: &Vec<f64>| row.len() == 5)
        .collect();
    assert_eq!(rows.len(), 3);
    let column = |n: usize| rows.iter().map(|row| row[n]).collect::<Vec<_>>();
    for row in &rows {
        assert!((row[1] / 10.0 - row[2]).abs() < 1e-4);
        // The least that any model can have on these pairs is .1607.
        assert!(row[3] > 0.1607 && row[3] < row[1]);
    }
    assert!(column(2).iter().all(|&x| (0.0185..0.021).contains(&x)));
    assert!(mean(&column(3)) < 0.178);
    assert!(mean(&column(4)) > 0.57);
    for wrong in ["paresseux", "malade", "mouillé"] {
        assert!(output.contains(&format!("0.658  il est {wrong} .")));
    }
    assert_eq!(output.matches("  1.000  ").count(), 9);
    assert_eq!(number(&head, "least loss"), 0.1607);
    let taught = |line: &&str| line.contains("(taught)");
    assert_eq!(output.lines().filter(taught).count(), 3);
}

/// Three of four tokens and one of three pairs.
#[test]
fn one_wrong_word_of_four_costs_as_told() {
    let right = tokens("il est calme .");
    for wrong in ["il est malade .", "il est paresseux ."] {
        let score = bleu(&tokens(wrong), &right, 2);
        let by_hand = 0.75f64.sqrt() * (1.0f64 / 3.0).powf(0.25);
        assert!((score - by_hand).abs() < 1e-9);
        assert_eq!(format!("{score:.3}"), "0.658");
    }
}

// --- Exercises --------------------------------------------------------------

/// The numbers of the row that begins with `name`.
fn row(text: &str, name: &str) -> Vec<f64> {
    let rows = text.lines().filter(|line| line.starts_with(name));
    let numbers = |line: &str| -> Vec<f64> {
        let cells = line.split_whitespace().skip(1);
        cells.filter_map(|cell| cell.parse().ok()).collect()
    };
    rows.flat_map(numbers).collect()
}

#[test]
fn both_units_learn() {
    let text = read("examples/exercise_10_4_1.txt");
    let (gru, lstm) = (row(&text, "GRU "), row(&text, "LSTM "));
    assert_eq!((gru[0], lstm[0]), (24_710.0, 29_702.0));
    assert!((7.0..10.0).contains(&(lstm[3] / gru[3])), "{lstm:?} {gru:?}");
    assert!(gru[4] < 0.1 && lstm[4] < 0.1);
}

#[test]
fn the_dot_product_needs_less_and_loses_a_little() {
    let text = read("examples/exercise_10_4_2.txt");
    let (additive, dot) = (row(&text, "additive "), row(&text, "dot "));
    assert_eq!(additive[..3], [1664.0, 320.0, 10_240.0]);
    assert_eq!(dot[..3], [672.0, 0.0, 0.0]);
    assert!(additive[4] < dot[4] && dot[4] < 2.0 * additive[4]);
}

#[test]
fn rows_backwards_are_as_told() {
    let text = read("examples/exercise_10_4_3.txt");
    let (with, without) = (row(&text, "with "), row(&text, "without "));
    assert!(with[..4].iter().all(|&right| right >= 80.0));
    assert_eq!(without, [99.0, 63.0, 12.0, 3.0]);
    assert_eq!(with[4..], [0.0, 70.0, 29.0, 0.0]);
}
