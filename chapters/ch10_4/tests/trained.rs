//! The translator of the page, trained by this test as the page trains it.

use ch10_4::{AttentionTranslator, CONFIG, SCHEDULE, WIDTH, translator};
use kernels::Dev;
use seq2seq::context::FixedContext;
use seq2seq::dataset::{Dataset, Evaluation};
use seq2seq::greedy::argmax;
use seq2seq::text::Pair;
use seq2seq::train::{STEPS, Schedule, Seq2SeqModel, train};
use seq2seq::translator::Translator;
use seq2seq::vocab::Batch;

fn trained<M: Seq2SeqModel>(
    data: &Dataset,
    schedule: &Schedule,
    model: impl Fn(&Dev) -> M,
) -> (M, f32) {
    let done = train(data, schedule, 0, model, |_, _| (), |_, _| ());
    let (model, losses) = done.expect("trains");
    (model, *losses.last().expect("an epoch"))
}

fn on_held_out<M: Seq2SeqModel>(data: &Dataset, model: &M) -> Evaluation {
    Evaluation::new(model, data, &data.held_out)
}

/// The tokens read with the largest weights, for each token written.
fn attended(data: &Dataset, model: &AttentionTranslator, pair: &Pair) -> Vec<String> {
    let batch: Batch<1, STEPS> = Batch::new([pair], &data.vocabularies).expect("fits");
    let read = [&pair.source[..], &["<eos>".to_string()]].concat();
    let weights = model.weights(&batch);
    let weights = weights.iter().take(pair.target.len());
    weights.map(|step| read[argmax(&step[0])].clone()).collect()
}

/// In full, with the page's settings; another processor may come out a little
/// lower. With a tenth of the learning rate, with ten times it, after one epoch
/// or with a dropout of 0.9 the bounds are missed by far.
#[test]
fn the_translator_is_as_good_as_the_page_says() {
    let data = Dataset::book();
    let sizes = data.vocabularies.sizes();
    let (model, loss) = trained(&data, &SCHEDULE, |dev| translator(dev, sizes));
    let evaluation = on_held_out(&data, &model);
    assert!(evaluation.mean_bleu > 0.86, "{evaluation:?}");
    assert!(evaluation.corpus_bleu > 0.75, "{evaluation:?}");
    assert!(evaluation.exact > 0.6, "{evaluation:?}");
    assert!(loss < 0.15, "{loss}");

    // Adjective and noun change places.
    let pair = Pair::new("The red car is new.", "La voiture rouge est neuve.");
    let read = attended(&data, &model, &pair);
    assert_eq!((&read[1][..], &read[2][..]), ("car", "red"), "{read:?}");
    let weights = |pair: &Pair| {
        let batch: Batch<1, STEPS> =
            Batch::new([pair], &data.vocabularies).expect("fits");
        model.weights(&batch)
    };
    // Most of the weight of "la" is on "car" and the token after it.
    let la = weights(&pair)[0][0];
    assert!(la[2] + la[3] > 0.5 && la[2] + la[3] > la[0], "{la:?}");
    let negation =
        Pair::new("She does not see the black cat.", "Elle ne voit pas le chat noir.");
    let read = attended(&data, &model, &negation);
    assert_eq!(read[1..4], ["see"; 3], "{read:?}");
    // "me" and "regarde" have most of their weight on "at" and "me".
    let at_me = Pair::new("Is she looking at me?", "Est-ce qu'elle me regarde ?");
    for step in &weights(&at_me)[2..4] {
        assert!(step[0][3] + step[0][4] > 0.5, "{step:?}");
    }
    let row = data.vocabularies.source.encode::<STEPS>(&pair.source);
    let translation = model.translate(row);
    let steps = translation.tokens.len() + 1;
    assert_eq!(translation.weights.len(), steps.min(STEPS));
}

/// A third of the epochs is enough to see the difference.
#[test]
fn attention_helps_on_sentences_that_are_new() {
    let data = Dataset::book();
    let sizes = data.vocabularies.sizes();
    let schedule = Schedule { epochs: 12, ..SCHEDULE };
    let (with, _) = trained(&data, &schedule, |dev| translator(dev, sizes));
    let without = |dev: &Dev| -> Translator<WIDTH, WIDTH, FixedContext> {
        Translator::new(dev, sizes, &CONFIG, FixedContext)
    };
    let (without, _) = trained(&data, &schedule, without);
    let (with, without) = (on_held_out(&data, &with), on_held_out(&data, &without));
    let margin = with.mean_bleu - without.mean_bleu;
    assert!(margin > 0.1, "{with:?} {without:?}");
}
