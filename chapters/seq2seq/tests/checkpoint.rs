//! A model in a file: what is written is read, what is wrong is said.

use ch10_1::Dev;
use seq2seq::checkpoint::{from_bytes, to_bytes};
use seq2seq::context::LastState;
use seq2seq::parameters::Parameters;
use seq2seq::translator::{Dropouts, Translator};
use seq2seq::vocab::{Languages, Vocab};

fn languages(last: &str) -> Languages {
    let vocab = |last: &str| {
        let tokens = ["<unk>", "<pad>", "<bos>", "<eos>", "va", last];
        Vocab::from_tokens(tokens.map(String::from).to_vec())
    };
    Languages { source: vocab("go"), target: vocab(last) }
}

fn model<const HIDDEN: usize>(seed: u64) -> Translator<3, HIDDEN, LastState> {
    Translator::new(
        &Dev::seed_from_u64(seed),
        (6, 6),
        2,
        Dropouts::default(),
        LastState,
    )
}

fn error(file: &[u8], languages: &Languages) -> String {
    let mut model = model::<4>(2);
    let before = model.row();
    let error = from_bytes(file, &mut model, languages);
    assert_eq!(model.row(), before, "changed by a file that is refused");
    format!("{:#}", error.expect_err("is wrong"))
}

#[test]
fn what_is_written_is_read() {
    let languages = languages("!");
    let mut written = model::<4>(1);
    let file = to_bytes(&mut written, &languages).expect("fits");
    assert_eq!(file, to_bytes(&mut written, &languages).expect("fits"));
    let mut read = model::<4>(2);
    assert_ne!(read.row(), written.row());
    from_bytes(&file, &mut read, &languages).expect("is right");
    assert_eq!(read.row(), written.row());
}

#[test]
fn what_is_wrong_is_said() {
    let languages = languages("!");
    let file = to_bytes(&mut model::<4>(1), &languages).expect("fits");
    let damaged = "not a model, or damaged";
    assert_eq!(error(b"", &languages), damaged);
    assert_eq!(error(b"no model at all", &languages), damaged);
    for cut in [7, 100, file.len() / 2, file.len() - 1] {
        assert_eq!(error(&file[..cut], &languages), damaged, "cut at {cut}");
    }
    let mut flipped = file.clone();
    let last = flipped.len() - 1;
    flipped[last] ^= 1;
    assert_eq!(error(&flipped, &languages), damaged);
    let other = self::languages("?");
    assert_eq!(error(&file, &other), "trained with another vocabulary");
    let wide = to_bytes(&mut model::<5>(1), &languages).expect("fits");
    assert_eq!(
        error(&wide, &languages),
        "encoder.rnn.layer_0.w_ih has the shape [3, 5, 3], not [3, 4, 3]"
    );
    let small = to_bytes(&mut model::<4>(1).encoder, &languages).expect("fits");
    assert_eq!(error(&small, &languages), "encoder.rnn.layer_0.w_ih is not in it");
}
