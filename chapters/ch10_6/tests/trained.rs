//! What the page of section 10.6 says of the models over pixels and of the
//! readers, held against the recorded output. Another processor ends a
//! training elsewhere; within these bounds the page is right there, too.

fn part(heading: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/output.txt");
    let text = std::fs::read_to_string(path).expect("is recorded");
    let start = format!("\n{heading}\n---");
    let (_, part) = text.split_once(&start).expect("the heading is there");
    part.split("\n\n").next().expect("has a first piece").to_string()
}

/// The last `count` numbers of the line that begins with `label`.
fn numbers(part: &str, label: &str, count: usize) -> Vec<f64> {
    let line = part.lines().find(|l| l.trim_start().starts_with(label));
    let line = line.unwrap_or_else(|| panic!("no `{label}`"));
    let words = line.split_whitespace();
    let found: Vec<f64> = words.filter_map(|w| w.parse().ok()).collect();
    found[found.len() - count..].to_vec()
}

#[test]
fn attention_finds_the_other_shape() {
    let part = part("What is the other shape?");
    for model in ["0", "1", "2"] {
        let found = numbers(&part, model, 3);
        assert!((0.15..0.35).contains(&found[0]), "guesses: {found:?}");
        assert!(found[1] > 0.95 && found[2].abs() > 1.0, "{found:?}");
    }
}

#[test]
fn a_shape_looks_at_the_other_one() {
    let part = part("Where a shape looks");
    let [other, own, paper] = numbers(&part, "of two kinds", 3)[..] else {
        panic!("three numbers");
    };
    assert!(other > 0.6 && own < 0.3 && paper < 0.15);
    let alike = numbers(&part, "of one kind", 3);
    assert!((alike[0] - alike[1]).abs() < 0.1 && alike[2] < 0.2);
}

#[test]
fn half_of_the_answers_can_be_had_by_place() {
    let part = part("Sentences of our own");
    let share = |label: &str| {
        let line = part.lines().find(|line| line.starts_with(label));
        let words = line.expect("is there").split_whitespace();
        words.filter_map(|w| w.parse::<f64>().ok()).next().expect("a share")
    };
    for label in ["always the nearer", "always the first"] {
        assert!((0.4..0.6).contains(&share(label)), "{label}");
    }
}

#[test]
fn readers_need_positions_where_the_roles_decide() {
    let part = part("What \"it\" means");
    for reader in ["0", "1", "2", "mean"] {
        let found = numbers(&part, reader, 6);
        assert!(found[0] >= 0.95 && found[2] > 0.85, "{found:?}");
        assert!(found[1] > 0.95 && found[4] > 0.9, "{found:?}");
        assert!((0.35..0.65).contains(&found[5]), "a guess: {found:?}");
    }
}

#[test]
fn the_two_sentences_mean_two_things() {
    let part = part("Where \"it\" looks");
    assert!(part.contains("too tired: it is the animal"));
    assert!(part.contains("too wide: it is the street"));
}

/// The look at the noun matters, other looks do not; and some of the answers
/// are there without it.
#[test]
fn a_look_at_the_noun_matters_and_is_not_all() {
    let part = part("Without a look at the noun");
    let row = |label: &str| numbers(&part, label, 3);
    let whole = row("nothing");
    let (noun, both) = (row("the noun meant"), row("noun and adjective"));
    let controls = [row("the other noun"), row("\"because\"")];
    let most = row("noun has most weight");
    for reader in 0..3 {
        assert!(noun[reader] < whole[reader] - 0.1);
        assert!(both[reader] < noun[reader] - 0.05 && both[reader] > 0.1);
        for control in &controls {
            assert!(control[reader] > whole[reader] - 0.03);
        }
        assert!(most[reader] < whole[reader] - 0.1);
    }
    let kept = |noun: f64| noun > 0.7;
    assert_eq!(noun.iter().filter(|&&n| kept(n)).count(), 1, "{noun:?}");
}

fn exercise(n: u32) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let path = format!("{folder}/exercise_10_6_{n}.txt");
    std::fs::read_to_string(path).expect("is recorded")
}

#[test]
fn a_gamma_that_starts_at_zero_learns_later() {
    let text = exercise(4);
    let rows: Vec<Vec<f64>> = text
        .lines()
        .map(|l| l.split_whitespace().flat_map(str::parse).collect())
        .filter(|row: &Vec<f64>| row.len() == 5)
        .collect();
    assert_eq!(rows.len(), 9);
    for row in &rows {
        let (start, first, right) = (row[0], row[2], row[3]);
        assert!((first - 4f64.ln()).abs() < 0.1, "nothing is known: {first}");
        assert!(start == 0.0 || right > 0.75, "{row:?}");
    }
    let late = rows.iter().filter(|row| row[0] == 0.0 && row[3] < 0.4);
    assert_eq!(late.count(), 2);
}

#[test]
fn other_weights_leave_some_answers_right() {
    let text = exercise(5);
    let right = |label: &str| numbers(&text, label, 1)[0];
    assert!(right("learned") > 0.95);
    for other in ["shuffled", "all equal"] {
        assert!((0.35..0.7).contains(&right(other)), "{other}");
    }
    assert!(right("nouns exchanged") < 0.4);
}
