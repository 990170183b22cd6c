//! Masks, the example to check by hand, and the worked examples.

use super::print;
use anyhow::Result;
use ch10_1::{Dev, Tensor3};
use ch10_3::*;
use dfdx::prelude::*;
use std::array::from_fn;
use support::{Labels, RunArgs, heading, show_heatmaps};

/// Masked softmax with each kind of mask.
pub fn masks(dev: &Dev) {
    heading("Masked softmax");
    let scores: Tensor3<2, 2, 4> = dev.sample_uniform();
    for (what, mask) in [
        ("no mask", Mask::none()),
        ("one per example: [2, 3]", Mask::valid_lens([2, 3])),
        (
            "one per query: [[1, 3], [2, 4]]",
            Mask::valid_lens_per_query([[1, 3], [2, 4]]),
        ),
        ("causal: [[1, 2], [1, 2]]", Mask::causal()),
        ("a length of 0: [0, 4]", Mask::valid_lens([0, 4])),
    ] {
        println!("{what}");
        let weights = masked_softmax(scores.clone(), &mask).array();
        print("  example 0, query", weights[0]);
        print("  example 1, query", weights[1]);
    }
}

/// Four masks for one example of six queries and six pairs.
pub fn four_masks(run: &RunArgs) -> Result<()> {
    let masks: [(&str, Mask<1, 6, 6>); 4] = [
        ("Length 4", Mask::valid_lens([4])),
        ("Causal", Mask::causal()),
        ("Causal, length 4", Mask::causal_within([4])),
        ("Band", Mask::from_fn(|_, q, k| q.abs_diff(k) <= 1)),
    ];
    let cell = |allowed: bool| if allowed { 1.0f32 } else { 0.0 };
    let maps = masks.clone().map(|(_, mask)| {
        let row = |q| from_fn::<_, 6, _>(|k| cell(mask.allows(0, q, k)));
        from_fn::<_, 6, _>(row)
    });
    let titles = masks.map(|(name, _)| name.to_string());
    let labels = Labels { titles: titles.into(), ..Labels::default() };
    run.figure("masks", &show_heatmaps(&maps, &labels)?)
}

/// An example that can be checked by hand.
pub fn by_hand(dev: &Dev) {
    heading("An example to check by hand");
    let queries =
        dev.tensor([[[0.3367, 0.1288], [0.2345, 0.2303], [-1.1229, -0.1863]]]);
    let keys = dev.tensor([[[2.2082, -0.6380], [0.4617, 0.2674], [0.5349, 0.8094]]]);
    let values = dev.tensor([[[1.1103, -1.6898], [-0.9890, 0.9580], [1.3221, 0.8172]]]);
    print("query", queries.array()[0]);
    print("key", keys.array()[0]);
    print("value", values.array()[0]);
    let columns = keys.clone().permute::<Rank3<1, 2, 3>, _>();
    let scores = queries.clone().matmul(columns) / 2f32.sqrt();
    print("scores of query", scores.array()[0]);
    // ANCHOR: forward
    let attention = DotProductAttention::default();
    let got = attention.forward(queries, keys, values, &Mask::none());
    // ANCHOR_END: forward
    print("weights of query", got.weights.array()[0]);
    print("output of query", got.output.array()[0]);
}

/// The numbers from 0 on, four to a value, the same for both examples.
fn to_forty(dev: &Dev) -> Tensor3<2, 10, 4> {
    let count: Vec<f32> = (0..40u8).map(f32::from).collect();
    dev.tensor((count, (Const::<10>, Const::<4>))).broadcast()
}

/// The worked examples: equal keys, and keys that differ.
pub fn worked(title: &str, keys: Tensor3<2, 10, 2>, run: &RunArgs) -> Result<()> {
    heading(title);
    let dev = keys.device().clone();
    let mask = Mask::valid_lens([2, 6]);
    let values = to_forty(&dev);
    let layer = AdditiveAttention::<20, 2, 8>::new(&dev, 0.1);
    let queries: Tensor3<2, 1, 20> = dev.sample_normal();
    let additive = layer.forward(queries, keys.clone(), values.clone(), &mask);
    let layer = DotProductAttention { dropout: 0.5 };
    let queries: Tensor3<2, 1, 2> = dev.sample_normal();
    let dot = layer.forward(queries, keys, values, &mask);
    print("additive, example", additive.output.array().map(|[row]| row));
    print("dot product, example", dot.output.array().map(|[row]| row));
    let titles = ["Additive", "Scaled dot product"].map(String::from);
    let labels = Labels { titles: titles.into(), ..Labels::default() };
    let maps = [additive, dot].map(|out| out.weights.array().map(|[row]| row));
    let name = title.to_lowercase().replace(' ', "_");
    run.figure(&name, &show_heatmaps(&maps, &labels)?)
}
