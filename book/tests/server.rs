//! The server over a loopback socket.

use crate::common::Tiny;
use book::{Builds, listen, serve};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

/// Serves a tiny book, and gives the port.
fn served(tiny: &Tiny) -> u16 {
    served_with(tiny, &Builds::default())
}

fn served_with(tiny: &Tiny, builds: &Builds) -> u16 {
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

/// What is answered to a request: the head, and the body.
fn ask(port: u16, request: &str, more: &str) -> (String, Vec<u8>) {
    let host = format!("Host: localhost:{port}\r\n");
    let more = if more.contains("Host: ") { more } else { &(host + more) };
    let mut stream = connect(port);
    write!(stream, "{request} HTTP/1.1\r\nConnection: close\r\n{more}\r\n")
        .expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("answered");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let (head, body) = answer.split_at(end.expect("a head") + 4);
    (String::from_utf8_lossy(head).into_owned(), body.to_vec())
}

fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map_or("", |(_, value)| value)
}

#[track_caller]
fn status(head: &str, code: u16) {
    assert!(head.starts_with(&format!("HTTP/1.1 {code} ")), "{head}");
}

/// A page without the line that the server adds.
fn without_script(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let ours = |line: &&str| !line.contains("/-/reload.js");
    assert_eq!(text.lines().filter(|line| !ours(line)).count(), 1);
    text.lines().filter(ours).flat_map(|line| [line, "\n"]).collect()
}

/// The name of a built script.
fn script(tiny: &Tiny) -> String {
    let html = tiny.html("intro.html");
    let at = html.find("\"book-").expect("a script") + 1;
    html[at..at + html[at..].find('"').expect("its end")].to_string()
}

#[test]
fn pages_are_served_compressed_to_those_who_ask() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let (head, body) = ask(port, "GET /sub/one.html", "");
    status(&head, 200);
    assert_eq!(header(&head, "Content-Type"), "text/html; charset=utf-8");
    assert_eq!(header(&head, "Content-Encoding"), "");
    assert!(without_script(&body).trim_end() == tiny.html("sub/one.html").trim_end());

    let gzip = "Accept-Encoding: br, gzip\r\n";
    let (head, packed) = ask(port, "GET /sub/one.html?x=1", gzip);
    assert_eq!(header(&head, "Content-Encoding"), "gzip");
    assert!(header(&head, "Vary").eq_ignore_ascii_case("accept-encoding"), "{head}");
    assert_eq!(header(&head, "Transfer-Encoding"), "chunked");
    let text = String::from_utf8_lossy(&packed).into_owned();
    let size = usize::from_str_radix(text.lines().next().expect("a chunk"), 16);
    assert!(size.expect("its size") < body.len() / 2);

    let (head, body) = ask(port, "GET /", "");
    status(&head, 200);
    assert!(without_script(&body).trim_end() == tiny.html("index.html").trim_end());
}

#[test]
fn head_has_no_body_and_other_methods_are_refused() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    for path in ["/intro.html", "/nothing.html", &format!("/{}", script(&tiny))] {
        let (head, body) = ask(port, &format!("HEAD {path}"), "");
        status(&head, if path == "/nothing.html" { 404 } else { 200 });
        assert!(body.is_empty());
    }
    for method in ["DELETE", "POST", "OPTIONS", "BREW"] {
        let (head, _) = ask(port, &format!("{method} /intro.html"), "");
        status(&head, 405);
        assert_eq!(header(&head, "Allow"), "GET, HEAD");
    }
}

#[test]
fn a_page_that_is_not_there_is_404() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let missing = without_script(&ask(port, "GET /sub/no.html", "").1);
    for more in ["", "If-None-Match: *\r\n"] {
        let (head, body) = ask(port, "GET /sub/no.html", more);
        status(&head, 404);
        assert_eq!(header(&head, "ETag"), "");
        assert!(without_script(&body) == missing);
    }
    assert!(missing.trim_end() == tiny.html("404.html").trim_end());
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
        "/.attention-compiled",
        "/%2eattention-compiled",
        "/%00",
    ] {
        let (head, body) = ask(port, &format!("GET {path}"), "");
        assert!(["400", "404"].contains(&&head[9..12]), "{path}: {head}");
        let text = String::from_utf8_lossy(&body);
        assert!(
            !["build-dir", "root:", "secret", "empties"]
                .iter()
                .any(|secret| { text.contains(secret) })
        );
    }
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_out_either() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let (from, to) = (tiny.pages().join("out.toml"), "book.toml");
    std::os::unix::fs::symlink(tiny.root().join(to), from).expect("a link");
    status(&ask(port, "GET /out.toml", "").0, 404);
}

#[test]
fn hashed_files_are_cached_and_pages_are_asked_for_again() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let script = format!("GET /{}", script(&tiny));
    let (head, whole) = ask(port, &script, "");
    assert!(header(&head, "Cache-Control").contains("immutable"), "{head}");
    assert_eq!(header(&head, "Content-Type"), "text/javascript");
    let (head, part) = ask(port, &script, "Range: bytes=2-5\r\n");
    status(&head, 206);
    assert_eq!(part, whole[2..6]);

    let (head, _) = ask(port, "GET /book-00000000.js", "");
    status(&head, 404);
    assert_eq!(header(&head, "Cache-Control"), "no-cache");

    let (head, _) = ask(port, "GET /intro.html", "");
    assert_eq!(header(&head, "Cache-Control"), "no-cache");
    let tag = header(&head, "ETag");
    for list in [tag.to_string(), format!("\"a\", {tag}"), format!("W/{tag}")] {
        let more = format!("If-None-Match: {list}\r\n");
        let (head, body) = ask(port, "GET /intro.html", &more);
        status(&head, 304);
        assert!(body.is_empty());
        // The page keeps the policy that it came with, which knows its scripts.
        assert_eq!(header(&head, "Content-Security-Policy"), "");
    }
    status(&ask(port, "GET /intro.html", "If-None-Match: \"a\"\r\n").0, 200);
}

/// A page of another host could be given our address, and then read us.
#[test]
fn only_its_own_names_are_answered() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        let more = format!("Host: {host}:{port}\r\n");
        status(&ask(port, "GET /intro.html", &more).0, 200);
    }
    for host in ["evil.example", "localhost.evil.example", "localhost:1", "localhost"] {
        let more = format!("Host: {host}\r\n");
        let (head, body) = ask(port, "GET /intro.html", &more);
        status(&head, 421);
        assert!(body.len() < 100);
    }
    let (head, _) =
        ask(port, &format!("GET http://evil.example:{port}/intro.html"), "");
    status(&head, 421);
}

#[test]
fn a_page_may_load_only_what_comes_from_here() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    for path in ["/intro.html", "/no.html", &format!("/{}", script(&tiny))] {
        let (head, _) = ask(port, &format!("GET {path}"), "");
        assert_eq!(header(&head, "X-Content-Type-Options"), "nosniff");
        let policy = header(&head, "Content-Security-Policy");
        assert!(policy.starts_with("default-src 'self'; script-src 'self' "), "{head}");
        let scripts = policy.split("; ").nth(1).expect("is there");
        assert!(!scripts.contains("'unsafe-inline'") && !scripts.contains('*'));
        // mdBook's own few lines in the page are allowed one by one.
        assert_eq!(path.ends_with(".html"), scripts.contains("'sha256-"), "{path}");
    }
}

#[test]
fn a_new_build_is_told() {
    let tiny = Tiny::new();
    let builds = Builds::default();
    let port = served_with(&tiny, &builds);
    let (head, script) = ask(port, "GET /-/reload.js", "");
    assert!(header(&head, "Content-Type").starts_with("text/javascript"));
    assert!(String::from_utf8_lossy(&script).contains("/-/builds"));

    let page = ask(port, "GET /intro.html", "").1;
    let page = String::from_utf8_lossy(&page).into_owned();
    let built = page.split("data-build=\"").nth(1).expect("the script's number");
    let built = built.split('"').next().expect("has an end");

    let mut stream = connect(port);
    let request = format!("GET /-/builds HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut heard = String::new();
    let mut hear = |count: usize| {
        while heard.matches("data: ").count() < count {
            let mut some = [0; 1024];
            let length = stream.read(&mut some).expect("an answer");
            assert!(length > 0, "{heard}");
            heard += &String::from_utf8_lossy(&some[..length]);
        }
        heard.clone()
    };
    assert!(hear(1).contains(&format!("data: {built}\n")));
    let start = Instant::now();
    builds.announce();
    let all = hear(2);
    assert!(start.elapsed() < Duration::from_secs(1));
    assert!(!all.split("data: ").nth(2).expect("heard").starts_with(built));
}

#[test]
fn one_connection_serves_many_requests() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let page = ask(port, "GET /intro.html", "").1;
    let mut stream = connect(port);
    for _ in 0..3 {
        let host = format!("Host: 127.0.0.1:{port}");
        write!(stream, "GET /intro.html HTTP/1.1\r\n{host}\r\n\r\n").expect("sent");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            head.push(byte[0]);
        }
        let mut body = vec![0; page.len()];
        stream.read_exact(&mut body).expect("the page");
        assert!(body == page);
    }
}

/// As a browser does: more connections than it needs, all kept open; and some
/// that ask for a large page, again and again, and read nothing.
#[test]
fn connections_that_say_nothing_or_read_nothing_harm_no_other() {
    let tiny = Tiny::new();
    let page = format!("# Intro {{#intro}}\n\n{}\n", "Some words. ".repeat(200_000));
    tiny.write("book/en/intro.md", &page);
    let (server, address) = tiny.serve(&[]);
    let (_, port) = address.rsplit_once(':').expect("has a port");
    let port: u16 = port.parse().expect("a number");
    let silent: Vec<TcpStream> = (0..40).map(|_| connect(port)).collect();
    let request = format!("GET /intro.html HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let deaf: Vec<TcpStream> = (0..100).map(|_| connect(port)).collect();
    for mut stream in &deaf {
        stream.write_all(request.repeat(5).as_bytes()).expect("sent");
    }
    for _ in 0..20 {
        status(&ask(port, "GET /sub/one.html", "").0, 200);
    }
    thread::sleep(Duration::from_millis(500));
    status(&ask(port, "GET /intro.html", "").0, 200);
    // A copy of the page for each of them would take 240 MB.
    let memory = memory(server.0.id());
    assert!(memory < 150_000, "{memory} kB");
    drop((silent, deaf));
}

/// The resident memory of a process in kB, where the system tells it.
fn memory(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

#[test]
fn nonsense_is_answered_and_ends_the_connection() {
    let tiny = Tiny::new();
    let port = served(&tiny);
    let (head, _) = ask(port, "nonsense", "");
    status(&head, 400);
    let mut stream = connect(port);
    write!(stream, "GET /{} HTTP/1.1\r\n\r\n", "x".repeat(1 << 20)).ok();
    let mut start = [0; 10];
    let refused = stream.read(&mut start);
    assert!(refused.is_err() || start.starts_with(b"HTTP/1.1 4"), "{start:?}");
    // Without the name of a host.
    let mut stream = connect(port);
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("answered");
    assert!(answer.starts_with("HTTP/1.0 421 "), "{answer}");
}
