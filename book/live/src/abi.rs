//! How a page and the worker of a browser talk: three functions over bytes in
//! the memory of the module.
//!
//! | Export | What it does |
//! |---|---|
//! | `alloc(len) -> ptr` | makes room for `len` bytes of input |
//! | `start() -> ptr` | takes the model from there |
//! | `ask() -> ptr` | takes a question from there, JSON |
//!
//! What the last two give stays until the next call: a length as a little-endian
//! `u32`, and so many bytes of JSON, `{"ok": …}` or `{"error": "one line"}`.

use crate::{Page, json};
use anyhow::{Context, Result};

/// A page, and the memory that it shares with the worker.
pub struct Shared<P> {
    page: Option<P>,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl<P> Default for Shared<P> {
    fn default() -> Self {
        Shared { page: None, input: Vec::new(), output: Vec::new() }
    }
}

impl<P: Page> Shared<P> {
    /// Room for `len` bytes.
    pub fn alloc(&mut self, len: usize) -> *mut u8 {
        self.input = vec![0; len];
        self.input.as_mut_ptr()
    }

    /// Makes the page of a model.
    pub fn start(&mut self) -> *const u8 {
        let made = P::new(&std::mem::take(&mut self.input));
        let answer = made.map(|page| self.page = Some(page));
        self.give(answer.map(|()| "null".into()))
    }

    /// Answers a question.
    pub fn ask(&mut self) -> *const u8 {
        let page = self.page.as_mut().context("nothing was started");
        let answer = page.and_then(|page| page.ask(&self.input));
        self.give(answer)
    }

    fn give(&mut self, answer: Result<String>) -> *const u8 {
        let error = |error| json(&format!("{error:#}")).unwrap_or_default();
        let answer = match answer {
            Ok(answer) => format!("{{\"ok\":{answer}}}"),
            Err(why) => format!("{{\"error\":{}}}", error(why)),
        };
        self.output = (answer.len() as u32).to_le_bytes().to_vec();
        self.output.extend_from_slice(answer.as_bytes());
        self.output.as_ptr()
    }
}

/// Exports a page from a module of its own: `live::page!(live::ch10_1::Desk);`
#[macro_export]
macro_rules! page {
    ($page:ty) => {
        #[cfg(target_family = "wasm")]
        #[allow(unsafe_code)] // the names of exports are asserted to be unique
        mod exports {
            use std::cell::RefCell;

            thread_local! {
                static SHARED: RefCell<$crate::abi::Shared<$page>> = RefCell::default();
            }

            #[unsafe(no_mangle)]
            extern "C" fn alloc(len: usize) -> *mut u8 {
                SHARED.with_borrow_mut(|shared| shared.alloc(len))
            }

            #[unsafe(no_mangle)]
            extern "C" fn start() -> *const u8 {
                SHARED.with_borrow_mut(|shared| shared.start())
            }

            #[unsafe(no_mangle)]
            extern "C" fn ask() -> *const u8 {
                SHARED.with_borrow_mut(|shared| shared.ask())
            }
        }
    };
}
