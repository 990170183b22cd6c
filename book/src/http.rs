//! As much of HTTP as a browser on the same machine needs: requests without
//! bodies, one after the other on a connection.

use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// What is asked for, as far as it matters here.
pub struct Request {
    /// `GET`, `HEAD`, …
    pub method: String,
    /// The address as it was sent.
    pub target: String,
    /// Whether the answer may be compressed.
    pub gzip: bool,
    /// The tag of the answer that the other side has already.
    pub known: String,
    /// Whether nothing comes after it on this connection.
    pub last: bool,
}

/// What is answered.
pub struct Response {
    /// 200, 404, …
    pub code: u16,
    /// Without the length, which is added.
    pub headers: Vec<(&'static str, String)>,
    /// Empty with code 304.
    pub body: Vec<u8>,
}

/// How long a connection may say nothing.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// No request is longer.
const LONGEST: usize = 16 * 1024;

/// What was read from a connection.
pub enum Heard {
    /// A request.
    Request(Request),
    /// Something else.
    Nonsense,
    /// The other side has hung up.
    Nothing,
}

/// Reads one request; what comes after it is left in `heard`.
///
/// # Errors
/// The connection is broken.
pub fn hear(stream: &mut TcpStream, heard: &mut Vec<u8>) -> io::Result<Heard> {
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut parsed = httparse::Request::new(&mut headers);
        match parsed.parse(heard) {
            Ok(httparse::Status::Complete(length)) => {
                let request = Request::new(&parsed);
                heard.drain(..length);
                return Ok(Heard::Request(request));
            }
            Ok(_) if heard.len() < LONGEST => {}
            _ => return Ok(Heard::Nonsense),
        }
        let mut more = [0; 4096];
        match stream.read(&mut more)? {
            0 => return Ok(Heard::Nothing),
            count => heard.extend(&more[..count]),
        }
    }
}

impl Request {
    fn new(parsed: &httparse::Request) -> Self {
        let value = |name: &str| {
            let mut all = parsed.headers.iter();
            let found = all.find(|header| header.name.eq_ignore_ascii_case(name));
            let value = found.map_or(&b""[..], |header| header.value);
            String::from_utf8_lossy(value).into_owned()
        };
        let gzip = value("Accept-Encoding")
            .split(',')
            .any(|name| name.trim() == "gzip" || name.trim().starts_with("gzip;q=1"));
        // What follows a request with a body is not looked at.
        let bodied = !["", "0"].contains(&value("Content-Length").as_str())
            || !value("Transfer-Encoding").is_empty();
        let close = value("Connection").eq_ignore_ascii_case("close");
        Request {
            method: parsed.method.unwrap_or_default().to_string(),
            target: parsed.path.unwrap_or_default().to_string(),
            gzip,
            known: value("If-None-Match"),
            last: close || bodied || parsed.version != Some(1),
        }
    }
}

impl Response {
    /// What travels; of a `brief` answer only the head.
    pub fn bytes(&self, last: bool, brief: bool) -> Vec<u8> {
        let reason = match self.code {
            200 => "OK",
            304 => "Not Modified",
            404 => "Not Found",
            405 => "Method Not Allowed",
            _ => "Bad Request",
        };
        let mut head = format!("HTTP/1.1 {} {reason}\r\n", self.code);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if self.code != 304 {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        if last {
            head += "Connection: close\r\n";
        }
        head += "\r\n";
        let body = if brief { &[] } else { &self.body[..] };
        [head.as_bytes(), body].concat()
    }
}

/// A line of text as an answer.
pub fn plain(code: u16, text: &str) -> Response {
    let mut headers = vec![("Content-Type", "text/plain; charset=utf-8".to_string())];
    if code == 405 {
        headers.push(("Allow", "GET, HEAD".to_string()));
    }
    Response { code, headers, body: text.as_bytes().to_vec() }
}

/// Ends a connection. What is still coming is read and dropped: otherwise
/// the other side could lose the answer.
///
/// # Errors
/// The connection is broken.
pub fn part(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(Duration::from_secs(1)))?;
    let mut rest = stream.take(1 << 20);
    io::copy(&mut rest, &mut io::sink())?;
    Ok(())
}
