//! `Route`: one route of the API, and `ApiRequest`, the request that its function gets.

use capdex_db::Reader;
use hyper::Method;
use hyper::body::Bytes;
use serde_json::Value;

use super::query::HttpQuery;
use super::reply::RouteReply;
use crate::report::site::Site;

/// The request that a function gets.
pub(super) struct ApiRequest<'a> {
    /// The loaded site.
    pub(super) site: &'a Site,
    /// The store, for what is not loaded.
    pub(super) reader: &'a Reader,
    /// The values of the names in the path, in their order.
    pub(super) names: Vec<String>,
    /// The parameters beside the path.
    pub(super) query: HttpQuery,
    /// The body; empty where the route takes none.
    pub(super) body: Bytes,
}

impl ApiRequest<'_> {
    /// The value of the first name.
    pub(super) fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }
}

/// A parameter beside the path.
pub(super) struct Param {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// True where it is a whole number; else it is text.
    pub(super) is_number: bool,
}

/// The result of a route.
#[derive(Clone, Copy)]
pub(super) enum RouteOutput {
    /// One object, whose `schema` is this word.
    One(&'static str),
    /// A page of objects, the whole with this word as its `schema`.
    Many(&'static str),
    /// Something else, of a media type.
    Other(&'static str),
}

/// The way in which a route is asked.
#[derive(Clone, Copy)]
pub(super) enum RouteMethod {
    /// GET, and HEAD.
    Get,
    /// POST with a JSON body, which this describes; it changes nothing either.
    Post(fn() -> Value),
}

impl RouteMethod {
    /// The methods, as the header `Allow` has them.
    pub(super) const fn allowed(self) -> &'static str {
        match self {
            Self::Get => "GET, HEAD",
            Self::Post(_) => "POST",
        }
    }

    /// The method that most use.
    pub(super) const fn usual(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post(_) => Method::POST,
        }
    }

    /// True for a method that it takes.
    pub(super) fn takes(self, method: &Method) -> bool {
        match self {
            Self::Get => matches!(*method, Method::GET | Method::HEAD),
            Self::Post(_) => *method == Method::POST,
        }
    }
}

/// One route. A name in its path takes one part of it; one with dots at its end, as `{package...}`, all that follow.
pub(super) struct Route {
    pub(super) path: &'static str,
    pub(super) method: RouteMethod,
    pub(super) about: &'static str,
    pub(super) params: &'static [Param],
    pub(super) gives: RouteOutput,
    pub(super) answer: fn(&ApiRequest<'_>) -> anyhow::Result<RouteReply>,
}
