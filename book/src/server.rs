//! Serves the built pages on the loopback interface, and tells the browser
//! when they were built anew.

use anyhow::{Context, Result, anyhow};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT_RANGES, ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, HOST, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH,
    LAST_MODIFIED, RANGE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_util::stream::{Stream, unfold};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::{Mutex, Semaphore, watch};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{
    DefaultPredicate, NotForContentType, Predicate,
};
use tower_http::services::{ServeDir, ServeFile};

/// So many connections are served at a time; others wait.
const CONNECTIONS: usize = 200;

/// How long a connection may ask for nothing.
const IDLE: Duration = Duration::from_secs(60);

/// How long a connection is kept. A browser that wants more opens another.
const LIFE: Duration = Duration::from_secs(600);

/// No page is longer, the one for the printer included.
const LONGEST: usize = 64 << 20;

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

/// The builds of the pages, of which the last is told to the browser.
#[derive(Clone)]
pub struct Builds(watch::Sender<u64>);

impl Default for Builds {
    fn default() -> Self {
        Builds(watch::Sender::new(now()))
    }
}

impl Builds {
    /// Says that the pages were built anew.
    pub fn announce(&self) {
        self.0.send_modify(|last| *last = now().max(*last + 1));
    }
}

/// A name for a build that no earlier process has given.
fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_millis() as u64
}

/// Answers requests with the files of `folder`, until the process ends.
///
/// # Errors
/// There is no such folder, or no thread to serve it with.
pub fn serve(listener: TcpListener, folder: &Path, builds: &Builds) -> Result<()> {
    let folder = folder.canonicalize().context("no built pages to serve")?;
    let port = listener.local_addr()?.port();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .enable_all()
        .build()?;
    runtime.block_on(accept(listener, router(folder, port, builds)))
}

async fn accept(listener: TcpListener, router: Router) -> Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let slot = slots.clone().acquire_owned().await?;
        let Ok((stream, _)) = listener.accept().await else {
            // No descriptor is free; some connection will end.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        stream.set_nodelay(true).ok();
        let service = router.clone().into_service::<hyper::body::Incoming>();
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        tokio::spawn(async move {
            // A browser that has gone away is no fault of ours.
            tokio::time::timeout(LIFE, connection).await.ok();
            drop(slot);
        });
    }
}

struct Site {
    folder: PathBuf,
    /// What a request may call this server.
    hosts: [String; 3],
    builds: Builds,
    /// Pages as they are sent, so that slow readers of a page share it.
    pages: Mutex<HashMap<String, Page>>,
}

#[derive(Clone)]
struct Page {
    tag: Option<HeaderValue>,
    body: Bytes,
    policy: HeaderValue,
}

fn router(folder: PathBuf, port: u16, builds: &Builds) -> Router {
    let hosts =
        ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}"));
    let not_found = ServeFile::new(folder.join("404.html"));
    let files = ServeDir::new(&folder).not_found_service(not_found);
    let builds = builds.clone();
    let site = Arc::new(Site { folder, hosts, builds, pages: Mutex::default() });
    let worth_it = DefaultPredicate::new().and(NotForContentType::const_new("font/"));
    Router::new()
        .route("/-/builds", get(tell_builds))
        .route("/-/reload.js", get(reload_script))
        .fallback_service(files)
        .layer(from_fn_with_state(site.clone(), answer))
        .layer(CompressionLayer::new().compress_when(worth_it))
        .layer(from_fn_with_state(site.clone(), guard))
        .with_state(site)
}

/// What holds for each request and each answer.
async fn guard(
    State(site): State<Arc<Site>>,
    request: Request,
    next: Next,
) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let known = |host: &str| {
        let port_80 = site.hosts.iter().any(|ours| *ours == format!("{host}:80"));
        site.hosts.iter().any(|ours| ours == host) || port_80
    };
    let named = request.uri().authority().map(|name| name.as_str());
    let mut response = if !host.is_some_and(known) || !named.is_none_or(known) {
        let text = "this server answers to localhost alone\n";
        (StatusCode::MISDIRECTED_REQUEST, text).into_response()
    } else if ![Method::GET, Method::HEAD].contains(request.method()) {
        let text = "only GET and HEAD are answered here\n";
        (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")], text).into_response()
    } else {
        next.run(request).await
    };
    let unchanged = response.status() == StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // To a page that has not changed belongs the policy that it came with: a
    // browser would take another one in its place.
    if unchanged {
        headers.remove(CONTENT_SECURITY_POLICY);
    } else {
        headers.entry(CONTENT_SECURITY_POLICY).or_insert_with(|| policy(""));
    }
    response
}

/// Answers with a file; a page gets the script that reloads it.
async fn answer(
    State(site): State<Arc<Site>>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_string();
    if path.starts_with("/-/") {
        return next.run(request).await;
    }
    if !site.has(&path) {
        *request.uri_mut() = Uri::from_static("/-/nothing");
        // No answer of before stands for the one that nothing is there.
        for condition in [IF_MATCH, IF_NONE_MATCH, IF_MODIFIED_SINCE] {
            request.headers_mut().remove(condition);
        }
    }
    if path.ends_with('/') || path.ends_with(".html") {
        request.headers_mut().remove(RANGE);
    }
    let head = request.method() == Method::HEAD;
    let mut response = next.run(request).await;
    let lifetime = HeaderValue::from_static(lifetime(&path, response.status()));
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, lifetime);
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.starts_with("text/html")) {
        return response;
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.remove(ACCEPT_RANGES);
    headers.remove(CONTENT_LENGTH);
    if head {
        return response;
    }
    site.page(&path, response).await
}

impl Site {
    /// Whether a path names something in the folder, also through links, and
    /// nothing hidden.
    fn has(&self, path: &str) -> bool {
        let path = crate::html::decode(path);
        let hidden = |part: &str| part.starts_with('.');
        if path.split('/').any(hidden) || path.contains(['\\', ':', '\0']) {
            return false;
        }
        match self.folder.join(path.trim_start_matches('/')).canonicalize() {
            Ok(file) => file.starts_with(&self.folder),
            // What cannot be opened for now is said further on.
            Err(error) => error.kind() != ErrorKind::NotFound,
        }
    }

    async fn page(&self, path: &str, response: Response) -> Response {
        let (mut parts, body) = response.into_parts();
        let tag = parts.headers.get(ETAG).cloned();
        let key = match parts.status {
            StatusCode::OK => path,
            _ => {
                parts.headers.remove(ETAG);
                parts.headers.remove(LAST_MODIFIED);
                ""
            }
        };
        // Locked while a page is read, so that it is read once however many ask.
        let mut pages = self.pages.lock().await;
        let known = pages.get(key).filter(|page| page.tag == tag).cloned();
        let page = match known {
            Some(page) => page,
            None => {
                let Ok(bytes) = to_bytes(body, LONGEST).await else {
                    return StatusCode::INTERNAL_SERVER_ERROR.into_response();
                };
                let page = self.prepared(tag, &String::from_utf8_lossy(&bytes));
                pages.insert(key.to_string(), page.clone());
                page
            }
        };
        drop(pages);
        parts.headers.insert(CONTENT_SECURITY_POLICY, page.policy);
        Response::from_parts(parts, Body::from(page.body))
    }

    /// A page with the script that reloads it, and the policy that its own
    /// scripts may run by.
    fn prepared(&self, tag: Option<HeaderValue>, html: &str) -> Page {
        let build = *self.builds.0.borrow();
        let script =
            format!("<script src=\"/-/reload.js\" data-build=\"{build}\"></script>\n");
        let end = html.rfind("</body>").unwrap_or(html.len());
        let end = html[..end].rfind('\n').map_or(end, |line| line + 1);
        let body = [&html[..end], &script, &html[end..]].concat();
        Page { tag, body: body.into(), policy: policy(&inline_scripts(html)) }
    }
}

/// The hashes of the scripts that stand in a page, as a policy names them.
fn inline_scripts(html: &str) -> String {
    let mut hashes = String::new();
    for piece in html.split("<script").skip(1) {
        let Some((tag, rest)) = piece.split_once('>') else { continue };
        let script = rest.split("</script>").next().unwrap_or_default();
        if !tag.contains("src=") && !script.is_empty() {
            let hash = BASE64_STANDARD.encode(Sha256::digest(script));
            let source = format!(" 'sha256-{hash}'");
            if !hashes.contains(&source) {
                hashes += &source;
            }
        }
    }
    hashes
}

/// What a page may load and run: what comes from here. Formulas and drawings
/// carry styles of their own.
fn policy(scripts: &str) -> HeaderValue {
    let policy = format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'{scripts}; \
         style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; \
         base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
    );
    HeaderValue::from_str(&policy).expect("is plain text")
}

/// mdBook puts a hash into the names of files that never change under one
/// name: `book-1a2b3c4d.js`. A file that is missing may be there later.
fn lifetime(path: &str, status: StatusCode) -> &'static str {
    let there = status.is_success() || status == StatusCode::NOT_MODIFIED;
    let file = path.rsplit('/').next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let hash = stem.rsplit_once('-').map(|(_, hash)| hash);
    let hashed = hash.is_some_and(|hash| {
        hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    match hashed && there {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    }
}

async fn reload_script() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("reload.js"))
}

/// The name of the last build, and of each that follows.
async fn tell_builds(
    State(site): State<Arc<Site>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut builds = site.builds.0.subscribe();
    builds.mark_changed();
    let events = unfold(builds, |mut builds| async move {
        builds.changed().await.ok()?;
        let last = *builds.borrow_and_update();
        Some((Ok(Event::default().data(last.to_string())), builds))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
