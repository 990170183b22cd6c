//! Section 10.7: one token through one block, as in the figure, and as in the
//! library.

use crate::common::{Asked, agree, drawn, is_one_head, near, numbers, start};
use ch10_3::Mask;
use ch10_7::translator::{BookTransformer, HEADS};
use dfdx::prelude::*;
use kernels::Tensor4;
use live::ch10_7::TransformerPage;
use live::ch10_7_block::BlockPage;
use seq2seq::train::STEPS;
use seq2seq::vocab::{BOS, PAD};
use serde_json::{Value, json};

const PAGE: &str = "ch10_7_block";
const CAR: &str = "The red car is new.";
const WRITTEN: [&str; 6] = ["la", "voiture", "rouge", "est", "neuve", "."];

/// A question about a token that is read.
fn read(at: usize, layer: usize, head: usize) -> String {
    json!({"sentence": CAR, "written": null, "at": at, "layer": layer, "head": head})
        .to_string()
}

/// A question about a token that was written.
fn written(at: usize, layer: usize, head: usize) -> String {
    read(at, layer, head).replace("null", &json!(WRITTEN).to_string())
}

/// The strips of Figure 10.7.3, by their names.
#[test]
fn it_is_the_figure() {
    let answer = start::<BlockPage>(PAGE).ok(&read(0, 1, 1));
    let drawn = drawn(include_str!("../../figures/ch10_7/block.svg"));
    let (first, network) = (&answer["attentions"][0], &answer["network"]);
    let names = ["x", "query", "keys", "values", "products", "scores", "weights"];
    let names = names.into_iter().chain(["found", "heads", "attended", "sum", "norm"]);
    let ours = names.map(|name| first["head"].get(name).unwrap_or(&first[name]));
    let ours = ours.chain(["hidden", "made", "sum", "norm"].map(|name| &network[name]));
    assert_eq!(ours.clone().count(), drawn.len());
    for (ours, drawn) in ours.zip(&drawn) {
        let ours = numbers(ours);
        assert_eq!(ours.len(), drawn.len());
        // The model of the figure has its numbers in f32.
        for (ours, drawn) in ours.iter().zip(drawn) {
            let near = |drawn: f64| (ours - drawn).abs() < 0.02 + 0.01 * drawn.abs();
            assert!(drawn.is_nan() || near(*drawn), "{ours} {drawn:?}");
        }
    }
    assert_eq!(
        first["allowed"],
        json!(vec![true; 7].into_iter().chain([false; 3]).collect::<Vec<_>>())
    );
}

/// Row `at` of a tensor.
fn row<const M: usize>(
    x: &Tensor<Rank3<1, STEPS, M>, f32, Cpu>,
    at: usize,
) -> Vec<f64> {
    x.as_vec()[at * M..][..M].iter().map(|&x| x.into()).collect()
}

/// A row of a head's weights.
fn of_head(
    weights: &Tensor4<1, HEADS, STEPS, STEPS>,
    head: usize,
    at: usize,
) -> Vec<f64> {
    weights.array()[0][head][at].iter().map(|&x| x.into()).collect()
}

#[test]
fn a_block_of_the_encoder_computes_this() {
    let TransformerPage { vocabularies, model } = start(PAGE);
    let (source, len) = vocabularies.source.encode(&seq2seq::text::tokens(CAR));
    let mask = Mask::valid_lens([len]);
    let mut page = start::<BlockPage>(PAGE);
    let mut x = model.encoder.embedding.forward(&[source], 0, NoneTape);
    for (layer, block) in model.encoder.blocks.iter().enumerate() {
        let after = block.forward(x.clone(), &mask);
        for (at, head) in [(0, 0), (2, 3)] {
            let answer = page.ok(&read(at, layer, head));
            let first = &answer["attentions"][0];
            near(&numbers(&first["x"]), &row(&x, at), 1e-5);
            let weights = of_head(&after.weights, head, at);
            near(&numbers(&first["head"]["weights"]), &weights, 1e-5);
            is_one_masked_head(first);
            near(&numbers(&answer["network"]["norm"]), &row(&after.output, at), 1e-4);
        }
        x = after.output;
    }
}

/// The head of an attention, of which some keys are masked.
fn is_one_masked_head(attended: &Value) {
    is_one_head(&attended["head"], |k| attended["allowed"][k] == true);
}

#[test]
fn a_block_of_the_decoder_computes_this() {
    let TransformerPage { vocabularies, model } = start(PAGE);
    let (source, len) = vocabularies.source.encode(&seq2seq::text::tokens(CAR));
    let mut input = [PAD; STEPS];
    let numbered = WRITTEN.map(|token| vocabularies.target.number(token));
    let numbered = [BOS].into_iter().chain(numbered);
    input.iter_mut().zip(numbered).for_each(|(input, token)| *input = token);
    let (rows, weights) =
        model.forward((&[source], &[len]), (&[input], &[7]), NoneTape);
    let mut page = start::<BlockPage>(PAGE);
    for (at, layer, head) in [(0, 1, 0), (1, 1, 2), (3, 0, 1)] {
        let answer = page.ok(&written(at, layer, head));
        let all = &weights.decoder[layer];
        for (one, weights) in
            [&all.self_attention, &all.cross_attention].iter().enumerate()
        {
            let attended = &answer["attentions"][one];
            near(
                &numbers(&attended["head"]["weights"]),
                &of_head(weights, head, at),
                1e-5,
            );
            is_one_masked_head(attended);
        }
        let next = answer["next"].as_array().expect("tokens");
        if layer == 0 {
            assert_eq!(next.len(), 0);
            continue;
        }
        near(&numbers(&answer["network"]["norm"]), &row(&rows, at), 1e-4);
        assert_eq!(next.len(), 10);
        assert_eq!(next[0]["token"], WRITTEN[at]);
        near(&numbers(&next[0]["probability"]), &[most(&model, &rows, at)], 1e-4);
    }
}

/// The largest probability of the token that comes next.
fn most(
    model: &BookTransformer,
    rows: &Tensor<Rank3<1, STEPS, 64>, f32, Cpu>,
    at: usize,
) -> f64 {
    let shares = model.decoder.output.logits(rows.clone()).softmax::<Axis<2>>();
    let shares = shares.as_vec();
    let row = &shares[at * shares.len() / STEPS..][..shares.len() / STEPS];
    row.iter().copied().fold(0.0, f32::max).into()
}

#[test]
fn the_module_answers_alike() {
    let questions = [read(0, 1, 1), read(6, 0, 3), written(0, 0, 0), written(6, 1, 2)];
    let bad = [(read(0, 1, 1).replace("null", "7"), "not a question")];
    agree::<BlockPage>(PAGE, &questions, &bad);
}
