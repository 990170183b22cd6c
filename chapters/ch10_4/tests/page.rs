//! The numbers that the page of section 10.4 names in its prose, and the
//! bounds that it claims for trained models, read from what was recorded.

use ch10_1::Dev;
use ch10_4::Attention;
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
    lines
        .take_while(|line| !line.starts_with("---"))
        .map(String::from)
        .collect()
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
    assert_eq!(lines[..2], [command, "la voiture rouge est neuve ."]);
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
    assert_eq!(lines[1], "not in the vocabulary, read as <unk>: zebra");
    assert!(lines[2].contains("voiture rouge est neuf"));
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
    assert!(mean(&column(2)) < 0.021);
    assert!(mean(&column(3)) < 0.178);
    assert!(mean(&column(4)) > 0.57);
    let taught = |line: &&str| line.contains("(taught)");
    assert_eq!(output.lines().filter(taught).count(), 3);
}
