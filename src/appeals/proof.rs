//! Looking for the token where only the owner can put it: in what the store holds, or at its place now.

use capdex_crawlers::http::{AllowedBaseUrl, Http, HttpRequest, HttpResponse, HttpSettings};
use capdex_model::appeal::{Appeal, AppealDeed, ProofMethod};
use capdex_model::bundle::Bundle;
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;
use url::Url;

use super::dns;
use super::places::{self, TokenPlace};
use super::token::{self, Expected, MAX_PLACE, TokenKey};

/// What a look came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Look {
    /// Control is proved: what happened, to be added.
    Proven(AppealDeed),
    /// Something was there that proves nothing: what happened, to be added.
    Refused(AppealDeed),
    /// Nothing was there, or nobody answered; why.
    Nothing(String),
}

impl Look {
    fn refused(method: ProofMethod, reason: impl Into<String>) -> Self {
        Self::Refused(AppealDeed::Refused { method, reason: reason.into() })
    }
}

/// The challenge that is open: its end and the name of its key.
pub fn challenge(appeal: &Appeal) -> Option<(AsOf, capdex_model::time::Timestamp, &str)> {
    appeal.newest(|event| match &event.deed {
        AppealDeed::Challenged { expires, key } => Some((event.at, *expires, key.as_str())),
        _ => None,
    })
}

/// Looks at the places of a method for the token.
fn of_places(
    appeal: &Appeal,
    (method, content): (ProofMethod, Option<Digest>),
    places: &[TokenPlace<'_>],
    key: &TokenKey,
    now: AsOf,
) -> Look {
    let Some((_, expires, made_by)) = challenge(appeal) else {
        return Look::Nothing("no token was given out".to_owned());
    };
    let id = appeal.id();
    let expected = Expected { identity: &appeal.filing().subject.identity, appeal: &id, expires, key: made_by };
    let mut refused = None;
    for place in places {
        match token::look(&place.text, key, &expected, now) {
            Some(Ok(())) => {
                return Look::Proven(AppealDeed::Proven {
                    method,
                    locator: place.name.clone(),
                    content: Digest::of(place.text.as_bytes()),
                    subject: content,
                });
            }
            Some(Err(why)) => refused = refused.or(Some(format!("{}: {why}", place.name))),
            None => {}
        }
    }
    refused.map_or_else(
        || Look::Nothing("no token stands at any of its places".to_owned()),
        |why| Look::refused(method, why),
    )
}

/// Looks at what was fetched of a package. `content` is that of what is appealed about in it.
pub fn in_bundle(appeal: &Appeal, bundle: &Bundle, content: Option<Digest>, key: &TokenKey, now: AsOf) -> Look {
    let subject = &appeal.filing().subject;
    let Some(method) = places::method(&subject.identity) else {
        return Look::Nothing("only its host can prove who controls it; nobody was asked".to_owned());
    };
    of_places(appeal, (method, content), &places::in_bundle(bundle, subject), key, now)
}

/// True where the place that proved control still holds something of ours, valid or over.
pub fn still_marked(appeal: &Appeal, bundle: &Bundle) -> bool {
    let places = places::in_bundle(bundle, &appeal.filing().subject);
    places.iter().any(|place| place.text.contains(token::MARK) && place.text.contains(appeal.id().as_str()))
}

/// Settings of the requests for a proof: resolvers may be the operator's own, and a host only where he names it.
pub fn http_settings(mut settings: HttpSettings, resolvers: &[String], own: &[String]) -> HttpSettings {
    let allowed = resolvers.iter().chain(own).map(|url| AllowedBaseUrl::new("", url));
    settings.allowed_base_urls.extend(allowed);
    settings
}

/// Asks a host for its own file, then the resolvers for its record.
pub async fn at_host(appeal: &Appeal, http: &Http, resolvers: &[String], key: &TokenKey, now: AsOf) -> Look {
    let identity = appeal.filing().subject.identity.clone();
    let address = identity.strip_prefix("mcp:").and_then(|address| Url::parse(address).ok());
    let Some((address, host)) = address.zip(places::host(&identity)) else {
        return Look::Nothing("it has no host".to_owned());
    };
    let by_file = well_known(appeal, http, &address, key, now).await;
    if matches!(by_file, Look::Proven(_)) || resolvers.len() < 2 {
        return by_file;
    }
    let by_name = record(appeal, http, &host, resolvers, key, now).await;
    match (by_file, by_name) {
        (_, Look::Proven(deed)) => Look::Proven(deed),
        (Look::Nothing(_), other) | (other, Look::Nothing(_)) => other,
        (refused, _) => refused,
    }
}

async fn well_known(appeal: &Appeal, http: &Http, address: &Url, key: &TokenKey, now: AsOf) -> Look {
    let method = ProofMethod::WellKnown;
    let Ok(place) = address.join(&places::well_known_path()) else {
        return Look::Nothing("it has no place for a file".to_owned());
    };
    let request = HttpRequest {
        url: place.as_str(),
        accept: Some("text/plain"),
        max_bytes: MAX_PLACE as u64,
        ..HttpRequest::default()
    };
    match http.send(request).await {
        Ok(HttpResponse::Body { bytes, url, .. }) => {
            // Followed by the client as everywhere, and worth nothing here: another host's file speaks for that host.
            let is_same = Url::parse(&url).is_ok_and(|url| url.origin() == place.origin());
            if !is_same {
                return Look::refused(method, format!("{place} leads to another host, {url}"));
            }
            let found = TokenPlace { name: place.to_string(), text: String::from_utf8_lossy(&bytes) };
            of_places(appeal, (method, None), &[found], key, now)
        }
        Ok(HttpResponse::NotModified) => Look::Nothing(format!("{place} answers without a body")),
        Err(capdex_crawlers::CrawlError::Refused { detail, .. }) => Look::refused(method, format!("{place}: {detail}")),
        Err(error) => Look::Nothing(error.to_string()),
    }
}

async fn record(appeal: &Appeal, http: &Http, host: &str, resolvers: &[String], key: &TokenKey, now: AsOf) -> Look {
    let (method, name) = (ProofMethod::Dns, places::record_name(host));
    let Some(question) = dns::question(&name) else { return Look::Nothing(format!("{host} has no name in the DNS")) };
    let mut said: Vec<Vec<String>> = Vec::new();
    for resolver in resolvers {
        let url = format!("{resolver}?dns={question}");
        let request = HttpRequest {
            url: &url,
            accept: Some("application/dns-message"),
            max_bytes: 65_535,
            ..HttpRequest::default()
        };
        let bytes = match http.send(request).await {
            Ok(HttpResponse::Body { bytes, .. }) => bytes,
            Ok(HttpResponse::NotModified) => return Look::Nothing(format!("{resolver} answers without a body")),
            Err(error) => return Look::Nothing(error.to_string()),
        };
        match dns::strings(&bytes) {
            Ok(strings) => said.push(strings.into_iter().filter(|text| text.contains(token::MARK)).collect()),
            Err(why) if why.starts_with("there is no") => said.push(Vec::new()),
            Err(why) => return Look::refused(method, format!("{name}: {why}")),
        }
    }
    let Some(first) = said.first() else { return Look::Nothing("no resolver was asked".to_owned()) };
    // One resolver may be lied to; two that are asked over other ways rarely are.
    if said.iter().any(|other| other != first) {
        return Look::refused(method, format!("{name}: the resolvers do not agree"));
    }
    if first.len() > 1 {
        return Look::refused(method, format!("{name}: two tokens stand in one place"));
    }
    let found: Vec<TokenPlace<'_>> =
        first.iter().map(|text| TokenPlace { name: name.clone(), text: text.as_str().into() }).collect();
    of_places(appeal, (method, None), &found, key, now)
}
