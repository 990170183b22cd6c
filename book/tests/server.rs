//! The server over a loopback socket.

use crate::common::Tiny;
use book::{Builds, listen, serve};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

/// Serves a tiny book, and gives the port.
fn served(tiny: &Tiny, builds: &Builds) -> u16 {
    assert_eq!(tiny.faults(), [""; 0]);
    let listener = listen(0).expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let (folder, builds) = (tiny.pages(), builds.clone());
    thread::spawn(move || serve(listener, &folder, &builds));
    port
}

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("served");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
    stream
}

/// What is answered to a request for a path: the head, and the body.
pub fn ask(port: u16, path: &str, more: &str) -> (String, Vec<u8>) {
    let host = format!("Host: localhost:{port}\r\n");
    let more = if more.contains("Host: ") { more } else { &(host + more) };
    let mut stream = connect(port);
    // Without the pieces of HTTP/1.1.
    write!(stream, "GET {path} HTTP/1.0\r\n{more}\r\n").expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("answered");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let (head, body) = answer.split_at(end.expect("a head") + 4);
    (String::from_utf8_lossy(head).to_lowercase(), body.to_vec())
}

#[track_caller]
fn status(head: &str, code: u16) {
    assert_eq!(head[9..12], code.to_string(), "{head}");
}

#[test]
fn pages_are_served_compressed_to_those_who_ask() {
    let tiny = Tiny::new();
    let port = served(&tiny, &Builds::default());
    for (path, file) in [("/sub/one.html", "sub/one.html"), ("/", "index.html")] {
        let (head, body) = ask(port, path, "");
        status(&head, 200);
        assert!(head.contains("content-type: text/html"), "{head}");
        assert!(head.contains("cache-control: no-cache"), "{head}");
        let page = String::from_utf8_lossy(&body);
        assert!(page.starts_with(&tiny.html(file)), "the page as it is");
        assert_eq!(page.matches("/-/reload.js").count(), 1);
        let (head, packed) = ask(port, path, "Accept-Encoding: br, gzip\r\n");
        assert!(head.contains("content-encoding: gzip"), "{head}");
        assert!(packed.len() < body.len());
    }
}

#[test]
fn what_is_not_a_page_is_404() {
    let tiny = Tiny::new();
    let port = served(&tiny, &Builds::default());
    let (head, body) = ask(port, "/sub/no.html", "");
    status(&head, 404);
    assert!(String::from_utf8_lossy(&body).starts_with(&tiny.html("404.html")));
    for path in [
        "/../../book.toml",
        "/%2e%2e/%2e%2e/book.toml",
        "/sub/../../../book.toml",
        "/..%2f..%2fbook.toml",
        "//etc/passwd",
        "//sub",
        "/..\\..\\book.toml",
        "/%00",
        "/intro.html/x",
        &format!("/{}", "x".repeat(300)),
    ] {
        let (head, body) = ask(port, path, "");
        assert!(["400", "404"].contains(&&head[9..12]), "{path}: {head}");
        let text = String::from_utf8_lossy(&body);
        assert!(!text.contains("build-dir") && !text.contains("root:"), "{path}");
    }
}

/// A page of another host could be given our address, and then read us.
#[test]
fn only_its_own_names_are_answered() {
    let tiny = Tiny::new();
    let port = served(&tiny, &Builds::default());
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        status(&ask(port, "/intro.html", &format!("Host: {host}:{port}\r\n")).0, 200);
    }
    for host in ["evil.example", "localhost.evil.example", "localhost:1", "localhost"] {
        let (head, body) = ask(port, "/intro.html", &format!("Host: {host}\r\n"));
        status(&head, 421);
        assert!(body.len() < 100);
    }
}

#[test]
fn a_new_build_is_announced() {
    let tiny = Tiny::new();
    let builds = Builds::default();
    let port = served(&tiny, &builds);
    let (_, script) = ask(port, "/-/reload.js", "");
    assert!(String::from_utf8_lossy(&script).contains("/-/builds"));
    let mut stream = connect(port);
    let request = format!("GET /-/builds HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut heard = String::new();
    let mut hear = |count: usize| {
        while heard.matches("data: ").count() < count {
            // What keeps the connection alive is no answer.
            assert!(heard.matches("\n\n").count() < 5, "{heard}");
            let mut some = [0; 1024];
            let length = stream.read(&mut some).expect("an answer");
            assert!(length > 0, "{heard}");
            heard += &String::from_utf8_lossy(&some[..length]);
        }
        heard.clone()
    };
    let built = hear(1);
    builds.announce();
    let all = hear(2);
    let last = |heard: &str| heard.rsplit("data: ").next().map(str::to_string);
    assert_ne!(last(&all), last(&built));
}
