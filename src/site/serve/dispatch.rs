//! From a request to its answer: checks, what lies ready, else a route or a page on a thread that may wait.
//!
//! Connections play no part here.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Body, Bytes};
use hyper::{Request, Response, StatusCode};
use tokio::sync::Semaphore;

use super::cache::Cache;
use super::guard::Guard;
use super::metrics::Metrics;
use super::query::HttpQuery;
use super::reply::{HttpReply, PLAIN, RouteReply};
use super::respond::{self, Asked};
use super::route::{ApiRequest, Route, RouteMethod};
use super::routes;
use super::state::{LoadedSite, ServeState};
use super::{Options, site};
use capdex_dataset::escape;
use capdex_dataset::stopwatch::Stopwatch;

/// The longest wait of a request for its turn to be made.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of a body, and the longest time for it.
const BODY_BYTES: usize = 512 * 1024;
const BODY_WAIT: Duration = Duration::from_secs(10);

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
    body: Bytes,
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

    /// Answers one request. Its body is read where its route takes one.
    pub(super) async fn answer<B>(self: Arc<Self>, request: Request<B>) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
    {
        let watch = Stopwatch::start();
        let (parts, body) = request.into_parts();
        let path = parts.uri.path();
        let allowed = routes::method_of(path);
        let asked =
            Asked { method: &parts.method, headers: &parts.headers, path, allowed, origins: &self.options.origins };
        let preflight = respond::preflight(&asked);
        // What a browser asks on behalf of a page is asked for the method that the page will use.
        let method = if preflight.is_some() { allowed.usual() } else { parts.method.clone() };
        // Before the path is looked at, so that a rebinding page learns nothing.
        let refusal = self.guard.refuses((&method, allowed), &parts.uri, parts.version, &parts.headers);
        let answer = match (refusal, &preflight) {
            (Some(refusal), _) => Arc::new(refusal),
            (None, Some(_)) => Arc::new(HttpReply::of(RouteReply::text(PLAIN, String::new()))),
            (None, None) => match read(body, allowed).await {
                Ok(body) => self.find(path, parts.uri.query().unwrap_or_default(), body).await,
                Err(refusal) => Arc::new(refusal),
            },
        };
        let response = preflight.filter(|_| answer.status == StatusCode::OK);
        let response = response.unwrap_or_else(|| respond::respond(&answer, &asked));
        let sent = response.body().size_hint().exact().unwrap_or(0);
        self.metrics.answered(response.status().as_u16(), usize::try_from(sent).unwrap_or(0), watch.elapsed());
        response
    }

    async fn find(self: &Arc<Self>, path: &str, query: &str, body: Bytes) -> Arc<HttpReply> {
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
        let wanted = match wanted(path, query, body) {
            Ok(wanted) => wanted,
            Err(why) => return Arc::new(HttpReply::of(RouteReply::Wrong(why))),
        };
        // Of bodies there are too many to keep what was answered to each.
        let ready = wanted.body.is_empty().then(|| self.cache.get(loaded.generation, &wanted.key)).flatten();
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
            if answer.is_kept() && wanted.body.is_empty() {
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
                let ask = ApiRequest {
                    site: &loaded.site,
                    reader,
                    names: names.clone(),
                    query: wanted.query.clone(),
                    body: wanted.body.clone(),
                };
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

/// The body of a request, whose length and time are bounded; empty where its route takes none.
async fn read<B>(body: B, allowed: RouteMethod) -> Result<Bytes, HttpReply>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    if matches!(allowed, RouteMethod::Get) {
        // Dropped unread.
        return Ok(Bytes::new());
    }
    let too_long = || {
        HttpReply::refusal(
            StatusCode::PAYLOAD_TOO_LARGE,
            &format!("the body has more than {BODY_BYTES} bytes, or broke off"),
        )
    };
    // What is announced is not waited for.
    if body.size_hint().lower() > BODY_BYTES as u64 {
        return Err(too_long());
    }
    match tokio::time::timeout(BODY_WAIT, Limited::new(body, BODY_BYTES).collect()).await {
        Ok(Ok(whole)) => Ok(whole.to_bytes()),
        Ok(Err(_)) => Err(too_long()),
        Err(_) => Err(HttpReply::refusal(StatusCode::REQUEST_TIMEOUT, "the body did not come in time")),
    }
}

fn failed() -> HttpReply {
    HttpReply::refusal(StatusCode::INTERNAL_SERVER_ERROR, "the store could not be read; the log says why")
}

fn wanted(path: &str, query: &str, body: Bytes) -> Result<RoutedRequest, String> {
    let route = routes::find(path);
    // Only known parameters go into the key, so that unknown ones cannot fill the cache.
    let known: Vec<&str> = route.iter().flat_map(|(route, _)| route.params).map(|param| param.name).collect();
    let query = HttpQuery::read(query, &known)?;
    Ok(RoutedRequest { key: format!("{path}{}", query.key()), path: path.to_owned(), route, query, body })
}
