//! A model as bytes: what is written is read, what is wrong is refused.

use ch10_2::parameters::Parameters;
use kernels::Dev;
use safetensors::tensor::{Dtype, SafeTensors, serialize};
use seq2seq::checkpoint::{from_bytes, to_bytes};
use seq2seq::context::FixedContext;
use seq2seq::translator::{Config, Translator};
use seq2seq::vocab::Vocab;

fn vocab(last: &str) -> Vocab {
    let tokens = ["<unk>", "<pad>", "<bos>", "<eos>", "va", last];
    Vocab::from_tokens(tokens.map(String::from).to_vec())
}

fn model<const HIDDEN: usize>(seed: u64) -> Translator<3, HIDDEN, FixedContext> {
    let config = Config { layers: 2, embedding_dropout: 0.0, layer_dropout: 0.0 };
    Translator::new(&Dev::seed_from_u64(seed), (6, 6), &config, FixedContext)
}

fn error(file: &[u8], vocabs: &[&Vocab]) -> String {
    let mut model = model::<4>(2);
    let before = model.flatten();
    let error = from_bytes(file, &mut model, vocabs);
    assert_eq!(model.flatten(), before, "changed by a file that is refused");
    format!("{:#}", error.expect_err("is wrong"))
}

#[test]
fn what_is_written_is_read() {
    let (go, va) = (vocab("go"), vocab("!"));
    let mut written = model::<4>(1);
    let file = to_bytes(&mut written, &[&go, &va]);
    assert_eq!(file, to_bytes(&mut written, &[&go, &va]));
    let mut read = model::<4>(2);
    assert_ne!(read.flatten(), written.flatten());
    from_bytes(&file, &mut read, &[&go, &va]).expect("is right");
    assert_eq!(read.flatten(), written.flatten());
}

/// The crate safetensors, which the Python library is made of, reads our files,
/// and we read what it writes, whatever the order.
#[test]
fn files_are_those_of_safetensors() {
    let (go, va) = (vocab("go"), vocab("!"));
    let mut model = model::<4>(1);
    let file = to_bytes(&mut model, &[&go, &va]);
    let tensors = SafeTensors::deserialize(&file).expect("is right");
    for (name, parameter) in model.parameters() {
        let tensor = tensors.tensor(&name).expect("is in it");
        let mut flat = Vec::new();
        parameter.append_to(&mut flat);
        let bytes: Vec<u8> = flat.iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!((tensor.dtype(), tensor.data()), (Dtype::F32, &bytes[..]), "{name}");
        assert_eq!(tensor.shape(), parameter.dims(), "{name}");
    }
    let (_, header) = SafeTensors::read_metadata(&file).expect("is right");
    let theirs = serialize(tensors.tensors(), header.metadata().clone());
    let theirs = theirs.expect("fits");
    assert_ne!(theirs, file, "in the order of the names");
    let mut read = self::model::<4>(2);
    from_bytes(&theirs, &mut read, &[&go, &va]).expect("is right");
    assert_eq!(read.flatten(), model.flatten());
}

#[test]
fn what_is_wrong_is_refused_in_words() {
    let (go, va) = (vocab("go"), vocab("!"));
    let vocabs = [&go, &va];
    let file = to_bytes(&mut model::<4>(1), &vocabs);
    let damaged = "not a model, or damaged";
    assert_eq!(error(b"", &vocabs), damaged);
    assert_eq!(error(b"no model at all", &vocabs), damaged);
    for cut in [7, 100, file.len() / 2, file.len() - 1] {
        assert_eq!(error(&file[..cut], &vocabs), damaged, "cut at {cut}");
    }
    let mut flipped = file.clone();
    let last = flipped.len() - 1;
    flipped[last] ^= 1;
    assert_eq!(error(&flipped, &vocabs), damaged);
    let other = "trained with another vocabulary";
    assert_eq!(error(&file, &[&go, &vocab("?")]), other);
    assert_eq!(error(&file, &[&go]), other);
    let wide = to_bytes(&mut model::<5>(1), &vocabs);
    let shape = "encoder.rnn.first.w_ih has the shape [3, 5, 3], not [3, 4, 3]";
    assert_eq!(error(&wide, &vocabs), shape);
    let small = to_bytes(&mut model::<4>(1).encoder, &vocabs);
    let missing = "encoder.embedding.vectors is not in it";
    assert_eq!(error(&small, &vocabs), missing);
}

#[test]
fn weights_that_are_no_numbers_are_refused() {
    let (go, va) = (vocab("go"), vocab("!"));
    for bad in [f32::NAN, f32::INFINITY] {
        let mut model = model::<4>(1);
        let mut flat = model.flatten();
        flat[7] = bad;
        model.load_flat(&flat);
        let file = to_bytes(&mut model, &[&go, &va]);
        let not_finite = "a weight in it is not a finite number";
        assert_eq!(error(&file, &[&go, &va]), not_finite);
    }
}
