// ANCHOR: sampling
//! Keeps the most probable tokens, to draw from these alone.

use seq2seq::vocab::EOS;

/// Keeps the logits of the `k` most probable tokens, from [`EOS`] on, and at least
/// one; all others become -∞. Of equal logits those of the smaller tokens are kept.
pub fn top_k(logits: &[f32], k: usize) -> Vec<f32> {
    keep(logits, |_| k)
}

/// Keeps the logits of as few of the most probable tokens as together have at least
/// the probability `p`, from 0 to 1, as [`top_k`] does: Holtzman et al. 2019, "The
/// Curious Case of Neural Text Degeneration".
pub fn top_p(logits: &[f32], p: f32) -> Vec<f32> {
    keep(logits, |order| {
        let odds = order.iter().map(|&token| (logits[token] - logits[order[0]]).exp());
        let total: f32 = odds.clone().sum();
        let mut rest = p * total;
        1 + odds
            .take_while(|odds| {
                rest -= odds;
                rest > 0.0
            })
            .count()
    })
}
// ANCHOR_END: sampling

// ANCHOR: keep
/// Keeps the first tokens by logit, at least one; `count` returns how many.
fn keep(logits: &[f32], count: impl Fn(&[usize]) -> usize) -> Vec<f32> {
    let mut order: Vec<usize> = (EOS..logits.len()).collect();
    order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
    let mut kept = vec![f32::NEG_INFINITY; logits.len()];
    for &token in order.iter().take(count(&order).max(1)) {
        kept[token] = logits[token];
    }
    kept
}
// ANCHOR_END: keep
