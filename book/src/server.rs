//! Serves the built pages on the loopback interface, and tells the browser
//! when they were built anew.

use anyhow::{Context, Result, anyhow};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HOST, RANGE,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::stream::{Stream, unfold};
use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use tower_http::compression::CompressionLayer;
use tower_http::services::{ServeDir, ServeFile};

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

/// The builds of the pages, the last of which the browser asks for.
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
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        Ok(axum::serve(listener, router(&folder, port, builds)).await?)
    })
}

fn router(folder: &Path, port: u16, builds: &Builds) -> Router {
    let not_found = ServeFile::new(folder.join("404.html"));
    let files = ServeDir::new(folder).not_found_service(not_found);
    Router::new()
        .route("/-/builds", get(tell_builds))
        .route("/-/reload.js", get(reload_script))
        .fallback_service(files)
        .layer(from_fn_with_state(builds.clone(), with_reload))
        .layer(CompressionLayer::new())
        .layer(from_fn(move |request, next| known_host(port, request, next)))
        .with_state(builds.clone())
}

/// A page of another host could be given this address, and read the answers:
/// only a request that names this machine gets one.
async fn known_host(port: u16, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let ours = ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}"));
    if host.is_some_and(|host| ours.iter().any(|name| name == host)) {
        return next.run(request).await;
    }
    (StatusCode::MISDIRECTED_REQUEST, "this server answers to localhost alone\n")
        .into_response()
}

/// A page gets the script that reloads it. Nothing is served for long: the
/// next build may differ.
async fn with_reload(
    State(builds): State<Builds>,
    mut request: Request,
    next: Next,
) -> Response {
    // `//css` would be answered with a redirect to a host of that name.
    if request.uri().path().starts_with("//") {
        return StatusCode::NOT_FOUND.into_response();
    }
    request.headers_mut().remove(RANGE);
    let head = request.method() == Method::HEAD;
    let mut response = next.run(request).await;
    // A name that no file can have, say one too long.
    if response.status() == StatusCode::INTERNAL_SERVER_ERROR {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if head || !kind.is_some_and(|kind| kind.starts_with("text/html")) {
        return response;
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.remove(ACCEPT_RANGES);
    headers.remove(CONTENT_LENGTH);
    let (parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, LONGEST).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let build = *builds.0.borrow();
    let script = format!(
        "<script defer src=\"/-/reload.js\" data-build=\"{build}\"></script>\n"
    );
    let page = [bytes.as_ref(), script.as_bytes()].concat();
    Response::from_parts(parts, Body::from(page))
}

async fn reload_script() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("reload.js"))
}

/// The name of the last build, and of each that follows.
async fn tell_builds(
    State(builds): State<Builds>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut builds = builds.0.subscribe();
    builds.mark_changed();
    let events = unfold(builds, |mut builds| async move {
        builds.changed().await.ok()?;
        let last = *builds.borrow_and_update();
        Some((Ok(Event::default().data(last.to_string())), builds))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
