// ANCHOR: story_sizes
//! Section 10.7, decoder alone: the stories of the book as tokens, and tokens
//! as text again. No model is in it.

use anyhow::{Result, ensure};
use seq2seq::vocab::{EOS, Vocab};

/// Tokens of a story at most, its end included.
pub const STEPS: usize = 128;

/// The stories, one a line, written for this book.
pub const TEXT: &str = include_str!("../data/stories.txt");
// ANCHOR_END: story_sizes

// ANCHOR: story_tokens
/// Splits a text into tokens: words in lower case, and each mark by itself.
/// A plain quotation mark opens a speech or closes it, in turn.
pub fn tokens(text: &str) -> Vec<String> {
    let (mut spaced, mut open) = (String::new(), false);
    for c in text.to_lowercase().chars() {
        match c {
            '"' => {
                open = !open;
                spaced.push_str(if open { " “ " } else { " ” " });
            }
            c if c.is_alphanumeric() => spaced.push(c),
            c => spaced.extend([' ', c, ' ']),
        }
    }
    spaced.split_whitespace().map(String::from).collect()
}
// ANCHOR_END: story_tokens

// ANCHOR: story_text
/// Tokens as text: a large letter where a sentence begins, no space before a
/// mark that closes.
pub fn text<S: AsRef<str>>(tokens: &[S]) -> String {
    let (mut text, mut before) = (String::new(), "");
    let (mut begins, mut said) = (true, false);
    for token in tokens.iter().map(AsRef::as_ref) {
        let closes = matches!(token, "," | "." | "?" | "!" | "”");
        if !closes && before != "“" && !text.is_empty() {
            text.push(' ');
        }
        let large = begins || token == "i";
        match token {
            "," => {}
            "." => (begins, said) = (true, false),
            "?" | "!" => begins = true,
            // “Where?” asked the fox. “Here,” said the hare, “by the oak.”
            "”" => (begins, said) = (before == ".", before == ","),
            "“" => begins = !said,
            _ => begins = false,
        }
        let (first, rest) = token.split_at(token.ceil_char_boundary(1));
        let upper = first.to_uppercase();
        text += if large { &upper } else { first };
        text += rest;
        before = token;
    }
    text
}
// ANCHOR_END: story_text

// ANCHOR: stories
/// Stories to learn from; then a tenth to choose settings by, and the last
/// tenth, which is held out.
#[derive(Clone, Debug)]
pub struct Stories {
    /// To learn from, each a list of numbers that ends with [`EOS`].
    pub train: Vec<Vec<usize>>,
    /// To choose settings by, likewise.
    pub validation: Vec<Vec<usize>>,
    /// To judge a trained model by, once.
    pub held_out: Vec<Vec<usize>>,
    /// The tokens that have numbers: those of the training.
    pub vocab: Vocab,
}

impl Stories {
    /// The stories of the book.
    pub fn book() -> Self {
        Self::of(TEXT)
    }

    /// The stories of a text, one a line.
    pub fn of(text: &str) -> Self {
        let all: Vec<Vec<String>> = text.lines().map(tokens).collect();
        let tenth = all.len() / 10;
        let (train, others) = all.split_at(all.len() - 2 * tenth);
        let (validation, held_out) = others.split_at(tenth);
        let vocab = Vocab::new(train, 1);
        let numbers = |story: &Vec<String>| -> Vec<usize> {
            let numbers = story.iter().map(|token| vocab.number(token));
            numbers.chain([EOS]).collect()
        };
        let [train, validation, held_out] = [train, validation, held_out]
            .map(|part| part.iter().map(numbers).collect());
        Stories { train, validation, held_out, vocab }
    }

    /// How many words and marks there are, and signs such as the end.
    pub fn vocab_size(&self) -> usize {
        self.vocab.tokens().len()
    }
}
// ANCHOR_END: stories

// ANCHOR: prompt
impl Stories {
    /// The beginning of a story, given by the reader, as numbers.
    ///
    /// # Errors
    /// It has words that are not in the stories; the message names them. Or it
    /// has so many that there is no room for one more.
    pub fn prompt(&self, text: &str) -> Result<Vec<usize>> {
        let tokens = tokens(text);
        let (len, most) = (tokens.len(), STEPS - 1);
        ensure!(len <= most, "{len} words and marks; the most is {most}");
        let known = self.vocab.tokens();
        let unknown = tokens.iter().filter(|token| !known.contains(token));
        let unknown: Vec<_> = unknown.map(String::as_str).collect();
        ensure!(
            unknown.is_empty(),
            "not in the stories, so the model has no row for it: {}; begin \
             with words of chapters/ch10_7/data/stories.txt",
            unknown.join(", "),
        );
        Ok(tokens.iter().map(|token| self.vocab.number(token)).collect())
    }

    /// Numbers as text, up to the end.
    pub fn text(&self, numbers: &[usize]) -> String {
        let numbers = numbers.iter().take_while(|&&number| number != EOS);
        let known = self.vocab.tokens();
        let tokens: Vec<_> = numbers.map(|&number| &known[number]).collect();
        text(&tokens)
    }
}
// ANCHOR_END: prompt
