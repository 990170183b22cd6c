// ANCHOR: perplexity
//! Section 10.7, decoder alone: perplexity, and the model to beat, which
//! counts pairs of words. Nothing is trained in it.

use seq2seq::vocab::BOS;
use std::collections::HashMap;

/// **Perplexity**: e to the mean of -ln p over all tokens. `nats` are the
/// -ln p, whatever model they are from.
pub fn perplexity(nats: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for nat in nats {
        (sum, count) = (sum + nat, count + 1.0);
    }
    f64::exp(sum / count)
}
// ANCHOR_END: perplexity

// ANCHOR: bigrams
/// How often each token came after each other one.
#[derive(Clone, Debug)]
pub struct Bigrams {
    pairs: HashMap<(usize, usize), f64>,
    before: Vec<f64>,
    after: Vec<f64>,
    total: f64,
    /// So many tokens are added to those counted after each token, in the shares
    /// that the tokens have in the whole text.
    pub pseudo_count: f64,
}

impl Bigrams {
    /// Counts in stories, each of which ends with its end. There are `words`
    /// tokens, and each counts once more than it occurs, so that none is
    /// impossible.
    pub fn new(stories: &[Vec<usize>], words: usize, pseudo_count: f64) -> Self {
        let (mut pairs, mut before) = (HashMap::new(), vec![0.0; words]);
        let (mut after, mut total) = (vec![1.0; words], words as f64);
        for (a, b) in stories.iter().flat_map(|story| steps(story)) {
            *pairs.entry((a, b)).or_default() += 1.0;
            before[a] += 1.0;
            after[b] += 1.0;
            total += 1.0;
        }
        Bigrams { pairs, before, after, total, pseudo_count }
    }

    /// The probability that `b` comes after `a`.
    pub fn probability(&self, a: usize, b: usize) -> f64 {
        let share = self.after[b] / self.total;
        let pair = self.pairs.get(&(a, b)).copied().unwrap_or_default();
        (pair + self.pseudo_count * share) / (self.before[a] + self.pseudo_count)
    }

    /// The perplexity of stories.
    pub fn perplexity(&self, stories: &[Vec<usize>]) -> f64 {
        let steps = stories.iter().flat_map(|story| steps(story));
        perplexity(steps.map(|(a, b)| -self.probability(a, b).ln()))
    }
}

/// Each token of a story, and the one before it.
fn steps(story: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let before = [&BOS].into_iter().chain(story);
    before.copied().zip(story.iter().copied())
}
// ANCHOR_END: bigrams

// ANCHOR: tuned
impl Bigrams {
    /// Counts with the pseudo-count, of 1, 2, 4 … 64, that is
    /// best for the last tenth of the stories when the others are counted.
    pub fn tuned(stories: &[Vec<usize>], words: usize) -> Self {
        let (most, rest) = stories.split_at(stories.len() - stories.len() / 10);
        let mut counted = Self::new(most, words, 0.0);
        let mut tried = |pseudo_count: f64| {
            counted.pseudo_count = pseudo_count;
            (counted.perplexity(rest), pseudo_count)
        };
        let tried = (0..7).map(|power| tried(f64::from(1 << power)));
        let best = tried.min_by(|a, b| a.0.total_cmp(&b.0));
        Self::new(stories, words, best.map_or(1.0, |(_, best)| best))
    }
}
// ANCHOR_END: tuned
