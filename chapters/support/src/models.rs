//! Where a trained model is saved: in a file that the reader names, or in one
//! of `target/` whose name is a hash of everything that the training depends
//! on, so that another training never answers in its place.

use crate::files::{self, find_root, in_repository, parent, shown};
use crate::terminal::note;
use anyhow::{Context, Result};
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// Eight hexadecimal digits over the settings of a training, as `Debug` prints
/// them, and its data, whatever ends a line of them: CRC-32.
pub fn settings_hash(settings: &impl Debug, data: &[u8]) -> String {
    let mut hash = crc32fast::Hasher::new();
    hash.update(format!("{settings:?}\n").as_bytes());
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(text) => [text, b"\n"].iter().for_each(|part| hash.update(part)),
            None => hash.update(line),
        }
    }
    format!("{:08x}", hash.finalize())
}

/// The file of a trained model.
#[derive(Clone, Debug)]
pub enum ModelPath {
    /// The reader named it: a model that cannot be saved there is an error.
    Named(PathBuf),
    /// It only saves the training anew: where it cannot be written, as in a
    /// checkout that is read-only, there is a note, and the training goes on.
    Cached(PathBuf),
    /// The same, and the program was not started in the repository.
    Nowhere,
}

impl ModelPath {
    /// The one that is named with `--model`, or `target/PROGRAM/HASH.safetensors`
    /// in the repository: see [`settings_hash`] for what the hash is of.
    pub fn new(
        named: Option<PathBuf>,
        program: &str,
        settings: &impl Debug,
        data: &[u8],
    ) -> Self {
        match named {
            Some(path) => ModelPath::Named(path),
            None => find_root().map_or(ModelPath::Nowhere, |root| {
                let file = format!("{}.safetensors", settings_hash(settings, data));
                let path = Path::new("target").join(program).join(file);
                ModelPath::Cached(in_repository(&root, &path))
            }),
        }
    }

    /// Its path, unless it has none.
    pub fn path(&self) -> Option<&Path> {
        match self {
            ModelPath::Named(path) | ModelPath::Cached(path) => Some(path),
            ModelPath::Nowhere => None,
        }
    }

    /// The bytes of the saved model; none if there is none yet.
    ///
    /// # Errors
    /// There is a file, and it cannot be read.
    pub fn load(&self) -> Result<Option<Vec<u8>>> {
        match self.path() {
            Some(path) if path.exists() => files::read_whole(path).map(Some),
            _ => Ok(None),
        }
    }

    /// Says that a named model answers: its file does not tell with which seed
    /// and for how long it was trained.
    pub fn answers(&self) {
        if let ModelPath::Named(path) = self {
            let path = shown(path);
            note(format_args!("the model in {path} answers; another FILE trains anew"));
        }
    }

    /// Finds out that the model could not be saved before it is trained, not
    /// after: an error or a note, see the variants.
    ///
    /// # Errors
    /// The named file cannot be written, or is no model.
    pub fn check(&self) -> Result<()> {
        let path = self.path();
        self.or_note(path.map_or(Ok(()), |path| {
            files::replaceable(path, Some(START))?;
            Ok(files::writable(parent(path))?)
        }))
    }

    /// Saves a model, the bytes of a file of safetensors, whole or not at all.
    ///
    /// # Errors
    /// The named file cannot be written.
    pub fn save(&self, bytes: &[u8]) -> Result<()> {
        self.or_note(self.path().map_or(Ok(()), |path| files::replace(path, bytes)))
    }

    fn or_note(&self, done: Result<()>) -> Result<()> {
        match (self, done) {
            (ModelPath::Named(path), done) => done.with_context(|| {
                format!("cannot write {}; --model FILE names another", shown(path))
            }),
            (ModelPath::Cached(path), Err(error)) => {
                let path = shown(path);
                note(format_args!(
                    "cannot write {path}, the model is not saved: {error:#}"
                ));
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// How the bytes of a model begin.
const START: &[u8] = b"\x08\0\0\0\0\0\0\0{";
