//! Serves the built pages on the loopback interface. Browsers open several
//! connections at once and keep them: each has a thread of its own.

use crate::html::decode;
use crate::http::{Heard, PATIENCE, Request, Response, hear, part, plain};
use anyhow::{Context, Result, anyhow};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

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
/// There is no such folder.
pub fn serve(listener: TcpListener, folder: &Path) -> Result<()> {
    let folder = folder.canonicalize().context("no built pages to serve")?;
    let site = Arc::new(Site { folder, packed: Mutex::default() });
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Too many connections at once; some will end.
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        let site = site.clone();
        // A browser that has gone away is no fault of ours.
        std::thread::spawn(move || site.converse(stream).ok());
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
    /// Answers the requests of one connection, one after the other.
    fn converse(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let mut heard = Vec::new();
        loop {
            let (request, response) = match hear(&mut stream, &mut heard)? {
                Heard::Request(request) => {
                    let response = self.answer(&request)?;
                    (Some(request), response)
                }
                Heard::Nonsense => (None, plain(400, "not understood\n")),
                Heard::Nothing => return Ok(()),
            };
            let last = request.as_ref().is_none_or(|request| request.last);
            let brief = request.is_some_and(|r| r.method == "HEAD");
            stream.write_all(&response.bytes(last, brief))?;
            if last {
                return part(&mut stream);
            }
        }
    }

    fn answer(&self, request: &Request) -> io::Result<Response> {
        if !["GET", "HEAD"].contains(&request.method.as_str()) {
            return Ok(plain(405, "only GET and HEAD are answered here\n"));
        }
        match self.find(&request.target) {
            Some(path) => self.file(request, &path, 200),
            None => self.file(request, &self.folder.join("404.html"), 404),
        }
    }

    fn file(&self, request: &Request, path: &Path, code: u16) -> io::Result<Response> {
        let Ok(data) = fs::read(path) else {
            return Ok(plain(404, "there is no such page\n"));
        };
        let changed = fs::metadata(path).and_then(|data| data.modified());
        let changed = changed.unwrap_or(UNIX_EPOCH);
        let tag = tag(changed, data.len());
        let mut headers = vec![
            ("Content-Type", kind(path).to_string()),
            ("Cache-Control", lifetime(path).to_string()),
            ("ETag", tag.clone()),
            ("Vary", "Accept-Encoding".to_string()),
        ];
        if code == 200 && request.known == tag {
            return Ok(Response { code: 304, headers, body: Vec::new() });
        }
        let body = if request.gzip && shrinks(path) {
            headers.push(("Content-Encoding", "gzip".to_string()));
            self.packed(path, changed, &data)?.to_vec()
        } else {
            data
        };
        Ok(Response { code, headers, body })
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
