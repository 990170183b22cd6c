//! A tiny book in a temporary folder, in which tests plant faults.

use book::{Builder, Problem};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

const FILES: [(&str, &str); 6] = [
    (
        "book.toml",
        "[book]\n\
         title = \"Tiny\"\n\
         src = \"book/en\"\n\
         \n\
         [build]\n\
         build-dir = \"target/book\"\n\
         use-default-preprocessors = false\n\
         \n\
         [preprocessor.attention]\n\
         command = \"false\"\n\
         \n\
         [output.html]\n\
         default-theme = \"light\"\n\
         playground.runnable = false\n\
         print.enable = false\n\
         search.enable = false\n",
    ),
    ("book/en/SUMMARY.md", "# Summary\n\n[Intro](intro.md)\n\n- [One](sub/one.md)\n"),
    ("book/en/intro.md", "# Intro {#intro}\n\nText.\n"),
    ("book/en/sub/one.md", "# One {#one}\n\n## Two {#two}\n\nText.\n"),
    (
        "chapters/ch10_3/src/lib.rs",
        "// ANCHOR: header\n\
         //! A chapter.\n\
         // ANCHOR_END: header\n\
         \n\
         // ANCHOR: one\n\
         pub fn one() -> &'static str {\n    \"costs $1 or $2\"\n}\n\
         // ANCHOR_END: one\n",
    ),
    (
        "chapters/ch10_3/output.txt",
        "$ cargo run -p ch10_3\n\
         \n\
         Masked softmax\n\
         --------------\n\
         0.5000    0.5000\n\
         \n\
         Additive attention\n\
         ------------------\n\
         2.0000    <3.0000>\n",
    ),
];

/// A figure that a page of it may show.
const FIGURE: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"680\" \
         height=\"9\" viewBox=\"0 0 680 9\">\n\
         \n\
         <path d=\"M0 0h9\" stroke=\"currentColor\"/>\n</svg>\n";

/// Returns the folder of the pages of the real book, built once for all tests.
pub fn real() -> &'static Path {
    static BUILT: OnceLock<(PathBuf, TempDir)> = OnceLock::new();
    let (pages, _) = BUILT.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root");
        let folder = tempfile::tempdir().expect("a folder");
        let pages = folder.path().join("book");
        let builder = Builder::open(root).unwrap_or_else(|fault| panic!("{fault}"));
        let faults = builder.build(&pages);
        let lines: Vec<String> = faults.iter().map(Problem::to_string).collect();
        assert!(lines.is_empty(), "{}", lines.join("\n"));
        (pages, folder)
    });
    pages
}

/// The tiny book, removed when dropped.
pub struct Tiny {
    folder: TempDir,
}

impl Tiny {
    /// Creates a book without faults.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let tiny = Tiny { folder };
        for (path, text) in FILES {
            tiny.write(path, text);
        }
        tiny
    }

    /// Creates a book without faults, with a figure that the caller shows on a page.
    pub fn with_figure() -> Self {
        let tiny = Self::new();
        tiny.write("book/figures/ch10_3/a.svg", FIGURE);
        tiny
    }

    /// Returns the folder of the book.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder of its pages.
    pub fn pages(&self) -> PathBuf {
        self.root().join("target/book")
    }

    /// Writes a file.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        let folder = path.parent().expect("inside");
        fs::create_dir_all(folder).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Appends lines to the first page, from line 5 on.
    pub fn page(&self, text: &str) {
        let page = format!("# Intro {{#intro}}\n\nText.\n\n{text}\n");
        self.write("book/en/intro.md", &page);
    }

    /// Builds the book, and returns its faults as lines.
    pub fn faults(&self) -> Vec<String> {
        let found = match Builder::open(self.root()) {
            Ok(builder) => builder.build(&self.pages()),
            Err(problem) => vec![problem],
        };
        found.iter().map(Problem::to_string).collect()
    }

    /// Reads a built page.
    pub fn html(&self, name: &str) -> String {
        fs::read_to_string(self.pages().join(name)).expect("a page")
    }

    /// Starts the program that serves the book, and returns its address. Standard error
    /// can be read.
    pub fn serve(&self, arguments: &[&str]) -> (Running, String) {
        let child = Command::new(env!("CARGO_BIN_EXE_book"))
            .args(["--port", "0"])
            .args(arguments)
            .current_dir(self.root())
            // No browser is found.
            .env("PATH", "")
            .env_remove("BROWSER")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut server = Running(child);
        let output = server.0.stdout.take().expect("is piped");
        let mut lines = BufReader::new(output).lines();
        let address = lines.find_map(|line| {
            let line = line.expect("is text");
            let address = line.strip_prefix("reading at http://")?;
            Some(address.split(' ').next()?.to_string())
        });
        // Its lines about later builds are read, so that none is refused.
        std::thread::spawn(move || lines.for_each(drop));
        (server, address.expect("it is served"))
    }
}

/// A running program, killed when dropped.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
