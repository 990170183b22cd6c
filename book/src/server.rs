//! Serves the built pages on the loopback interface.

use crate::html::decode;
use anyhow::{Context, Result, anyhow};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use tiny_http::{Header, Method, Request, Response, Server};

/// Takes a port of the loopback interface; 0 lets the system choose one.
///
/// # Errors
/// The port is in use or not allowed; the message says what to do.
pub fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        let what = match error.kind() {
            ErrorKind::AddrInUse => "is in use".to_string(),
            ErrorKind::PermissionDenied => "is not allowed".to_string(),
            _ => format!("cannot be used ({error})"),
        };
        anyhow!("port {port} {what}; --port N picks another")
    })
}

/// Answers requests with the files of `folder`, until the process ends.
///
/// # Errors
/// The listener cannot be used.
pub fn serve(listener: TcpListener, folder: &Path) -> Result<()> {
    let folder = folder.canonicalize().context("no built pages to serve")?;
    let server = Server::from_listener(listener, None)
        .map_err(|error| anyhow!("cannot serve: {error}"))?;
    let site = Site { folder, packed: Mutex::default() };
    let (server, site) = (Arc::new(server), Arc::new(site));
    let workers = (0..4).map(|_| {
        let (server, site) = (server.clone(), site.clone());
        std::thread::spawn(move || {
            for request in server.incoming_requests() {
                // A browser that has gone away is no fault of ours.
                let _ = site.answer(request);
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        let _ = worker.join();
    }
    Ok(())
}

type Packed = (SystemTime, Arc<[u8]>);

struct Site {
    folder: PathBuf,
    /// Files that have been compressed, with their age at that time.
    packed: Mutex<HashMap<PathBuf, Packed>>,
}

impl Site {
    fn answer(&self, request: Request) -> io::Result<()> {
        if !matches!(request.method(), Method::Get | Method::Head) {
            let text = "only GET and HEAD are answered here\n";
            let response = Response::from_string(text).with_status_code(405);
            return request.respond(response);
        }
        match self.find(request.url()) {
            Some(path) => self.send(request, &path, 200),
            None => self.send(request, &self.folder.join("404.html"), 404),
        }
    }

    fn send(&self, request: Request, path: &Path, code: u16) -> io::Result<()> {
        let Ok(data) = fs::read(path) else {
            let response = Response::from_string("there is no such page\n");
            return request.respond(response.with_status_code(404));
        };
        let changed = fs::metadata(path).and_then(|data| data.modified());
        let changed = changed.unwrap_or(UNIX_EPOCH);
        let tag = tag(changed, data.len());
        let mut headers = vec![
            header("Content-Type", kind(path)),
            header("Cache-Control", lifetime(path)),
            header("ETag", &tag),
            header("Vary", "Accept-Encoding"),
        ];
        if code == 200 && sent(&request, "If-None-Match") == tag {
            return request.respond(with(Response::empty(304), headers));
        }
        let body = if shrinks(path) && takes_gzip(&request) {
            headers.push(header("Content-Encoding", "gzip"));
            self.packed(path, changed, &data)?.to_vec()
        } else {
            data
        };
        let response = Response::from_data(body).with_status_code(code);
        request.respond(with(response, headers))
    }

    /// The file that a request means, if there is one in the folder.
    fn find(&self, url: &str) -> Option<PathBuf> {
        let path = decode(url.split(['?', '#']).next().unwrap_or_default());
        let mut file = self.folder.clone();
        for part in path.split('/').filter(|part| !part.is_empty()) {
            if part.starts_with('.') || part.contains(['\\', ':', '\0']) {
                return None;
            }
            file.push(part);
        }
        if file.is_dir() {
            file.push("index.html");
        }
        // Through no link either does a request leave the folder.
        let file = file.canonicalize().ok()?;
        (file.is_file() && file.starts_with(&self.folder)).then_some(file)
    }

    fn packed(
        &self,
        path: &Path,
        changed: SystemTime,
        data: &[u8],
    ) -> io::Result<Arc<[u8]>> {
        let known = |map: &HashMap<PathBuf, Packed>| {
            let (at, bytes) = map.get(path)?;
            (*at == changed).then(|| bytes.clone())
        };
        if let Some(bytes) = known(&self.packed.lock().expect("no panic")) {
            return Ok(bytes);
        }
        let bytes: Arc<[u8]> = gzip(data)?.into();
        let entry = (changed, bytes.clone());
        let mut map = self.packed.lock().expect("no panic");
        map.insert(path.to_path_buf(), entry);
        Ok(bytes)
    }
}

/// `data` as it travels.
///
/// # Errors
/// None that memory does not make.
pub fn gzip(data: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(data)?;
    encoder.finish()
}

/// The value of a header of a request; empty if it has none.
fn sent<'a>(request: &'a Request, name: &'static str) -> &'a str {
    let mut all = request.headers().iter();
    let found = all.find(|header| header.field.equiv(name));
    found.map_or("", |header| header.value.as_str())
}

fn takes_gzip(request: &Request) -> bool {
    sent(request, "Accept-Encoding").split(',').any(|name| {
        name.trim() == "gzip" || name.trim().starts_with("gzip;q=1")
    })
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("plain ASCII")
}

fn with<R: Read>(
    mut response: Response<R>,
    headers: Vec<Header>,
) -> Response<R> {
    for header in headers {
        response.add_header(header);
    }
    // With its length known a response need not be cut into chunks.
    response.with_chunked_threshold(usize::MAX)
}

fn tag(changed: SystemTime, length: usize) -> String {
    let age = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("\"{:x}-{length:x}\"", age.as_nanos())
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|end| end.to_str()).unwrap_or_default()
}

fn kind(path: &Path) -> &'static str {
    match extension(path) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" | "md" | "toml" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether compressing is worth it.
pub fn shrinks(path: &Path) -> bool {
    !matches!(extension(path), "png" | "woff2")
}

/// mdBook puts a hash into the names of files that never change under one
/// name: `book-1a2b3c4d.js`.
fn lifetime(path: &Path) -> &'static str {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let stem = stem.map(|stem| stem.split('.').next().unwrap_or(stem));
    let hash = stem.and_then(|stem| stem.rsplit_once('-')).map(|(_, h)| h);
    let hashed = hash.is_some_and(|hash| {
        hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    match hashed {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    }
}
