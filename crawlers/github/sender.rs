//! The services under octocrab: one sends requests through our client, one gives them back unsent.
//!
//! Only address, media type and validators of a request are sent, so that octocrab's own headers change no recorded
//! crawl.

use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use capdex_model::listing::Validators;
use http::header::{ACCEPT, HeaderValue, LINK};
use http::request::Parts;
use http::{Request, Response, StatusCode, Uri};
use octocrab::{AuthState, OctoBody, Octocrab, OctocrabBuilder};
use tower_service::Service;

use crate::CrawlError;
use crate::forge::MAX_DOCUMENT_BYTES;
use crate::http::{self as client, Http, HttpResponse};

/// GitHub's own media type.
pub(super) const DOCUMENT: &str = "application/vnd.github+json";

/// The relations of a `Link` header that octocrab knows.
const RELATIONS: [&str; 4] = ["rel=\"first\"", "rel=\"prev\"", "rel=\"next\"", "rel=\"last\""];

/// Sends through our client: rate limit, recording, credentials, retries, redirects and bounds are its own.
pub(super) struct GithubSender {
    /// The one client.
    pub(super) http: Http,
}

/// Sends nothing: octocrab's builders give their request to a service and to nobody else.
pub(super) struct Drafts;

/// A request as octocrab built it.
#[derive(Debug, thiserror::Error)]
#[error("a request that was not sent")]
pub(super) struct GithubDraft(pub(super) Parts);

/// Particulars of an answer that a page or a text does not have. They travel as an extension of the response.
#[derive(Clone, Debug)]
pub(super) struct Arrived {
    /// The address that answered, after redirects.
    pub(super) url: String,
    /// Validators for the next time.
    pub(super) validators: Validators,
}

/// octocrab over a service, without a credential. It needs a runtime, in which it keeps a task for its lifetime.
pub(super) fn octocrab<S>(service: S) -> Octocrab
where
    S: Service<Request<OctoBody>, Response = Response<OctoBody>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: std::error::Error + Send + Sync + 'static,
{
    let Ok(octocrab) = OctocrabBuilder::new_empty().with_service(service).with_auth(AuthState::None).build();
    octocrab
}

impl Service<Request<OctoBody>> for Drafts {
    type Response = Response<OctoBody>;
    type Error = GithubDraft;
    type Future = Ready<Result<Self::Response, GithubDraft>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), GithubDraft>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<OctoBody>) -> Self::Future {
        ready(Err(GithubDraft(request.into_parts().0)))
    }
}

impl Service<Request<OctoBody>> for GithubSender {
    type Response = Response<OctoBody>;
    type Error = CrawlError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, CrawlError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CrawlError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<OctoBody>) -> Self::Future {
        let http = self.http.clone();
        Box::pin(async move { send(&http, &request.into_parts().0).await })
    }
}

async fn send(http: &Http, asked: &Parts) -> Result<Response<OctoBody>, CrawlError> {
    let url = asked.uri.to_string();
    let accept = asked.headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    let request = client::HttpRequest {
        url: &url,
        accept: Some(accept.unwrap_or(DOCUMENT)),
        // octocrab's calls take no headers, so validators come along as an extension.
        validators: asked.extensions.get::<Validators>(),
        max_bytes: MAX_DOCUMENT_BYTES,
        ..client::HttpRequest::default()
    };
    let HttpResponse::Body { bytes, validators, headers, url } = http.send(request).await? else {
        let mut unchanged = Response::new(OctoBody::empty());
        *unchanged.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(unchanged);
    };
    let mut response = Response::new(OctoBody::from(bytes));
    response.extensions_mut().insert(Arrived { url, validators });
    let link = headers.link.map(|link| known_relations(&link)).filter(|link| !link.is_empty());
    if let Some(link) = link.and_then(|link| HeaderValue::from_str(&link).ok()) {
        response.headers_mut().insert(LINK, link);
    }
    Ok(response)
}

/// The entries of a `Link` header (RFC 8288) that octocrab can read. It prints relations that it does not know, and takes
/// a page for broken over an address that is none.
fn known_relations(link: &str) -> String {
    let is_known = |entry: &&str| {
        let mut parts = entry.split(';').map(str::trim);
        let address = parts.next().unwrap_or_default().trim_start_matches('<').trim_end_matches('>');
        let mut relations = parts.filter(|part| part.starts_with("rel")).peekable();
        address.parse::<Uri>().is_ok_and(|address| address.scheme().is_some())
            && relations.peek().is_some()
            && relations.all(|relation| RELATIONS.contains(&relation))
    };
    link.split(',').filter(is_known).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octocrab_is_given_the_relations_that_it_knows() {
        let next = "<https://host.test/x?page=2>; rel=\"next\"";
        let last = " <https://host.test/x?page=9>; rel=\"last\"";
        assert_eq!(known_relations(&format!("{next},{last}")), format!("{next},{last}"));
        for dropped in [
            "",
            "<https://host.test/x>; rel=\"sponsor\"",
            "<https://host.test/x>; rel=\"sponsor\"; rel=\"next\"",
            "<https://host.test/x>",
            "</x?page=2>; rel=\"next\"",
            "<no address>; rel=\"next\"",
            "; rel=\"next\"",
            "rel=\"next\"",
        ] {
            assert_eq!(known_relations(&format!("{dropped},{last}")), last, "{dropped}");
        }
    }
}
