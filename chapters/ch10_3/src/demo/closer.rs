//! Dropout, the Gaussian kernel, and which axis a mask is for.

use super::{WIDTH, print};
use anyhow::Result;
use ch10_1::{Dev, Tensor2, Tensor3};
use ch10_3::*;
use dfdx::prelude::*;
use support::{Labels, RunArgs, heading, row, show_heatmaps};

/// Training zeroes half of the weights and doubles the others; evaluation
/// uses all. The values are a unit matrix, so the output is the weights.
pub fn dropout(dev: &Dev) {
    heading("Dropout");
    const B: usize = 2000;
    let layer = DotProductAttention { dropout: 0.5 };
    let queries: Tensor3<B, 1, 2> = dev.zeros();
    let keys: Tensor3<B, 5, 2> = dev.ones();
    let eye = dev.upper_tri::<Rank2<5, 5>>(1.0, None) * dev.lower_tri(1.0, None);
    let values: Tensor3<B, 5, 5> = eye.broadcast();
    let mask = Mask::valid_lens([4; B]);
    let trained =
        layer.forward(queries.leaky_trace(), keys.retaped(), values.retaped(), &mask);
    let output: Tensor2<B, 5, _> = trained.output.reshape();
    let rows = output.array();
    print("training, example", [rows[0], rows[1], rows[2]]);
    print("mean of the 2000, row", [output.mean::<Rank1<5>, _>().array()]);
    let evaluated = layer.forward(queries, keys, values, &mask);
    print("evaluation, example", evaluated.output.array()[0]);
}

/// The largest difference between weights from the Gaussian kernel and from
/// the dot product.
pub fn gaussian(dev: &Dev) {
    heading("Out of the Gaussian kernel");
    let queries: Tensor2<5, 8> = dev.sample_normal();
    let keys: Tensor2<6, 8> = dev.sample_normal();
    let norm = keys.clone().square().sum::<Rank1<6>, _>().sqrt();
    let unit = keys.clone() / norm.broadcast();
    for (what, keys) in [("keys as drawn", keys), ("keys of norm 1", unit)] {
        let wide: Tensor3<5, 6, 8> = queries.clone().broadcast();
        let apart = wide - keys.clone().broadcast();
        let squares = apart.square().sum::<Rank2<5, 6>, _>();
        let kernel = (squares / -2.0).softmax::<Axis<1>>();
        let scores = queries.clone().matmul(keys.permute::<Rank2<8, 6>, _>());
        let gap = (kernel - scores.softmax::<Axis<1>>()).abs();
        let largest = gap.max::<Rank0, _>().array();
        row(what, WIDTH, &[format!("{largest:.4}")]);
    }
}

/// Self-attention over three words and two pads, unmasked and masked in three
/// ways.
pub fn which_axis(dev: &Dev, run: &RunArgs) -> Result<()> {
    heading("Which axis is masked");
    let mut x = dev.sample_normal::<Rank3<1, 5, 8>>().array();
    x[0][4] = x[0][3];
    let x: Tensor3<1, 5, 8> = dev.tensor(x);
    let names = ["No mask", "Keys masked", "Queries masked", "Both masked"];
    let maps = [
        Mask::none(),
        Mask::valid_lens([3]),
        Mask::valid_lens_per_query([[5, 5, 5, 0, 0]]),
        Mask::valid_lens_per_query([[3, 3, 3, 0, 0]]),
    ]
    .map(|mask| {
        let (q, k, v) = (x.clone(), x.clone(), x.clone());
        DotProductAttention::default().forward(q, k, v, &mask).weights
    });
    for (name, map) in names.iter().zip(&maps) {
        row(name, WIDTH, &[format!("{:.4}", leak(map))]);
    }
    let tokens = ["we", "read", "on", "<pad>", "<pad>"].map(String::from);
    let labels = Labels {
        titles: names.map(String::from).into(),
        key_tokens: tokens.clone().into(),
        query_tokens: tokens.into(),
        ..Labels::default()
    };
    let maps = maps.map(|map| map.array()[0]);
    run.figure("which_axis", &show_heatmaps(&maps, &labels)?)
}

/// What a word gives to the two pads, averaged over the three words.
fn leak(weights: &Tensor3<1, 5, 5>) -> f32 {
    let words = &weights.array()[0][..3];
    words.iter().flat_map(|row| &row[3..]).sum::<f32>() / 3.0
}
