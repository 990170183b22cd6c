//! What the demo of the interlude prints: the page's claims about it.

use testing::{numbers_in, part, program, repository, row};

fn run(args: &[&str]) -> String {
    let folder = repository();
    program(env!("CARGO_BIN_EXE_seq2seq"), folder.path()).args(args).run().printed()
}

/// It learns its sentences by heart and fails on new ones, from each seed: most
/// of what it writes then is a training sentence.
#[test]
fn what_it_was_trained_with_is_right_and_what_is_new_is_not() {
    let out = run(&["by-heart", "--seed", "20", "--seeds", "2"]);
    for seed in ["20", "21"] {
        let line = out.lines().find(|line| line.starts_with(seed)).expect(seed);
        let [_, known, right, new, new_right, wrong, copied] = numbers_in(line)[..]
        else {
            panic!("{line}");
        };
        assert!(known > 0.9 && right > 0.9, "{line}");
        assert!(new < 0.4 && new_right < 0.05, "{line}");
        assert!(copied > 0.6 * wrong, "{line}");
    }
}

#[test]
fn the_parts_are_as_on_the_page() {
    let out = run(&[]);
    let losses = part(&out, "A short training");
    assert!(row(losses, "epoch 1 ")[0] > 4.0, "{losses}");
    assert!(row(losses, "epoch 200 ")[0] < 0.2, "{losses}");
    let step = part(&out, "One step of a unit");
    assert!(step.contains("step 1: 0.5000 -> 0.6714  z = 0.5000\n"), "{step}");
    // The state moves less and less, and the gate that is printed moves it.
    let steps = step.lines().filter(|line| line.starts_with("step"));
    let steps: Vec<_> = steps.map(numbers_in).collect();
    assert_eq!(steps.len(), 4, "{step}");
    for step in &steps {
        let &[_, before, after, z] = &step[..] else { panic!("{step:?}") };
        let r = 1.0 / (1.0 + f64::exp(-1.0));
        let candidate = (0.5 + r * (before + 0.5)).tanh();
        let right = (1.0 - z) * candidate + z * before;
        assert!((after - right).abs() < 2e-4, "{step:?}");
    }
    for pair in steps.windows(2) {
        assert!(pair[1][2] - pair[1][1] < pair[0][2] - pair[0][1], "{step}");
        assert!(pair[1][3] > pair[0][3], "{step}");
    }
    let loss = part(&out, "Masked cross-entropy");
    assert!(loss.contains("2.3026    1.1513    0.0000"), "{loss}");
    let sentences = run(&["sentences"]);
    let bleu = part(&sentences, "BLEU, by hand");
    for score in ["1.0000  la voiture rouge est neuve .", "0.0067  neuve"] {
        assert!(bleu.contains(score), "{bleu}");
    }
}

/// What the pages say of the recorded twelve seeds.
#[test]
fn from_twelve_seeds_most_wrong_translations_are_training_sentences() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/recorded/by_heart.txt");
    let record = std::fs::read_to_string(path).expect("is there");
    let rows: Vec<_> = record.lines().skip(6).map(numbers_in).collect();
    assert_eq!(rows.len(), 12);
    // Of 114 new sentences one model gets one right, the others none.
    assert_eq!(rows.iter().map(|row| 114.0 - row[5]).sum::<f64>(), 1.0);
    for row in rows {
        let &[_, _, right, _, new, wrong, copied] = &row[..] else { panic!("{row:?}") };
        assert!(right > 0.85 && new < 0.02 && copied > wrong * 2.0 / 3.0, "{row:?}");
    }
}
