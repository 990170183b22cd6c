//! A flag stands only where it is used: those of each subcommand, and what each of
//! them changes.

use crate::repository::{built, none, sections};
use std::collections::BTreeMap;
use testing::{program, repository};

/// The flags of the programs and their subcommands, but for those to come.
const FLAGS: &str = "
    ch10_1: --seed --out
    ch10_2: --seed --out
    ch10_2 kernels: --seed --out
    ch10_2 seeds: --seed
    ch10_3: --seed --out
    ch10_3 scaling: --seed --out
    ch10_3 divisors: --models --steps --seed
    ch10_3 lookup: --models --steps --rates --seed
    ch10_4: --seed --out --data --pairs --held-out --epochs --model --replace
    ch10_4 translate: --seed --data --pairs --held-out --epochs --model --replace
    ch10_4 compare: --seed --out --data --pairs --held-out --epochs
    ch10_4 d2l: --seeds --seed --data --pairs --held-out --epochs
    ch10_4 settings: --seed --data --pairs --held-out --epochs
    ch10_4 two-by-two: --seed --epochs
    ch10_4 mean: --seed --data --pairs --held-out --epochs
    ch10_5: --seed --out --steps
    ch10_5 seeds: --seed
    ch10_6: --seed --out
    ch10_6 pixels: --steps --seed --out
    ch10_6 shapes: --seed
    ch10_6 coreference: --steps --validation --models --seed --out
    ch10_7: --seed --out --data --pairs --held-out --epochs --model --replace
    ch10_7 translate: --seed --data --pairs --held-out --epochs --model --replace
    ch10_7 compare: --seed --out --data --pairs --held-out --epochs
    ch10_7 d2l: --seeds --seed --data --pairs --held-out --epochs
    ch10_7 cache: --seed --out
    ch10_7 beam: --width --seed --data --pairs --held-out --epochs --model --replace
    ch10_7 norm: --seed --out --data --pairs --held-out --epochs
    ch10_7 pieces: --settings --seeds --merges --seed --epochs
    ch10_7 seeds: --seed --epochs
    ch10_7 depth: --seed --out
    ch10_7 reversal: --steps --seeds --seed --out
    ch10_7 induction: --steps --seeds --seed --out
    ch10_7 language: --steps --seed --out --model --replace
    ch10_7 stories: --seed
    ch10_7 today: --rates --seeds --steps --seed
    ch10_7 parts: --more --seed
    ch10_7 write: --temperature --tokens --steps --seed --model --replace
    seq2seq: --seed --out
    seq2seq sentences:
    seq2seq pieces:
    seq2seq by-heart: --seeds --seed
";

/// The flags of the help of a program or a subcommand, and the names of its
/// subcommands.
fn listed(name: &str, subcommand: &[&str]) -> (Vec<String>, Vec<String>) {
    let path = &built()[&("bin".to_string(), name.to_string())];
    let folder = repository();
    let help = program(path, folder.path()).args(subcommand).args(["--help"]);
    let help = help.run().printed();
    let part = |title: &str| {
        let lines = help.lines().skip_while(move |line| *line != title).skip(1);
        // What a line goes on with stands further to the right.
        let lines = lines.take_while(|line| line.is_empty() || line.starts_with("  "));
        lines.map(str::trim).map(String::from).collect::<Vec<_>>()
    };
    let flag = |line: String| {
        let at = line.find("--").filter(|at| *at == 0 || line.starts_with("-"))?;
        let end = |c: char| c.is_whitespace() || c == ',';
        line[at..].split(end).next().map(String::from)
    };
    let flags = part("Options:").into_iter().filter_map(flag);
    let names = part("Commands:").into_iter();
    let names = names.filter_map(|line| line.split(' ').next().map(String::from));
    let names = names.filter(|name| !name.is_empty() && name != "help");
    (flags.filter(|flag| flag != "--help").collect(), names.collect())
}

#[test]
fn flags_are_those_that_are_used() {
    let wanted: BTreeMap<&str, &str> = FLAGS
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, flags)| (name.trim(), flags.trim()))
        .collect();
    let mut found = BTreeMap::new();
    for name in sections() {
        let (flags, subcommands) = listed(&name, &[]);
        found.insert(name.clone(), flags.join(" "));
        for one in subcommands {
            let flags = listed(&name, &[&one]).0.join(" ");
            found.insert(format!("{name} {one}"), flags);
        }
    }
    let mut faults = Vec::new();
    for (name, flags) in &found {
        match wanted.get(&**name) {
            Some(wanted) if wanted == flags => {}
            wanted => faults.push(format!("{name}: {flags}, not {wanted:?}")),
        }
    }
    assert_eq!(found.len(), wanted.len(), "in the table and not there, or twice");
    none(faults);
}

/// Each flag of a recorded run but those for files changes its settings; a flag
/// of the program before a subcommand is refused, not left out.
#[test]
fn each_flag_of_a_recorded_run_changes_its_settings() {
    let folder = repository();
    let pairs = "Go.\tVa !\nI am hot.\tJ'ai chaud.\nGo.\tVa !\n";
    std::fs::write(folder.path().join("p.tsv"), pairs).expect("written");
    let settings = |name: &str, arguments: &[&str]| {
        let path = &built()[&("bin".to_string(), name.to_string())];
        let run = program(path, folder.path()).args(arguments);
        run.args(["--print-settings"]).run()
    };
    let values = [
        ("--seed", "7"),
        ("--steps", "100"),
        ("--models", "2"),
        ("--seeds", "2"),
        ("--epochs", "3"),
        ("--data", "p.tsv"),
    ];
    let mut faults = Vec::new();
    let mut compared = 0;
    for line in FLAGS.lines().filter(|line| line.contains(": ")) {
        let (command, flags) = line.trim().split_once(": ").expect("has flags");
        let (name, own) = command.split_once(' ').unwrap_or((command, ""));
        let switches: &[&[&str]] = match command {
            "ch10_2 seeds" | "ch10_3 divisors" | "ch10_4 compare"
            | "ch10_4 two-by-two" | "ch10_4 mean" | "ch10_5 seeds"
            | "ch10_6 shapes" | "ch10_7 compare" | "ch10_7 norm" | "ch10_7 seeds"
            | "ch10_7 depth" | "ch10_7 stories" | "ch10_7 parts"
            | "seq2seq by-heart" | "ch10_7 cache" => &[&[]],
            "ch10_3 lookup" => &[&[], &["--rates"]],
            "ch10_4 settings" => &[&[], &["without"], &["mean"]],
            "ch10_7 pieces" => &[&[], &["--settings"]],
            "ch10_7 today" => &[&["--rates"], &["--seeds", "3"]],
            "ch10_7 reversal" | "ch10_7 induction" => &[&["--seeds", "3"]],
            _ => continue,
        };
        for switches in switches {
            let arguments = [&[own], *switches].concat();
            let today = settings(name, &arguments).printed();
            for (flag, value) in values {
                let here = flags.split(' ').any(|one| one == flag);
                if !here || switches.contains(&flag) {
                    continue;
                }
                let other = settings(name, &[&arguments[..], &[flag, value]].concat());
                if other.stderr.contains("cannot be used with") {
                    continue;
                }
                if other.printed() == today {
                    faults.push(format!("{command} {switches:?} {flag}: ignored"));
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared} flags were tried");
    let path = &built()[&("bin".to_string(), "ch10_5".to_string())];
    let before = program(path, folder.path()).args(["--steps", "1", "seeds"]).run();
    let why = before.error();
    assert!(why.contains("'--steps <N>'"), "{why}");
    none(faults);
}
