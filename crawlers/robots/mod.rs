//! The rules of a site's robots.txt, as RFC 9309 says.
//!
//! Only sites without an API are asked for it: an API that is documented for programs is meant for them.

use std::time::Duration;

use crate::CrawlError;
use crate::http::{Http, HttpRequest, HttpResponse};

/// Under which name rules are looked for.
const PRODUCT: &str = "capdex";

/// The most bytes that are read; the standard asks for 500 KiB at least.
const MAX_BYTES: u64 = 512 * 1024;

/// The longest pause between two requests that is kept to; who asks for more is not crawled.
pub(crate) const MAX_DELAY: Duration = Duration::from_secs(60);

/// The rules for us.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Robots {
    rules: Vec<Rule>,
    delay: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rule {
    pattern: Vec<u8>,
    is_allowed: bool,
}

impl Robots {
    /// Asks a site. A site that has none (404, 410) allows everything.
    ///
    /// # Errors
    /// Any other error: where rules may exist and cannot be read, nothing is crawled.
    pub(crate) async fn fetch(http: &Http, base_url: &str) -> Result<Self, CrawlError> {
        let url = url::Url::parse(base_url).and_then(|base| base.join("/robots.txt"));
        let url = url.map_err(|error| CrawlError::bad_answer(base_url, error.to_string()))?;
        let request = HttpRequest { url: url.as_str(), max_bytes: MAX_BYTES, ..HttpRequest::default() };
        match http.send(request).await {
            Ok(HttpResponse::Body { bytes, .. }) => Ok(Self::read(&bytes)),
            Ok(HttpResponse::NotModified) => {
                Err(CrawlError::bad_answer(url.as_str(), "\"not modified\" though nothing was asked"))
            }
            Err(CrawlError::Gone { .. }) => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    /// Reads a file: all groups for our name, or else all for `*`. Lines that are no rule are passed over.
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (mut own, mut all) = (None::<Self>, Self::default());
        let (mut is_own, mut is_all, mut is_open) = (false, false, false);
        // A byte order mark would hide the first line.
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((name, value)) = line.split_once(':') else { continue };
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
            if name == "user-agent" {
                // Several names in a row begin one group, and the first rule ends their list.
                if !is_open {
                    (is_own, is_all, is_open) = (false, false, true);
                }
                is_own |= is_our_name(value);
                is_all |= value == "*";
                if is_own {
                    // A group for us without rules allows everything, and keeps the group for all from counting.
                    own.get_or_insert_default();
                }
                continue;
            }
            if !matches!(name.as_str(), "allow" | "disallow" | "crawl-delay") {
                continue;
            }
            is_open = false;
            if let Some(own) = own.as_mut().filter(|_| is_own) {
                own.add(&name, value);
            }
            if is_all {
                all.add(&name, value);
            }
        }
        own.unwrap_or(all)
    }

    fn add(&mut self, name: &str, value: &str) {
        match name {
            "crawl-delay" => {
                let seconds = value.parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
                // `from_secs_f64` panics for more than a `Duration` holds.
                let delay = seconds.map(|seconds| Duration::from_secs_f64(seconds.min(1e6)));
                self.delay = self.delay.max(delay);
            }
            // An empty rule is none.
            _ if value.is_empty() => {}
            _ => self.rules.push(Rule { pattern: normal(value), is_allowed: name == "allow" }),
        }
    }

    /// Returns true if a path with its query may be asked for: the longest rule that fits decides, `allow` among
    /// equals.
    pub(crate) fn allows(&self, path: &str) -> bool {
        // RFC 9309 allows the file itself always.
        if path == "/robots.txt" {
            return true;
        }
        let path = normal(path);
        let fitting = self.rules.iter().filter(|rule| fits(&rule.pattern, &path));
        fitting.max_by_key(|rule| (rule.pattern.len(), rule.is_allowed)).is_none_or(|rule| rule.is_allowed)
    }

    /// The pause between two requests, where the site asks for one.
    pub(crate) fn delay(&self) -> Option<Duration> {
        self.delay
    }
}

/// Returns true if a group's name is ours: the product before any version, whatever its case.
fn is_our_name(value: &str) -> bool {
    let end = value.find(|letter: char| !(letter.is_ascii_alphabetic() || matches!(letter, '-' | '_')));
    value.get(..end.unwrap_or(value.len())).is_some_and(|name| name.eq_ignore_ascii_case(PRODUCT))
}

/// One spelling for each path: what needs no escape is bare, everything else is escaped in upper case.
fn normal(text: &str) -> Vec<u8> {
    let mut normal = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let escaped = escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match escaped {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => normal.push(byte),
            Some(byte) => normal.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            None if first.is_ascii_graphic() => normal.push(*first),
            None => normal.extend_from_slice(format!("%{first:02X}").as_bytes()),
        }
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    normal
}

/// Returns true if a pattern fits the beginning of a path: `*` is anything, `$` at its end the end of the path. Linear
/// in the path for each part between stars, whatever the pattern.
fn fits(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, is_whole) = match pattern.split_last() {
        Some((b'$', pattern)) => (pattern, true),
        _ => (pattern, false),
    };
    let mut parts = pattern.split(|byte| *byte == b'*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&[u8]> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return !is_whole || rest.is_empty() };
    for part in middle {
        match after(rest, part) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    if is_whole { rest.ends_with(last) } else { after(rest, last).is_some() }
}

/// The text after the first place of a part; everything where the part is empty.
fn after<'a>(text: &'a [u8], part: &[u8]) -> Option<&'a [u8]> {
    if part.is_empty() {
        return Some(text);
    }
    let place = text.windows(part.len()).position(|window| window == part)?;
    text.get(place + part.len()..)
}

#[cfg(test)]
mod tests;
