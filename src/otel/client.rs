//! The HTTP client of the exporter: the one that the program has already, on a runtime of its own, because the exporter's
//! thread has none.
//!
//! It is apart from the crawlers' client: no source's rate limit, recording or credential concerns a collector, which the
//! operator names.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use http::{Request, Response};
use opentelemetry_http::{Bytes, HttpClient, HttpError};
use tokio::runtime::Runtime;

/// The most that is read of an answer: it says little.
const MOST_BYTES: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct Client {
    client: reqwest::Client,
    runtime: Runtime,
}

impl Client {
    /// A client whose requests take no longer than this.
    pub(crate) fn new(deadline: Duration) -> Result<Self, String> {
        // The first one stays, whoever installs it; all of them are ring here.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .user_agent(concat!("capdex/", env!("CARGO_PKG_VERSION")))
            // A redirect would carry spans and credentials to an address that nobody configured.
            .redirect(reqwest::redirect::Policy::none())
            .timeout(deadline)
            .build();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Ok(Self {
            client: client.map_err(|error| error.to_string())?,
            runtime: runtime.map_err(|error| error.to_string())?,
        })
    }
}

async fn send(client: reqwest::Client, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let mut answer = client.execute(request.map(reqwest::Body::from).try_into()?).await?;
    let mut response = Response::builder().status(answer.status());
    for (name, value) in answer.headers() {
        response = response.header(name, value);
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        body.extend_from_slice(&chunk);
        // Bounded while it is read, because the collector may be anybody's.
        if body.len() > MOST_BYTES {
            return Err(format!("an answer of more than {MOST_BYTES} bytes").into());
        }
    }
    Ok(response.body(body.into())?)
}

// As the exporter's interface is when it is written out: a macro for one function would be one more package.
impl HttpClient for Client {
    fn send_bytes<'life0, 'async_trait>(
        &'life0 self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        // On the runtime of this client, since the exporter's thread has none to poll it.
        let sent = self.runtime.spawn(send(self.client.clone(), request));
        Box::pin(async move { sent.await? })
    }
}
