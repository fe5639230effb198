//! A sitemap as sitemaps.org describes it: an index of sitemaps, or pages with the day of their last change.
//!
//! Must not know which of them are wanted. Addresses on other hosts are left out: the standard forbids them.

use html5gum::{Token, Tokenizer};
use serde::{Deserialize, Serialize};
use url::Url;

/// One entry: the path with its query, and when it changed, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    /// The path on the site, with its query.
    pub(super) path: String,
    /// The `lastmod`, as written.
    pub(super) changed: Option<String>,
}

/// What a sitemap holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sitemap {
    /// Other sitemaps.
    Index(Vec<Place>),
    /// Pages.
    Pages(Vec<Place>),
}

/// How much a sitemap may have unpacked, as its standard says.
const MAX_BYTES: u64 = 50 << 20;

/// How many entries a sitemap may have, as its standard says; more are an error and not cut off.
const MAX_PLACES: usize = 50_000;

/// The longest text of a `lastmod` that is kept.
const MAX_CHANGED_BYTES: usize = 64;

/// Reads a sitemap of the site at `base_url`.
///
/// # Errors
/// What is wrong with it; one that does not end is cut off, and read as nothing.
pub(super) fn read(bytes: &[u8], base_url: &str) -> Result<Sitemap, String> {
    let unpacked;
    let bytes = if bytes.starts_with(&[0x1F, 0x8B]) {
        unpacked = crate::unpack::gunzip(bytes, MAX_BYTES).map_err(|gap| gap.detail)?;
        unpacked.as_slice()
    } else {
        bytes
    };
    let site = Url::parse(base_url).map_err(|error| error.to_string())?;
    let (mut root, mut has_ended) = (None, false);
    let (mut places, mut open) = (Vec::new(), Open::default());
    for token in Tokenizer::new(bytes) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => match tag.name.as_slice() {
                name @ (b"sitemapindex" | b"urlset") => root = root.or(Some(name.len() == b"urlset".len())),
                b"url" | b"sitemap" => open = Open::default(),
                b"loc" => open.inside = Inside::Address,
                b"lastmod" => open.inside = Inside::Changed,
                _ => open.inside = Inside::Other,
            },
            Token::String(text) => open.add(&String::from_utf8_lossy(&text)),
            Token::Comment(text) => {
                let text = String::from_utf8_lossy(&text);
                if let Some(text) = text.strip_prefix("[CDATA[") {
                    open.add(text.strip_suffix("]]").unwrap_or(text));
                }
            }
            Token::EndTag(tag) => match tag.name.as_slice() {
                b"sitemapindex" | b"urlset" => has_ended = true,
                b"url" | b"sitemap" => places.extend(std::mem::take(&mut open).place(&site)),
                _ => open.inside = Inside::Other,
            },
            _ => {}
        }
        if places.len() > MAX_PLACES {
            return Err(format!("more than {MAX_PLACES} entries"));
        }
    }
    match root {
        _ if !has_ended => Err("it is no sitemap, or does not end".to_owned()),
        Some(true) => Ok(Sitemap::Pages(places)),
        Some(false) => Ok(Sitemap::Index(places)),
        None => Err("it is no sitemap".to_owned()),
    }
}

#[derive(Default)]
enum Inside {
    Address,
    Changed,
    #[default]
    Other,
}

#[derive(Default)]
struct Open {
    inside: Inside,
    address: String,
    changed: String,
}

impl Open {
    fn add(&mut self, text: &str) {
        match self.inside {
            Inside::Address => self.address.push_str(text),
            Inside::Changed => self.changed.push_str(text),
            Inside::Other => {}
        }
    }

    fn place(self, site: &Url) -> Option<Place> {
        let url = Url::parse(self.address.trim()).ok()?;
        if url.origin() != site.origin() {
            return None;
        }
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let changed = self.changed.trim();
        let is_kept = !changed.is_empty() && changed.len() <= MAX_CHANGED_BYTES;
        Some(Place { path: format!("{}{query}", url.path()), changed: is_kept.then(|| changed.to_owned()) })
    }
}
