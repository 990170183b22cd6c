//! The trainings of the side pages, on runs of the program made here.

use testing::{part, program, repository, row};

/// From seeds that are not those of the page, and shorter: without a constant
/// the additive score learns little, with it nearly everything; the bilinear
/// score stops half way, with a constant or the norms of the keys alone, too,
/// and goes on with both. The mean of the values would have an error of 0.8.
#[test]
fn layers_learn_to_look_up_as_the_page_says() {
    let folder = repository();
    let run = program(env!("CARGO_BIN_EXE_ch10_3"), folder.path());
    let flags = ["lookup", "--seed", "100", "--models", "4", "--steps", "1000"];
    let output = run.args(flags).run().printed();
    let table = part(&output, "A learned lookup");
    let seeds = (103..107).map(|seed| row(table, &format!("seed {seed} ")));
    let mut sum = 0.0;
    for errors in seeds {
        let [additive, with_1, bilinear, one, norm, with_norm] = errors[..] else {
            panic!("{output}");
        };
        sum += additive;
        assert!(additive > 0.55, "{output}");
        assert!(with_1 < 0.01, "{output}");
        for error in [bilinear, one, norm] {
            assert!((0.2..0.33).contains(&error), "{output}");
        }
        assert!(with_norm < 0.03, "{output}");
    }
    assert!(sum / 4.0 < 0.79, "{output}");
}

/// Divided by the root, the lookup is learned with every learning rate between
/// 0.001 and 0.03; undivided with the small ones, and divided by the width
/// with the large ones. Each divisor has a rate at which it is learned.
#[test]
fn the_root_suits_most_learning_rates() {
    let folder = repository();
    let run = program(env!("CARGO_BIN_EXE_ch10_3"), folder.path());
    let flags = ["divisors", "--seed", "100", "--models", "1", "--steps", "300"];
    let output = run.args(flags).run().printed();
    let table = part(&output, "Three divisors trained");
    let errors = |divisor: &str| {
        let label = format!("by {divisor}, 300 steps");
        <[f64; 6]>::try_from(row(table, &label)).expect("six learning rates")
    };
    let [_, a, _, _, b, _] = errors("1");
    assert!(b > a + 0.05, "{output}");
    let [_, middle @ .., _] = errors("16");
    assert!(middle.iter().all(|&error| error < 0.36), "{output}");
    let [_, a, _, _, b, _] = errors("256");
    assert!(a > b + 0.15, "{output}");
    let chosen = part(&output, "At the learning rate that other seeds choose");
    for divisor in ["by 1 ", "by 16 ", "by 256 "] {
        assert!(row(chosen, divisor)[1] < 0.4, "{output}");
    }
}
