//! Every live figure and heat map of both editions in the engines that other readers
//! have: WebKit, which is Safari's and that of all browsers on iPhones, and Gecko, which
//! is Firefox's. What the figures answer, the tests for Chromium ask.
//!
//! Where one is not installed its test says so and passes. `FIREFOX` names a Firefox,
//! and `WEBKIT` a `WebKitWebDriver`; then it must be there.

use super::{PATIENCE, missing, served};
use crate::common::real;
use book::program;
use regex::Regex;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Instant;
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

/// Opens a live figure and says what became of it: "", or what is wrong. The heat map
/// of the page is read at the same time.
const TOUCH: &str = "(async name => {
    const until = async test => {
        const end = performance.now() + 60000;
        while (!test()) {
            if (performance.now() > end) {
                return `never ${test}: ${document.querySelector('main').innerText
                    .match(/未能加载.*|This could not.*/) ?? ''}`;
            }
            await new Promise(done => setTimeout(done, 20));
        }
        return '';
    };
    const host = document.querySelector(`live-figure[data-figure=${name}]`);
    const maps = document.querySelector('svg:has(.heatmaps)');
    let wrong = await until(() => !host.hidden && (!maps || maps.tabIndex === 0));
    maps?.dispatchEvent(new PointerEvent('pointermove'));
    host.querySelector('button').click();
    wrong ||= await until(() => host.querySelector('.live-body'));
    wrong ||= await until(() => !host.querySelector('[aria-busy]'));
    if (maps) {
        wrong ||= await until(() => maps.closest('figure').querySelector('.cell'));
    }
    wrong ||= host.querySelector('.live-error').textContent;
    const said = host.querySelector('.live-result')?.innerText ?? '';
    const chinese = /\\p{Script=Han}/u.test(said);
    if (!wrong && chinese !== document.documentElement.lang.startsWith('zh')) {
        wrong = `said in the other language: ${said}`;
    }
    return wrong;
})";

#[test]
fn every_figure_opens_in_firefox() {
    if let Some(mut firefox) = Firefox::new() {
        every_figure_opens(|address, script| firefox.run(address, script));
    }
}

#[test]
fn every_figure_opens_in_webkit() {
    if let Some(webkit) = WebKit::new() {
        every_figure_opens(|address, script| webkit.run(address, script));
    }
}

/// Touches each figure on a page of its own: what is loaded for one is not for the next.
fn every_figure_opens(mut run: impl FnMut(&str, &str) -> String) {
    let figures = figures();
    let chinese = figures.iter().filter(|(page, _)| page.starts_with("zh/"));
    assert!(figures.len() >= 32 && chinese.count() * 2 == figures.len());
    let mut wrong = Vec::new();
    for (page, figure) in figures {
        let address = format!("http://127.0.0.1:{}/{page}", served());
        let said = run(&address, &format!("{TOUCH}('{figure}')"));
        if !said.is_empty() {
            wrong.push(format!("{page}, {figure}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All live figures of the book: the page, and the name.
fn figures() -> Vec<(String, String)> {
    fn pages(folder: &Path, found: &mut Vec<(String, String)>) {
        let figure = Regex::new("<live-figure[^>]* data-figure=\"([^\"]+)\"");
        let figure = figure.expect("a pattern");
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                pages(&path, found);
            }
            let name = path.strip_prefix(real()).expect("is below");
            let name = name.to_str().expect("is text").replace('\\', "/");
            if name.ends_with(".html") && !name.ends_with("print.html") {
                let page = fs::read_to_string(path).expect("is text");
                let names = figure.captures_iter(&page).map(|one| one[1].to_string());
                found.extend(names.map(|figure| (name.clone(), figure)));
            }
        }
    }
    let mut found = Vec::new();
    pages(real(), &mut found);
    found.sort();
    found
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A Firefox, driven by WebDriver BiDi.
struct Firefox {
    socket: WebSocket<TcpStream>,
    sent: u64,
    /// Its only page.
    context: Value,
    _process: Running,
    _profile: TempDir,
}

impl Firefox {
    fn new() -> Option<Self> {
        let names = [
            "firefox",
            "firefox-esr",
            "/Applications/Firefox.app/Contents/MacOS/firefox",
            r"C:\Program Files\Mozilla Firefox\firefox.exe",
        ];
        let found =
            program("FIREFOX", &names).unwrap_or_else(|error| panic!("{error}"));
        let Some(program) = found else {
            missing("Firefox", "FIREFOX");
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder");
        let mut process = Command::new(program)
            .args(["--headless", "--no-remote", "--remote-debugging-port", "0"])
            .arg("--profile")
            .arg(profile.path())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("Firefox starts");
        let errors = process.stderr.take().expect("is piped");
        let mut lines = BufReader::new(errors).lines();
        let address = lines.find_map(|line| {
            let line = line.expect("is text");
            Some(line.strip_prefix("WebDriver BiDi listening on ws://")?.to_string())
        });
        let address = address.expect("Firefox says where it listens");
        thread::spawn(move || lines.for_each(drop));
        let stream = TcpStream::connect(&address).expect("Firefox listens");
        stream.set_read_timeout(Some(2 * PATIENCE)).expect("a socket");
        let session = format!("ws://{address}/session");
        let (socket, _) = tungstenite::client(session, stream).expect("a session");
        let mut firefox = Firefox {
            socket,
            sent: 0,
            context: Value::Null,
            _process: Running(process),
            _profile: profile,
        };
        firefox.ask("session.new", json!({"capabilities": {}}));
        let tree = firefox.ask("browsingContext.getTree", json!({}));
        firefox.context = tree["contexts"][0]["context"].clone();
        Some(firefox)
    }

    fn run(&mut self, address: &str, script: &str) -> String {
        let context = self.context.clone();
        let page = json!({"context": context, "url": address, "wait": "complete"});
        self.ask("browsingContext.navigate", page);
        let script = json!({
            "expression": script, "target": {"context": context}, "awaitPromise": true,
        });
        let answer = self.ask("script.evaluate", script);
        let said = answer["result"]["value"].as_str();
        said.map_or_else(|| answer.to_string(), str::to_string)
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.sent += 1;
        let message = json!({"id": self.sent, "method": method, "params": parameters});
        self.socket.send(Message::text(message.to_string())).expect("is sent");
        loop {
            let Message::Text(text) = self.socket.read().expect("is answered") else {
                continue;
            };
            let mut message: Value = serde_json::from_str(&text).expect("JSON");
            if message["id"] == self.sent {
                assert_eq!(message["type"], "success", "{method}: {message}");
                return message["result"].take();
            }
        }
    }
}

/// WebKit's small browser, driven by WebDriver, on a screen that nobody sees.
struct WebKit {
    port: u16,
    session: String,
    _driver: Running,
    _screen: Running,
}

impl WebKit {
    fn new() -> Option<Self> {
        let find = |variable, name| {
            let found = program(variable, &[name]);
            found.unwrap_or_else(|error| panic!("{error}"))
        };
        let driver = find("WEBKIT", "WebKitWebDriver");
        let (Some(driver), Some(screen)) = (driver, find("XVFB", "Xvfb")) else {
            missing("WebKitWebDriver with Xvfb", "WEBKIT");
            return None;
        };
        let mut screen = Command::new(screen)
            .args(["-displayfd", "1", "-screen", "0", "1280x1024x24"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb starts");
        let mut display = String::new();
        let said = screen.stdout.take().expect("is piped");
        BufReader::new(said).read_line(&mut display).expect("is text");
        let screen = Running(screen);
        assert!(!display.is_empty(), "Xvfb says which display it has");

        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = port.expect("a free port").port();
        let driver = Command::new(driver)
            .arg(format!("--port={port}"))
            .env("DISPLAY", format!(":{}", display.trim()))
            .env_remove("WAYLAND_DISPLAY")
            // A machine for tests has no bus, and no graphics card.
            .env("NO_AT_BRIDGE", "1")
            .env("GSETTINGS_BACKEND", "memory")
            .env("WEBKIT_DISABLE_COMPOSITING_MODE", "1")
            .stderr(Stdio::null())
            .spawn()
            .expect("WebKitWebDriver starts");
        let driver = Running(driver);
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < PATIENCE, "WebKitWebDriver listens");
            thread::sleep(PATIENCE / 1000);
        }
        let mut webkit =
            WebKit { port, session: String::new(), _driver: driver, _screen: screen };
        let most = json!({"script": 2 * PATIENCE.as_millis()});
        let wanted = json!({"capabilities": {"alwaysMatch": {"timeouts": most}}});
        let answer = webkit.ask("", &wanted);
        let id = answer["sessionId"].as_str();
        let id = id.unwrap_or_else(|| panic!("WebKit gives no session: {answer}"));
        webkit.session = format!("/{id}");
        Some(webkit)
    }

    fn run(&self, address: &str, script: &str) -> String {
        self.ask("/url", &json!({"url": address}));
        let script = format!(
            "const done = arguments[0]; ({script}).then(done, wrong => done(`${{wrong}}`))"
        );
        let asked = json!({"script": script, "args": []});
        let answer = self.ask("/execute/async", &asked);
        answer.as_str().map_or_else(|| answer.to_string(), str::to_string)
    }

    /// Posts to the session.
    fn ask(&self, path: &str, body: &Value) -> Value {
        let mut stream =
            TcpStream::connect(("127.0.0.1", self.port)).expect("a driver");
        stream.set_read_timeout(Some(2 * PATIENCE)).expect("a socket");
        let body = body.to_string();
        write!(
            stream,
            "POST /session{}{path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n{body}",
            self.session,
            self.port,
            body.len()
        )
        .expect("is sent");
        let mut reader = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        while head != "\r\n" {
            head.clear();
            reader.read_line(&mut head).expect("a head");
            let lower = head.to_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a number");
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).expect("a body");
        let mut answer: Value = serde_json::from_slice(&answer).expect("JSON");
        answer["value"].take()
    }
}

impl Drop for WebKit {
    fn drop(&mut self) {
        // The browser ends with its session, not with the driver.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let path = format!("/session{}", self.session);
            let request = format!("DELETE {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
            stream.write_all(request.as_bytes()).ok();
            stream.set_read_timeout(Some(PATIENCE / 10)).ok();
            let _ = stream.read(&mut [0; 512]);
        }
    }
}
