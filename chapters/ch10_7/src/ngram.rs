// ANCHOR: perplexity
//! Section 10.7, decoder alone: perplexity, and the models to beat, which count
//! words, pairs of words and so on. Nothing is trained in it.

use seq2seq::vocab::BOS;
use std::collections::HashMap;

/// Returns the **perplexity**, e to the mean of -ln p over all tokens. `nats` is the
/// sum of the -ln p of any model. Of no tokens it is NaN.
pub fn perplexity(nats: f64, tokens: usize) -> f64 {
    f64::exp(nats / tokens as f64)
}
// ANCHOR_END: perplexity

// ANCHOR: ngrams
/// How often each token came after each context of a few tokens.
#[derive(Clone, Debug)]
pub struct NGrams {
    /// How often each context with the token after it came, by their tokens.
    together: HashMap<Vec<usize>, f64>,
    /// How often a token came after each context.
    contexts: HashMap<Vec<usize>, f64>,
    vocabulary: f64,
    /// κ for contexts of one token, of two, and so on: so many contexts are
    /// used, from the shortest on.
    pub pseudo_counts: Vec<f64>,
}

impl NGrams {
    /// Counts n-grams of up to `order` tokens in stories, each of which ends with
    /// [`EOS`](seq2seq::vocab::EOS). No context is used until it has a pseudo-count.
    pub fn new(stories: &[Vec<usize>], vocabulary: usize, order: usize) -> Self {
        let (mut together, mut contexts) = (HashMap::new(), HashMap::new());
        for text in stories.iter().map(|story| begun(story)) {
            for at in 1..text.len() {
                for from in (at + 1).saturating_sub(order)..=at {
                    *together.entry(text[from..=at].to_vec()).or_default() += 1.0;
                    *contexts.entry(text[from..at].to_vec()).or_default() += 1.0;
                }
            }
        }
        let (vocabulary, pseudo_counts) = (vocabulary as f64, Vec::new());
        NGrams { together, contexts, vocabulary, pseudo_counts }
    }

    /// Returns how many numbers it has counted, one for each sequence of at most
    /// `order` tokens that occurs.
    pub fn counts(&self) -> usize {
        self.together.len()
    }
    // ANCHOR_END: ngrams

    // ANCHOR: probability
    /// Returns the probability of `token` after the tokens `before` it. After a
    /// context that never came it is the probability after the shorter context.
    pub fn probability(&self, before: &[usize], token: usize) -> f64 {
        let count = |of: &HashMap<Vec<usize>, f64>, tokens: &[usize]| {
            of.get(tokens).copied().unwrap_or_default()
        };
        let text = [before, &[token]].concat();
        let all = count(&self.contexts, &[]) + self.vocabulary;
        let mut p = (count(&self.together, &[token]) + 1.0) / all;
        for (len, kappa) in (1..=before.len()).zip(&self.pseudo_counts) {
            let from = before.len() - len;
            let came = count(&self.contexts, &before[from..]);
            if came > 0.0 {
                p = (count(&self.together, &text[from..]) + kappa * p) / (came + kappa);
            }
        }
        p
    }
    // ANCHOR_END: probability

    // ANCHOR: ngrams_perplexity
    /// Returns the perplexity of stories.
    pub fn perplexity(&self, stories: &[Vec<usize>]) -> f64 {
        let (mut nats, mut tokens) = (0.0, 0);
        for text in stories.iter().map(|story| begun(story)) {
            for at in 1..text.len() {
                nats -= self.probability(&text[..at], text[at]).ln();
                tokens += 1;
            }
        }
        perplexity(nats, tokens)
    }
}

/// Returns a story with [`BOS`] before it.
fn begun(story: &[usize]) -> Vec<usize> {
    [&[BOS], story].concat()
}
// ANCHOR_END: ngrams_perplexity

// ANCHOR: tuned
impl NGrams {
    /// Counts in the training stories. For each length of a context, the shortest
    /// first, chooses the κ of 1, 2, 4 … 64 that is best on the validation stories.
    pub fn tuned(
        [training, validation]: [&[Vec<usize>]; 2],
        vocabulary: usize,
        order: usize,
    ) -> Self {
        let mut counted = Self::new(training, vocabulary, order);
        for n in 0..order.saturating_sub(1) {
            counted.pseudo_counts.push(1.0);
            let tried = (0..7).map(|power| {
                counted.pseudo_counts[n] = f64::from(1 << power);
                (counted.perplexity(validation), counted.pseudo_counts[n])
            });
            let best = tried.min_by(|a, b| a.0.total_cmp(&b.0));
            counted.pseudo_counts[n] = best.map_or(1.0, |(_, best)| best);
        }
        counted
    }
}
// ANCHOR_END: tuned
