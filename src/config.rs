//! Schedules: which sources to crawl and how politely, from a TOML file or the one compiled in.
//!
//! Must not ask the network anything; where a registry is, is decided here once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capdex_crawlers::http::{Credential, HttpSettings, Pace, Secret};
use capdex_crawlers::settings::{self, BaseUrl};
use capdex_crawlers::{SOURCES, Source, SourceMeta, SourceSettings, WalkKind};
use serde::Deserialize;
use tracing::debug;

use crate::exit::usage;
use crate::jobs::SourceRun;

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
    /// The source that is asked, where the table has another name than that: several tables may ask sources of one kind
    /// at several addresses. Listings are kept under the table's name.
    pub kind: Option<String>,
    /// Whether it is asked at all (default true).
    pub enabled: Option<bool>,
    /// Where the source is; without it, the ecosystem's own settings or the source's own address.
    pub base_url: Option<String>,
    /// The names to list; for `folder`, the paths.
    pub watchlist: Vec<String>,
    /// What to search for, for sources that can be searched.
    pub queries: Vec<String>,
    /// The base address of the feed of changes, for sources that have one.
    pub changes_url: Option<String>,
    /// Whether what other listings refer to is asked for too (default true for sources that are asked by name).
    pub follow: Option<bool>,
    /// References that are visited in one run at most (default 5000).
    pub max_references: Option<usize>,
    /// Requests after which the walk stops until the next run (default: no budget).
    pub max_requests: Option<u64>,
    /// Requests a minute, where they shall be fewer or more than the source's published limit allows.
    pub requests_per_minute: Option<u32>,
    /// Days after which everything is walked again although the source can say what changed (default 7).
    pub full_walk_days: Option<u32>,
    /// The share of the listings in percent that may be missing at once before `capdex confirm` is needed (default 10).
    pub max_gone_percent: Option<u32>,
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
        for (id, section) in &schedule.sources {
            source_of(section.kind.as_deref().unwrap_or(id))?;
            if id.is_empty() || id.contains(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-') {
                return Err(usage(format!("{origin}: {id:?} is no name for a source: letters, digits and dashes are")));
            }
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
        let (mut sources, mut skipped) = (BTreeMap::new(), BTreeMap::new());
        for (id, section) in &self.sources {
            let source = source_of(section.kind.as_deref().unwrap_or(id))?;
            match reason_to_skip(source.meta(), section) {
                Some(reason) => drop(skipped.insert(id.clone(), reason)),
                None => drop(sources.insert(id.clone(), source_run(source.meta(), section, &mut http)?)),
            }
        }
        Ok(Resolved { sources, skipped, http })
    }
}

/// A schedule with everything found that it leaves to the machine.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// How each source is walked.
    pub sources: BTreeMap<String, SourceRun>,
    /// Sources that are not asked, and why.
    pub skipped: BTreeMap<String, String>,
    /// How requests are made.
    pub http: HttpSettings,
}

/// Why a source is not asked at all; none where it is.
fn reason_to_skip(meta: &SourceMeta, section: &SourceSection) -> Option<String> {
    if section.enabled == Some(false) {
        return Some("the schedule turns it off".to_owned());
    }
    let missing: Vec<&str> = meta
        .keys
        .iter()
        .filter(|key| key.is_required && variable(key.variable).is_none_or(|value| value.trim().is_empty()))
        .map(|key| key.variable)
        .collect();
    if missing.is_empty() {
        return None;
    }
    Some(format!("it answers nothing without a key: set {}", missing.join(" and ")))
}

fn source_run(meta: &SourceMeta, section: &SourceSection, http: &mut HttpSettings) -> anyhow::Result<SourceRun> {
    let settings = source_settings(meta, section, http)?;
    add_paces(meta, section, &settings.base_url, http);
    add_keys(meta, &settings.base_url, http);
    let is_asked_by_name = meta.walk == WalkKind::Names && meta.id != "folder";
    Ok(SourceRun {
        kind: meta.id.to_owned(),
        follows: section.follow.unwrap_or(is_asked_by_name),
        max_references: section.max_references.unwrap_or(5_000),
        max_requests: section.max_requests,
        max_entries: None,
        full_walk_days: section.full_walk_days.unwrap_or(7),
        max_gone_percent: section.max_gone_percent.unwrap_or(10),
        settings,
    })
}

/// How often the source's hosts may be asked: the published limits, and for its own address what the schedule says.
fn add_paces(meta: &SourceMeta, section: &SourceSection, base_url: &str, http: &mut HttpSettings) {
    for (number, (address, pace)) in meta.paces.iter().enumerate() {
        let is_own = number == 0 && !base_url.is_empty();
        let mut pace = *pace;
        if let (0, Some(per_minute)) = (number, section.requests_per_minute) {
            pace.per_minute = per_minute;
            pace.burst = pace.burst.min(per_minute.max(1));
        }
        http.paces.push((if is_own { base_url } else { address }.to_owned(), pace));
    }
    if let (true, Some(per_minute), false) = (meta.paces.is_empty(), section.requests_per_minute, base_url.is_empty()) {
        let in_flight = u32::try_from(http.max_in_flight_per_host).unwrap_or(1);
        http.paces.push((base_url.to_owned(), Pace { per_minute, burst: in_flight, in_flight }));
    }
}

/// What proves to the source who asks, from the environment. Several values, with commas between, are a pool.
fn add_keys(meta: &SourceMeta, base_url: &str, http: &mut HttpSettings) {
    for key in meta.keys {
        let values = variable(key.variable).unwrap_or_default();
        for value in values.split(',').map(str::trim).filter(|value| !value.is_empty()) {
            http.credentials.push(Credential {
                base_url: base_url.to_owned(),
                header: key.header.to_owned(),
                value: Secret::new(format!("{}{value}", key.prefix)),
            });
        }
    }
}

fn source_settings(
    meta: &SourceMeta,
    section: &SourceSection,
    http: &mut HttpSettings,
) -> anyhow::Result<SourceSettings> {
    let sorted = |names: &[String]| -> Vec<String> {
        let names: BTreeSet<String> = names.iter().cloned().collect();
        names.into_iter().collect()
    };
    let configured = section.base_url.as_deref();
    let mut scopes = BTreeMap::new();
    let base_url = match meta.id {
        "npm" => {
            if configured.is_none() {
                for (scope, base) in settings::npm_scopes(&variable, &text_of)? {
                    base.configure(http);
                    scopes.insert(scope, base.url);
                }
            }
            configure(settings::npm_base_url(&variable, &text_of, configured)?, meta.id, http)
        }
        "pypi" => configure(settings::pypi_base_url(&variable, &text_of, configured)?, meta.id, http),
        // A source's own address is public and checked like any other; only what an operator writes may lead anywhere.
        _ => match configured {
            Some(url) if meta.base_url.is_some() => {
                http.allowed_base_urls.push(url.to_owned());
                url.trim_end_matches('/').to_owned()
            }
            Some(folder) => folder.to_owned(),
            None => meta.base_url.unwrap_or_default().to_owned(),
        },
    };
    if let Some(url) = &section.changes_url {
        http.allowed_base_urls.push(url.clone());
    }
    Ok(SourceSettings {
        base_url,
        scopes,
        watchlist: sorted(&section.watchlist),
        queries: sorted(&section.queries),
        changes_url: section.changes_url.clone(),
    })
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

/// The source with this id.
///
/// # Errors
/// Wrong usage for an id that no source has; the text lists those that there are.
pub fn source_of(id: &str) -> anyhow::Result<&'static dyn Source> {
    if let Some(source) = SOURCES.iter().find(|source| source.meta().id == id) {
        return Ok(*source);
    }
    let known: Vec<&str> = SOURCES.iter().map(|source| source.meta().id).collect();
    Err(usage(format!("there is no source {id:?}; the sources are {}", known.join(", "))))
}

fn one_line(error: &toml::de::Error) -> String {
    let text = error.to_string();
    text.lines().filter(|line| !line.trim().is_empty()).map(str::trim).collect::<Vec<_>>().join(" ")
}
