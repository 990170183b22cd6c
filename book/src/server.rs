//! Serves the built pages on the loopback interface, and notifies the browser of new
//! builds.

use anyhow::{Result, anyhow};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HOST};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn, map_response};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_util::StreamExt;
use futures_util::stream::{Stream, once, unfold};
use std::convert::Infallible;
use std::future::ready;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::time::SystemTime;
use tokio::sync::watch;
use tower_http::compression::CompressionLayer;
use tower_http::services::{ServeDir, ServeFile};

/// Binds a port of the loopback interface; 0 lets the system choose one.
///
/// # Errors
/// If the port is in use or not allowed. The message has the remedy.
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

/// The time of the last build, which the browser asks for.
#[derive(Clone)]
pub struct Builds(watch::Sender<SystemTime>);

impl Default for Builds {
    fn default() -> Self {
        Builds(watch::Sender::new(SystemTime::now()))
    }
}

impl Builds {
    /// Announces a new build.
    pub fn announce(&self) {
        self.0.send_replace(SystemTime::now());
    }
}

/// Serves the files of `folder` until the process ends.
///
/// # Errors
/// If the port cannot be listened to.
pub fn serve(listener: TcpListener, folder: &Path, builds: &Builds) -> Result<()> {
    let port = listener.local_addr()?.port();
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        Ok(axum::serve(listener, router(folder, port, builds)).await?)
    })
}

fn router(folder: &Path, port: u16, builds: &Builds) -> Router {
    let not_found = ServeFile::new(folder.join("404.html"));
    let files = ServeDir::new(folder).not_found_service(not_found);
    Router::new()
        .route("/-/builds", get(tell_builds))
        .route("/-/reload.js", get(reload_script))
        .fallback_service(files)
        .layer(map_response(with_reload))
        .layer(CompressionLayer::new())
        .layer(from_fn(move |request, next| known_host(port, request, next)))
        .with_state(builds.clone())
}

/// Refuses requests that do not name this machine: a page of another host could give
/// itself this address and read the answers.
async fn known_host(port: u16, request: Request, next: Next) -> Response {
    // `//css` would be answered with a redirect to a host of that name.
    if request.uri().path().starts_with("//") {
        return StatusCode::NOT_FOUND.into_response();
    }
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let ours = ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}"));
    if host.is_some_and(|host| ours.iter().any(|name| name == host)) {
        return next.run(request).await;
    }
    (StatusCode::MISDIRECTED_REQUEST, "this server answers to localhost alone\n")
        .into_response()
}

/// Adds the script that reloads a page. Nothing is cached, since the next build may
/// differ.
async fn with_reload(response: Response) -> Response {
    const SCRIPT: &str = "<script defer src=\"/-/reload.js\"></script>\n";
    let (mut parts, body) = response.into_parts();
    // A name that no file can have, say one too long.
    if parts.status == StatusCode::INTERNAL_SERVER_ERROR {
        parts.status = StatusCode::NOT_FOUND;
    }
    parts.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if parts.headers.get(CONTENT_TYPE).is_none_or(|kind| kind != "text/html") {
        return Response::from_parts(parts, body);
    }
    parts.headers.remove(CONTENT_LENGTH);
    let script = once(ready(Ok(Bytes::from(SCRIPT))));
    let page = Body::from_stream(body.into_data_stream().chain(script));
    Response::from_parts(parts, page)
}

async fn reload_script() -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/javascript")], include_str!("reload.js"))
}

/// Sends a unique name for the last build and for each one after it.
async fn tell_builds(
    State(builds): State<Builds>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let mut builds = builds.0.subscribe();
    builds.mark_changed();
    let events = unfold(builds, |mut builds| async move {
        builds.changed().await.ok()?;
        let name = format!("{:?}", *builds.borrow_and_update());
        Some((Ok(Event::default().data(name)), builds))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}
