//! The book builder: builds the book with mdBook's library, checks it, serves it.
//!
//! The chapters have programs of their own: nothing here computes a result that the
//! pages show.

mod address;
mod attention;
mod block;
mod builder;
mod chinese;
mod chromium;
mod compare;
mod directive;
mod edit;
mod epub;
mod facts;
mod figure;
mod finish;
mod highlight;
mod listing;
mod live;
mod log;
mod maths;
mod modules;
mod notices;
mod page;
mod pdf;
mod problem;
mod question;
mod records;
mod refresh;
mod root;
mod rules;
mod rust;
mod search;
mod server;
mod table;
mod terminal;
mod watch;
mod words;
mod xhtml;

pub use address::NAME;
pub use attention::{Attention, preprocess};
pub use builder::Builder;
pub use chromium::{chromium, program};
pub use compare::{compare, lock};
pub use edit::{Edit, try_edit};
pub use epub::epub;
pub use modules::{refresh_live, stale_modules};
pub use notices::{NOTICES, notices};
pub use pdf::{pdf, printer};
pub use problem::Problem;
pub use refresh::{accept, refresh};
pub use root::{find_root, write_file};
pub use server::{Builds, listen, serve};
pub use table::table;
pub use terminal::{say, warn};
pub use watch::{sources, watch};
pub use words::{MDBOOK, SEARCH};
