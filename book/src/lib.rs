//! The press: builds the book with mdBook's library, checks it, serves it.
//!
//! The chapters are run by their own programs; nothing here computes what
//! the pages show.

mod attention;
mod block;
mod directive;
mod facts;
mod figure;
mod highlight;
mod html;
mod http;
mod listing;
mod log;
mod maths;
mod page;
mod press;
mod problem;
mod refresh;
mod rust;
mod safe;
mod server;
mod sources;
mod weight;

pub use attention::{Attention, preprocess};
pub use press::Press;
pub use problem::Problem;
pub use refresh::refresh;
pub use server::{listen, serve};
pub use weight::{LIMIT, too_heavy, weights};
