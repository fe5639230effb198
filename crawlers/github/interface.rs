//! GitHub's interface: octocrab builds the requests and reads the pages, our client sends them underneath.
//!
//! No credential is in octocrab: the client below it adds one.

use std::future::Future;

use capdex_model::listing::Validators;
use http::header::{ACCEPT, HeaderValue};
use http::{Response, StatusCode, Uri};
use octocrab::{FromResponse, OctoBody, Octocrab, Page};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::sender::{self, Arrived, DOCUMENT, Drafts, GithubDraft, GithubSender};
use crate::forge::MAX_DOCUMENT_BYTES;
use crate::http::{Http, HttpRequest, HttpResponse, innermost};
use crate::{CrawlError, forge, json as json_text};

/// The interface of one GitHub. Cheap to clone.
#[derive(Clone)]
pub(super) struct Interface {
    /// Its calls end with their request, which is not sent.
    drafts: Octocrab,
    sender: Octocrab,
    /// For the one interface that octocrab would post to by itself.
    http: Http,
    base_url: String,
}

/// An answer that brought something.
pub(super) struct GithubResponse<T> {
    /// The body.
    pub(super) document: T,
    /// The address that was asked.
    pub(super) asked: String,
    /// The address that answered, after redirects.
    pub(super) url: String,
    /// Validators for the next time; without a digest.
    pub(super) validators: Validators,
}

impl Interface {
    /// The interface at this address.
    pub(super) fn new(http: &Http, base_url: &str) -> Self {
        let sender = sender::octocrab(GithubSender { http: http.clone() });
        Self { drafts: sender::octocrab(Drafts), sender, http: http.clone(), base_url: base_url.to_owned() }
    }

    /// The client on which octocrab's calls are written for the other functions here, which send them. A call says
    /// route and parameters; its own reading of the answer is not used, because it insists on whole documents of
    /// GitHub's.
    pub(super) const fn calls(&self) -> &Octocrab {
        &self.drafts
    }

    /// The address with these segments, each encoded.
    ///
    /// # Errors
    /// `Malformed` where the base address can have nothing below it.
    pub(super) fn below<'a>(&self, segments: impl IntoIterator<Item = &'a str>) -> Result<String, CrawlError> {
        forge::address(&self.base_url, segments, &[])
    }

    /// The same with a query.
    ///
    /// # Errors
    /// `Malformed` where the base address is none.
    pub(super) fn below_with<'a>(
        &self,
        segments: impl IntoIterator<Item = &'a str>,
        query: &[(&str, &str)],
    ) -> Result<String, CrawlError> {
        forge::address(&self.base_url, segments, query)
    }

    /// An error about the interface itself.
    pub(super) fn malformed(&self, detail: impl Into<String>) -> CrawlError {
        CrawlError::bad_answer(&self.base_url, detail)
    }

    /// Sends a call and reads a JSON document; none where it is as the validators say.
    ///
    /// # Errors
    /// Any error of the client, and `Malformed` for an answer that is no JSON.
    pub(super) async fn document(
        &self,
        call: impl Future<Output = octocrab::Result<impl Sized>>,
        known: Option<&Validators>,
    ) -> Result<Option<GithubResponse<Value>>, CrawlError> {
        let Some(text) = self.text(call, DOCUMENT, known).await? else { return Ok(None) };
        let parsed = json_text::parse(text.document.as_bytes(), |_, _| false);
        let document = parsed.map_err(|error| CrawlError::bad_answer(&text.asked, error))?;
        Ok(Some(GithubResponse { document, asked: text.asked, url: text.url, validators: text.validators }))
    }

    /// Sends a call for a media type and reads the text; none where it is as the validators say.
    ///
    /// # Errors
    /// Any error of the client, and `Malformed` for an answer that is no text.
    pub(super) async fn text(
        &self,
        call: impl Future<Output = octocrab::Result<impl Sized>>,
        accept: &'static str,
        known: Option<&Validators>,
    ) -> Result<Option<GithubResponse<String>>, CrawlError> {
        let (asked, request) = self.request(call, accept, known).await?;
        let fail = |error| crawl_error(&asked, error);
        let response = self.sender.execute(request).await.map_err(fail)?;
        let Some(Arrived { url, validators }) = arrived(&response) else { return Ok(None) };
        let document = self.sender.body_to_string(response).await.map_err(fail)?;
        Ok(Some(GithubResponse { document, asked, url, validators }))
    }

    /// Posts a query to the GraphQL interface and reads its answer. octocrab's own call gives its request no bounds.
    ///
    /// # Errors
    /// Any error of the client, and `Malformed` for an answer that is no JSON.
    pub(super) async fn graphql(&self, query: &str, variables: Value) -> Result<Value, CrawlError> {
        // A server of GitHub's own has the REST interface in `/api/v3` and this one beside it.
        let base_url = self.base_url.trim_end_matches('/');
        let url = format!("{}/graphql", base_url.strip_suffix("/v3").unwrap_or(base_url));
        let body = json!({ "query": query, "variables": variables }).to_string();
        let request = HttpRequest {
            url: &url,
            accept: Some(DOCUMENT),
            headers: &[("content-type", "application/json")],
            body: Some(body.as_bytes()),
            max_bytes: MAX_DOCUMENT_BYTES,
            ..HttpRequest::default()
        };
        let HttpResponse::Body { bytes, .. } = self.http.send(request).await? else {
            return Err(CrawlError::bad_answer(&url, "no body"));
        };
        json_text::parse(&bytes, |_, _| false).map_err(|error| CrawlError::bad_answer(&url, error))
    }

    /// Sends a call and reads a page of entries.
    ///
    /// # Errors
    /// Any error of the client, and `Malformed` for an answer that is no page.
    pub(super) async fn page<T: DeserializeOwned>(
        &self,
        call: impl Future<Output = octocrab::Result<impl Sized>>,
    ) -> Result<GithubResponse<Page<T>>, CrawlError> {
        let (asked, request) = self.request(call, DOCUMENT, None).await?;
        let fail = |error| crawl_error(&asked, error);
        let response = self.sender.execute(request).await.map_err(fail)?;
        let Some(Arrived { url, validators }) = arrived(&response) else {
            return Err(CrawlError::bad_answer(&asked, "no body, though nothing was known of it"));
        };
        let document = Page::from_response(response).await.map_err(fail)?;
        Ok(GithubResponse { document, asked, url, validators })
    }

    /// The request of a call and its address, with what octocrab's calls have no words for.
    async fn request(
        &self,
        call: impl Future<Output = octocrab::Result<impl Sized>>,
        accept: &'static str,
        known: Option<&Validators>,
    ) -> Result<(String, http::Request<OctoBody>), CrawlError> {
        // The service under `drafts` answers every call with its own request, wrapped in an error.
        let drafted = match call.await {
            Err(octocrab::Error::Service { source, .. }) => {
                source.downcast::<GithubDraft>().map_err(|other| other.to_string())
            }
            Err(error) => Err(innermost(&error)),
            Ok(_) => Err("octocrab asked for nothing".to_owned()),
        };
        let GithubDraft(mut parts) = *drafted.map_err(|detail| self.malformed(detail))?;
        // octocrab's routes have no host: the operator's base address decides who is asked.
        let asked = self.address(&parts.uri)?;
        parts.uri = asked.parse().map_err(|error: http::uri::InvalidUri| self.malformed(error.to_string()))?;
        parts.headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if let Some(known) = known {
            parts.extensions.insert(known.clone());
        }
        Ok((asked, http::Request::from_parts(parts, OctoBody::empty())))
    }

    /// The address of a route. The segments of octocrab's routes are names, which need no encoding; a route that does is
    /// given as a whole address.
    fn address(&self, route: &Uri) -> Result<String, CrawlError> {
        if route.scheme().is_some() {
            return Ok(route.to_string());
        }
        // A route begins with a slash, which gives an empty first part.
        let mut address = self.below(route.path().split('/').skip(1))?;
        if let Some(query) = route.query() {
            address.push('?');
            address.push_str(query);
        }
        Ok(address)
    }
}

/// The address and validators of an answer; none if nothing changed.
fn arrived<B>(response: &Response<B>) -> Option<Arrived> {
    response.extensions().get::<Arrived>().filter(|_| response.status() != StatusCode::NOT_MODIFIED).cloned()
}

/// The client's own error out of octocrab's, or that the answer is not what it should be.
fn crawl_error(asked: &str, error: octocrab::Error) -> CrawlError {
    match error {
        octocrab::Error::Service { source, .. } => match source.downcast::<CrawlError>() {
            Ok(error) => *error,
            Err(other) => CrawlError::bad_answer(asked, other.to_string()),
        },
        error => CrawlError::bad_answer(asked, innermost(&error)),
    }
}
