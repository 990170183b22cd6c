//! How good a model is on what was held out, and what the pages record.

use anyhow::{Context, Result};
use ch10_6::task::sentences::{SentenceBatch, Split, shares};
use ch10_7::induction::{AttentionOnly, LEN, Repetition};
use dfdx::prelude::NoneTape;
use kernels::Dev;
use live::ch10_6::Coreference;
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::train::Seq2SeqModel;

/// A page's score and a model's may differ by this much.
pub const TOLERANCE: f64 = 0.005;

/// A perplexity may be this share off the page's.
pub const SHARE: f64 = 0.02;

/// The share of right answers to the sentences that the program of section
/// 10.6 tests its models with.
pub fn coreference_score(model: &Coreference) -> f64 {
    let mut rng = StdRng::seed_from_u64(500);
    let test: SentenceBatch<512> =
        SentenceBatch::draw(&Dev::default(), &mut rng, Split::Test);
    let output = model.forward(&test.tokens, &test.masks(), NoneTape);
    f64::from(shares(&test, &output.logits)[0])
}

/// The share of right letters in the sequences that the program of the page about
/// induction evaluates its model with.
pub fn copying_score(model: &AttentionOnly) -> f64 {
    let mut rng = StdRng::seed_from_u64(1000);
    let test: [Repetition<LEN>; 64] =
        std::array::from_fn(|_| Repetition::draw(&mut rng));
    f64::from(model.repeats(&test).right)
}

/// The mean BLEU-2 of what is held out.
pub fn held_out_bleu<M: Seq2SeqModel>(model: &M, data: &Dataset) -> f64 {
    Evaluation::new(model, data, &data.held_out).mean_bleu
}

/// A number in a program's recorded output, which a page shows: the text, how the
/// line begins, and which number of the line it is.
pub type Record = (&'static str, &'static str, usize);

/// The BLEU of section 10.4's program.
pub const ATTENTION: Record =
    (include_str!("../../../../chapters/ch10_4/output.txt"), "held out ", 1);

/// The BLEU of translators without attention, beside it: the mean, and the standard
/// deviation.
pub const WITHOUT: [Record; 2] = {
    let text = include_str!("../../../../chapters/ch10_4/recorded/compare.txt");
    [(text, "without: mean ", 0), (text, "without: mean ", 3)]
};

/// The BLEU of section 10.7's program.
pub const TRANSFORMER: Record =
    (include_str!("../../../../chapters/ch10_7/output.txt"), "held out ", 1);

/// The perplexity of the language model on the stories that are held out.
pub const STORIES: Record = (
    include_str!("../../../../chapters/ch10_7/output/language_model.txt"),
    "language model ",
    1,
);

/// The share of right answers of the first model with two layers.
pub const COREFERENCE: Record = (
    include_str!("../../../../chapters/ch10_6/output/coreference.txt"),
    "0        ",
    0,
);

/// The share of right letters of the model that copies.
pub const COPYING: Record =
    (include_str!("../../../../chapters/ch10_7/output/induction.txt"), "none ", 0);

/// The number of a record, in the first such line that has one there.
pub fn recorded((text, start, column): Record) -> Result<f64> {
    let rest = text.lines().filter_map(|line| line.strip_prefix(start));
    let mut cells = rest.filter_map(|rest| rest.split_whitespace().nth(column));
    cells
        .find_map(|cell| cell.trim_end_matches(',').parse().ok())
        .with_context(|| format!("no number after {start:?} in the record"))
}
