//! The server over a loopback socket, and the program's own words.

use crate::common::Tiny;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};

/// Serves a tiny book, and gives the port.
fn served(tiny: &Tiny) -> u16 {
    assert_eq!(tiny.faults(), [""; 0]);
    let listener = book::listen(0).expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let folder = tiny.pages();
    std::thread::spawn(move || book::serve(listener, &folder));
    port
}

/// What is answered to a request: the head, and the body.
fn ask(port: u16, request: &str, more: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("served");
    write!(
        stream,
        "{request} HTTP/1.1\r\nHost: 127.0.0.1\r\n\
         Connection: close\r\n{more}\r\n"
    )
    .expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("answered");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let (head, body) = answer.split_at(end.expect("a head") + 4);
    (String::from_utf8_lossy(head).into_owned(), body.to_vec())
}

#[test]
fn pages_are_served_compressed_to_those_who_ask() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let (head, body) = ask(port, "GET /sub/one.html", "");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains("Content-Type: text/html; charset=utf-8"));
    assert!(!head.contains("Content-Encoding"));
    assert_eq!(body, tiny.html("sub/one.html").as_bytes());

    let gzip = "Accept-Encoding: br, gzip\r\n";
    let (head, packed) = ask(port, "GET /sub/one.html?x=1", gzip);
    assert!(head.contains("Content-Encoding: gzip"), "{head}");
    assert!(head.contains("Vary: Accept-Encoding"));
    assert!(packed.len() < body.len() / 2);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).expect("gzip");
    assert_eq!(text.as_bytes(), body);

    let (head, body) = ask(port, "GET /", "");
    assert!(head.starts_with("HTTP/1.1 200 "));
    assert_eq!(body, tiny.html("index.html").as_bytes());
}

#[test]
fn head_has_no_body_and_other_methods_are_refused() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let (head, body) = ask(port, "HEAD /intro.html", "");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let length = format!("Content-Length: {}", tiny.html("intro.html").len());
    assert!(head.contains(&length), "{head}");
    assert!(body.is_empty());
    let (head, _) = ask(port, "DELETE /intro.html", "");
    assert!(head.starts_with("HTTP/1.1 405 "), "{head}");
}

#[test]
fn a_page_that_is_not_there_is_404() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let (head, body) = ask(port, "GET /sub/no.html", "");
    assert!(head.starts_with("HTTP/1.1 404 "), "{head}");
    assert_eq!(body, tiny.html("404.html").as_bytes());
}

#[test]
fn nothing_outside_the_pages_is_served() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    tiny.write("target/book/.hidden", "secret");
    for path in [
        "/../../book.toml",
        "/%2e%2e/%2e%2e/book.toml",
        "/sub/../../../book.toml",
        "/..%2f..%2fbook.toml",
        "//etc/passwd",
        "/..\\..\\book.toml",
        "/.hidden",
        "/%00",
    ] {
        let (head, body) = ask(port, &format!("GET {path}"), "");
        assert!(head.starts_with("HTTP/1.1 404 "), "{path}: {head}");
        assert!(!String::from_utf8_lossy(&body).contains("build-dir"));
    }
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_out_either() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let (from, to) = (tiny.pages().join("out.toml"), "book.toml");
    std::os::unix::fs::symlink(tiny.root().join(to), from).expect("a link");
    let (head, _) = ask(port, "GET /out.toml", "");
    assert!(head.starts_with("HTTP/1.1 404 "), "{head}");
}

#[test]
fn hashed_files_are_kept_and_pages_are_asked_for_again() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let html = tiny.html("intro.html");
    let at = html.find("\"book-").expect("a script") + 1;
    let script = &html[at..at + html[at..].find('"').expect("its end")];
    let (head, _) = ask(port, &format!("GET /{script}"), "");
    assert!(head.contains("immutable"), "{head}");
    assert!(head.contains("Content-Type: text/javascript"));
    let (head, _) = ask(port, "GET /intro.html", "");
    assert!(head.contains("Cache-Control: no-cache"));
    let tag = head.lines().find_map(|line| line.strip_prefix("ETag: "));
    let more = format!("If-None-Match: {}\r\n", tag.expect("a tag"));
    let (head, body) = ask(port, "GET /intro.html", &more);
    assert!(head.starts_with("HTTP/1.1 304 "), "{head}");
    assert!(body.is_empty());
}

#[test]
fn one_connection_serves_many_requests() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("served");
    for _ in 0..3 {
        let request = "GET /intro.html HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
        stream.write_all(request.as_bytes()).expect("sent");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            head.push(byte[0]);
        }
        let mut body = vec![0; tiny.html("intro.html").len()];
        stream.read_exact(&mut body).expect("the page");
        assert_eq!(body, tiny.html("intro.html").as_bytes());
    }
}

#[test]
fn many_connections_at_once_are_all_served() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    // As a browser does: more connections than it needs, all kept open.
    let place = ("127.0.0.1", port);
    let connect = |_| TcpStream::connect(place).expect("served");
    let streams: Vec<TcpStream> = (0..40).map(connect).collect();
    for mut stream in &streams {
        let request = "GET /intro.html HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
        stream.write_all(request.as_bytes()).expect("sent");
        let patience = Some(std::time::Duration::from_secs(20));
        stream.set_read_timeout(patience).expect("a socket");
        let mut start = [0; 12];
        stream.read_exact(&mut start).expect("an answer");
        assert_eq!(&start, b"HTTP/1.1 200");
    }
}

#[test]
fn nonsense_and_bodies_end_the_connection() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let (head, _) = ask(port, "nonsense", "");
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
    let (head, _) = ask(port, &format!("GET /{}", "x".repeat(20_000)), "");
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
    let (head, _) = ask(port, "POST /intro.html", "Content-Length: 3\r\n");
    assert!(head.starts_with("HTTP/1.1 405 "), "{head}");
    assert!(head.contains("Connection: close"));
}

fn book(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_book"))
        .args(arguments)
        .output()
        .expect("the program runs")
}

/// Asserts that the program failed, and said so in one line.
fn one_line(output: &Output, line: &str) {
    assert!(!output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("{line}\n"));
}

#[test]
fn a_port_in_use_is_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let output = book(&["--port", &port]);
    let line = format!("book: port {port} is in use; --port N picks another");
    one_line(&output, &line);
}

#[test]
fn mistakes_on_the_command_line_are_one_line() {
    one_line(
        &book(&["--prot", "80"]),
        "book: unexpected argument '--prot' found; --help lists the flags",
    );
    one_line(
        &book(&["biuld"]),
        "book: unrecognized subcommand 'biuld'; --help lists the flags",
    );
    let output = book(&["--port", "http"]);
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("'http'"));
    let help = book(&["--help"]);
    assert!(help.status.success());
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(text.contains("--open") && !text.contains("preprocess"), "{text}");
}

#[test]
fn stock_mdbook_is_answered() {
    assert!(book(&["preprocess", "supports", "html"]).status.success());
    assert!(!book(&["preprocess", "supports", "epub"]).status.success());
    let output = book(&["preprocess"]);
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("run mdbook build"), "{text}");
}
