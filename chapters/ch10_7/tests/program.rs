//! The program as a reader meets it: its subcommands, and mistakes.

use ch10_2::parameters::Parameters;
use ch10_3::Mask;
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS};
use ch10_7::{NormPosition, Transformer};
use dfdx::prelude::*;
use kernels::{Dev, Tensor3};
use seq2seq::checkpoint::Tensors;
use seq2seq::dataset::Dataset;
use seq2seq::train::STEPS;
use std::path::Path;
use testing::{close, part, program, repository};

const BINARY: &str = env!("CARGO_BIN_EXE_ch10_7");

#[test]
fn write_trains_once_and_a_seed_gives_the_same_story() {
    let folder = repository();
    let write = |args: &[&str]| {
        let write = ["write", "--steps", "10"];
        program(BINARY, folder.path()).args(write).args(args).run()
    };
    let args = ["the fox", "--temperature", "1", "--seed", "3"];
    let first = write(&args);
    assert!(first.stderr.contains("training"), "{}", first.stderr);
    let story = first.printed();
    assert!(story.starts_with("The fox"), "{story}");
    let again = write(&args);
    assert_eq!(again.stderr, "", "the model is saved");
    assert_eq!(again.printed(), story);
    let other = ["the fox", "--temperature", "1", "--seed", "4"];
    assert_ne!(write(&other).printed(), story);
    let cold =
        |seed| write(&["the fox", "--temperature", "0", "--seed", seed]).printed();
    assert_eq!(cold("1"), cold("2"), "nothing is drawn at temperature 0");
    let one = write(&["THE fox , the  owl", "--tokens", "1"]).printed();
    assert!(one.starts_with("The fox, the owl"), "{one}");
    assert!(one.split_whitespace().count() <= 5, "{one}");
    assert!(!write(&["--temperature", "9"]).printed().is_empty());
    std::fs::write(folder.path().join("bad"), b"no").expect("written");
    let why = write(&["the fox", "--model", "bad"]).error();
    assert!(why.contains("bad: not a model, or damaged; --model FILE"), "{why}");
}

#[test]
fn mistakes_end_in_one_line_before_anything_is_trained() {
    let folder = repository();
    let error = |args: &[&str]| program(BINARY, folder.path()).args(args).run().error();
    let why = error(&["write", "the zebra"]);
    assert!(why.contains("not in the stories") && why.contains("zebra"), "{why}");
    let long = "fox ".repeat(128);
    assert!(error(&["write", &long]).contains("128 words and marks"));
    for bad in ["-1", "NaN", "inf", "warm", ""] {
        let why = error(&["write", "the fox", "--temperature", bad]);
        assert!(why.contains("temperature"), "{why}");
    }
    error(&["write", "the fox", "--tokens", "0"]);
    error(&["write", "the fox", "--steps", "9"]);
    error(&["write", "the", "fox"]);
    error(&["reversal", "--steps", "9"]);
    error(&["induction", "--steps", "9"]);
    error(&["induction", "--seeds", "0"]);
    error(&["beam", ""]);
    error(&["beam", "go .", "--width", "0"]);
    error(&["--seed", "-1"]);
    assert!(!folder.path().join("target").exists(), "something was trained");
}

/// As in a checkout that is read-only: files stand where folders would be made.
#[test]
fn saving_failure_is_reported_after_output() {
    let folder = repository();
    for name in ["target", "book"] {
        std::fs::write(folder.path().join(name), "").expect("written");
    }
    let at = || program(BINARY, folder.path());
    let done = at().args(["write", "the fox", "--steps", "10"]).run();
    let note = "cannot write target/ch10_7/";
    assert!(done.stderr.lines().any(|line| line.starts_with(note)), "{}", done.stderr);
    assert!(done.printed().starts_with("The fox"));
    for command in ["norm", "cache"] {
        let why = at().args([command]).run().error();
        let out = "ch10_7: cannot write book/figures/ch10_7; --out DIR names another";
        assert!(why.starts_with(out), "{why}");
    }
}

/// What is translated and how does not steer a terminal.
#[test]
fn what_the_sentences_hold_is_escaped() {
    let folder = repository();
    let pairs = "Go \u{1b}]0;x\u{7}.\tVa \u{1b}]0;x\u{7} !\n".repeat(4);
    std::fs::write(folder.path().join("pairs.tsv"), pairs).expect("written");
    let data = ["--data", "pairs.tsv", "--epochs", "60"];
    for more in [&[][..], &["beam", "Go."]] {
        let out = program(BINARY, folder.path()).args(more).args(data).run().printed();
        assert!(out.contains("\\u{1b}]0;x\\u{7} !"), "{more:?}: {out}");
        assert!(!out.replace('\n', "").contains(char::is_control), "{out:?}");
    }
}

/// The short commands of the side pages, small; and the default run's parts.
#[test]
fn the_commands_of_the_pages_run() {
    let folder = repository();
    let printed =
        |args: &[&str]| program(BINARY, folder.path()).args(args).run().printed();
    let all = printed(&["--epochs", "1"]);
    for heading in ["Causal mask", "Training", "A translation", "All attentions"] {
        assert!(!part(&all, heading).is_empty(), "{heading}");
    }
    strips_are_what_the_block_computes(folder.path());
    let beam =
        printed(&["beam", "--epochs", "1", "The red car is new.", "--width", "3"]);
    assert_eq!(beam.lines().count(), 3, "{beam}");
    assert!(printed(&["reversal", "--steps", "10"]).contains("parameters 9066"));
    let last = ["--seed", "18446744073709551615", "--out", "."];
    printed(&[&["reversal", "--steps", "10"][..], &last].concat());
    assert!(folder.path().join("reversal.svg").exists());
    let induction = printed(&["induction", "--steps", "10"]);
    assert!(induction.contains("parameters 10074"), "{induction}");
    let language = printed(&["language", "--steps", "10"]);
    assert!(language.contains("parameters               92365"), "{language}");
    let figures = folder.path().join("book/figures/ch10_7");
    for name in [
        "translation",
        "block",
        "encoder",
        "decoder",
        "cross",
        "reversal",
        "induction",
        "causal",
    ] {
        assert!(figures.join(format!("{name}.svg")).exists(), "{name}");
    }
}

/// The strips of the figure, as drawn, against the layers of the saved model; and
/// against each other, by the formulas.
fn strips_are_what_the_block_computes(folder: &Path) {
    let svg = std::fs::read_to_string(folder.join("book/figures/ch10_7/block.svg"));
    let svg = svg.expect("is drawn");
    let strip = |name: &str| -> Vec<f32> {
        let (_, group) = svg.split_once(&format!("data-title=\"{name}\"")).expect(name);
        let (_, values) = group.split_once("data-values=\"").expect(name);
        let (values, _) = values.split_once('"').expect(name);
        values.split(' ').map(|value| value.parse().expect("a number")).collect()
    };
    let dot =
        |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let sum = |a: &str, b: &str| -> Vec<f32> {
        strip(a).iter().zip(strip(b)).map(|(a, b)| a + b).collect()
    };
    let vocabularies = Dataset::book().vocabularies;
    let mut model: BookTransformer = Transformer::new(
        &Dev::default(),
        vocabularies.sizes(),
        LAYERS,
        DROPOUT,
        NormPosition::Post,
    );
    let mut saved = std::fs::read_dir(folder.join("target/ch10_7")).expect("is saved");
    let saved = saved.next().expect("one model").expect("is listed").path();
    let bytes = std::fs::read(saved).expect("is read");
    let tensors = Tensors::new(&bytes).expect("is a model");
    let f32s = ("F32", f32::from_le_bytes as fn([u8; 4]) -> f32);
    let flat = tensors.numbers("", &mut model, f32s).expect("is the book's");
    model.load_flat(&flat);
    let sentence = seq2seq::text::tokens("the red car is new .");
    let (source, len) = vocabularies.source.encode::<STEPS>(&sentence);
    let mask = Mask::valid_lens([len]);
    let x = model.encoder.embedding.forward(&[source], 0, NoneTape);
    let x = model.encoder.blocks[0].forward(x, &mask).output;
    let block = &model.encoder.blocks[1];
    let y = block.forward(x.clone(), &mask);

    let (half, near) = (0.0006, 0.03);
    close(&strip("x: row of “the”"), &x.as_vec()[..64], half, "x");
    close(&strip("norm(z + f)"), &y.output.as_vec()[..64], half, "the new row");
    let weights = y.weights.array()[0][1][0];
    close(&strip("softmax"), &weights, half, "weights");

    let (q, k, v) = (strip("q"), strip("k"), strip("v"));
    let products = strip("q · k of each token");
    let wanted: Vec<f32> = k.chunks(16).map(|k| dot(&q, k)).collect();
    close(&products, &wanted, near, "products");
    let scores = strip("÷ √16, masked");
    let quarters: Vec<f32> = products.iter().map(|product| product / 4.0).collect();
    close(&scores[..len], &quarters[..len], half, "scores");
    assert!(len == 7 && scores[len..].iter().all(|score| score.is_nan()));
    let exp: Vec<f32> = scores[..len].iter().map(|score| score.exp()).collect();
    let wanted: Vec<f32> = exp.iter().map(|e| e / exp.iter().sum::<f32>()).collect();
    close(&weights[..len], &wanted, 0.002, "softmax");
    let column = |d: usize| -> Vec<f32> { v.chunks(16).map(|v| v[d]).collect() };
    let found: Vec<f32> = (0..16).map(|d| dot(&weights, &column(d))).collect();
    close(&strip("head 2: weights × v"), &found, 0.002, "head");
    let heads = strip("all heads");
    close(&heads[16..32], &found, 0.002, "its place");

    let row = |name: &str| -> Tensor3<1, 1, 64> {
        Dev::default().tensor_from_vec(strip(name), Default::default())
    };
    let attended = block.self_attention.w_o.forward(row("all heads"));
    close(&strip("a: all heads × W_o"), &attended.as_vec(), near, "w_o");
    close(
        &strip("x + a"),
        &sum("x: row of “the”", "a: all heads × W_o"),
        0.002,
        "x + a",
    );
    let z = block.attention_residual.norm.forward(row("x + a"));
    close(&strip("z: norm(x + a)"), &z.as_vec(), near, "z");
    let hidden = block.feed_forward.first.forward(row("z: norm(x + a)")).relu();
    close(&strip("hidden: ReLU(z × W_1)"), &hidden.as_vec(), near, "hidden");
    let made = block.feed_forward.forward(row("z: norm(x + a)"));
    close(&strip("f: hidden × W_2"), &made.as_vec(), near, "network");
    close(&strip("z + f"), &sum("z: norm(x + a)", "f: hidden × W_2"), 0.002, "z + f");
}
