//! What the tests of the whole book share; each of them uses a part.
#![allow(dead_code)]

pub mod compare;
pub mod declared;
pub mod page;
pub mod programs;
pub mod repo;
pub mod source;
