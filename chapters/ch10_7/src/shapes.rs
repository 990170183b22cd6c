// ANCHOR: shapes_header
//! Section 10.7: the parts on their own, and what goes in and out of them.

use ch10_1::Dev;
use ch10_3::ValidLens;
use ch10_7::attention::see;
use ch10_7::decoder::{Masked, causal};
use ch10_7::{
    DecoderBlock, EncoderBlock, LayerNorm, NormAt, PositionWiseFfn, TransformerEncoder,
};
use dfdx::prelude::*;
use support::heading;
// ANCHOR_END: shapes_header

// ANCHOR: shapes
/// Each part by itself, in the sizes of *Dive into Deep Learning*.
pub fn shapes(seed: u64) {
    let dev = Dev::seed_from_u64(seed);
    position_by_position(&dev);
    by_row_and_by_column(&dev);
    blocks(&dev);
}
// ANCHOR_END: shapes

// ANCHOR: position_by_position
fn position_by_position(dev: &Dev) {
    heading("Position by position");
    let ffn: PositionWiseFfn<4, 4, 8> = PositionWiseFfn::new(dev);
    let ones: Tensor<Rank3<2, 3, 4>, f32, Dev> = dev.ones();
    let y: Tensor<Rank3<2, 3, 8>, f32, Dev> = ffn.forward(ones);
    for row in y.array()[0] {
        println!("{}", row.map(|x| format!("{x:8.4}")).concat());
    }
}
// ANCHOR_END: position_by_position

// ANCHOR: by_row_and_by_column
fn by_row_and_by_column(dev: &Dev) {
    heading("By row and by column");
    let x: Tensor<Rank3<1, 2, 2>, f32, Dev> = dev.tensor([[[1.0, 2.0], [2.0, 3.0]]]);
    let columns = x.clone().normalize::<Axis<1>>(ch10_7::norm::EPSILON);
    let rows = LayerNorm::new(dev).forward(x);
    let told = |[rows]: [[[f32; 2]; 2]; 1]| {
        rows.map(|row| row.map(|x| format!("{x:6.2}")).concat()).join("  |")
    };
    println!("layer norm {}", told(rows.array()));
    println!("batch norm {}", told(columns.array()));
}
// ANCHOR_END: by_row_and_by_column

// ANCHOR: blocks
fn blocks(dev: &Dev) {
    heading("Shapes");
    let x: Tensor<Rank3<2, 100, 24>, f32, Dev> = dev.ones();
    let lens = || ValidLens::PerExample([3, 2]);
    let block: EncoderBlock<24, 8, 3, 48> = EncoderBlock::new(dev, 0.5, NormAt::Post);
    let y = block.forward(x.clone(), &lens());
    println!("encoder block {:?}", y.output.shape().concrete());
    println!("  its weights {:?}", y.weights.shape().concrete());
    let encoder: TransformerEncoder<24, 8, 3, 48> =
        TransformerEncoder::new(dev, 200, 2, 0.5, NormAt::Post);
    let (read, weights) = encoder.forward(&[[1; 100]; 2], &[3, 2], NoneTape);
    println!("encoder       {:?}", read.shape().concrete());
    println!("  layers      {}", weights.len());
    let block: DecoderBlock<24, 8, 3, 48> = DecoderBlock::new(dev, 0.5, NormAt::Post);
    let read = Masked { seen: see(&block.cross_attention, read), lens: lens() };
    let own = |seen| Masked { seen, lens: causal(&[100; 2]) };
    let (y, looks) = block.forward(x, own, read);
    println!("decoder block {:?}", y.shape().concrete());
    println!("  to itself   {:?}", looks.written.shape().concrete());
    println!("  to what was read {:?}", looks.read.shape().concrete());
}
// ANCHOR_END: blocks
