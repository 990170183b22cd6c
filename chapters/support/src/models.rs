//! Where a trained model is saved: in a file that the reader names, or in one
//! of `target/`. It is kept with what it was made by: a hash of all that the
//! training depends on, and one of the code that trained it.

use crate::files::{self, find_root, in_repository, parent, shown};
use crate::mechanism;
use crate::terminal::{note, printable};
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// Returns eight hexadecimal digits over the settings of a training, as `Debug`
/// prints them but for the names of types, and its data, whatever ends a line of
/// them: CRC-32.
pub fn settings_hash(settings: &impl Debug, data: &[u8]) -> String {
    let mut hash = crc32fast::Hasher::new();
    hash.update(without_types(&format!("{settings:?}\n")).as_bytes());
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(text) => [text, b"\n"].iter().for_each(|part| hash.update(part)),
            None => hash.update(line),
        }
    }
    format!("{:08x}", hash.finalize())
}

/// What `Debug` prints, without the name before the fields of each struct:
/// `Schedule { lr: 0.1 }` becomes ` { lr: 0.1 }`.
fn without_types(text: &str) -> String {
    let mut parts = text.split(" { ");
    let mut kept = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let name = |c: char| c.is_alphanumeric() || c == '_';
        kept.truncate(kept.trim_end_matches(name).len());
        kept += " { ";
        kept += part;
    }
    kept
}

/// What a model was made by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// The hash of the settings and of the sentences: see [`settings_hash`].
    pub settings: String,
    /// The hash of the code: see [`mechanism`].
    pub mechanism: String,
    /// The flags that ask for it, for a reader.
    pub flags: String,
}

impl Made {
    /// Writes it in one line, for a file.
    pub fn line(&self) -> String {
        format!("made {} {} {}", self.settings, self.mechanism, printable(&self.flags))
    }

    /// Reads the line again; none if it is no such line.
    pub fn from_line(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix("made ")?.splitn(3, ' ').map(String::from);
        let (settings, mechanism) = (words.next()?, words.next()?);
        Some(Made { settings, mechanism, flags: words.next()? })
    }
}

/// The file of a trained model.
#[derive(Clone, Debug)]
pub struct ModelFile {
    place: Place,
    made: Made,
    /// Whether a model that is there is trained again and replaced.
    replace: bool,
}

/// Where a model is saved.
#[derive(Clone, Debug)]
enum Place {
    /// The reader named it: a model that cannot be saved there is an error.
    Named(PathBuf),
    /// It only saves the training: where it cannot be written, as in a checkout
    /// that is read-only, there is a note, and the training goes on.
    Cached(PathBuf),
    /// As `Cached`, and the program was not started in the repository.
    Nowhere,
}

/// What a reader says of the model of a program.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ModelArgs {
    /// Use the model in FILE; train it and save it there if there is none
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// Train the model in FILE again, and replace it
    #[arg(long, requires = "model")]
    pub replace: bool,
    /// Keep an unfinished training every N seconds
    #[arg(long, value_name = "N", default_value_t = 20, hide = true)]
    pub keep_every: u64,
}

impl ModelFile {
    /// Returns the file that `args` names, or `target/PROGRAM/HASH.safetensors` in
    /// the repository, whose hash is of the settings, the data and the code.
    /// `flags` ask for the same model again.
    pub fn new(
        args: &ModelArgs,
        program: &str,
        settings: &impl Debug,
        data: &[u8],
        flags: String,
    ) -> Self {
        let settings = settings_hash(settings, data);
        let made = Made { settings, mechanism: mechanism(program), flags };
        let place = match &args.model {
            Some(path) => Place::Named(path.clone()),
            None => find_root().map_or(Place::Nowhere, |root| {
                let file = format!("{}-{}.safetensors", made.settings, made.mechanism);
                let path = Path::new("target").join(program).join(file);
                Place::Cached(in_repository(&root, &path))
            }),
        };
        ModelFile { place, made, replace: args.replace }
    }

    /// Returns its path, unless it has none.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Named(path) | Place::Cached(path) => Some(path),
            Place::Nowhere => None,
        }
    }

    /// Returns what a model that is saved here is made by.
    pub fn made(&self) -> &Made {
        &self.made
    }

    /// Returns the bytes of the saved model; none if there is none yet, or if it is
    /// to be replaced.
    ///
    /// # Errors
    /// If there is a file that cannot be read.
    pub fn load(&self) -> Result<Option<Vec<u8>>> {
        match self.path() {
            Some(path) if path.exists() && !self.replace => {
                files::read_whole(path).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Checks that a saved model was made by what this one would be made by.
    ///
    /// # Errors
    /// If it was made by other settings, sentences or code: the message says what
    /// to do.
    pub fn check_made(&self, line: Option<&str>) -> Result<()> {
        let either = "--replace trains it again, another FILE keeps it";
        let Some(made) = line.and_then(Made::from_line) else {
            bail!("it does not say what it was trained by; {either}");
        };
        let flags = match &*made.flags {
            "" => "no flag".to_string(),
            flags => format!("`{flags}`"),
        };
        ensure!(
            made.settings == self.made.settings,
            "trained with other settings or sentences, by {flags}: ask for the same, \
             or give another FILE"
        );
        ensure!(
            made.mechanism == self.made.mechanism,
            "trained by other code than that of today; {either}"
        );
        Ok(())
    }

    /// Notes that a model that the reader named answers.
    pub fn answers(&self) {
        if let Place::Named(path) = &self.place {
            note(format_args!("using the model in {}", shown(path)));
        }
    }

    /// Checks, before a model is trained, that it can be saved: otherwise there is
    /// an error or, where nobody named the file, a note.
    ///
    /// # Errors
    /// If the named file cannot be written, is no model, or is a model that nobody
    /// has asked to replace.
    pub fn check(&self) -> Result<()> {
        if let Place::Named(path) = &self.place {
            let path_shown = shown(path);
            files::replaceable(path, Some(START)).with_context(|| refused(path))?;
            ensure!(
                self.replace || !path.exists(),
                "there is a model in {path_shown}: --replace trains it again, \
                 `translate` and `write` use it, another FILE keeps it"
            );
        }
        let path = self.path();
        self.or_note(path.map_or(Ok(()), |path| {
            files::replaceable(path, Some(START))?;
            Ok(files::writable(parent(path))?)
        }))
    }

    /// Saves a model, the bytes of a file of safetensors, whole or not at all.
    ///
    /// # Errors
    /// If the named file cannot be written.
    pub fn save(&self, bytes: &[u8]) -> Result<()> {
        self.or_note(self.path().map_or(Ok(()), |path| files::replace(path, bytes)))
    }

    /// Returns where a training that is not finished is kept.
    fn unfinished(&self) -> Option<PathBuf> {
        let mut name = self.path()?.file_name()?.to_os_string();
        name.push(format!(".{}-{}", self.made.settings, self.made.mechanism));
        name.push(".training");
        Some(self.path()?.with_file_name(name))
    }

    /// Keeps the state of a training after `epochs` epochs, whole or not at all. Where
    /// it cannot be written, the training goes on all the same.
    pub fn keep(&self, epochs: usize, state: &[f32]) {
        let Some(path) = self.unfinished() else { return };
        let bytes: Vec<u8> = state.iter().flat_map(|x| x.to_le_bytes()).collect();
        let sum = crc32fast::hash(&bytes);
        let head = format!("{UNFINISHED}{epochs} {sum:08x}\n");
        files::replace(&path, &[head.as_bytes(), &bytes].concat()).ok();
    }

    /// Returns a training that was left: the number of its epochs, and its state. None
    /// if there is none, or it is damaged, or a model is to be replaced.
    pub fn kept(&self) -> Option<(usize, Vec<f32>)> {
        let bytes = files::read_whole(&self.unfinished()?).ok()?;
        let rest = bytes.strip_prefix(UNFINISHED.as_bytes())?;
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let (head, rest) = (std::str::from_utf8(&rest[..end]).ok()?, &rest[end + 1..]);
        let (epochs, sum) = head.split_once(' ')?;
        let (numbers, none) = rest.as_chunks();
        let whole = none.is_empty() && sum == format!("{:08x}", crc32fast::hash(rest));
        let numbers = numbers.iter().map(|&bytes| f32::from_le_bytes(bytes));
        whole.then(|| Some((epochs.parse().ok()?, numbers.collect())))?
    }

    /// Removes what was kept of the training, which is finished.
    pub fn finished(&self) {
        self.unfinished().map(std::fs::remove_file);
    }

    fn or_note(&self, done: Result<()>) -> Result<()> {
        match (&self.place, done) {
            (Place::Named(path), done) => done.with_context(|| refused(path)),
            (Place::Cached(path), Err(error)) => {
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

fn refused(path: &Path) -> String {
    format!("cannot write {}; --model FILE names another", shown(path))
}

/// How the bytes of a training begin that is not finished.
pub(crate) const UNFINISHED: &str = "unfinished training ";

/// How the bytes of a model begin.
const START: &[u8] = b"\x08\0\0\0\0\0\0\0{";
