// ANCHOR: parts_header
//! Section 10.7, the parts that need no training: rows that are normalised,
//! and the shapes of blocks.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_7::attention::see;
use ch10_7::decoder::{Masked, causal};
use ch10_7::{
    DecoderBlock, EncoderBlock, LayerNorm, NormAt, PositionWiseFfn,
    TransformerEncoder,
};
use dfdx::prelude::*;
use seq2seq::parameters::Parameters;
use support::heading;
// ANCHOR_END: parts_header

// ANCHOR: norms
/// The same two rows of two numbers, normalised by row and by column.
pub fn norms() {
    heading("Norms by row and by column");
    let dev = Dev::default();
    let rows: Tensor<Rank2<2, 2>, f32, Dev> = dev.tensor([[1., 2.], [2., 3.]]);
    let x: Tensor<Rank3<1, 2, 2>, f32, Dev> = rows.clone().reshape();
    let by_row = LayerNorm::<2>::new(&dev).forward(x).array()[0];
    let by_column = rows.clone().normalize::<Axis<0>>(1e-5).array();
    println!("rows      {:?}", rows.array());
    let whole = |rows: [[f32; 2]; 2]| rows.map(|row| row.map(f32::round));
    println!("by row    {:?}", whole(by_row));
    println!("by column {:?}", whole(by_column));
}
// ANCHOR_END: norms

// ANCHOR: shapes
/// What goes into the network, into blocks and into an encoder, and what
/// comes out.
pub fn shapes(seed: u64) {
    heading("Shapes");
    let dev = Dev::seed_from_u64(seed);
    let ffn: PositionWiseFfn<4, 4, 8> = PositionWiseFfn::new(&dev);
    let x: Tensor<Rank3<2, 3, 4>, f32, Dev> = dev.ones();
    let y = ffn.forward(x).array();
    println!("network           (2, 3, 8)");
    let same = y.as_flattened().iter().all(|row| *row == y[0][0]);
    println!("rows all the same {same}");

    let mut block: EncoderBlock<24, 8, 3, 48> =
        EncoderBlock::new(&dev, 0.5, NormAt::Post);
    let x: Tensor<Rank3<2, 100, 24>, f32, Dev> = dev.ones();
    let lens = ValidLens::PerExample([3, 2]);
    let found = block.forward(x.clone(), &lens);
    println!("encoder block     {:?}", found.output.shape().concrete());
    println!("its weights       {:?}", found.weights.shape().concrete());
    println!("its parameters    {}", block.count());
    stacked(&dev, x, lens);
}
// ANCHOR_END: shapes

// ANCHOR: stacked
fn stacked(
    dev: &Dev,
    x: Tensor<Rank3<2, 100, 24>, f32, Dev>,
    lens: ValidLens<2, 100>,
) {
    let encoder: TransformerEncoder<24, 8, 3, 48> =
        TransformerEncoder::new(dev, 200, 2, 0.5, NormAt::Post);
    let (read, weights) = encoder.forward(&[[1; 100]; 2], &[3, 2], NoneTape);
    println!("encoder           {:?}", read.shape().concrete());
    println!("layers of weights {}", weights.len());

    let block: DecoderBlock<24, 8, 3, 48> =
        DecoderBlock::new(dev, 0.5, NormAt::Post);
    let seen = see(&block.cross_attention, read);
    let own = |seen| Masked { seen, lens: causal(&[100; 2]) };
    let (z, looks) = block.forward(x, own, Masked { seen, lens });
    println!("decoder block     {:?}", z.shape().concrete());
    println!("weights, written  {:?}", looks.written.shape().concrete());
    println!("weights, read     {:?}", looks.read.shape().concrete());
}
// ANCHOR_END: stacked
