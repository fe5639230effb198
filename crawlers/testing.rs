//! What the tests of directories share: a whole walk over a server, and recorded data.
//!
//! Must not know any directory.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::http::testing::{Server, client, request, settings};
use crate::{CrawlError, ListRequest, ListedEntry, NextPage, Source, SourceSettings, WalkCursor, WalkScope};

/// Settings for a source at a server, and nothing else.
pub(crate) fn at(server: &Server) -> SourceSettings {
    SourceSettings { base_url: server.base_url.clone(), ..SourceSettings::default() }
}

/// Walks to the end: everything that was listed, and the watermark.
pub(crate) async fn walk(
    source: &dyn Source,
    of_source: &SourceSettings,
    kind: WalkScope<'_>,
) -> Result<(Vec<ListedEntry>, Option<String>), CrawlError> {
    let bases = of_source.watchlist.iter().chain([&of_source.base_url]).filter(|base| base.starts_with("http"));
    let bases: Vec<_> = bases.map(String::as_str).collect();
    let (http, _) = client(settings(&bases));
    let (known, mut listed, mut cursor) = (BTreeMap::new(), Vec::new(), None::<WalkCursor>);
    loop {
        let first = request(source.meta().id, &http, of_source, &known);
        let page = source.list(ListRequest { walk: kind, cursor: cursor.as_ref(), ..first }).await?;
        listed.extend(page.listed);
        match page.next {
            NextPage::Complete { watermark } => return Ok((listed, watermark)),
            NextPage::More(next) => cursor = Some(next),
        }
    }
}

/// A recorded file as text, unpacked where it is packed; none, with a line that says so, where no data is at hand.
pub(crate) fn recorded(path: &str) -> Option<String> {
    let Some(data) = std::env::var_os("CAPDEX_DATA") else {
        println!("skipped: no CAPDEX_DATA");
        return None;
    };
    let bytes = std::fs::read(PathBuf::from(data).join(path)).expect("the file is there");
    let bytes = if path.ends_with(".gz") { crate::unpack::gunzip(&bytes, 64 << 20).expect("gzip") } else { bytes };
    Some(String::from_utf8(bytes).expect("UTF-8"))
}

/// The values of a recorded file with one on each line.
pub(crate) fn recorded_lines(path: &str) -> Option<Vec<Value>> {
    let text = recorded(path)?;
    Some(text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

#[test]
fn every_source_tells_the_manual_all_of_it() {
    let mut ids = std::collections::BTreeSet::new();
    for source in crate::SOURCES {
        let meta = source.meta();
        assert!(ids.insert(meta.id), "{} is the id of one source", meta.id);
        assert!(meta.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", meta.id);
        for text in [meta.title, meta.about, meta.endpoints, meta.limits, meta.stored, meta.terms] {
            assert!(!text.trim().is_empty(), "{}: {text}", meta.id);
            assert!(text.lines().all(|line| line.trim_end() == line), "{}: {text}", meta.id);
        }
        let origin = |address: &str| url::Url::parse(address).expect("an address").origin();
        if let (Some(base), Some((first, _))) = (meta.base_url, meta.rate_limits.first()) {
            assert_eq!(origin(base), origin(first), "{}: its first pace is for its own host", meta.id);
        }
        for key in meta.keys {
            assert!(key.variable.starts_with("CAPDEX_"));
            assert!(key.header.bytes().all(|byte| !byte.is_ascii_uppercase()));
        }
    }
}
