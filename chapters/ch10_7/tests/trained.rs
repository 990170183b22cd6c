//! What the page says of the trained translator, on a training that the test
//! makes: the page's own model, its settings, its sentences. The maps of heads
//! are this model's alone; the record `seeds` has what five models share.

use ch10_3::Mask;
use ch10_7::translator::{BookTransformer, DROPOUT, LAYERS, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use dfdx::prelude::*;
use kernels::{Dev, Tensor1};
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::greedy::argmax;
use seq2seq::loss::masked_cross_entropy;
use seq2seq::text::Pair;
use seq2seq::train::{PART, STEPS, Schedule, train};
use seq2seq::vocab::Batch;
use testing::close;

/// The page's claims. The bounds leave room for other seeds and processors; a
/// third of the rate, ten times the rate, dropout .3 or none, and one epoch lie
/// outside. The schedule has a test of its own.
#[test]
fn the_translator_is_as_the_page_says() {
    let data = Dataset::book();
    let sizes = data.vocabularies.sizes();
    let new = |dev: &Dev| -> BookTransformer {
        Transformer::new(dev, sizes, LAYERS, DROPOUT, NormPosition::Post)
    };
    let trained = train(&data, &SCHEDULE, 0, new, |_, _| (), |_, _| ());
    let (model, losses) = trained.expect("there are pairs");
    let on = |pairs| Evaluation::new(&model, &data, pairs);
    let (validation, held_out) = (on(&data.validation), on(&data.held_out));
    assert_eq!((validation.sentences, held_out.sentences), (156, 287));
    for found in [validation, held_out] {
        assert!(found.mean_bleu >= 0.97, "{found:?}");
        assert!(found.corpus_bleu >= 0.95, "{found:?}");
        assert!(found.exact >= 0.92, "{found:?}");
    }
    alignment(&data, &model);
    defects(&data, &model, held_out.exact);
    let (first, last) = (losses[0], losses[SCHEDULE.epochs - 1]);
    assert_eq!(losses.len(), 30);
    assert!((4.3..5.3).contains(&first), "warm-up, {first}");
    assert!((0.009..0.024).contains(&last), "dropout, rate, {last}");
    // The loss falls, but for noise from epoch to epoch.
    let fives: Vec<f32> = losses.chunks(5).map(|five| five.iter().sum()).collect();
    assert!(fives.is_sorted_by(|a, b| b < a), "{losses:?}");
}

/// In short and from another seed what the records `seeds` and `compare` say: after
/// twelve epochs of a quarter of the sentences, half the rate is behind, and a token
/// costs more without the mask, and with all tokens at position 0.
#[test]
fn a_short_training_from_another_seed_agrees() {
    let mut data = Dataset::book();
    data.train.truncate(640);
    let sizes = data.vocabularies.sizes();
    let new = |dev: &Dev| -> BookTransformer {
        Transformer::new(dev, sizes, LAYERS, DROPOUT, NormPosition::Post)
    };
    let [model, slower] = [SCHEDULE.lr, SCHEDULE.lr / 2.0].map(|lr| {
        let schedule = Schedule { epochs: 12, lr, ..SCHEDULE };
        let trained = train(&data, &schedule, 5, new, |_, _| (), |_, _| ());
        trained.expect("there are pairs").0
    });
    let right = loss(&data, &model, Mask::causal_within);
    assert!(right < 2.5, "{right}");
    let behind = loss(&data, &slower, Mask::causal_within);
    assert!(behind > 1.15 * right, "{behind} {right}");
    let none = loss(&data, &model, |_| Mask::none());
    assert!(none > 1.4 * right, "{none} {right}");
    let at_0 = loss(&data, &at_position_0(&model), Mask::causal_within);
    assert!(at_0 > 1.02 * right, "{at_0} {right}");
}

/// What it costs if each token that is written is at position 0, and if the mask
/// is off where the whole translation is given.
fn defects(data: &Dataset, model: &BookTransformer, right: f64) {
    let found = Evaluation::new(&at_position_0(model), data, &data.held_out);
    assert!(found.exact < right - 0.04, "{} {right}", found.exact);
    let masked = loss(data, model, Mask::causal_within);
    let none = loss(data, model, |_| Mask::none());
    assert!(none > 20.0 * masked, "{none} {masked}");
}

fn at_position_0(model: &BookTransformer) -> BookTransformer {
    let mut wrong = model.clone();
    let positions = &mut wrong.decoder.embedding.positions;
    let first: Tensor1<64> = positions.encode::<1>(0).reshape();
    positions.table = first.broadcast();
    wrong
}

/// Of a held-out token, the right translations being given.
fn loss(
    data: &Dataset,
    model: &BookTransformer,
    mask: fn([usize; PART]) -> Mask<PART, STEPS, STEPS>,
) -> f32 {
    let (mut sum, mut tokens) = (0.0, 0);
    for pairs in data.held_out.chunks(PART) {
        let batch: Batch<PART, STEPS> =
            Batch::new(pairs, &data.vocabularies).expect("fits");
        let read = Mask::valid_lens(batch.source_lens);
        let (memory, _) = model.encoder.forward(&batch.source, &read, NoneTape);
        let (inputs, own) = (batch.teacher_forcing(), mask(batch.target_lens));
        let (rows, _) = model.decoder.forward(&inputs, &own, memory, &read);
        let (output, lens) = (&model.decoder.output, &batch.target_lens);
        let (weight, bias) = (&output.weight, &output.bias);
        let losses = masked_cross_entropy(rows, weight, bias, &batch.target, lens);
        sum += losses.sum().array() * STEPS as f32;
        tokens += batch.target_tokens();
    }
    sum / tokens as f32
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

/// The sentence of the page: its translation, and where the mean of the last
/// layer's heads has most weight. A row is the token before the one it makes.
fn alignment(data: &Dataset, model: &BookTransformer) {
    let pair = Pair::new("The red car is new.", "La voiture rouge est neuve.");
    let (source, len) = data.vocabularies.source.encode::<STEPS>(&pair.source);
    let found = model.translate(source, len);
    assert_eq!(data.vocabularies.target.decode(&found), pair.target);
    assert_eq!(model.translate_cached(source, len), found);
    let batch: Batch<1, STEPS> = Batch::new([&pair], &data.vocabularies).expect("fits");
    let inputs = batch.teacher_forcing();
    let target = (&inputs, &batch.target_lens);
    let (_, weights) = model.forward((&batch.source, &[len]), target, NoneTape);
    let heads = weights.encoder[LAYERS - 1].array()[0];
    let (the, car) = (0, 2);
    let on_car = heads.iter().filter(|head| argmax(&head[the]) == car).count();
    assert!(on_car >= 3, "{heads:?}");
    let last = weights.decoder[LAYERS - 1].cross_attention.clone();
    for head in last.array()[0] {
        assert!(head[0][the] + head[0][car] > 0.9, "<bos> {head:?}");
        for (query, key) in [(1, car), (2, 1), (4, 4)] {
            assert!(head[query][key] > 0.5, "{query} {key} {head:?}");
        }
    }
    let mean = last.mean::<Rank2<STEPS, STEPS>, Axes2<0, 1>>().array();
    for (query, key) in [("la", "car"), ("voiture", "red"), ("est", "new")] {
        let of = |tokens: &[String], token: &str| {
            tokens.iter().position(|one| one == token).expect("is in the sentence")
        };
        let weight = mean[1 + of(&pair.target, query)][of(&pair.source, key)];
        assert!(weight > 0.5, "{query} {key} {weight}");
    }
}
