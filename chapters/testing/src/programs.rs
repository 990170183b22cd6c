//! Built programs, run as a reader runs them.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitStatus, Output};
use tempfile::TempDir;

/// Creates an empty repository of a book: figures and saved models of a program that
/// is started in it go there.
pub fn repository() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("book.toml"), "").expect("is written");
    std::fs::create_dir(folder.path().join("chapters")).expect("is made");
    folder
}

/// A built program with its arguments.
pub struct Program(Command);

/// Returns the program at this path, to be started in this folder; a test of the
/// crate `ch10_4` knows the path as `env!("CARGO_BIN_EXE_ch10_4")`.
pub fn program(path: &str, folder: &Path) -> Program {
    let mut command = Command::new(path);
    command.current_dir(folder);
    Program(command)
}

impl Program {
    /// Appends arguments.
    pub fn args<A: AsRef<OsStr>>(mut self, more: impl IntoIterator<Item = A>) -> Self {
        self.0.args(more);
        self
    }

    /// Returns the command of the standard library.
    pub fn command(self) -> Command {
        self.0
    }

    /// Runs it to its end.
    pub fn run(mut self) -> Finished {
        let Output { status, stdout, stderr } = self.0.output().expect("starts");
        let text = |bytes| String::from_utf8(bytes).expect("prints UTF-8");
        let command = format!("{:?}", self.0);
        Finished { command, status, stdout: text(stdout), stderr: text(stderr) }
    }
}

/// What a program has done.
#[derive(Clone, Debug)]
pub struct Finished {
    command: String,
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// What it said on standard error.
    pub stderr: String,
}

impl Finished {
    /// Returns what it printed.
    ///
    /// # Panics
    /// If it failed.
    #[track_caller]
    pub fn printed(self) -> String {
        let Finished { command, status, stdout, stderr } = self;
        assert!(status.success(), "{command}: {status}: {stderr}");
        stdout
    }

    /// Returns its one line of error, without the end of line.
    ///
    /// # Panics
    /// If it did not fail, or printed anything else.
    #[track_caller]
    pub fn error(self) -> String {
        let Finished { command, status, stdout, stderr } = self;
        assert!(!status.success(), "{command} is no mistake: {stdout}");
        assert!(status.code().is_some(), "{command}: {status}");
        assert_eq!(stderr.lines().count(), 1, "{command}: {stderr}");
        assert_eq!(stdout, "", "{command}");
        assert!(!stderr.contains("please report"), "{command}: {stderr}");
        stderr.trim_end().to_string()
    }
}
