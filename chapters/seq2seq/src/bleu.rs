// ANCHOR: header
//! Interlude, how good a translation is: BLEU, of a sentence and of a corpus.

use std::collections::HashMap;
// ANCHOR_END: header

// ANCHOR: bleu
/// The BLEU of a translation against the right one, with n-grams of up to `k`
/// tokens: 1 if they are equal, 0 if they have nothing in common.
///
/// exp(min(0, 1 - len(label) / len(predicted))) times the product over n of
/// p_n to the power of 1/2^n, where p_n is the share of the n-grams that the
/// label has too. n goes up to `k`, or to the length of a shorter
/// translation; nothing predicted has a BLEU of 0.
pub fn bleu(predicted: &[String], label: &[String], k: usize) -> f64 {
    if predicted.is_empty() {
        return 0.0;
    }
    let mut score = brevity_penalty(predicted.len(), label.len());
    for n in 1..=k.min(predicted.len()) {
        let share =
            matches(predicted, &[label], n) as f64 / (predicted.len() + 1 - n) as f64;
        score *= share.powf(0.5f64.powi(n as i32));
    }
    score
}

/// How many n-grams of a translation one of the right ones has too; each counts
/// as often as the one that has it most often.
fn matches(predicted: &[String], references: &[&[String]], n: usize) -> usize {
    let ours = counts(predicted, n);
    let theirs: Vec<_> = references.iter().map(|label| counts(label, n)).collect();
    let most = |gram| theirs.iter().filter_map(|counts| counts.get(gram)).max();
    let matches = ours
        .iter()
        .map(|(gram, &count)| most(gram).map_or(0, |&most: &usize| most.min(count)));
    matches.sum()
}

fn counts(tokens: &[String], n: usize) -> HashMap<&[String], usize> {
    let mut counts = HashMap::new();
    tokens.windows(n).for_each(|gram| *counts.entry(gram).or_default() += 1);
    counts
}

/// 1, or less if a translation is shorter than the right one.
fn brevity_penalty(predicted: usize, label: usize) -> f64 {
    (1.0 - label as f64 / predicted as f64).min(0.0).exp()
}
// ANCHOR_END: bleu

// ANCHOR: corpus_bleu
/// The BLEU of many translations together, each with its right ones: Papineni
/// et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine
/// Translation". N-grams of 1 to 4 tokens are counted over all translations, the
/// geometric mean of the four shares is taken, and the lengths are summed; of
/// several right translations the one whose length is nearest counts.
pub fn corpus_bleu(translations: &[(Vec<String>, Vec<&[String]>)]) -> f64 {
    let (mut predicted, mut right) = (0, 0);
    let (mut hits, mut all) = ([0; 4], [0; 4]);
    for (ours, references) in translations {
        predicted += ours.len();
        let distance = |len: &usize| (len.abs_diff(ours.len()), *len);
        let lens = references.iter().map(|label| label.len());
        right += lens.min_by_key(distance).unwrap_or(0);
        for n in 1..=4 {
            hits[n - 1] += matches(ours, references, n);
            all[n - 1] += (ours.len() + 1).saturating_sub(n);
        }
    }
    if hits.contains(&0) {
        return 0.0;
    }
    let logs = hits.iter().zip(all).map(|(&hits, all)| (hits as f64 / all as f64).ln());
    brevity_penalty(predicted, right) * (logs.sum::<f64>() / 4.0).exp()
}
// ANCHOR_END: corpus_bleu
