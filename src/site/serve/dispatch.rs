//! From a request to its answer: checks, what lies ready, else a route or a page on a thread that may wait.
//!
//! Connections play no part here.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use tokio::sync::Semaphore;

use super::cache::Cache;
use super::guard::Guard;
use super::metrics::Metrics;
use super::query::HttpQuery;
use super::reply::{HttpReply, PLAIN, RouteReply, SVG};
use super::route::{ApiRequest, Route};
use super::routes;
use super::state::{LoadedSite, ServeState};
use super::{Options, site};
use crate::report::layout;
use capdex_dataset::escape;
use capdex_dataset::stopwatch::Stopwatch;

/// The longest wait of a request for its turn to be made.
const PATIENCE: Duration = Duration::from_secs(5);

/// Everything that answers need.
pub(super) struct Service {
    pub(super) options: Options,
    pub(super) state: ServeState,
    pub(super) metrics: Metrics,
    guard: Guard,
    cache: Cache,
    turns: Semaphore,
}

/// The subject of a request, and the name under which its answer is kept.
struct RoutedRequest {
    path: String,
    route: Option<(&'static Route, Vec<String>)>,
    query: HttpQuery,
    key: String,
}

impl Service {
    pub(super) fn new(options: &Options, address: SocketAddr, threads: usize) -> Self {
        Self {
            guard: Guard::new(address, &options.hosts),
            cache: Cache::new(options.cache_bytes),
            turns: Semaphore::new(threads.max(1)),
            options: options.clone(),
            state: ServeState::default(),
            metrics: Metrics::default(),
        }
    }

    /// Answers one request. Its body, if it has one, is not read.
    pub(super) async fn answer<B>(self: Arc<Self>, request: Request<B>) -> Response<Full<Bytes>> {
        let watch = Stopwatch::start();
        // The body is dropped unread: nothing here takes one.
        let (parts, _) = request.into_parts();
        // Before the path is looked at, so that a rebinding page learns nothing.
        let refusal = self.guard.refuses(&parts.method, &parts.uri, parts.version, &parts.headers);
        let path = parts.uri.path();
        let answer = match refusal {
            Some(refusal) => Arc::new(refusal),
            None => self.find(path, parts.uri.query().unwrap_or_default()).await,
        };
        let response = respond(&answer, &parts.method, &parts.headers, path.starts_with("/badge/"));
        let sent = hyper::body::Body::size_hint(response.body()).exact().unwrap_or(0);
        self.metrics.answered(response.status().as_u16(), usize::try_from(sent).unwrap_or(0), watch.elapsed());
        response
    }

    async fn find(self: &Arc<Self>, path: &str, query: &str) -> Arc<HttpReply> {
        // Taken once: a load in the middle of a request must not change what it sees.
        let loaded = self.state.loaded();
        match path {
            // Health needs no store, or a long load would look like a dead process.
            "/healthz" => return Arc::new(HttpReply::of(RouteReply::text(PLAIN, "ok\n".to_owned()))),
            "/readyz" if loaded.is_some() => {
                return Arc::new(HttpReply::of(RouteReply::text(PLAIN, "ready\n".to_owned())));
            }
            "/metrics" => return Arc::new(self.metrics(loaded.as_deref())),
            _ => {}
        }
        let Some(loaded) = loaded else { return Arc::new(HttpReply::later("the store is being loaded", 5)) };
        let wanted = match wanted(path, query) {
            Ok(wanted) => wanted,
            Err(why) => return Arc::new(HttpReply::of(RouteReply::Wrong(why))),
        };
        let ready = self.cache.get(loaded.generation, &wanted.key);
        self.metrics.looked_up(ready.is_some());
        match ready {
            Some(ready) => ready,
            None => self.make(loaded, wanted).await,
        }
    }

    fn metrics(&self, loaded: Option<&LoadedSite>) -> HttpReply {
        let text = self.metrics.text(loaded, self.cache.size());
        let mut answer = HttpReply::of(RouteReply::text("text/plain; version=0.0.4; charset=utf-8", text));
        // Counters differ at every request, so there is nothing to compare with.
        answer.etag.clear();
        answer
    }

    /// Makes an answer on a thread that may wait for the disk. There are as many at once as there are threads.
    async fn make(self: &Arc<Self>, loaded: Arc<LoadedSite>, wanted: RoutedRequest) -> Arc<HttpReply> {
        // A bounded wait: under load a quick refusal is better than a queue without end.
        let Ok(Ok(turn)) = tokio::time::timeout(PATIENCE, self.turns.acquire()).await else {
            return Arc::new(HttpReply::later("too much is asked at once", 1));
        };
        let service = Arc::clone(self);
        let made = tokio::task::spawn_blocking(move || {
            let answer = Arc::new(service.make_here(&loaded, &wanted));
            // Kept under the generation that it was made from, which may be over by now.
            if answer.is_kept() {
                service.cache.put(loaded.generation, &wanted.key, &answer);
            }
            answer
        });
        let made = made.await;
        // After the work and not after the sending, because a slow client costs no thread.
        drop(turn);
        made.unwrap_or_else(|_| Arc::new(failed()))
    }

    fn make_here(&self, loaded: &LoadedSite, wanted: &RoutedRequest) -> HttpReply {
        let said = self.state.with_reader(&self.options, |reader| match &wanted.route {
            Some((route, names)) => {
                let ask = ApiRequest { site: &loaded.site, reader, names: names.clone(), query: wanted.query.clone() };
                (route.answer)(&ask)
            }
            None => site::page(&loaded.site, reader, wanted.path.strip_prefix('/').unwrap_or_default()),
        });
        match said {
            Ok(said) => HttpReply::of(said),
            Err(error) => {
                // The log is read on a terminal, and the path is a stranger's.
                tracing::error!(url = %escape::escape(&wanted.path), error = format!("{error:#}"), "a request could not be answered");
                failed()
            }
        }
    }
}

fn failed() -> HttpReply {
    HttpReply::refusal(StatusCode::INTERNAL_SERVER_ERROR, "the store could not be read; the log says why")
}

fn wanted(path: &str, query: &str) -> Result<RoutedRequest, String> {
    let route = routes::find(path);
    // Only known parameters go into the key, so that unknown ones cannot fill the cache.
    let known: Vec<&str> = route.iter().flat_map(|(route, _)| route.params).map(|param| param.name).collect();
    let query = HttpQuery::read(query, &known)?;
    Ok(RoutedRequest { key: format!("{path}{}", query.key()), path: path.to_owned(), route, query })
}

/// The answer as it is sent. Whoever has it already gets its name only.
fn respond(answer: &HttpReply, method: &Method, asked: &HeaderMap, is_badge: bool) -> Response<Full<Bytes>> {
    let is_known = !answer.etag.is_empty()
        // Weak tags compare as equal, since caches on the way may have weakened ours.
        && asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(|value| {
            value.split(',').map(|tag| tag.trim().trim_start_matches("W/")).any(|tag| tag == "*" || tag == answer.etag)
        });
    let body = if is_known || *method == Method::HEAD { Bytes::new() } else { answer.body.clone() };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = if is_known { StatusCode::NOT_MODIFIED } else { answer.status };
    let headers = response.headers_mut();
    let mut put = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    put(header::CONTENT_TYPE, answer.media);
    // Kept answers are asked for again each time, so that a new night shows at once.
    put(header::CACHE_CONTROL, if answer.etag.is_empty() { "no-store" } else { "no-cache" });
    put(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(header::REFERRER_POLICY, "no-referrer");
    // A badge is made to be shown elsewhere; a picture can do nothing.
    let policy = if answer.media == SVG {
        "default-src 'none'; style-src 'unsafe-inline'".to_owned()
    } else {
        format!("{}; frame-ancestors 'none'", layout::POLICY)
    };
    put(header::CONTENT_SECURITY_POLICY, &policy);
    put(HeaderName::from_static("cross-origin-resource-policy"), if is_badge { "cross-origin" } else { "same-origin" });
    if !answer.etag.is_empty() {
        put(header::ETAG, &answer.etag);
    }
    if *method == Method::HEAD && !is_known {
        // As long as the body that GET would send, which is what HEAD is for.
        put(header::CONTENT_LENGTH, &answer.body.len().to_string());
    }
    if answer.status == StatusCode::METHOD_NOT_ALLOWED {
        put(header::ALLOW, "GET, HEAD");
    }
    // Who was refused is not worth a connection: what it still sends is not read.
    if matches!(answer.status, StatusCode::METHOD_NOT_ALLOWED | StatusCode::MISDIRECTED_REQUEST) {
        put(header::CONNECTION, "close");
    }
    if let Some(seconds) = answer.retry {
        put(header::RETRY_AFTER, &seconds.to_string());
    }
    response
}
