//! What the page says of the trained translator, on a training that the test
//! makes: the page's own model, its settings, its sentences.

use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use kernels::Dev;
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::train::{Schedule, train};
use testing::close;

fn evaluations(
    schedule: &Schedule,
    dropout: f32,
) -> (Evaluation, Evaluation, Vec<f32>) {
    let data = Dataset::book();
    let sizes = data.vocabularies.sizes();
    let model = |dev: &Dev| -> BookTransformer {
        Transformer::new(dev, sizes, LAYERS, dropout, NormPosition::Post)
    };
    let (model, losses) =
        train(&data, schedule, 0, model, |_, _| (), |_, _| ()).expect("trains");
    let on = |pairs| Evaluation::new(&model, &data.vocabularies, pairs);
    (on(&data.validation), on(&data.held_out), losses)
}

/// The page's claims. The bounds leave room for other seeds and processors; a
/// third of the rate, ten times the rate, dropout .3 or none, one epoch, a rate
/// that never falls or never rises lie outside.
#[test]
fn the_translator_is_as_the_page_says() {
    let (validation, held_out, losses) = evaluations(&SCHEDULE, DROPOUT);
    assert_eq!((validation.sentences, held_out.sentences), (156, 287));
    for found in [validation, held_out] {
        assert!(found.mean_bleu >= 0.97, "{found:?}");
        assert!(found.corpus_bleu >= 0.95, "{found:?}");
        assert!(found.exact >= 0.92, "{found:?}");
    }
    let (first, last) = (losses[0], losses[SCHEDULE.epochs - 1]);
    assert_eq!(losses.len(), 30);
    assert!((4.3..5.3).contains(&first), "warm-up, {first}");
    assert!((0.009..0.024).contains(&last), "dropout, rate, {last}");
    // The loss falls from epoch to epoch, but for noise.
    assert!(losses.is_sorted_by(|a, b| *b < a * 1.15), "{losses:?}");
}

/// The rates of the page: they rise over three epochs, and fall in a straight
/// line to a fiftieth.
#[test]
fn the_schedule_is_as_the_page_says() {
    let rates: Vec<f32> = (0..30).map(|epoch| SCHEDULE.lr_of(epoch)).collect();
    close(&rates[..4], &[0.00075, 0.0015, 0.00225, 0.003], 1e-8, "warm-up");
    close(&rates[29..], &[0.00006], 1e-8, "last");
    let falls: Vec<f32> = rates[3..].windows(2).map(|two| two[0] - two[1]).collect();
    close(&falls, &[0.00294 / 26.0; 26], 1e-8, "falls");
}
