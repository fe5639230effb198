//! Schedules: which sources to crawl and how politely, from a TOML file or the one compiled in.
//!
//! Must not ask the network anything; where a registry is, is decided here once.

mod alerts;
mod daemon;
mod identity;
mod retention;
mod sinks;
mod sources;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capdex_corpus::identity::Overrides;
use capdex_crawlers::http::HttpSettings;
use capdex_crawlers::{SOURCES, Source, source};
use serde::Deserialize;

use crate::exit::usage;
use crate::jobs::SourceRun;

pub use alerts::{Alerts, AlertsSection, Sink, Target};
pub use daemon::{DaemonSection, Overlap, Timing};
pub use identity::IdentitySection;
pub use retention::RetentionSection;

/// The schedule that runs without any configuration.
pub const QUICKSTART: &str = include_str!("../../schedules/quickstart.toml");

/// A schedule as written. Unknown keys are errors. The default one has no name and lists nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// What it is called in the ledger of runs.
    pub name: String,
    /// How requests are made.
    #[serde(default)]
    pub http: HttpSection,
    /// What is fetched again although it claims to be unchanged.
    #[serde(default)]
    pub drift: DriftSection,
    /// Whom to tell of alerts.
    #[serde(default)]
    pub alerts: AlertsSection,
    /// What names are compared with.
    #[serde(default)]
    pub lookalikes: LookalikesSection,
    /// Which listings are one thing.
    #[serde(default)]
    pub identity: IdentitySection,
    /// When the daemon runs it; none for one that is run by hand only.
    pub daemon: Option<DaemonSection>,
    /// How long the store keeps what nobody needs any more; for ever without it.
    pub retention: Option<RetentionSection>,
    /// Which sources, by id, and what to list there.
    pub sources: BTreeMap<String, SourceSection>,
}

/// The `[drift]` table of a schedule.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DriftSection {
    /// Artifacts that are fetched and hashed again in one night although they claim to be unchanged (default 50).
    pub rehash_per_night: Option<usize>,
}

/// What is fetched again in one night unless the schedule says otherwise: every artifact of a small store once in a while,
/// and a rounding error in a large one.
const REHASH_PER_NIGHT: usize = 50;

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

/// The `[lookalikes]` table of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LookalikesSection {
    /// Files of popular names that a night's names are compared with beside its own: lines of a name, how popular it is and
    /// whose it is, with tabs between; the last two may be missing.
    pub popular: Vec<PathBuf>,
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
        schedule.alerts()?;
        schedule.timing().map_err(|why| usage(format!("{origin}: {why}")))?;
        schedule.keep_days().map_err(|why| usage(format!("{origin}: {why}")))?;
        Ok(schedule)
    }

    /// When the daemon runs it; none where it is run by hand only.
    ///
    /// # Errors
    /// The key, and what is wrong with it.
    pub fn timing(&self) -> Result<Option<Timing>, String> {
        self.daemon.as_ref().map(DaemonSection::timing).transpose()
    }

    /// Days for which the store keeps everything; none where nothing is ever deleted.
    ///
    /// # Errors
    /// The key, and what is wrong with it.
    pub fn keep_days(&self) -> Result<Option<u32>, String> {
        self.retention.as_ref().map(RetentionSection::keep_days).transpose()
    }

    /// Whom to tell of alerts, and how.
    ///
    /// # Errors
    /// Wrong configuration, with the name of the sink.
    pub fn alerts(&self) -> anyhow::Result<Alerts> {
        self.alerts.resolve(self.http.contact.clone())
    }

    /// A schedule of one source, as `backfill` makes it.
    pub fn single(source: &str, section: SourceSection, http: HttpSection) -> Self {
        // Who fills one source in fetches nothing twice.
        let drift = DriftSection { rehash_per_night: Some(0) };
        let sources = BTreeMap::from([(source.to_owned(), section)]);
        Self { name: format!("backfill {source}"), http, drift, sources, ..Self::default() }
    }

    /// Where each source is and what to list there, with the ecosystems' own settings filled in, and how requests are
    /// made. Only configured base addresses may be on this machine or a private network.
    ///
    /// # Errors
    /// Wrong configuration: an address that is none, an operator's file that cannot be read.
    pub fn resolve(&self, seed: u64) -> anyhow::Result<Resolved> {
        let mut http = self.http.settings(seed);
        let (mut sources, mut skipped) = (BTreeMap::new(), BTreeMap::new());
        for (id, section) in &self.sources {
            let source = source_of(section.kind.as_deref().unwrap_or(id))?;
            match sources::reason_to_skip(source.meta(), section) {
                Some(reason) => drop(skipped.insert(id.clone(), reason)),
                None => drop(sources.insert(id.clone(), sources::run_of(source.meta(), section, &mut http)?)),
            }
        }
        let rehash_per_night = self.drift.rehash_per_night.unwrap_or(REHASH_PER_NIGHT);
        Ok(Resolved { sources, skipped, http, rehash_per_night, overrides: self.identity.overrides()? })
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
    /// Artifacts that are fetched and hashed again in one night.
    pub rehash_per_night: usize,
    /// What the operator decided about which listings are one thing.
    pub overrides: Overrides,
}

/// The source with this id.
///
/// # Errors
/// Wrong usage for an id that no source has; the text lists those that there are.
pub fn source_of(id: &str) -> anyhow::Result<&'static dyn Source> {
    if let Some(source) = source(id) {
        return Ok(source);
    }
    let known: Vec<&str> = SOURCES.iter().map(|source| source.meta().id).collect();
    Err(usage(format!("there is no source {id:?}; the sources are {}", known.join(", "))))
}

fn one_line(error: &toml::de::Error) -> String {
    let text = error.to_string();
    text.lines().filter(|line| !line.trim().is_empty()).map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every schedule of the repository, by name.
    const SCHEDULES: [(&str, &str); 2] =
        [("quickstart", QUICKSTART), ("nightly", include_str!("../../schedules/nightly.toml"))];

    #[test]
    fn every_schedule_is_one_and_has_the_name_of_its_file() {
        for (name, text) in SCHEDULES {
            let schedule = Schedule::parse(text, name).expect("a schedule");
            assert_eq!(schedule.name, name);
            let resolved = schedule.resolve(0).expect("resolves");
            assert_eq!(resolved.sources.len() + resolved.skipped.len(), schedule.sources.len());
        }
    }

    #[test]
    fn a_table_may_ask_a_source_under_a_name_of_its_own() {
        let text = "name = \"x\"\n[sources.corp]\nkind = \"sub-registry\"\nbase_url = \"https://registry.test\"\n\
                    requests_per_minute = 7\n";
        let resolved = Schedule::parse(text, "x").and_then(|schedule| schedule.resolve(0)).expect("resolves");
        let run = resolved.sources.get("corp").expect("there");
        assert_eq!((run.kind.as_str(), run.settings.base_url.as_str()), ("sub-registry", "https://registry.test"));
        let pace = resolved.http.paces.iter().find(|(address, _)| address == "https://registry.test");
        assert_eq!(pace.map(|(_, pace)| pace.per_minute), Some(7));
    }

    #[test]
    fn every_source_that_is_asked_over_http_may_be_on_this_machine() {
        let (base, changes) = ("http://127.0.0.1:9/base", "http://127.0.0.1:9/changes");
        for source in SOURCES {
            let (meta, mut http) = (source.meta(), HttpSettings::default());
            let (base_url, changes_url) = (Some(base.to_owned()), Some(changes.to_owned()));
            let section = SourceSection { base_url, changes_url, ..SourceSection::default() };
            let run = sources::run_of(meta, &section, &mut http).expect("resolves");
            assert_eq!(run.settings.base_url, base, "{}", meta.id);
            let expected: &[&str] = if meta.role.is_local() { &[changes] } else { &[base, changes] };
            assert_eq!(http.allowed_base_urls, expected, "{}", meta.id);
            let mut http = HttpSettings::default();
            let run = sources::run_of(meta, &SourceSection::default(), &mut http).expect("resolves");
            let is_own = meta.base_url.is_some_and(|own| own == run.settings.base_url);
            assert!(!is_own || http.allowed_base_urls.is_empty(), "{}: its own address is checked", meta.id);
        }
    }

    #[test]
    fn what_is_no_source_or_no_name_is_refused_with_its_place() {
        for (text, part) in [
            ("name = \"x\"\n[sources.nobody]\n", "there is no source"),
            ("name = \"x\"\n[sources.\"a:b\"]\nkind = \"npm\"\n", "is no name for a source"),
            ("name = \"x\"\n[sources.npm]\nwatchlits = []\n", "watchlits"),
        ] {
            let error = Schedule::parse(text, "x").expect_err("refused");
            assert!(format!("{error:#}").contains(part), "{error:#}");
        }
    }

    #[test]
    fn parts_of_a_source_move_with_its_address() {
        let text = "name = \"x\"\n[sources.github]\nbase_url = \"http://127.0.0.1:9/api\"\n";
        let resolved = Schedule::parse(text, "x").and_then(|schedule| schedule.resolve(0)).expect("resolves");
        assert!(resolved.http.paces.iter().any(|(address, _)| address == "http://127.0.0.1:9/api/search"));
    }
}
