//! A sitemap as sitemaps.org describes it: an index of sitemaps, or pages with the day of their last change.
//!
//! Addresses on other hosts are left out: the standard forbids them.

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, Event};
use quick_xml::reader::Reader;
use serde::{Deserialize, Serialize};
use url::Url;

/// One entry: the path with its query, and when it changed, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SitemapEntry {
    /// The path on the site, with its query.
    pub(super) path: String,
    /// The `lastmod`, as written.
    pub(super) changed: Option<String>,
}

/// The entries of a sitemap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sitemap {
    /// Other sitemaps.
    Index(Vec<SitemapEntry>),
    /// Pages.
    Pages(Vec<SitemapEntry>),
}

/// The most bytes that a sitemap may have unpacked, as its standard says.
const MAX_BYTES: u64 = 50 << 20;

/// The most entries that a sitemap may have, as its standard says; more are an error and not cut off.
const MAX_ENTRIES: usize = 50_000;

/// The deepest nesting of elements. The standard needs three, and its extensions few more.
const MAX_DEPTH: usize = 32;

/// The longest text of a `lastmod` that is kept.
const MAX_CHANGED_BYTES: usize = 64;

/// Reads a sitemap of the site at `base_url`.
///
/// # Errors
/// The fault in it; a sitemap that does not end is cut off, and read as nothing.
pub(super) fn read(bytes: &[u8], base_url: &str) -> Result<Sitemap, String> {
    let unpacked;
    // Sites serve `.xml.gz` as a file, which the client does not decode.
    let bytes = if bytes.starts_with(&[0x1F, 0x8B]) {
        unpacked = crate::unpack::gunzip(bytes, MAX_BYTES).map_err(|gap| gap.detail)?;
        unpacked.as_slice()
    } else {
        bytes
    };
    let site = Url::parse(base_url).map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    reader.config_mut().expand_empty_elements = true;
    // Addresses with a bare `&` between the parts of their query are common.
    reader.config_mut().allow_dangling_amp = true;
    let mut reading = Reading::default();
    loop {
        let event = reader.read_event().map_err(|error| format!("byte {}: {error}", reader.error_position()))?;
        if let Some(sitemap) = reading.take_in(&event, &site)? {
            return Ok(sitemap);
        }
    }
}

/// A sitemap as far as it was read.
#[derive(Default)]
struct Reading {
    /// Elements that are open.
    depth: usize,
    lists_pages: bool,
    entries: Vec<SitemapEntry>,
    open: OpenSitemapEntry,
}

impl Reading {
    /// Takes one event in; the sitemap at the end of its outermost element. A document type is read past: entities that it
    /// declares stay as they are written.
    fn take_in(&mut self, event: &Event<'_>, site: &Url) -> Result<Option<Sitemap>, String> {
        match event {
            Event::Start(tag) => self.start(tag.name().as_ref())?,
            Event::End(tag) => return self.end(tag.name().as_ref(), site),
            Event::Text(text) => self.open.add(text),
            Event::CData(text) => self.open.add(text),
            Event::GeneralRef(reference) => self.open.add_reference(reference),
            Event::Eof => return Err("it is no sitemap, or does not end".to_owned()),
            _ => {}
        }
        Ok(None)
    }

    fn start(&mut self, name: &str) -> Result<(), String> {
        match (self.depth, name) {
            (0, "sitemapindex" | "urlset") => self.lists_pages = name == "urlset",
            (0, _) => return Err("it is no sitemap".to_owned()),
            (MAX_DEPTH, _) => return Err(format!("elements more than {MAX_DEPTH} deep")),
            (_, "url" | "sitemap") => self.open = OpenSitemapEntry::default(),
            (_, "loc") => self.open.inside = SitemapElement::Address,
            (_, "lastmod") => self.open.inside = SitemapElement::Changed,
            _ => self.open.inside = SitemapElement::Other,
        }
        self.depth += 1;
        Ok(())
    }

    fn end(&mut self, name: &str, site: &Url) -> Result<Option<Sitemap>, String> {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            let places = std::mem::take(&mut self.entries);
            return Ok(Some(if self.lists_pages { Sitemap::Pages(places) } else { Sitemap::Index(places) }));
        }
        match name {
            "url" | "sitemap" => self.entries.extend(std::mem::take(&mut self.open).into_entry(site)),
            _ => self.open.inside = SitemapElement::Other,
        }
        if self.entries.len() > MAX_ENTRIES {
            return Err(format!("more than {MAX_ENTRIES} entries"));
        }
        Ok(None)
    }
}

#[derive(Default)]
enum SitemapElement {
    Address,
    Changed,
    #[default]
    Other,
}

#[derive(Default)]
struct OpenSitemapEntry {
    inside: SitemapElement,
    address: String,
    changed: String,
}

impl OpenSitemapEntry {
    fn add(&mut self, text: &str) {
        match self.inside {
            SitemapElement::Address => self.address.push_str(text),
            SitemapElement::Changed => self.changed.push_str(text),
            SitemapElement::Other => {}
        }
    }

    /// Adds the letter that a reference means: by its number, or one of the five that XML itself names.
    fn add_reference(&mut self, reference: &BytesRef<'_>) {
        match reference.resolve_char_ref() {
            Ok(Some(letter)) => self.add(letter.encode_utf8(&mut [0; 4])),
            _ => match resolve_xml_entity(reference) {
                Some(letter) => self.add(letter),
                None => self.add(&format!("&{};", &**reference)),
            },
        }
    }

    fn into_entry(self, site: &Url) -> Option<SitemapEntry> {
        let url = Url::parse(self.address.trim()).ok()?;
        if url.origin() != site.origin() {
            return None;
        }
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let changed = self.changed.trim();
        // A longer text is no date, and would only fill the cursor.
        let is_kept = !changed.is_empty() && changed.len() <= MAX_CHANGED_BYTES;
        Some(SitemapEntry { path: format!("{}{query}", url.path()), changed: is_kept.then(|| changed.to_owned()) })
    }
}
