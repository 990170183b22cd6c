// ANCHOR: dropout
//! A closer look at dropout, the Gaussian kernel and the axis of a mask:
//! section 10.3. A part of the telling run, not of the mechanism.

use crate::{WIDTH, print};
use anyhow::Result;
use ch10_1::{Dev, Labels, show_heatmaps};
use ch10_3::*;
use dfdx::prelude::*;
use support::{Run, heading, row};

/// Training zeroes half of the weights and doubles the others; evaluation
/// uses all. The values are a unit matrix, so the output is the weights.
pub fn dropout(dev: &Dev) {
    heading("Dropout");
    const B: usize = 2000;
    let layer = DotProductAttention { dropout: 0.5 };
    let queries: Tensor<Rank3<B, 1, 2>, f32, Dev> = dev.zeros();
    let keys: Tensor<Rank3<B, 5, 2>, f32, Dev> = dev.ones();
    let eye = dev.upper_tri::<Rank2<5, 5>>(1.0, None) * dev.lower_tri(1.0, None);
    let values: Tensor<Rank3<B, 5, 5>, f32, Dev> = eye.broadcast();
    let lens = ValidLens::PerExample([4; B]);
    let trained =
        layer.forward(queries.leaky_trace(), keys.retaped(), values.retaped(), &lens);
    let output: Tensor<Rank2<B, 5>, f32, Dev, _> = trained.output.reshape();
    let rows = output.array();
    print("training, example", [rows[0], rows[1], rows[2]]);
    print("mean of the 2000, row", [output.mean::<Rank1<5>, _>().array()]);
    let evaluated = layer.forward(queries, keys, values, &lens);
    print("evaluation, example", evaluated.output.array()[0]);
}
// ANCHOR_END: dropout

// ANCHOR: gaussian
/// The largest difference between weights from the Gaussian kernel and from
/// the dot product.
pub fn gaussian(dev: &Dev) {
    heading("Out of the Gaussian kernel");
    let queries: Tensor<Rank2<5, 8>, f32, Dev> = dev.sample_normal();
    let keys: Tensor<Rank2<6, 8>, f32, Dev> = dev.sample_normal();
    let length = keys.clone().square().sum::<Rank1<6>, _>().sqrt();
    let unit = keys.clone() / length.broadcast();
    for (what, keys) in [("keys as drawn", keys), ("keys of length 1", unit)] {
        let wide: Tensor<Rank3<5, 6, 8>, f32, Dev> = queries.clone().broadcast();
        let apart = wide - keys.clone().broadcast();
        let squares = apart.square().sum::<Rank2<5, 6>, _>();
        let kernel = (squares / -2.0).softmax::<Axis<1>>();
        let scores = queries.clone().matmul(keys.permute::<Rank2<8, 6>, _>());
        let gap = (kernel - scores.softmax::<Axis<1>>()).abs();
        let largest = gap.max::<Rank0, _>().array();
        row(what, WIDTH, &[format!("{largest:.4}")]);
    }
}
// ANCHOR_END: gaussian

// ANCHOR: which_axis
/// Self-attention over three words and two pads, masked in three
/// ways.
pub fn which_axis(dev: &Dev, run: &Run) -> Result<()> {
    heading("Which axis is masked");
    let x: Tensor<Rank3<1, 5, 8>, f32, Dev> = dev.sample_normal();
    let names = ["Keys", "Queries", "Both"].map(|n| format!("{n} masked"));
    let maps = [
        ValidLens::PerExample([3]),
        ValidLens::PerQuery([[5, 5, 5, 0, 0]]),
        ValidLens::PerQuery([[3, 3, 3, 0, 0]]),
    ]
    .map(|lens| {
        let (q, k, v) = (x.clone(), x.clone(), x.clone());
        DotProductAttention::default().forward(q, k, v, &lens).weights
    });
    for (name, map) in names.iter().zip(&maps) {
        row(name, WIDTH, &[format!("{:.4}", leak(map))]);
    }
    let tokens = ["we", "read", "on", "<pad>", "<pad>"].map(String::from);
    let labels = Labels {
        titles: names.into(),
        key_tokens: tokens.clone().into(),
        query_tokens: tokens.into(),
        ..Labels::default()
    };
    let maps: Tensor<Rank4<1, 3, 5, 5>, f32, Dev> = maps.stack().reshape();
    run.figure("which_axis", &show_heatmaps(&maps, &labels)?)
}

/// What a word gives to the two pads, averaged over the three words.
fn leak(weights: &Tensor<Rank3<1, 5, 5>, f32, Dev>) -> f32 {
    let words = &weights.array()[0][..3];
    words.iter().flat_map(|row| &row[3..]).sum::<f32>() / 3.0
}
// ANCHOR_END: which_axis
