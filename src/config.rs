//! Schedules: which sources to crawl and how politely, from a TOML file or the one compiled in.
//!
//! Must not ask the network anything; where a registry is, is decided here once.

use std::collections::BTreeMap;
use std::path::Path;

use capdex_crawlers::http::HttpSettings;
use capdex_crawlers::settings::{self, BaseUrl};
use capdex_crawlers::{SOURCES, SourceSettings};
use serde::Deserialize;
use tracing::debug;

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
    /// How often one address is tried before it counts as failed (default 4).
    pub max_tries: Option<u32>,
    /// The wait before the second try in milliseconds; it doubles with every try (default 500).
    pub backoff_ms: Option<u64>,
    /// How long a server may be silent, in milliseconds (default 30000).
    pub idle_deadline_ms: Option<u64>,
    /// How long one exchange may take over all its tries and redirects, in milliseconds (default 120000).
    pub total_deadline_ms: Option<u64>,
}

impl HttpSection {
    /// The client's settings: what is written here, else the client's own.
    fn settings(&self, seed: u64) -> HttpSettings {
        let own = HttpSettings::default();
        HttpSettings {
            contact: self.contact.clone().unwrap_or(own.contact),
            requests_per_second: self.requests_per_second.unwrap_or(own.requests_per_second),
            max_in_flight_per_host: self.max_in_flight_per_host.unwrap_or(own.max_in_flight_per_host),
            max_tries: self.max_tries.unwrap_or(own.max_tries),
            backoff_ms: self.backoff_ms.unwrap_or(own.backoff_ms),
            idle_deadline_ms: self.idle_deadline_ms.unwrap_or(own.idle_deadline_ms),
            total_deadline_ms: self.total_deadline_ms.unwrap_or(own.total_deadline_ms),
            seed,
            ..HttpSettings::default()
        }
    }
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

    /// Where each source is and what to list there, with the ecosystems' own settings filled in, and how requests are
    /// made. Only configured base addresses may be on this machine or a private network.
    ///
    /// # Errors
    /// Wrong configuration: an address that is none.
    pub fn resolve(&self, seed: u64) -> anyhow::Result<Resolved> {
        let mut http = self.http.settings(seed);
        let mut sources = BTreeMap::new();
        for (id, section) in &self.sources {
            sources.insert(id.clone(), source_settings(id, section, &mut http)?);
        }
        Ok(Resolved { sources, http })
    }
}

/// A schedule with everything found that it leaves to the machine.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Where each source is and what to list there.
    pub sources: BTreeMap<String, SourceSettings>,
    /// How requests are made.
    pub http: HttpSettings,
}

fn source_settings(id: &str, section: &SourceSection, http: &mut HttpSettings) -> anyhow::Result<SourceSettings> {
    let mut watchlist = section.watchlist.clone();
    watchlist.sort();
    watchlist.dedup();
    let configured = section.base_url.as_deref();
    let mut scopes = BTreeMap::new();
    let base_url = match id {
        "npm" => {
            if configured.is_none() {
                for (scope, base) in settings::npm_scopes(&variable, &text_of)? {
                    base.configure(http);
                    scopes.insert(scope, base.url);
                }
            }
            configure(settings::npm_base_url(&variable, &text_of, configured)?, id, http)
        }
        "pypi" => configure(settings::pypi_base_url(&variable, &text_of, configured)?, id, http),
        _ => configured.unwrap_or_default().to_owned(),
    };
    Ok(SourceSettings { base_url, scopes, watchlist })
}

fn configure(base: BaseUrl, id: &str, http: &mut HttpSettings) -> String {
    debug!(source = id, url = %base.url, origin = %base.origin, "found the source's address");
    base.configure(http);
    base.url
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn text_of(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
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
