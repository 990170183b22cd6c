//! What the page on pieces of words says of the two translators: in short from
//! another seed, and of the record.

use testing::{numbers_in, part, program, repository};

/// The numbers of a model's rows below a heading, the seed first.
fn rows(text: &str, heading: &str, model: &str) -> Vec<Vec<f64>> {
    let table = part(text, heading).split("\n\n").next().expect("has rows");
    let lines = table.lines().filter(|line| line.starts_with(model));
    lines.map(numbers_in).collect()
}

const HELD_OUT: &str = "Held-out sentences";
const PLURALS: &str = "Plurals that the training never had";

/// After ten epochs. At a tenth of the rate, or ten times the rate, neither model
/// translates.
#[test]
fn new_plurals_are_read_and_their_singulars_written() {
    let folder = repository();
    let args = ["pieces", "--seed", "20", "--epochs", "10", "--seeds", "1"];
    let run = program(env!("CARGO_BIN_EXE_ch10_7"), folder.path()).args(args).run();
    let out = run.printed();
    let [words, pieces] =
        ["words", "pieces"].map(|model| rows(&out, HELD_OUT, model)[0][1]);
    assert!(words > 0.85 && pieces > 0.75 && words > pieces, "{out}");
    let found = &rows(&out, PLURALS, "pieces")[0];
    let &[_, right, plural, singular, all_but_s] = &found[..] else { panic!("{out}") };
    assert!(singular > 0.15 && plural < 0.5 * singular, "{out}");
    assert!(all_but_s > right, "{out}");
    assert_eq!(rows(&out, PLURALS, "words")[0][1..3], [0.0, 0.0]);
}

#[test]
fn five_seeds_agree() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/recorded/pieces.txt");
    let record = std::fs::read_to_string(path).expect("is there");
    let [words, pieces] =
        ["words", "pieces"].map(|model| rows(&record, HELD_OUT, model));
    assert_eq!((words.len(), pieces.len()), (5, 5));
    for column in [1, 2, 3] {
        let best = pieces.iter().map(|row| row[column]).fold(0.0, f64::max);
        assert!(words.iter().all(|row| row[column] > best), "{column}");
    }
    assert!(pieces.iter().all(|row| row[1] > 0.97 && row[3] > 0.91));
    for row in rows(&record, PLURALS, "words") {
        assert!(row[1] == 0.0 && row[2] == 0.0, "{row:?}");
    }
    for row in rows(&record, PLURALS, "pieces") {
        let &[_, right, plural, singular, all_but_s] = &row[..] else {
            panic!("{row:?}")
        };
        assert!(right < 0.15 && plural < 0.18 && singular > 0.45, "{row:?}");
        assert!((0.26..0.45).contains(&all_but_s), "{row:?}");
    }
}
