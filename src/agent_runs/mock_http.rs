//! The mock servers of one trial over HTTP, each at a path of its own, for clients that start nothing.
//!
//! It answers each message by itself, as the protocol allows without streams. Forms and questions need a stream, so
//! that there are none. It listens on loopback, one connection after the other, and refuses pages of other origins.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use tokio::net::TcpListener;

use super::mock_server::MockServer;
use crate::jobs::run::runtime;
use crate::mcp::{self, MAX_MESSAGE};

/// The time that a connection may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// The servers by name.
type Servers<'a> = RefCell<BTreeMap<String, MockServer<'a>>>;

/// Serves until `stop`. `told` is called with the address once it listens.
///
/// # Errors
/// When the address cannot be had; errors of the folder of the run.
pub fn serve(
    servers: BTreeMap<String, MockServer<'_>>,
    listen: SocketAddr,
    stop: impl Future<Output = ()>,
    told: impl FnOnce(SocketAddr) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let servers = RefCell::new(servers);
    runtime()?.block_on(async {
        let listener = TcpListener::bind(listen).await.with_context(|| format!("failed to listen on {listen}"))?;
        told(listener.local_addr().context("failed to learn the address")?)?;
        tokio::select! {
            () = accept(&listener, &servers) => {}
            () = stop => {}
        }
        anyhow::Ok(())
    })?;
    servers.into_inner().values().try_for_each(MockServer::close)
}

async fn accept(listener: &TcpListener, servers: &Servers<'_>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let answer = service_fn(|request| async move { Ok::<_, Infallible>(answer(request, servers).await) });
        let mut builder = http1::Builder::new();
        // Nobody keeps a connection: the next in line waits for it.
        builder.keep_alive(false).timer(TokioTimer::new()).header_read_timeout(DEADLINE);
        let connection = builder.serve_connection(TokioIo::new(stream), answer);
        // A client that breaks off or is too slow is none of ours.
        let _ = tokio::time::timeout(DEADLINE, connection).await;
    }
}

async fn answer(request: Request<Incoming>, servers: &Servers<'_>) -> Response<Full<Bytes>> {
    let status = |status: StatusCode| reply(status, None);
    if !is_of_this_machine(request.headers()) {
        return status(StatusCode::FORBIDDEN);
    }
    let name = request.uri().path().trim_matches('/').to_owned();
    if !servers.borrow().contains_key(&name) {
        return status(StatusCode::NOT_FOUND);
    }
    if request.method() != Method::POST {
        return status(StatusCode::METHOD_NOT_ALLOWED);
    }
    let Ok(body) = Limited::new(request.into_body(), MAX_MESSAGE).collect().await else {
        return status(StatusCode::PAYLOAD_TOO_LARGE);
    };
    let mut servers = servers.borrow_mut();
    let Some(server) = servers.get_mut(&name) else { return status(StatusCode::NOT_FOUND) };
    match mcp::answer_alone(server, &body.to_bytes()) {
        Some(message) => reply(StatusCode::OK, Some(&message)),
        None => status(StatusCode::ACCEPTED),
    }
}

fn reply(status: StatusCode, message: Option<&Value>) -> Response<Full<Bytes>> {
    let text = message.map(Value::to_string).unwrap_or_default();
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    response
}

/// True where the request was made for a name of this machine, and by no page of elsewhere.
fn is_of_this_machine(headers: &HeaderMap) -> bool {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_own = |authority: &str| {
        let host = authority.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        matches!(host.map_or(authority, |(host, _)| host), "127.0.0.1" | "localhost" | "[::1]")
    };
    let origin = text(&ORIGIN).map(|origin| origin.strip_prefix("http://").unwrap_or_default());
    text(&HOST).is_some_and(is_own) && origin.is_none_or(is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_heard(host: Option<&'static str>, origin: Option<&'static str>) -> bool {
        let mut headers = HeaderMap::new();
        let value = hyper::header::HeaderValue::from_static;
        host.map(|host| headers.insert(HOST, value(host)));
        origin.map(|origin| headers.insert(ORIGIN, value(origin)));
        is_of_this_machine(&headers)
    }

    #[test]
    fn only_this_machine_is_heard() {
        assert!(is_heard(Some("127.0.0.1:80"), None) && is_heard(Some("localhost"), Some("http://localhost:3000")));
        assert!(is_heard(Some("[::1]:80"), Some("http://[::1]:80")));
        for (host, origin) in [
            (None, None),
            (Some("rebound.test:80"), None),
            (Some("127.0.0.1.rebound.test"), None),
            (Some("127.0.0.1"), Some("https://elsewhere.test")),
            (Some("127.0.0.1"), Some("null")),
            (Some("127.0.0.1"), Some("http://127.0.0.1.elsewhere.test")),
        ] {
            assert!(!is_heard(host, origin), "{host:?} {origin:?}");
        }
    }
}
