//! How a page and the worker of a browser talk: three functions over bytes in
//! the memory of the module.
//!
//! | Export | What it does |
//! |---|---|
//! | `alloc(len) -> ptr` | makes room for `len` bytes, in place of the room of before; 0 if there is none |
//! | `start(ptr, len) -> ptr` | takes the model from there |
//! | `ask(ptr, len) -> ptr` | takes a question from there, JSON |
//!
//! What the last two give stays until the next call: a length as a little-endian
//! `u32`, and so many bytes of JSON, `{"ok": …}` or `{"error": "one line"}`.

use crate::Page;
use anyhow::{Context, Result, ensure};
use serde::Serialize;

/// A page, and the memory that it shares with the worker.
pub struct Shared<P> {
    page: Option<P>,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl<P: Page> Shared<P> {
    /// Before anything was asked.
    pub const fn new() -> Self {
        Shared { page: None, input: Vec::new(), output: Vec::new() }
    }

    /// Room for `len` bytes; null if there is none.
    pub fn alloc(&mut self, len: usize) -> *mut u8 {
        self.input = Vec::new();
        if self.input.try_reserve_exact(len).is_err() {
            return std::ptr::null_mut();
        }
        self.input.resize(len, 0);
        self.input.as_mut_ptr()
    }

    /// Makes the page of a model.
    pub fn start(&mut self, at: *const u8, len: usize) -> *const u8 {
        let made = self.taken(at, len).and_then(|model| P::new(&model));
        let answer = made.map(|page| self.page = Some(page));
        self.give(&answer)
    }

    /// Answers a question.
    pub fn ask(&mut self, at: *const u8, len: usize) -> *const u8 {
        let question = self.taken(at, len);
        let answer = question.and_then(|question| {
            let page = self.page.as_mut().context("nothing was started")?;
            let question = serde_json::from_slice(&question)
                .map_err(|error| anyhow::anyhow!("not a question: {error}"))?;
            page.answer(question)
        });
        self.give(&answer)
    }

    /// What the last call gave: its length, and its bytes.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// The room of the last `alloc`, for a caller that shares no memory.
    pub fn input(&mut self) -> &mut [u8] {
        &mut self.input
    }

    fn taken(&mut self, at: *const u8, len: usize) -> Result<Vec<u8>> {
        let whole = at == self.input.as_ptr() && len == self.input.len();
        ensure!(whole, "these bytes are not the ones that alloc made room for");
        Ok(std::mem::take(&mut self.input))
    }

    fn give<A: Serialize>(&mut self, answer: &Result<A>) -> *const u8 {
        let json = match answer {
            Ok(answer) => json("ok", answer),
            Err(error) => json("error", &one_line(&format!("{error:#}"))),
        };
        self.output = (json.len() as u32).to_le_bytes().to_vec();
        self.output.extend_from_slice(json.as_bytes());
        self.output.as_ptr()
    }
}

impl<P: Page> Default for Shared<P> {
    fn default() -> Self {
        Self::new()
    }
}

/// An object with one entry.
fn json(key: &str, value: &impl Serialize) -> String {
    match serde_json::to_string(value) {
        Ok(value) => format!("{{\"{key}\":{value}}}"),
        Err(error) => json("error", &one_line(&error.to_string())),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
                static SHARED: RefCell<$crate::abi::Shared<$page>> =
                    const { RefCell::new($crate::abi::Shared::new()) };
            }

            #[unsafe(no_mangle)]
            extern "C" fn alloc(len: usize) -> *mut u8 {
                SHARED.with_borrow_mut(|shared| shared.alloc(len))
            }

            #[unsafe(no_mangle)]
            extern "C" fn start(at: *const u8, len: usize) -> *const u8 {
                SHARED.with_borrow_mut(|shared| shared.start(at, len))
            }

            #[unsafe(no_mangle)]
            extern "C" fn ask(at: *const u8, len: usize) -> *const u8 {
                SHARED.with_borrow_mut(|shared| shared.ask(at, len))
            }
        }
    };
}
