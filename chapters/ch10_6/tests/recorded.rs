//! What the pages of section 10.6 say of recorded runs: of the measured times
//! and of what the exercises trained. The records differ from machine to
//! machine, and may be made anew; these bounds must hold then, too.

fn read(file: &str) -> String {
    let path = format!("{}/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The numbers of the first line that begins with `label`, after `heading`.
fn numbers(text: &str, heading: &str, label: &str) -> Vec<f64> {
    let (_, part) = text.split_once(heading).expect("the heading is there");
    let line = part.lines().find(|l| l.trim_start().starts_with(label));
    let line = line.unwrap_or_else(|| panic!("no `{label}`"));
    let rest = &line.trim_start()[label.len()..];
    rest.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

const LONGER: &str = "Longer sequences";
const WIDER: &str = "Wider rows";

/// Convolution, recurrence, GRU, attention, attention with its maps.
fn times(heading: &str, label: &str) -> [f64; 5] {
    let found = numbers(&read("recorded/time.txt"), heading, label);
    found.try_into().expect("five ways")
}

/// The words of a text: every number is the same word.
fn shape(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with(['$', '#']));
    let word = |word: &str| match word.parse::<f64>() {
        Ok(_) => "N".to_string(),
        Err(_) => word.to_string(),
    };
    let kept = lines.filter(|line| !line.starts_with("figure: "));
    kept.flat_map(|line| line.split_whitespace().map(word)).collect()
}

/// Measured anew, if only once each: the same tables, the same curves.
#[test]
fn measuring_prints_and_draws_what_is_recorded() {
    let out = std::env::temp_dir().join(format!("ch10_6-{}", std::process::id()));
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_ch10_6"))
        .arg("--out")
        .arg(&out)
        .args(["time", "--runs", "1"])
        .output()
        .expect("starts");
    let printed = String::from_utf8(run.stdout).expect("prints UTF-8");
    assert!(run.status.success() && run.stderr.is_empty());
    assert_eq!(shape(&printed), shape(&read("recorded/time.txt")));
    let svg = std::fs::read_to_string(out.join("time.svg")).expect("is drawn");
    std::fs::remove_dir_all(&out).expect("was made");
    let recorded = read("../../book/figures/ch10_6/time.svg");
    for element in ["<circle", "<polyline", "font-size"] {
        let count = |svg: &str| svg.matches(element).count();
        // Another machine may need another power of ten on the axis.
        let apart = count(&svg).abs_diff(count(&recorded));
        assert!(apart <= 4 && (element != "<circle" || apart == 0));
    }
}

#[test]
fn times_grow_as_the_page_says() {
    let near = |p: f64, whole: f64| (p - whole).abs() < 0.1;
    let [convolution, recurrence, gru, attention, _] = times(LONGER, "last 3");
    assert!(near(convolution, 1.0), "{convolution}");
    assert!(near(recurrence, 1.0), "{recurrence}");
    assert!(near(gru, 1.0), "{gru}");
    assert!(near(attention, 2.0), "{attention}");
    let [convolution, recurrence, gru, attention, maps] = times(WIDER, "last 3");
    assert!(near(convolution, 2.0), "{convolution}");
    assert!(near(recurrence, 2.0), "{recurrence}");
    assert!((gru - 2.0).abs() < 0.2, "{gru}");
    assert!((0.5..0.95).contains(&attention), "{attention}");
    assert!((attention + 0.3..convolution).contains(&maps), "{maps}");
    for heading in [LONGER, WIDER] {
        let (all, last) = (times(heading, "all"), times(heading, "last 3"));
        let pairs = all.iter().zip(last);
        assert!(pairs.clone().all(|(all, last)| *all < last + 0.03));
        assert!(pairs.map(|(all, last)| last - all).sum::<f64>() > 0.2);
    }
}

#[test]
fn attention_is_cheap_for_short_sequences_and_wide_rows() {
    let [convolution, recurrence, gru, attention, _] = times(LONGER, "32");
    assert!(attention < convolution && convolution < recurrence.min(gru));
    let [_, recurrence, gru, attention, _] = times(LONGER, "64");
    assert!(recurrence > 4.0 * attention && gru > 6.0 * attention);
    let [_, recurrence, gru, attention, _] = times(LONGER, "256");
    assert!(attention < recurrence.min(gru));
    let [convolution, recurrence, gru, attention, _] = times(LONGER, "1024");
    assert!(attention > recurrence.max(gru));
    assert!(recurrence.min(gru) > convolution);
    let [convolution, recurrence, gru, attention, maps] = times(WIDER, "512");
    assert!(attention * 3.0 < convolution && maps < recurrence.min(gru));
    assert!((1.0..1.45).contains(&(maps / convolution)));
}

/// Three times the products, and less than three times as long.
#[test]
fn a_gru_costs_more_than_the_plain_cell() {
    for (heading, labels) in [
        (LONGER, ["32", "64", "128", "256", "512", "1024"]),
        (WIDER, ["16", "32", "64", "128", "256", "512"]),
    ] {
        let ratios = labels.map(|label| {
            let [_, recurrence, gru, ..] = times(heading, label);
            gru / recurrence
        });
        assert!(ratios.iter().all(|ratio| (1.1..2.2).contains(ratio)));
    }
}

/// Exercise 1: the rows of a stack become copies of one, unless each layer is
/// added to its input.
#[test]
fn deep_stacks_forget_unless_they_add() {
    let text = read("examples/exercise_10_6_1.txt");
    let [alone, _, added, _] = numbers(&text, "alone", "2 ")[..] else {
        panic!("four numbers")
    };
    assert!(alone < 0.001 && added > 0.75);
    let [_, before, _, _] = numbers(&text, "alone", "0 ")[..] else {
        panic!("four numbers")
    };
    let [_, alone, _, added] = numbers(&text, "alone", "32 ")[..] else {
        panic!("four numbers")
    };
    assert!(alone < 0.3 * before && added > 0.5 * before);
}

/// Exercise 2: without positions the order is a guess, with either kind it is
/// known; a learned row is most like that of a place next to it.
#[test]
fn a_learned_table_does_as_well() {
    let text = read("examples/exercise_10_6_2.txt");
    let right = |name| *numbers(&text, "positions", name).last().expect("one");
    assert!((0.45..0.55).contains(&right("none")));
    assert!(right("fixed") > 0.98 && right("learned") > 0.98);
    assert_eq!(numbers(&text, "positions", "learned")[0], 256.0);
    let rows: Vec<f64> = text
        .lines()
        .skip_while(|line| !line.starts_with("learned row"))
        .skip(1)
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (row, other) = (words.next()?, words.next()?);
            let apart: f64 = row.parse::<f64>().ok()? - other.parse::<f64>().ok()?;
            Some(apart.abs())
        })
        .collect();
    assert_eq!(rows.len(), 8);
    assert!(rows.iter().filter(|&&apart| apart == 1.0).count() >= 6);
}

/// Exercise 3: both know the neighbour at the length they learned at; at
/// three times the length only the relative one does.
#[test]
fn relative_positions_carry_over_to_longer_sequences() {
    let text = read("examples/exercise_10_6_3.txt");
    let sines = numbers(&text, "positions", "sines and cosines");
    let relative = numbers(&text, "positions", "relative");
    assert!(sines[0] > 0.99 && sines[1] < 0.7);
    assert!(relative[0] > 0.99 && relative[1] > 0.9);
    for head in ["head 0", "head 1"] {
        let bias = numbers(&text, "bias", head);
        let most = bias.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(bias.len(), 9);
        assert_eq!(bias[3], most, "one place to the left");
        let others = bias.iter().enumerate().filter(|&(o, _)| o != 3);
        let next = others.map(|(_, &b)| b).fold(f64::NEG_INFINITY, f64::max);
        assert!((1.0..2.0).contains(&(most - next)), "the margin");
    }
}
