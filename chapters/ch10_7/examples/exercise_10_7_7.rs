//! Do wide beams find better translations?
//!
//! Worked answer to exercise 7 of section 10.7. The translator is
//! trained for six epochs only, to leave the beams something to find.

use ch10_7::translator::{BookTransformer, SCHEDULE};
use ch10_7::{NormPosition, Transformer};
use seq2seq::bleu::bleu;
use seq2seq::dataset::Dataset;
use seq2seq::train::{BATCH, STEPS, Schedule, train};
use support::{Progress, row};

fn main() {
    let data = Dataset::book();
    let sizes = data.vocabularies.sizes();
    let schedule = Schedule { epochs: 6, ..SCHEDULE };
    let steps = schedule.epochs * data.train.len().div_ceil(BATCH);
    let mut progress = Progress::new("translator", steps);
    let model = |dev: &_| -> BookTransformer {
        Transformer::new(dev, sizes, 2, 0.1, NormPosition::Post)
    };
    let on_step = |loss, tokens| progress.step_of(tokens, loss);
    let trained = train(&data, &schedule, 0, model, on_step, |_, _| ());
    let (model, _) = trained.expect("there are pairs");
    drop(progress);
    row("width", 6, &["log p", "BLEU-2", "better p"]);
    let pairs = &data.validation[..100];
    let (mut greedy, mut means) = (Vec::new(), Vec::new());
    for width in [1, 2, 4, 8] {
        let (mut logs, mut score) = (Vec::new(), 0.0);
        for pair in pairs {
            let (source, len) = data.vocabularies.source.encode::<STEPS>(&pair.source);
            let found = model.beam_search(source, len, width).swap_remove(0);
            let ours = data.vocabularies.target.decode(&found.tokens);
            score += bleu(&ours, &pair.target, 2) / 100.0;
            logs.push(found.log_probability);
        }
        if width == 1 {
            greedy = logs.clone();
        }
        let more = logs.iter().zip(&greedy).filter(|(a, b)| **a > **b + 1e-4).count();
        let mean = logs.iter().sum::<f32>() / 100.0;
        let cells = [format!("{mean:.3}"), format!("{score:.3}"), more.to_string()];
        row(&width.to_string(), 6, &cells);
        means.push(mean);
    }
    assert!(means.is_sorted(), "a wider beam finds what is more probable: {means:?}");
}
