//! Schedules: which sources to crawl and how politely, from a TOML file or the one compiled in.
//!
//! The network is asked nothing; the address of each registry is decided here once.

mod alerts;
mod appeals;
mod approved;
mod cron;
mod daemon;
mod export;
mod gap_tolerance;
mod http;
mod identity;
mod judge;
pub mod keys;
mod notifier;
mod notifier_section;
mod registries;
mod retention;
mod sources;
mod spread;
mod toml_error;
mod verdict;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capdex_corpus::identity::Overrides;
use capdex_crawlers::http::HttpSettings;
use capdex_crawlers::{SOURCES, Source, source};
use serde::Deserialize;
use url::Url;

use crate::advice;
use crate::exit::{is_wrong_usage, usage};
use crate::nearest::did_you_mean;
use gap_tolerance::MAX_GAP_PERCENT;
use keys::{REQUIRED, keys};

pub use alerts::{AlertSettings, AlertsSection};
pub use appeals::AppealsSection;
pub use approved::ApprovedSection;
pub use cron::Cron;
pub use daemon::{DaemonSection, OverlapPolicy, Timing};
pub use export::ExportSection;
pub use gap_tolerance::GapTolerance;
pub use http::HttpSection;
pub use identity::IdentitySection;
pub use judge::JudgeSection;
pub use notifier::{Notifier, NotifierTarget};
pub use retention::RetentionSection;
pub use sources::{SourceRun, SourceSection, ToldVerdicts, WalkCaps, certificates, variable};
pub use spread::SpreadSection;
pub use verdict::VerdictSection;

/// The schedule that runs without any configuration.
pub const QUICKSTART: &str = include_str!("../../schedules/quickstart.toml");

keys! {
    /// A schedule as written. Unknown keys are errors. The default one has no name and lists nothing.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Schedule {
        /// The name of the schedule in the ledger of runs.
        #[key(default = REQUIRED, example = r#""nightly""#)]
        pub name: String,
        /// A run ends with 3 where more than this percentage of a source's items have gaps: at 2, one of 49 items and none of 50.
        #[key(default = MAX_GAP_PERCENT, example = "5")]
        pub max_gap_percent: Option<u32>,
        /// The manner in which requests are made.
        #[serde(default)]
        pub http: HttpSection,
        /// Artifacts that are fetched again although they claim to be unchanged.
        #[serde(default)]
        pub drift: DriftSection,
        /// The receivers of alerts, and the limits of telling.
        #[serde(default)]
        pub alerts: AlertsSection,
        /// The names that names are compared with.
        #[serde(default)]
        pub lookalikes: TyposquatsSection,
        /// The operator's word on which listings are one thing.
        #[serde(default)]
        pub identity: IdentitySection,
        /// The operator's word beside capdex's own verdict. The verdict, its ranks and all scores stay as they are.
        #[serde(default)]
        pub verdict: VerdictSection,
        /// The operator's own list of what may be used.
        #[serde(default)]
        pub approved: ApprovedSection,
        /// Appeals of vendors against findings.
        #[serde(default)]
        pub appeals: AppealsSection,
        /// A language model that adds to what the rules find in servers; nobody is asked without it.
        #[serde(default)]
        pub judge: JudgeSection,
        /// Workers on other machines that scan for a night; without it a night scans on this machine.
        #[serde(default)]
        pub spread: SpreadSection,
        /// The times at which the daemon runs it; none for one that is run by hand only.
        pub daemon: Option<DaemonSection>,
        /// The dataset that a night writes.
        #[serde(default)]
        pub export: ExportSection,
        /// The time for which the store keeps things that nobody needs any more; for ever without it.
        pub retention: Option<RetentionSection>,
        /// The sources by id, each with what to list there.
        pub sources: BTreeMap<String, SourceSection>,
    }
}

keys! {
    /// Artifacts that are fetched again although they claim to be unchanged.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct DriftSection {
        /// Artifacts that claim to be unchanged and are fetched and hashed again in one night, other ones every night;
        /// `capdex drift --rehash` takes all.
        #[key(default = REHASH_PER_NIGHT, example = "200")]
        pub rehash_per_night: Option<usize>,
    }
}

/// Words before the colon of identities that no source lists under its own name.
const RESERVED: [&str; 2] = ["pinned", "mcpb"];

/// Artifacts that are fetched again in one night unless the schedule says otherwise. It reaches every artifact of a small
/// store once in a while, and is a rounding error in a large one.
const REHASH_PER_NIGHT: usize = 50;

keys! {
    /// Popular names of the operator's own, beside the established ones of the store.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct TyposquatsSection {
        /// Files of popular names with which a night compares names beside its own established ones. A line holds a name, how
        /// popular it is and whose it is, with tabs between; the last two are optional.
        #[key(default = "empty", example = r#"["popular.tsv"]"#)]
        pub popular: Vec<PathBuf>,
    }
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
            .map_err(|error| usage(format!("cannot read the schedule {}: {}", path.display(), advice::told(&error))))?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Reads a schedule from its text. `origin` names it in errors.
    ///
    /// # Errors
    /// A text that is no schedule, with its place.
    pub(crate) fn parse(text: &str, origin: &str) -> anyhow::Result<Self> {
        let schedule: Self = toml::from_str(text).map_err(|error| toml_error::placed(&error, text, origin))?;
        for (id, section) in &schedule.sources {
            // Sources are checked while the file is at hand, so that the error can name it.
            let kind = section.kind.as_deref().unwrap_or(id);
            if source(kind).is_none() {
                let path = ["sources", id, "kind"];
                let path = if section.kind.is_some() { &path[..] } else { &path[..2] };
                return Err(toml_error::at(text, origin, path, &no_source(kind)).into());
            }
            for (key, value) in [
                ("base_url", &section.base_url),
                ("changes_url", &section.changes_url),
                ("downloads_url", &section.downloads_url),
            ] {
                // A source without an address of its own may have a path there, and says itself what is wrong with it.
                let is_path = |text: &str| !text.contains("://") && (text.contains('/') || Path::new(text).exists());
                let may_be_path = key == "base_url"
                    && source(kind).is_some_and(|of| of.meta().base_url.is_none())
                    && value.as_deref().is_some_and(is_path);
                if let Some(why) = value.as_deref().filter(|_| !may_be_path).and_then(no_address) {
                    return Err(toml_error::at(text, origin, &["sources", id, key], &why).into());
                }
            }
            // What is listed is known by the table's name: under another source's it would pass for that one's.
            if source(id).is_some_and(|own| source(kind).is_none_or(|of| of.meta().id != own.meta().id))
                || RESERVED.contains(&id.as_str())
            {
                return Err(usage(format!("{origin}: the name {id:?} is not free for a table of kind {kind:?}")));
            }
            // The id becomes a part of keys and of file names.
            if id.is_empty() || id.contains(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-') {
                return Err(usage(format!("{origin}: {id:?} is no name for a source: letters, digits and dashes are")));
            }
        }
        // Resolved for its errors alone: a schedule with a wrong sink is refused before a night and not after it.
        let in_file = |error: anyhow::Error| match is_wrong_usage(&error) {
            true => usage(format!("{origin}: {error:#}")),
            false => error,
        };
        schedule.alerts().map_err(in_file)?;
        schedule.verdict.check_votes().map_err(in_file)?;
        schedule.appeals.settings().map_err(in_file)?;
        schedule.judge.settings().map_err(in_file)?;
        // Each of them begins with its key.
        let of_key = |why: String| {
            let (key, why) = why.split_once(": ").unwrap_or(("", &why));
            anyhow::Error::new(toml_error::at(text, origin, &key.split('.').collect::<Vec<_>>(), why))
        };
        schedule.approved.check().map_err(of_key)?;
        schedule.timing().map_err(of_key)?;
        schedule.keep_days().map_err(of_key)?;
        schedule.gap_tolerance().map_err(of_key)?;
        schedule.export.formats().map_err(of_key)?;
        schedule.spread.settings().map_err(of_key)?;
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

    /// How many gaps a run may have and still count as complete.
    ///
    /// # Errors
    /// The key and what is wrong with it.
    pub fn gap_tolerance(&self) -> Result<GapTolerance, String> {
        GapTolerance::of_key(self.max_gap_percent)
    }

    /// Whom to tell of alerts, and how.
    ///
    /// # Errors
    /// Wrong configuration, with the name of the sink.
    pub fn alerts(&self) -> anyhow::Result<AlertSettings> {
        self.alerts.resolve(self.http.contact.clone())
    }

    /// A schedule of one source, as `backfill` makes it.
    pub fn single(source: &str, section: SourceSection, http: HttpSection) -> Self {
        // Who fills one source in fetches nothing twice.
        let drift = DriftSection { rehash_per_night: Some(0) };
        let sources = BTreeMap::from([(source.to_owned(), section)]);
        Self { name: format!("backfill {source}"), http, drift, sources, ..Self::default() }
    }

    /// The address and the names of each source, with the ecosystems' own settings filled in, and the settings of requests.
    /// Only configured base addresses may be on this machine or a private network.
    ///
    /// # Errors
    /// Wrong configuration: an address that is none, an operator's file that cannot be read.
    pub fn resolve(&self, seed: u64) -> anyhow::Result<Resolved> {
        // Read for its errors: a schedule with a wrong document of rulings is refused before a night and not in it.
        self.verdict.policy()?;
        let mut http = self.http.settings(seed);
        http.certificates = certificates();
        let (mut sources, mut skipped) = (BTreeMap::<String, SourceRun>::new(), BTreeMap::new());
        for (id, section) in &self.sources {
            let source = source_of(section.kind.as_deref().unwrap_or(id))?;
            // Skipped with a reason, and not refused: a key that is missing tonight must not stop the other sources.
            match sources::reason_to_skip(source.meta(), section) {
                Some(reason) => drop(skipped.insert(id.clone(), reason)),
                None => drop(sources.insert(id.clone(), sources::run_of(id, source.meta(), section, &mut http)?)),
            }
        }
        registries::assign(&mut sources, &self.sources)?;
        // Known only when every source is: any of them may list what lies at a forge of another one's.
        let forges = sources::forges_of(sources.values());
        for run in sources.values_mut() {
            run.settings.forges.clone_from(&forges);
        }
        let rehash_per_night = self.drift.rehash_per_night.unwrap_or(REHASH_PER_NIGHT);
        Ok(Resolved { sources, skipped, http, rehash_per_night, overrides: self.identity.overrides()? })
    }
}

/// A schedule with everything found that it leaves to the machine.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The run of each source.
    pub sources: BTreeMap<String, SourceRun>,
    /// Sources that are not asked, and why.
    pub skipped: BTreeMap<String, String>,
    /// The settings of requests.
    pub http: HttpSettings,
    /// Artifacts that are fetched and hashed again in one night.
    pub rehash_per_night: usize,
    /// The operator's decisions about which listings are one thing.
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
    Err(usage(no_source(id)))
}

/// The words for an id that no source has.
fn no_source(id: &str) -> String {
    let known: Vec<&str> = SOURCES.iter().map(|source| source.meta().id).collect();
    let meant = did_you_mean(id, known.iter().copied());
    format!("there is no source {id:?}{meant}; the sources are {}", known.join(", "))
}

/// A text as an address of the web, with its host; none for any other text.
pub fn web_address(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// Why a text is no address that can be asked, with what to write; none for one that is.
pub fn no_address(text: &str) -> Option<String> {
    if web_address(text).is_some() {
        return None;
    }
    // A name with a port parses as an address whose scheme is the name.
    let with_scheme = format!("https://{}", text.split_once("://").map_or(text, |(_, rest)| rest));
    let example = web_address(&with_scheme).map_or("https://HOST/PATH", |_| with_scheme.as_str());
    Some(format!("{text:?} is no http or https address; write {example}"))
}

#[cfg(test)]
mod tests {
    use capdex_model::source_role::Ecosystem;

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
        let text = "name = \"x\"\n[sources.corp]\nkind = \"mcp-registry\"\nbase_url = \"https://registry.test\"\n\
                    requests_per_minute = 7\n";
        let resolved = Schedule::parse(text, "x").and_then(|schedule| schedule.resolve(0)).expect("resolves");
        let run = resolved.sources.get("corp").expect("there");
        assert_eq!(run.kind.as_str(), "mcp-registry");
        assert_eq!(run.settings.base_url.as_str(), "https://registry.test");
        let pace = resolved.http.rate_limits.iter().find(|(address, _)| address == "https://registry.test");
        assert_eq!(pace.map(|(_, pace)| pace.per_minute), Some(7));
    }

    #[test]
    fn every_source_that_is_asked_over_http_may_be_on_this_machine() {
        let (base, changes) = ("http://127.0.0.1:9/base", "http://127.0.0.1:9/changes");
        for source in SOURCES {
            let (meta, mut http) = (source.meta(), HttpSettings::default());
            let (base_url, changes_url) = (Some(base.to_owned()), Some(changes.to_owned()));
            let section = SourceSection { base_url, changes_url, ..SourceSection::default() };
            let run = sources::run_of(meta.id, meta, &section, &mut http).expect("resolves");
            assert_eq!(run.settings.base_url, base, "{}", meta.id);
            // A folder is asked nothing, and each endpoint is an address of its own.
            let is_alone = meta.role.is_local() || meta.role.ecosystem() == Some(Ecosystem::Mcp);
            let expected: &[&str] = if is_alone { &[changes] } else { &[base, changes] };
            let allowed: Vec<_> =
                http.allowed_base_urls.iter().map(|it| (it.source.as_str(), it.url.as_str())).collect();
            let expected: Vec<_> = expected.iter().map(|url| (meta.id, *url)).collect();
            assert_eq!(allowed, expected, "{}", meta.id);
            let mut http = HttpSettings::default();
            let run = sources::run_of(meta.id, meta, &SourceSection::default(), &mut http).expect("resolves");
            let is_own = meta.base_url.is_some_and(|own| own == run.settings.base_url);
            assert!(!is_own || http.allowed_base_urls.is_empty(), "{}: its own address is checked", meta.id);
        }
    }

    #[test]
    fn what_is_no_source_or_no_name_is_refused_with_its_place() {
        for (text, part) in [
            ("name = \"x\"\n[sources.nobody]\n", "there is no source"),
            ("name = \"x\"\n[sources.github]\nkind = \"folder\"\n", "is not free"),
            ("name = \"x\"\n[sources.pinned]\nkind = \"folder\"\n", "is not free"),
            ("name = \"x\"\n[sources.\"a:b\"]\nkind = \"npm\"\n", "is no name for a source"),
            ("name = \"x\"\n[sources.npm]\nwatchlits = []\n", "watchlits"),
            ("name = \"x\"\nmax_gap_percent = 101\n[sources]\n", "max_gap_percent: 101 is no percentage"),
        ] {
            let error = Schedule::parse(text, "x").expect_err("refused");
            assert!(format!("{error:#}").contains(part), "{error:#}");
        }
    }

    #[test]
    fn parts_of_a_source_move_with_its_address() {
        let text = "name = \"x\"\n[sources.github]\nbase_url = \"http://127.0.0.1:9/api\"\n";
        let resolved = Schedule::parse(text, "x").and_then(|schedule| schedule.resolve(0)).expect("resolves");
        assert!(resolved.http.rate_limits.iter().any(|(address, _)| address == "http://127.0.0.1:9/api/search"));
    }
}
