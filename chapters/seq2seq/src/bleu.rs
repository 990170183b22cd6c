// ANCHOR: bleu_header
//! Interlude, how good is a translation: BLEU.

use std::collections::HashMap;
// ANCHOR_END: bleu_header

// ANCHOR: bleu
/// The BLEU of a translation against the right one, with runs of up to `k`
/// tokens: 1 if they are equal, 0 if they have nothing in common.
///
/// exp(min(0, 1 - len(label) / len(predicted))) times the product over n of
/// p_n to the power of 1/2^n, where p_n is the share of the runs of n tokens
/// that the label has too. n goes up to `k`, or to the length of a shorter
/// translation; nothing predicted has a BLEU of 0.
pub fn bleu(predicted: &[String], label: &[String], k: usize) -> f64 {
    if predicted.is_empty() {
        return 0.0;
    }
    let (ours, right) = (predicted.len() as f64, label.len() as f64);
    let mut score = (1.0 - right / ours).min(0.0).exp();
    for n in 1..=k.min(predicted.len()) {
        let mut left: HashMap<&[String], usize> = HashMap::new();
        for run in label.windows(n) {
            *left.entry(run).or_default() += 1;
        }
        let mut hits = 0.0;
        for run in predicted.windows(n) {
            if let Some(count) = left.get_mut(run).filter(|count| **count > 0) {
                *count -= 1;
                hits += 1.0;
            }
        }
        let share = hits / (predicted.len() + 1 - n) as f64;
        score *= share.powf(0.5f64.powi(n as i32));
    }
    score
}
// ANCHOR_END: bleu
