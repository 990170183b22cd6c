//! The program's own words, and its way with what goes wrong around it.

use crate::common::Tiny;
use crate::server::ask;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn book(arguments: &[&str]) -> Output {
    book_in(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
}

fn book_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.args(arguments).current_dir(folder).output().expect("the program runs")
}

/// Asserts that the program failed, and said so in one line.
fn one_line(output: &Output, line: &str) {
    assert!(!output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("{line}\n"));
}

#[test]
fn mistakes_on_the_command_line_are_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("an address").port().to_string();
    for (arguments, line) in [
        (
            &["--port", &port][..],
            &format!("port {port} is in use; --port N picks another")[..],
        ),
        (&["--prot"], "unexpected argument '--prot' found; --help lists the flags"),
        (&["biuld"], "unrecognized subcommand 'biuld'; --help lists the flags"),
    ] {
        one_line(&book(arguments), &format!("book: {line}"));
    }
    let help = book(&["--help"]);
    assert!(help.status.success());
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(text.contains("--open") && !text.contains("preprocess"), "{text}");
}

/// Stock mdBook hears of a fault of a page.
#[test]
fn stock_mdbook_is_answered() {
    use std::io::Write;
    let tiny = Tiny::new();
    let chapter = serde_json::json!({"Chapter": {
        "name": "Intro", "content": "# Intro {#intro}\n\n$\\nosuch$\n",
        "number": null, "sub_items": [], "parent_names": [],
        "path": "intro.md", "source_path": "intro.md",
    }});
    let input = serde_json::json!([
        {
            "root": tiny.root(), "config": {"book": {"src": "book/en"}},
            "renderer": "html", "mdbook_version": "0.5.4",
        },
        {"items": [chapter]},
    ]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.arg("preprocess").stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut pipe = child.stdin.take().expect("is piped");
    pipe.write_all(input.to_string().as_bytes()).expect("is read");
    drop(pipe);
    let output = child.wait_with_output().expect("the program ends");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.starts_with("book/en/intro.md:3: bad formula: "), "{text}");
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b""[..]));
}

/// `book check | head` ends without a word.
#[test]
fn a_closed_pipe_is_no_mistake() {
    let tiny = Tiny::new();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.arg("check").current_dir(tiny.root()).stdout(writer);
    let output = command.stderr(Stdio::piped()).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// The book that is built is the one that the program is started in: a copy
/// is a book of its own, and a part of it will do.
#[test]
fn the_root_is_found_upward_from_the_current_folder() {
    let tiny = Tiny::new();
    for folder in ["", "book/en/sub", "chapters/ch10_3/src"] {
        let output = book_in(&tiny.root().join(folder), &["build"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{output:?}");
        let root = tiny.root().canonicalize().expect("is there");
        let pages = root.join("target/book");
        assert!(text.starts_with(&format!("built {}", pages.display())), "{text}");
        std::fs::remove_dir_all(pages).expect("was built");
    }
    let elsewhere = tempfile::tempdir().expect("a folder");
    let path = elsewhere.path().canonicalize().expect("is there");
    for arguments in [&["build"][..], &["check"], &["refresh"], &[]] {
        let line = format!(
            "book: {} is not inside the book's repository; go there first",
            path.display()
        );
        one_line(&book_in(&path, arguments), &line);
    }
}

/// Without a browser the book is served all the same, and an edit is seen.
#[test]
fn an_edit_is_served_without_a_browser_too() {
    use std::io::{BufRead, BufReader};
    let tiny = Tiny::new();
    // Elsewhere a browser is found, whatever PATH says.
    let linux = cfg!(target_os = "linux");
    let (mut server, address) = tiny.serve(if linux { &["--open"] } else { &[] });
    let (_, port) = address.rsplit_once(':').expect("a port");
    let port = port.parse().expect("a number");
    let page = || String::from_utf8_lossy(&ask(port, "/intro.html", "").1).into_owned();
    assert!(page().contains("Text."));
    let wait_for = |what: &str| {
        let start = Instant::now();
        while !page().contains(what) {
            assert!(start.elapsed() < Duration::from_secs(60), "{what} is not served");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    tiny.page("Words of the author.");
    wait_for("Words of the author.");
    // A mistake is reported, and the pages stay.
    tiny.page("Worse words, [nowhere](no.md).");
    let mut errors = BufReader::new(server.0.stderr.take().expect("is piped")).lines();
    if linux {
        let browser = errors.next().expect("a line").expect("is text");
        assert!(browser.contains("no browser can be opened"), "{browser}");
    }
    let fault = errors.next().expect("a line").expect("is text");
    assert!(fault.starts_with("book/en/intro.md:"), "{fault}");
    assert!(page().contains("Words of the author."));
    tiny.page("Better words.");
    wait_for("Better words.");
}

/// Nothing that is typed or named steers the terminal.
#[test]
fn control_characters_are_escaped() {
    let tiny = Tiny::new();
    for arguments in [["lock", "\x1b[31m"], ["refresh", "\x1b[31m"]] {
        let output = book_in(tiny.root(), &arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("\\u{1b}[31m") && !text.contains('\x1b'), "{text:?}");
        assert_eq!(text.lines().count(), 1, "{text:?}");
    }
}

/// The values of a published book stand on its pages as they are.
#[test]
fn an_address_is_checked() {
    let tiny = Tiny::new();
    let (url, repository) = ("BOOK_URL", "BOOK_REPOSITORY");
    let fault = |name| format!("{name} is not an address such as https://host/path");
    for (name, value, fault) in [
        (url, "https://a.example/\"><script>f()</script>", fault(url)),
        (url, "javascript:f()", fault(url)),
        (url, "example.org/a b\nc", fault(url)),
        (url, "/", fault(url)),
        (url, "https://", fault(url)),
        (url, "https://a.example/x?a=b&c#d", fault(url)),
        (repository, "https://a.example/\"><img src=x>", fault(repository)),
        (repository, "https://a.example/{path}", fault(repository)),
        ("BOOK_COMMIT", "a b", "BOOK_COMMIT is not the name of a commit".into()),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
        command.arg("build").env(name, value).current_dir(tiny.root());
        let output = command.output().expect("the program runs");
        one_line(&output, &format!("book: {fault}"));
    }
}

#[test]
fn a_missing_browser_is_reported_before_the_build() {
    let tiny = Tiny::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.arg("pdf").env("CHROMIUM", "/no/chromium").current_dir(tiny.root());
    let output = command.output().expect("the program runs");
    one_line(&output, "book: CHROMIUM names /no/chromium, which is not there");
    assert!(!tiny.pages().exists());
}

/// A browser that hangs does not outlive the program.
#[cfg(unix)]
#[test]
fn a_program_that_is_told_to_end_ends_its_browser() {
    use std::os::unix::fs::PermissionsExt;
    let tiny = Tiny::new();
    let browser = tiny.root().join("browser");
    tiny.write("browser", "#!/bin/sh\necho $$ > pid\nexec sleep 100\n");
    std::fs::set_permissions(&browser, PermissionsExt::from_mode(0o755)).expect("ours");
    let mut command = Command::new(env!("CARGO_BIN_EXE_book"));
    command.arg("pdf").env("CHROMIUM", &browser).current_dir(tiny.root());
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = child.expect("the program runs");
    let kill = |signal: &str, pid: &str| {
        let mut kill = Command::new("kill");
        kill.args([signal, pid]).stderr(Stdio::null()).status().expect("kill runs")
    };
    let start = Instant::now();
    let pid = loop {
        let pid = std::fs::read_to_string(tiny.root().join("pid")).unwrap_or_default();
        if pid.ends_with('\n') {
            break pid.trim().to_string();
        }
        assert!(start.elapsed() < Duration::from_secs(60), "no browser is started");
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(kill("-TERM", &child.id().to_string()).success());
    let output = child.wait_with_output().expect("the program ends");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("did not print the book") && !output.status.success());
    assert!(!kill("-0", &pid).success(), "the browser is still there");
    assert!(!tiny.root().join("target/book.work").exists());
}

/// English is read at 200 words a minute.
#[test]
fn a_check_prints_minutes_of_reading() {
    let tiny = Tiny::new();
    tiny.page(&format!(
        "{}\n\n```rust\n{{{{#listing ch10_3/src/lib.rs:one}}}}\n```",
        "word ".repeat(399)
    ));
    let output = book_in(tiny.root(), &["check"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let rows: Vec<Vec<&str>> = rows.collect();
    for row in [
        ["page", "minutes", "code"],
        ["intro.md", "3", "3"],
        ["sub/one.md", "1", "0"],
        ["all", "3", "3"],
    ] {
        assert!(rows.contains(&row.to_vec()), "{row:?} in {text}");
    }
}
