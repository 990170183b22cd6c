//! One token on its way through one block of the encoder, and one of its heads:
//! what `EncoderBlock::forward` computes, stage by stage.

use super::attention_maps::RED_CAR;
use anyhow::Result;
use ch10_3::{DotProductAttention, Mask};
use ch10_7::translator::{BookTransformer, HEAD_WIDTH, WIDTH};
use dfdx::prelude::*;
use kernels::Tensor3;
use program::Job;
use seq2seq::train::STEPS;
use support::{Strip, printable, strips};

/// The token, by its position, and the head.
const TOKEN: usize = 0;
const HEAD: usize = 1;

/// A row of N numbers for each token.
type Rows<const N: usize> = Tensor3<1, STEPS, N>;

/// Draws the last block at work on the first word of a sentence.
pub fn block(job: &Job, model: &BookTransformer) -> Result<()> {
    let vocabulary = &job.dataset.vocabularies.source;
    let Some(pair) = job.examples([RED_CAR]).pop() else { return Ok(()) };
    let (source, len) = vocabulary.encode(&pair.source);
    let read = vocabulary.decode(&source);
    let read: Vec<String> = read.iter().map(|word| printable(word)).collect();
    let mask: Mask<1, STEPS, STEPS> = Mask::valid_lens([len]);
    let (block, before) = model.encoder.blocks.split_last().expect("has layers");
    let mut x = model.encoder.embedding.forward(&[source], 0, NoneTape);
    for block in before {
        x = block.forward(x, &mask).output;
    }

    // One head, with the steps of scaled dot-product attention one by one.
    let attention = &block.self_attention;
    let queries = attention.w_q.forward(x.clone());
    let kv = attention.project_kv(x.clone(), x.clone());
    let [q, k, v] = [&queries, &kv.keys, &kv.values].map(of_head);
    let products: Rows<STEPS> =
        q.clone().matmul(k.clone().permute::<Rank3<1, HEAD_WIDTH, STEPS>, _>());
    let mut scores = row(&(products.clone() / (HEAD_WIDTH as f32).sqrt()));
    for (key, score) in scores.iter_mut().enumerate() {
        if !mask.allows(0, TOKEN, key) {
            *score = f32::NAN;
        }
    }
    let layer = DotProductAttention::default();
    let found = layer.forward(q.clone(), k.clone(), v.clone(), &mask);

    // All heads, and the rest of the block.
    let heads = attention.attend_heads(queries, kv, &mask).output;
    let attended = attention.w_o.forward(heads.clone());
    let sum = x.clone() + attended.clone();
    let between = block.attention_residual.norm.forward(sum.clone());
    let hidden = block.feed_forward.first.forward(between.clone()).relu();
    let made = block.feed_forward.second.forward(hidden.clone());
    let last_sum = between.clone() + made.clone();
    let y = block.feed_forward_residual.norm.forward(last_sum.clone());

    let head = HEAD + 1;
    let [x, attended, sum, between, made, last_sum, y] = alike([
        strip(
            &format!("x: row of “{}”", read[TOKEN]),
            "EncoderBlock::forward",
            row(&x),
        ),
        strip("a: all heads × W_o", "w_o.forward", row(&attended)),
        strip("x + a", "Residual::forward", row(&sum)),
        strip("z: norm(x + a)", "LayerNorm::forward", row(&between)),
        strip("f: hidden × W_2", "second.forward", row(&made)),
        strip("z + f", "Residual::forward", row(&last_sum)),
        strip("norm(z + f)", "LayerNorm::forward", row(&y)),
    ]);
    let every = |name, function, x| Strip {
        rows: all(x),
        row_tokens: read.clone(),
        ..strip(name, function, Vec::new())
    };
    let [q, k, v, own, heads] = alike([
        strip("q", "w_q", row(&q)),
        every("k", "w_k", &k),
        every("v", "w_v", &v),
        strip(&format!("head {head}: weights × v"), "attend", row(&found.output)),
        strip("all heads", "merge_heads", row(&heads)),
    ]);
    let [products, scores] = alike([
        strip("q · k of each token", "matmul", row(&products)),
        strip(&format!("÷ √{HEAD_WIDTH}, masked"), "DotProductAttention", scores),
    ]);
    let [mut weights] =
        alike([strip("softmax", "masked_softmax", row(&found.weights))]);
    weights.column_tokens = read;
    let [hidden] =
        alike([strip("hidden: ReLU(z × W_1)", "first.forward", row(&hidden))]);
    let mut lines = vec![vec![x], vec![q, k, v]];
    let alone = [
        products, scores, weights, own, heads, attended, sum, between, hidden, made,
        last_sum, y,
    ];
    lines.extend(alone.map(|strip| vec![strip]));
    job.run.figure("block", &strips(&lines)?)
}

/// What belongs to the head: its columns.
fn of_head(x: &Rows<WIDTH>) -> Rows<HEAD_WIDTH> {
    let columns = HEAD * HEAD_WIDTH..(HEAD + 1) * HEAD_WIDTH;
    x.clone().slice((.., .., columns)).realize()
}

/// The row of the token.
fn row<const N: usize>(x: &Rows<N>) -> Vec<f32> {
    x.as_vec()[TOKEN * N..][..N].to_vec()
}

/// The rows of all tokens.
fn all<const N: usize>(x: &Rows<N>) -> Vec<Vec<f32>> {
    x.as_vec().chunks(N).map(<[f32]>::to_vec).collect()
}

fn strip(name: &str, function: &str, row: Vec<f32>) -> Strip {
    let (name, note) = (name.to_string(), function.to_string());
    Strip { name, note, rows: vec![row], ..Strip::default() }
}

/// Strips that share a scale: the largest of their numbers.
fn alike<const N: usize>(mut strips: [Strip; N]) -> [Strip; N] {
    let values = strips.iter().flat_map(|strip| strip.rows.concat());
    let sizes = values.filter(|value| value.is_finite()).map(f32::abs);
    let scale = sizes.fold(f32::MIN_POSITIVE, f32::max);
    strips.iter_mut().for_each(|strip| strip.scale = scale);
    strips
}
