// ANCHOR: today
//! Section 10.7, the decoder of today: what has changed in a block since 2017,
//! each part by itself, and a cache that is written in place.

mod block;
mod grouped;
mod layers;
mod model;
mod read;
mod rotary;
mod sampling;

pub use block::{Network, Norm, Parts, TodayBlock};
pub use grouped::GroupedQueryAttention;
pub use layers::{RmsNorm, SwiGlu};
pub use model::{TodayDecoder, train_decoder};
pub use read::GroupedCache;
pub use rotary::rotary;
pub use sampling::{top_k, top_p};
// ANCHOR_END: today
