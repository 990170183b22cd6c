//! What `tests/chapters.rs` does not compare number by number, or does not
//! run in full more than once: each declared here, with the reason, section
//! by section. `tests/chapters.rs` finds a row that names nothing.
//!
//! Another processor adds up in another order, which changes the last digit
//! of a sum; a training of hundreds of steps makes it a change of every
//! digit, and of words that are chosen by them. So what a trained model says
//! is compared by its structure, and the bounds that a page claims are held
//! by a test of the section.

/// How a part of a recorded output may differ from what is printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Room {
    /// In its numbers: every word stands where it stands in the record.
    Numbers,
    /// In its words too: the heading and the figures are the same.
    Words,
}

/// A part of a recorded output that a trained model prints.
pub struct Part {
    /// The file with the record.
    pub file: &'static str,
    /// Its heading there; an exercise without headings is one part, called "".
    pub heading: &'static str,
    /// What may differ.
    pub room: Room,
    /// The test that holds what the page says of it.
    pub held_by: &'static str,
}

/// A figure of what a trained model does: compared by its structure, which is
/// the kinds of its elements.
pub struct Figure {
    /// The committed figure.
    pub file: &'static str,
    /// The test that holds what the page says of it.
    pub held_by: &'static str,
}

/// A program that trains for long. It is run in full once, and with these
/// arguments where the same bytes twice, or others for another seed, are to
/// be shown.
pub struct Long {
    /// Its section.
    pub section: &'static str,
    /// What makes it short.
    pub arguments: &'static [&'static str],
}

const fn part(
    file: &'static str,
    heading: &'static str,
    room: Room,
    held_by: &'static str,
) -> Part {
    Part { file, heading, room, held_by }
}

const fn figure(file: &'static str, held_by: &'static str) -> Figure {
    Figure { file, held_by }
}

use Room::{Numbers, Words};

// --- Interlude --------------------------------------------------------------

const SEQ2SEQ: &str = "chapters/seq2seq/output.txt";
const SEQ2SEQ_HELD: &str = "chapters/seq2seq/tests/page.rs";
const SEQ2SEQ_PARTS: &[Part] = &[
    part(SEQ2SEQ, "A short training", Numbers, SEQ2SEQ_HELD),
    part(SEQ2SEQ, "Asked what it was taught", Words, SEQ2SEQ_HELD),
    part(SEQ2SEQ, "Asked what is new", Words, SEQ2SEQ_HELD),
];
const SEQ2SEQ_FIGURES: &[Figure] =
    &[figure("book/figures/seq2seq/loss.svg", SEQ2SEQ_HELD)];

// --- 10.4 -------------------------------------------------------------------

const CH10_4: &str = "chapters/ch10_4/output.txt";
const CH10_4_HELD: &str = "chapters/ch10_4/tests/page.rs";
const CH10_4_PARTS: &[Part] = &[
    part(CH10_4, "Training", Numbers, CH10_4_HELD),
    part(CH10_4, "Sentences never seen", Words, CH10_4_HELD),
    part(CH10_4, "Alignments", Words, CH10_4_HELD),
    part("chapters/ch10_4/examples/exercise_10_4_1.txt", "", Numbers, CH10_4_HELD),
    part("chapters/ch10_4/examples/exercise_10_4_2.txt", "", Numbers, CH10_4_HELD),
    part("chapters/ch10_4/examples/exercise_10_4_3.txt", "", Numbers, CH10_4_HELD),
];
const CH10_4_FIGURES: &[Figure] = &[
    figure("book/figures/ch10_4/loss.svg", CH10_4_HELD),
    figure("book/figures/ch10_4/red-car.svg", CH10_4_HELD),
    figure("book/figures/ch10_4/black-cat.svg", CH10_4_HELD),
    figure("book/figures/ch10_4/at-me.svg", CH10_4_HELD),
];

// --- 10.5 -------------------------------------------------------------------

// Its players are trained for 300 steps until nothing is left to learn: a
// weight that starts one bit higher changes no digit of the output.
const CH10_5_PARTS: &[Part] = &[];
const CH10_5_FIGURES: &[Figure] = &[];

// --- 10.6 -------------------------------------------------------------------

const CH10_6_HELD: &str = "chapters/ch10_6/tests/recorded.rs";
const CH10_6_ORDER: &str = "chapters/ch10_6/examples/exercise_10_6_2.txt";
const CH10_6_OFFSET: &str = "chapters/ch10_6/examples/exercise_10_6_3.txt";
const CH10_6: &str = "chapters/ch10_6/output.txt";
const CH10_6_TRAINED: &str = "chapters/ch10_6/tests/trained.rs";
const CH10_6_PARTS: &[Part] = &[
    part(CH10_6_ORDER, "", Numbers, CH10_6_HELD),
    part(CH10_6_OFFSET, "", Numbers, CH10_6_HELD),
    part(CH10_6, "What is the other shape?", Numbers, CH10_6_TRAINED),
    part(CH10_6, "Where a shape looks", Numbers, CH10_6_TRAINED),
    part(CH10_6, "What \"it\" means", Numbers, CH10_6_TRAINED),
    part(CH10_6, "Where \"it\" looks", Words, CH10_6_TRAINED),
    part(CH10_6, "Without a look at the noun", Numbers, CH10_6_TRAINED),
    part("chapters/ch10_6/examples/exercise_10_6_4.txt", "", Numbers, CH10_6_TRAINED),
    part("chapters/ch10_6/examples/exercise_10_6_5.txt", "", Numbers, CH10_6_TRAINED),
];
const CH10_6_FIGURES: &[Figure] = &[
    figure("book/figures/ch10_6/gamma.svg", CH10_6_TRAINED),
    figure("book/figures/ch10_6/looks.svg", CH10_6_TRAINED),
    figure("book/figures/ch10_6/it.svg", CH10_6_TRAINED),
];

// --- 10.7 -------------------------------------------------------------------

const CH10_7: &str = "chapters/ch10_7/output.txt";
const CH10_7_HALVES: &str = "chapters/ch10_7/tests/halves.rs";
const CH10_7_TOP_K: &str = "chapters/ch10_7/examples/exercise_10_7_9.txt";
const CH10_7_HELD: &str = "chapters/ch10_7/tests/page.rs";
const CH10_7_PARTS: &[Part] = &[
    part(CH10_7, "Training", Numbers, CH10_7_HELD),
    part(CH10_7, "Sentences never seen", Words, CH10_7_HELD),
    part("chapters/ch10_7/examples/exercise_10_7_1.txt", "", Numbers, CH10_7_HELD),
    part("chapters/ch10_7/examples/exercise_10_7_2.txt", "", Numbers, CH10_7_HELD),
    part("chapters/ch10_7/examples/exercise_10_7_3.txt", "", Numbers, CH10_7_HELD),
    part("chapters/ch10_7/examples/exercise_10_7_5.txt", "", Numbers, CH10_7_HELD),
    part("chapters/ch10_7/examples/exercise_10_7_6.txt", "", Numbers, CH10_7_HELD),
    part("chapters/ch10_7/examples/exercise_10_7_7.txt", "", Numbers, CH10_7_HELD),
    part(CH10_7, "Encoder alone", Numbers, CH10_7_HALVES),
    part(CH10_7, "Decoder alone", Numbers, CH10_7_HALVES),
    part(CH10_7, "Stories that it writes", Words, CH10_7_HALVES),
    part(CH10_7_TOP_K, "Twenty stories of 60 tokens", Numbers, CH10_7_HALVES),
    part(CH10_7_TOP_K, "One of each", Words, CH10_7_HALVES),
];
const CH10_7_FIGURES: &[Figure] = &[
    figure("book/figures/ch10_7/loss.svg", CH10_7_HELD),
    figure("book/figures/ch10_7/encoder.svg", CH10_7_HELD),
    figure("book/figures/ch10_7/decoder.svg", CH10_7_HELD),
    figure("book/figures/ch10_7/cross.svg", CH10_7_HELD),
    figure("book/figures/ch10_7/reversal.svg", CH10_7_HALVES),
    figure("book/figures/ch10_7/stories.svg", CH10_7_HALVES),
    figure("book/figures/ch10_7/causal.svg", CH10_7_HALVES),
];

// --- All --------------------------------------------------------------------

/// What trained models print.
const PARTS: &[&[Part]] =
    &[SEQ2SEQ_PARTS, CH10_4_PARTS, CH10_5_PARTS, CH10_6_PARTS, CH10_7_PARTS];

/// What trained models draw.
const FIGURES: &[&[Figure]] =
    &[SEQ2SEQ_FIGURES, CH10_4_FIGURES, CH10_5_FIGURES, CH10_6_FIGURES, CH10_7_FIGURES];

/// What takes long. For 10.4, an epoch of the book's sentences; for 10.6, five
/// steps of each training; for 10.7, an epoch, and ten steps of each half.
pub const LONG: &[Long] = &[
    Long { section: "ch10_4", arguments: &["--epochs", "1"] },
    Long { section: "ch10_6", arguments: &["--steps", "5"] },
    Long { section: "ch10_7", arguments: &["--epochs", "1", "--lessons", "10"] },
];

/// Sections whose programs draw no random number, and say so.
pub const WITHOUT_CHANCE: &[&str] = &["ch10_1"];

/// All of the parts.
pub fn all_parts() -> impl Iterator<Item = &'static Part> {
    PARTS.iter().copied().flatten()
}

/// All of the figures.
pub fn all_figures() -> impl Iterator<Item = &'static Figure> {
    FIGURES.iter().copied().flatten()
}
