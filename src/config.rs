//! Schedules: which sources to crawl and how politely, from a TOML file or the one compiled in.
//!
//! Must not ask the network anything; where a registry is, is decided here once.

use std::collections::BTreeMap;
use std::path::Path;

use capdex_crawlers::http::HttpSettings;
use capdex_crawlers::{SOURCES, SourceSettings};
use serde::Deserialize;

use crate::exit::usage;

/// The schedule that runs without any configuration.
pub const QUICKSTART: &str = include_str!("../schedules/quickstart.toml");

/// A schedule as written. Unknown keys are errors.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// What it is called in the ledger of runs.
    pub name: String,
    /// How requests are made.
    #[serde(default)]
    pub http: HttpSection,
    /// Which sources, by id, and what to list there.
    pub sources: BTreeMap<String, SourceSection>,
}

/// The `[http]` table of a schedule.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpSection {
    /// Who to write to about our requests: an e-mail address or a page. Sent in the User-Agent.
    pub contact: Option<String>,
    /// Requests a second to one host (default 10).
    pub requests_per_second: Option<u32>,
    /// Requests in flight to one host (default 6).
    pub max_in_flight_per_host: Option<usize>,
}

/// A `[sources.<id>]` table of a schedule.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceSection {
    /// Where the source is; without it, the ecosystem's own settings decide.
    pub base_url: Option<String>,
    /// The names to list; for `folder`, the paths.
    pub watchlist: Vec<String>,
}

impl Schedule {
    /// Reads a schedule file, or the one compiled in.
    ///
    /// # Errors
    /// Wrong usage when the file cannot be read or does not parse; the text names file, line and key.
    #[expect(clippy::disallowed_methods, reason = "the program reads its own configuration")]
    pub fn load(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else {
            return Self::parse(QUICKSTART, "the built-in quickstart schedule");
        };
        let text = std::fs::read_to_string(path)
            .map_err(|error| usage(format!("cannot read the schedule {}: {error}", path.display())))?;
        Self::parse(&text, &path.display().to_string())
    }

    fn parse(text: &str, origin: &str) -> anyhow::Result<Self> {
        let schedule: Self =
            toml::from_str(text).map_err(|error| usage(format!("{origin} is not a schedule: {}", one_line(&error))))?;
        for id in schedule.sources.keys() {
            known_source(id)?;
        }
        Ok(schedule)
    }

    /// A schedule of one source, as `backfill` makes it.
    pub fn single(source: &str, section: SourceSection, http: HttpSection) -> Self {
        Self { name: format!("backfill {source}"), http, sources: BTreeMap::from([(source.to_owned(), section)]) }
    }

    /// Where each source is and what to list there, with the ecosystems' own settings filled in.
    pub fn source_settings(&self) -> anyhow::Result<BTreeMap<String, SourceSettings>> {
        self.sources
            .iter()
            .map(|(id, section)| {
                let mut watchlist = section.watchlist.clone();
                watchlist.sort();
                watchlist.dedup();
                let base_url = base_url(id, section.base_url.as_deref())?;
                Ok((id.clone(), SourceSettings { base_url, watchlist }))
            })
            .collect()
    }

    /// How requests are made. Only the configured base addresses may be on this machine or a private network.
    pub fn http_settings(&self, sources: &BTreeMap<String, SourceSettings>, seed: u64) -> HttpSettings {
        let defaults = HttpSettings::default();
        HttpSettings {
            contact: self.http.contact.clone().unwrap_or(defaults.contact),
            requests_per_second: self.http.requests_per_second.unwrap_or(defaults.requests_per_second),
            max_in_flight_per_host: self.http.max_in_flight_per_host.unwrap_or(defaults.max_in_flight_per_host),
            allowed_base_urls: sources.values().map(|settings| settings.base_url.clone()).collect(),
            seed,
            ..defaults
        }
    }
}

/// Checks a source's id.
///
/// # Errors
/// Wrong usage for an id that no source has; the text lists those that there are.
pub fn known_source(id: &str) -> anyhow::Result<()> {
    if SOURCES.iter().any(|source| source.meta().id == id) {
        return Ok(());
    }
    let known: Vec<&str> = SOURCES.iter().map(|source| source.meta().id).collect();
    Err(usage(format!("there is no source {id:?}; the sources are {}", known.join(", "))))
}

fn one_line(error: &toml::de::Error) -> String {
    let text = error.to_string();
    text.lines().filter(|line| !line.trim().is_empty()).map(str::trim).collect::<Vec<_>>().join(" ")
}
