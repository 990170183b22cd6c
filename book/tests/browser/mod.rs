//! The live figures in a browser: the real pages, served by the real server,
//! under a headless Chromium that is driven by its DevTools protocol.
//!
//! Where no Chromium is installed the tests say so and pass. `CHROMIUM` names
//! one; then it must be there.

mod ch10_1;
mod ch10_2;
mod ch10_3;
mod ch10_4;
mod ch10_5;
mod ch10_6;
mod ch10_7;
mod engines;
mod figures;
mod induction;
mod language_model;
mod search;

use crate::common::real;
use book::{Builds, chromium, listen, serve};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

/// How long anything may take that a test waits for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A theme, and the width of the window.
type View = (&'static str, u32);
pub const DESKTOP: View = ("light", 1280);
pub const PHONE: View = ("navy", 390);

/// Opens pages of the book, such as `ch10_1.html`, and tests each with what stands
/// beside its name. Afterwards a page must be as wide as its window, nothing on it
/// may be wrong, and the console silent.
pub fn visit<T>(view: View, pages: &[(&str, T)], test: impl Fn(&mut Tab, &T)) {
    let Some(mut tab) = Tab::new(view) else { return };
    for (page, with) in pages {
        tab.open(page);
        test(&mut tab, with);
        tab.leave();
    }
}

type Test = fn(&mut Tab);

/// Runs tests on pages of the book, on a phone.
pub fn on_phone(tests: &[(&str, Test)]) {
    visit(PHONE, tests, |tab, test| test(tab));
}

/// A browser with one page. In the expressions that it evaluates, `host` is the
/// element that the test is at, and `one` and `all` find what is inside it.
pub struct Tab {
    process: Child,
    socket: WebSocket<TcpStream>,
    /// Of the page, with DevTools.
    session: String,
    /// How many messages have been sent.
    sent: u64,
    /// What the console has said, and what was thrown.
    said: Vec<String>,
    view: View,
    page: String,
    /// The selector of `host`.
    host: String,
    _profile: TempDir,
}

impl Tab {
    /// Goes to the element of this selector.
    pub fn at(&mut self, selector: &str) {
        self.host = selector.to_string();
    }

    /// What an expression gives in the page; a promise is awaited.
    #[track_caller]
    pub fn eval(&mut self, expression: &str) -> Value {
        let answer = self.evaluate(expression);
        answer.unwrap_or_else(|fault| panic!("{}: {expression}: {fault}", self.page))
    }

    /// What an expression gives in the page, or why it gives nothing.
    #[track_caller]
    fn evaluate(&mut self, expression: &str) -> Result<Value, Value> {
        let host = &self.host;
        let expression = format!(
            "(() => {{ const host = document.querySelector({host:?}); \
               const one = selector => host.querySelector(selector); \
               const all = selector => [...host.querySelectorAll(selector)]; \
               return ({expression}); }})()"
        );
        let parameters = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.ask("Runtime.evaluate", parameters)?;
        match &answer["exceptionDetails"] {
            Value::Null => Ok(answer["result"]["value"].clone()),
            fault => Err(fault.clone()),
        }
    }

    /// What an expression gives as text.
    #[track_caller]
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.eval(expression);
        let text = value.as_str();
        text.unwrap_or_else(|| panic!("{expression} is no text: {value}")).to_string()
    }

    /// Waits until an expression is true. While a page gives way to the next
    /// there is none to ask: that is waited for too.
    #[track_caller]
    pub fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        loop {
            let answer = self.evaluate(&format!("!!({expression})"));
            if answer == Ok(Value::Bool(true)) {
                return;
            }
            if start.elapsed() > PATIENCE {
                self.at(":root");
                let text = self.eval(
                    "all('.live-body, .cell').map(one => one.innerText).join('\\n')",
                );
                let (page, said) = (&self.page, &self.said);
                panic!("{page}: never {expression}: {answer:?}\n{text}\n{said:?}");
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Goes to the live figure of this name, opens it with the keyboard, and waits
    /// for its first answer.
    #[track_caller]
    pub fn touch(&mut self, figure: &str) {
        self.at(&format!("live-figure[data-figure={figure}]"));
        self.wait("!host.hidden");
        self.eval("one('button').focus()");
        self.key("Enter");
        self.wait("one('.live-body')");
        self.answered();
    }

    /// Waits until the figure has answered all that it was asked.
    #[track_caller]
    pub fn answered(&mut self) {
        self.wait("!one('[aria-busy]')");
    }

    /// Waits until the figure says this below its drawing.
    #[track_caller]
    pub fn says(&mut self, text: &str) {
        self.wait(&format!("one('.live-said').textContent.includes({text:?})"));
    }

    /// Waits until this stands somewhere in the element.
    #[track_caller]
    pub fn shows(&mut self, text: &str) {
        self.wait(&format!("host.textContent.includes({text:?})"));
    }

    /// Waits until the figure says that this is wrong.
    #[track_caller]
    pub fn refuses(&mut self, text: &str) {
        self.wait(&format!("one('.live-error').textContent.includes({text:?})"));
    }

    /// Waits until nothing in the figure is wider than its box.
    #[track_caller]
    pub fn whole(&mut self) {
        self.wait(
            "all('.live-scroll').every(box => box.scrollWidth <= box.clientWidth)",
        );
    }

    /// Focuses the input or button of this name.
    #[track_caller]
    pub fn focus(&mut self, name: &str) {
        let found = self.eval(&format!(
            "(() => {{ \
                const found = [...all('label'), ...all('button, [aria-label]')]\
                    .find(one => [one.textContent, one.ariaLabel].includes({name:?})); \
                const input = found?.control ?? found; \
                input?.focus(); \
                return !!input && document.activeElement === input; }})()"
        ));
        assert_eq!(found, Value::Bool(true), "{}: nothing is named {name}", self.page);
    }

    /// Focuses the input or button of this name, and presses a key.
    #[track_caller]
    pub fn press(&mut self, name: &str, key: &str) {
        self.focus(name);
        self.key(key);
    }

    /// Enters a text in the input of this name.
    #[track_caller]
    pub fn enter(&mut self, name: &str, text: &str) {
        self.focus(name);
        self.write(text);
        self.key("Enter");
    }

    /// Presses a key, as a reader does.
    #[track_caller]
    pub fn key(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            " " => 32,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Tab" => 9,
            "Escape" => 27,
            "Backspace" => 8,
            key => panic!("the key {key} has no code here"),
        };
        let text = match key {
            "Enter" => "\r",
            " " => " ",
            _ => "",
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code,
            });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Replaces what is in the focused input by this text.
    #[track_caller]
    pub fn write(&mut self, text: &str) {
        self.eval("document.activeElement.select()");
        self.call("Input.insertText", json!({"text": text}));
    }

    /// Moves the mouse over the middle of an element, and presses it if asked.
    #[track_caller]
    pub fn point(&mut self, element: &str, press: bool) {
        let place = self.eval(&format!(
            "(() => {{ const element = {element}; \
               element.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
               const box = element.getBoundingClientRect(); \
               return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        let kinds = match press {
            false => &["mouseMoved"][..],
            true => &["mouseMoved", "mousePressed", "mouseReleased"],
        };
        for kind in kinds {
            self.call(
                "Input.dispatchMouseEvent",
                json!({
                    "type": kind, "x": place[0], "y": place[1], "clickCount": 1,
                    "button": if *kind == "mouseMoved" { "none" } else { "left" },
                }),
            );
        }
    }

    fn new(view: View) -> Option<Self> {
        let found = chromium().unwrap_or_else(|error| panic!("{error}"));
        let Some(program) = found else {
            missing("Chromium", "CHROMIUM");
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder");
        let mut process = Command::new(&program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let errors = process.stderr.take().expect("is piped");
        let mut lines = BufReader::new(errors).lines();
        let address = lines.find_map(|line| {
            let line = line.expect("is text");
            line.strip_prefix("DevTools listening on ").map(str::to_string)
        });
        let address = address.expect("Chromium says where it listens");
        thread::spawn(move || lines.for_each(drop));
        let place = address.strip_prefix("ws://").expect("an address");
        let place = place.split('/').next().expect("an address");
        let stream = TcpStream::connect(place).expect("Chromium listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let (socket, _) = tungstenite::client(&address, stream).expect("DevTools");
        let mut tab = Tab {
            process,
            socket,
            session: String::new(),
            sent: 0,
            said: Vec::new(),
            view,
            page: String::new(),
            host: String::new(),
            _profile: profile,
        };
        let blank = json!({"url": "about:blank"});
        let target = tab.call("Target.createTarget", blank);
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = tab.call("Target.attachToTarget", attach);
        tab.session = attached["sessionId"].as_str().expect("a session").to_string();
        for domain in ["Runtime", "Log", "Page"] {
            tab.call(&format!("{domain}.enable"), json!({}));
        }
        let (theme, width) = view;
        tab.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": 900, "deviceScaleFactor": 1,
                   "mobile": width < 500}),
        );
        let choice = format!("localStorage.setItem('mdbook-theme', '{theme}')");
        tab.call("Page.addScriptToEvaluateOnNewDocument", json!({"source": choice}));
        Some(tab)
    }

    #[track_caller]
    fn open(&mut self, page: &str) {
        let (theme, width) = self.view;
        self.page = format!("{page}, {theme}, {width} px");
        let address = format!("http://127.0.0.1:{}/{page}", served());
        self.call("Page.navigate", json!({"url": address}));
        self.at(":root");
        self.wait(&format!("location.href === '{address}'"));
        self.wait("document.readyState === 'complete'");
        self.wait(&format!("host.classList.contains('{theme}')"));
        let loaded = "performance.getEntriesByType('resource')\
                      .some(one => one.name.includes('/live/'))";
        assert_eq!(self.eval(loaded), false, "{}: loaded before a touch", self.page);
    }

    #[track_caller]
    fn leave(&mut self) {
        self.at(":root");
        let wide = self.eval("host.scrollWidth - innerWidth").as_i64();
        let page = self.page.clone();
        assert!(wide <= Some(0), "{page}: {wide:?} px wider than the window");
        let wrong = "all('.live-error').map(one => one.textContent).join('')";
        assert_eq!(self.text(wrong), "", "{page}");
        // What scrolls says so.
        self.wait(
            "all('figure.plot .scroll').filter(box => box.scrollWidth > box.clientWidth)\
             .every(box => box.classList.contains('wide'))",
        );
        assert_eq!(self.said, [""; 0], "{page}");
    }

    #[track_caller]
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        let answer = self.ask(method, parameters);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    #[track_caller]
    fn ask(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.sent += 1;
        let mut message =
            json!({"id": self.sent, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(message.to_string())).expect("is sent");
        loop {
            let Message::Text(text) = self.socket.read().expect("is answered") else {
                continue;
            };
            let mut message: Value = serde_json::from_str(&text).expect("JSON");
            if message["id"] == self.sent {
                return match message["error"].take() {
                    Value::Null => Ok(message["result"].take()),
                    error => Err(error),
                };
            }
            self.hear(&message);
        }
    }

    /// Events: what is wrong in the page, and what is written to its console.
    fn hear(&mut self, message: &Value) {
        let parameters = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.said.push(parameters["exceptionDetails"].to_string());
            }
            Some("Runtime.consoleAPICalled") => {
                self.said.push(parameters["args"].to_string());
            }
            Some("Log.entryAdded") => self.said.push(parameters["entry"].to_string()),
            _ => {}
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Says that a browser is missing, which a variable may name.
fn missing(browser: &str, variable: &str) {
    let text = format!(
        "SKIPPED: no {browser} is installed ({variable} names one), so no live figure \
         is tried in it\n"
    );
    // The tests keep what is printed to themselves.
    std::io::stderr().write_all(text.as_bytes()).ok();
}

/// Serves the book, and gives the port.
fn served() -> u16 {
    static PORT: OnceLock<u16> = OnceLock::new();
    *PORT.get_or_init(|| {
        let pages = real();
        let listener = listen(0).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        thread::spawn(move || serve(listener, pages, &Builds::default()));
        port
    })
}
