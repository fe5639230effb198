//! The guard: the checks on a request before anything is looked up.
//!
//! A page of a stranger can make a browser ask loopback under a name of its own (DNS rebinding); such a name is refused. Routes
//! play no part here.

use std::net::{IpAddr, SocketAddr};

use hyper::header::HOST;
use hyper::{HeaderMap, Method, StatusCode, Uri, Version};

use super::reply::HttpReply;
use super::route::RouteMethod;

/// Bytes of a path with what is asked beside it.
const LONGEST_TARGET: usize = 4_096;

/// The names under which the service answers; none: any.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    names: Option<Vec<String>>,
}

impl Guard {
    /// On loopback its own names and those of the operator; on another address those of the operator, or any without one.
    pub(super) fn new(address: SocketAddr, hosts: &[String]) -> Self {
        let mut names: Vec<String> = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        if address.ip().is_loopback() {
            names.extend(["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned(), literal(address.ip())]);
        } else if !names.is_empty() {
            // Whoever names it by its address has looked it up nowhere.
            names.push(literal(address.ip()));
        }
        // No names, which happens on other addresses than loopback only: any is answered.
        Self { names: (!names.is_empty()).then_some(names) }
    }

    /// The fault of a request, if there is one. `allowed`: the way in which its path is asked.
    pub(super) fn refuses(
        &self,
        (method, allowed): (&Method, RouteMethod),
        uri: &Uri,
        version: Version,
        headers: &HeaderMap,
    ) -> Option<HttpReply> {
        if !allowed.takes(method) {
            let why = format!("only {}: nothing here can be changed", allowed.allowed());
            return Some(HttpReply::refusal(StatusCode::METHOD_NOT_ALLOWED, &why));
        }
        // Bounded before it is parsed.
        if uri.path_and_query().is_none_or(|target| target.as_str().len() > LONGEST_TARGET) {
            return Some(HttpReply::refusal(StatusCode::URI_TOO_LONG, "the address is too long"));
        }
        let mut hosts = headers.get_all(HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().ok(),
            // HTTP/1.0 has no Host header, so a browser cannot be meant; it passes only where any name does.
            (None, None) if version < Version::HTTP_11 => return self.names.as_ref().map(|_| misdirected()),
            _ => return Some(HttpReply::refusal(StatusCode::BAD_REQUEST, "one Host header is needed")),
        };
        let is_known = self.names.as_ref().is_none_or(|names| host.is_some_and(|host| names.contains(&name_of(host))));
        (!is_known).then(misdirected)
    }
}

fn misdirected() -> HttpReply {
    HttpReply::refusal(
        StatusCode::MISDIRECTED_REQUEST,
        "the service is not known under this name; see `capdex serve --host`",
    )
}

/// An address as it stands in a Host header.
fn literal(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// The name without its port, in small letters.
fn name_of(host: &str) -> String {
    let name = match host.rfind(':') {
        // The colons of a bare IPv6 address are no port.
        Some(colon) if !host.ends_with(']') => host.get(..colon).unwrap_or(host),
        _ => host,
    };
    // A dot at the end is the same name to DNS, and browsers send it.
    name.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(guard: &Guard, host: &str) -> Option<u16> {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().expect("a header"));
        let refused =
            guard.refuses((&Method::GET, RouteMethod::Get), &Uri::from_static("/"), Version::HTTP_11, &headers);
        refused.map(|answer| answer.status.as_u16())
    }

    #[test]
    fn loopback_answers_under_its_own_names_only() {
        let guard = Guard::new("127.0.0.1:8710".parse().expect("an address"), &["capdex.test".to_owned()]);
        for host in
            ["127.0.0.1:8710", "localhost", "LOCALHOST:1", "[::1]:8710", "[::1]", "capdex.test:80", "localhost."]
        {
            assert_eq!(status(&guard, host), None, "{host}");
        }
        for host in ["evil.test", "evil.test:8710", "localhost.evil.test", "127.0.0.1.evil.test", "", "127.0.0.2"] {
            assert_eq!(status(&guard, host), Some(421), "{host}");
        }
    }

    #[test]
    fn another_address_answers_to_all_until_names_are_given() {
        let address = "192.0.2.7:80".parse().expect("an address");
        assert_eq!(status(&Guard::new(address, &[]), "any.test"), None);
        let named = Guard::new(address, &["capdex.test".to_owned()]);
        assert_eq!(status(&named, "any.test"), Some(421));
        assert_eq!(status(&named, "capdex.test"), None);
        assert_eq!(status(&named, "192.0.2.7"), None);
    }

    #[test]
    fn only_reading_and_only_short_addresses() {
        let guard = Guard::new("127.0.0.1:1".parse().expect("an address"), &[]);
        let mut headers = HeaderMap::new();
        headers.insert(HOST, "localhost".parse().expect("a header"));
        let long: Uri = format!("/{}", "a".repeat(5_000)).parse().expect("a path");
        let asked = |method: &Method, uri: &Uri| {
            guard
                .refuses((method, RouteMethod::Get), uri, Version::HTTP_11, &headers)
                .map(|answer| answer.status.as_u16())
        };
        assert_eq!(asked(&Method::POST, &Uri::from_static("/")), Some(405));
        assert_eq!(asked(&Method::GET, &long), Some(414));
        headers.append(HOST, "localhost".parse().expect("a header"));
        let twice = guard.refuses((&Method::GET, RouteMethod::Get), &Uri::from_static("/"), Version::HTTP_11, &headers);
        assert_eq!(twice.map(|answer| answer.status.as_u16()), Some(400));
    }
}
