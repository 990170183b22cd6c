//! Greedy decoding against several candidates: are more probable translations
//! found, and are they better?
//!
//! Worked answer to exercise 7 of section 10.7. The translator is trained for
//! a few epochs only, so that it has doubts.

use anyhow::Result;
use ch10_1::Dev;
use ch10_7::{NormAt, Transformer};
use seq2seq::bleu::bleu;
use seq2seq::course::{Course, STEPS, Schedule, words};

/// Held-out sentences that are asked.
const ASKED: usize = 100;
const EPOCHS: usize = 5;

type Model = Transformer<64, 4, 16, 128>;

/// Of the first candidates: the mean logarithm of the probability, the mean
/// BLEU, and how many are more probable than those of greedy decoding.
fn outcome(course: &Course, model: &Model, width: usize) -> (f32, f64, usize) {
    let (mut log, mut score, mut better) = (0.0, 0.0, 0);
    for pair in &course.asked[..ASKED] {
        let row = course.languages.source.row(&pair.source);
        let found = &model.beam::<STEPS>(row, width)[0];
        let greedy = &model.beam::<STEPS>(row, 1)[0];
        let ours = words(&course.languages.target, &found.tokens);
        log += found.log / ASKED as f32;
        score += bleu(&ours, &pair.target, 2) / ASKED as f64;
        better += usize::from(found.log > greedy.log + 1e-4);
    }
    (log, score, better)
}

fn main() -> Result<()> {
    let course = Course::book()?;
    let words = course.words();
    let schedule = Schedule { epochs: EPOCHS, rate: 0.003, left: 0.3, warm_up: 0 };
    let model = |dev: &Dev| Model::new(dev, words, 2, 0.1, NormAt::Post);
    let (model, _) = course.learn("a little", &schedule, 0, model)?;
    println!("width  mean log p  BLEU-2  more probable, of {ASKED}");
    let mut all = Vec::new();
    for width in [1, 2, 4, 8] {
        let (log, score, better) = outcome(&course, &model, width);
        println!("{width:5} {log:11.3} {score:7.3} {better:6}");
        all.push((log, better));
    }
    assert_eq!(all[0].1, 0, "a width of 1 is greedy decoding");
    assert!(all[3].0 > all[0].0, "more candidates, more probable ones");
    Ok(())
}
