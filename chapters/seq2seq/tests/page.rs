//! What the page says of the short training, held by running it: another
//! processor may round differently, so these are bounds.

use std::process::Command;

/// What the program prints, whose figures go to a folder of their own.
fn printed() -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_seq2seq"));
    let output = command.arg("--out").arg(folder.path()).output();
    let output = output.expect("starts");
    assert!(output.status.success());
    let told = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(told.lines().all(|line| line.starts_with("... ")), "{told}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The number at the end of the line that begins with `start`.
fn number(text: &str, start: &str) -> f64 {
    let line = text.lines().find(|line| line.starts_with(start));
    let last = line.and_then(|line| line.split_whitespace().last());
    last.and_then(|last| last.parse().ok()).expect(start)
}

#[test]
fn it_learns_its_sentences_by_heart_and_cannot_put_new_ones_together() {
    let made = printed();
    for text in [made.as_str(), include_str!("../output.txt")] {
        let first = number(text, "epoch 1 ");
        assert!((first - 70f64.ln()).abs() < 0.1, "{first}");
        assert!(number(text, "epoch 200 ") < 0.1);
        let taught = number(text, "mean of 64: ");
        assert!((0.6..0.8).contains(&taught), "{taught}");
        assert!(number(text, "mean of 37: ") < 0.4);
    }
}

#[test]
fn the_numbers_on_the_page_are_those_of_the_output() {
    let text = include_str!("../output.txt");
    let page = include_str!("../../../book/en/seq2seq.md");
    for (start, said) in [
        ("epoch 200 ", "At the end, the loss is {}"),
        ("mean of 64: ", "ours\nhas {}"),
        ("mean of 37: ", "The mean is {}"),
        ("step 1: ", "0.5 = {}$"),
        ("0.5789  ", "0.7071 = 0.5789$"),
        ("0.3679  ", "= 0.3679$"),
        ("0.0067  ", "= 0.0067$"),
    ] {
        let line = text.lines().find(|line| line.starts_with(start));
        let last = line.and_then(|line| line.split_whitespace().last());
        let said = said.replace("{}", last.expect(start));
        assert!(page.contains(&said), "{said}");
    }
}
