//! Exercise 3 of the interlude: what BLEU sees, and what it does not.

use seq2seq::bleu::bleu;
use seq2seq::text::tokens;
use support::row;

fn main() {
    let label = tokens("Elle ne voit pas le chat noir.");
    println!("{}\n", label.join(" "));
    let cases = [
        "Elle ne voit pas le chat noir.",
        "Elle voit le chat noir.",
        "Elle n'aperçoit pas le chat noir.",
        "noir chat le pas voit ne Elle.",
    ];
    row("", 36, &["k = 1", "k = 2", "k = 3", "k = 4"]);
    let mut scores = Vec::new();
    for text in cases {
        let ours = tokens(text);
        let score = [1, 2, 3, 4].map(|k| bleu(&ours, &label, k));
        row(text, 36, &score.map(|x| format!("{x:.4}")));
        scores.push(score);
    }
    assert_eq!(scores[0], [1.0; 4]);
    // Every word is there: only pairs of neighbours tell.
    assert_eq!(scores[3][0], 1.0);
    assert!(scores[3][1] < 0.1);
    // The opposite of the label scores nearly as well as the same in other
    // words.
    assert!((scores[1][1] - scores[2][1]).abs() < 0.15);
}
