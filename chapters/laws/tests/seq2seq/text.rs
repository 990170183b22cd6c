//! Sentences out of a file, vocabularies and rows.

use seq2seq::text::{Pair, read_pairs, tokens};
use seq2seq::vocab::{BOS, Batch, EOS, PAD, UNK, Vocab, Vocabularies};

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(String::from).collect()
}

fn error(file: &[u8]) -> String {
    let error = read_pairs(file, usize::MAX).expect_err("is wrong");
    format!("{error:#}")
}

#[test]
fn punctuation_is_a_token_and_no_break_spaces_are_spaces() {
    assert_eq!(tokens("Va\u{202f}!"), ["va", "!"]);
    assert_eq!(tokens("Est-ce\u{a0}vrai\u{202f}?"), ["est-ce", "vrai", "?"]);
    assert_eq!(tokens("Oui, Paul."), ["oui", ",", "paul", "."]);
    assert_eq!(tokens("ÇA  va ?"), ["ça", "va", "?"]);
    assert_eq!(tokens("3.5"), ["3", ".5"]); // as in d2l
    assert_eq!(tokens(" \u{a0} "), [] as [&str; 0]);
}

#[test]
fn a_file_as_readers_download_it() {
    let file = "\u{feff}Go.\tVa\u{202f}!\tCC-BY 2.0\r\n\n  \nHi.\tSalut.\n";
    let pairs = read_pairs(file.as_bytes(), usize::MAX).expect("is right");
    let pair = |source: &str, target: &str| Pair {
        source: words(source),
        target: words(target),
    };
    assert_eq!(pairs, [pair("go .", "va !"), pair("hi .", "salut .")]);
    let one = read_pairs(file.as_bytes(), 1).expect("is right");
    assert_eq!(one, pairs[..1]);
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_the_line() {
    assert_eq!(error(b"Go.\tVa !\n\xff\tSalut."), "line 2: not UTF-8");
    assert_eq!(
        error(b"Go.\tVa !\n\nHi. Salut.\n"),
        "line 3: no tab between two sentences"
    );
    assert_eq!(error(b"\tVa !"), "line 1: nothing before the tab");
    assert_eq!(error(b"Go.\t \tCC-BY"), "line 1: nothing after the tab");
    assert_eq!(error(b""), "no pair of sentences in it");
    assert_eq!(error(b"\xef\xbb\xbf\n \n"), "no pair of sentences in it");
    let none = read_pairs(b"Go.\tVa !", 0).expect_err("no pair");
    assert_eq!(format!("{none:#}"), "no pair of sentences in it");
}

#[test]
fn what_comes_after_the_limit_is_not_read() {
    let pairs = read_pairs(b"Go.\tVa !\n\xff", 1).expect("is right");
    assert_eq!(pairs.len(), 1);
}

#[test]
fn frequent_words_come_first_and_of_two_as_frequent_the_earlier() {
    let sentences = ["b a c", "a b", "d a", "d <eos> <eos>"].map(words);
    let vocab = Vocab::new(&sentences, 2);
    let expected = ["<unk>", "<pad>", "<bos>", "<eos>", "a", "b", "d"];
    assert_eq!(vocab.tokens(), expected);
    assert_eq!(vocab.number("d"), 6);
    assert_eq!(vocab.number("c"), UNK);
    assert_eq!(["<unk>", "<bos>", "<eos>"].map(|typed| vocab.number(typed)), [UNK; 3]);
    assert_eq!(Vocab::from_tokens(vocab.tokens().to_vec()), vocab);
}

#[test]
fn a_row_ends_with_the_end_or_is_cut() {
    let vocab = Vocab::new(&[words("a a b b")], 2);
    let (a, b) = (vocab.number("a"), vocab.number("b"));
    assert_eq!(vocab.encode(&words("a x")), ([a, UNK, EOS, PAD, PAD], 3));
    assert_eq!(vocab.encode(&words("a b a")), ([a, b, a], 3));
    assert_eq!(vocab.encode(&[]), ([EOS, PAD], 1));
}

#[test]
fn a_batch_that_is_not_full_has_rows_of_length_0() {
    let pairs = read_pairs(b"a b\tc\na\tc c\n", 2).expect("is right");
    let vocabularies = Vocabularies::new(&pairs);
    let batch: Batch<3, 4> = Batch::new(&pairs, &vocabularies).expect("fits");
    assert_eq!(batch.source_lens, [3, 2, 0]);
    assert_eq!(batch.target_lens, [2, 3, 0]);
    assert_eq!(batch.source[2], [PAD; 4]);
    assert_eq!(batch.target_tokens(), 5);
    let c = vocabularies.target.number("c");
    assert_eq!(batch.teacher_forcing()[1], [BOS, c, c, EOS]);
    let few = Batch::<1, 4>::new(&pairs, &vocabularies);
    assert_eq!(few.expect_err("too many").to_string(), "more than 1 pairs for a batch");
}

#[test]
fn numbers_become_tokens_again() {
    let vocab = Vocab::new(&[words("a a b b")], 2);
    let (row, len) = vocab.encode::<4>(&words("b x"));
    assert_eq!(vocab.decode(&row[..len]), ["b", "<unk>", "<eos>"]);
    assert_eq!(vocab.size(), 6);
}
