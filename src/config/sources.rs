//! From a source's table in a schedule to the run of it: its address, its hosts' paces, its keys from the environment.
//!
//! The network is asked nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capdex_crawlers::folder::PathPattern;
use capdex_crawlers::http::{AllowedBaseUrl, AppCredential, Credential, HttpSettings, RateLimit, Secret};
use capdex_crawlers::settings::{self, BaseUrl};
use capdex_crawlers::{ForgePaths, OperatorForge, SourceMeta, SourceSettings, WalkKind, WalkedNames, http, source};
use capdex_model::source_role::Ecosystem;
use serde::{Deserialize, Serialize};
use tracing::debug;

use super::keys::{NONE, keys};
use crate::advice;
use crate::clock;
use crate::exit::usage;

keys! {
    /// One source, by its id or under a name of the table's own.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct SourceSection {
        /// The source that is asked, where the table has a name of its own: several tables may ask sources of one kind at
        /// several addresses. Listings are kept under the table's name.
        #[key(default = "the table's name", example = r#""npm""#)]
        pub kind: Option<String>,
        /// Whether the source is asked at all.
        #[key(default = true, example = "false")]
        pub enabled: Option<bool>,
        /// The address of the source.
        #[key(default = "its own address; for npm and PyPI the ecosystem's settings, see below", example = r#""https://registry.example""#)]
        pub base_url: Option<String>,
        /// The names to list. For `folder` it may be written `paths`; for sources of documents, whose names are addresses,
        /// `urls`. `watchlist` is its name until version 0.2.
        #[serde(alias = "paths", alias = "urls", alias = "watchlist")]
        #[key(default = "empty", example = r#"["left-mcp", "@acme/server"]"#)]
        pub packages: Vec<String>,
        /// Searches in the source's own terms, for sources that can be searched.
        #[key(default = "empty", example = r#"["mcp server"]"#)]
        pub queries: Vec<String>,
        /// Paths inside the folders that are left out, for `folder`: `*` and `?` stand for letters of a name, `**` for any
        /// folders; a pattern without `/` fits a name anywhere.
        #[key(default = "empty", example = r#"["vendor", "docs/**"]"#)]
        pub exclude: Vec<String>,
        /// Whether installed dependencies and caches in the folders are left out, for `folder`: `node_modules`, virtual
        /// environments, the caches of package managers. Files in them that the folder's own texts name are read all the
        /// same.
        #[key(default = true, example = "false")]
        pub default_excludes: Option<bool>,
        /// The address of the feed of changes (npm: a CouchDB database; PyPI: a whole simple index with serials). With it a
        /// night asks only for what changed.
        #[key(default = NONE, example = r#""https://replicate.example/registry""#)]
        pub changes_url: Option<String>,
        /// Whether the source is also asked for what other listings refer to: packages, repositories, images, endpoints.
        #[key(default = "true for sources that are asked by name, but `folder` and registries that are not the ecosystem's own", example = "false")]
        pub follow: Option<bool>,
        /// References that are visited in one run at most, never visited ones first.
        #[key(default = MAX_REFERENCES, example = "20000")]
        pub max_references: Option<usize>,
        /// Release lines of an npm package that are looked at beside its latest version: other dist-tags and older majors,
        /// those published last first. What other listings name, of npm or PyPI, is always looked at, up to 64 names of one
        /// package. A change counts for a package when its packument changes next.
        #[key(default = RELEASE_LINES, example = "5")]
        pub release_lines: Option<usize>,
        /// Listings of one night that are asked for what they do not say themselves, those never asked first, for GitHub,
        /// npm, PyPI and Docker's MCP registry: downloads, attestations, commits, issues, releases, runs and the account. Each answer stands for days,
        /// as `docs/sources.md` says. `facts:COUNT` among the queries of GitHub is its name until version 0.2.
        #[key(default = "0: nothing beside the listings", example = "500")]
        pub signals: Option<usize>,
        /// The address of the counts of downloads, for npm and PyPI, and of images for Docker's MCP registry. The npm registry and
        /// Docker's have one of their own; without it none are asked for elsewhere.
        #[key(default = NONE, example = r#""https://downloads.registry.example""#)]
        pub downloads_url: Option<String>,
        /// Whether an alert tells of listings that stand at block or caution: `true` for all of the source, `false` for none.
        #[key(default = "for the names in `packages` alone", example = "true")]
        pub tell_verdicts: Option<bool>,
        /// Requests after which the walk stops; the next run goes on.
        #[key(default = "no budget", example = "1000")]
        pub max_requests: Option<u64>,
        /// Requests a minute, where that shall differ from the source's published limit. It holds for all requests of the
        /// source together, whatever host they go to.
        #[key(default = "as `docs/sources.md` says", example = "30")]
        pub requests_per_minute: Option<u32>,
        /// Days after which everything is walked again although the source can say what changed.
        #[key(default = FULL_WALK_DAYS, example = "30")]
        pub full_walk_days: Option<u32>,
        /// The share of the listings in percent that may be missing at once before `capdex sources accept-removals` is needed.
        #[key(default = MAX_GONE_PERCENT, example = "5")]
        pub max_gone_percent: Option<u32>,
        /// Pages of one run at most. A directory that goes on behind them has a gap that says so.
        #[key(default = MAX_PAGES, example = "5000")]
        pub max_pages: Option<u64>,
        /// Listings that the source may have in the store, gone ones included. Behind them its walk stops with a gap, tonight
        /// and every night.
        #[key(default = MAX_ROWS, example = "100000")]
        pub max_rows: Option<u64>,
        /// The growth in percent that one run may bring to a source that has listings. So many new ones as stand in the store
        /// count as 100. A walk that brings more stops with a gap, and the next run goes on. Where it is not set, the first
        /// 500,000 new ones are always taken.
        #[key(default = MAX_GROWTH_PERCENT, example = "200")]
        pub max_growth_percent: Option<u32>,
    }
}

/// References that are visited in one run unless the schedule says otherwise.
const MAX_REFERENCES: usize = 5_000;
/// Release lines of a package unless the schedule says otherwise: the pre-release and the older major that were published
/// last. An attacker's back-port is the newest of all.
const RELEASE_LINES: usize = 2;
/// Days between two full walks unless the schedule says otherwise.
const FULL_WALK_DAYS: u32 = 7;
/// The share that may be missing at once unless the schedule says otherwise.
const MAX_GONE_PERCENT: u32 = 10;
/// Pages of one run unless the schedule says otherwise. The largest directory had 1,400 in October 2026.
const MAX_PAGES: u64 = 100_000;
/// Listings of one source unless the schedule says otherwise. The largest directories had 140,000 in October 2026, and a
/// million is in sight.
const MAX_ROWS: u64 = 3_000_000;
/// Growth in one run unless the schedule says otherwise. The fastest directory grew by half within two months.
const MAX_GROWTH_PERCENT: u32 = 1_000;

/// The manner in which one source is walked in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRun {
    /// The id of the source that is asked.
    pub kind: String,
    /// The address and the names.
    pub settings: SourceSettings,
    /// The registry that its packages are of, as their identity writes it; none for the ecosystem's own, and where there are
    /// no packages.
    pub registry: Option<String>,
    /// True where it is also asked for what other listings refer to. Those sources are walked after the others.
    pub follows: bool,
    /// References that are visited at most.
    pub max_references: usize,
    /// Listings of one night that are asked for what they do not say themselves.
    pub signals: usize,
    /// The listings whose bad verdicts are told.
    pub told_verdicts: ToldVerdicts,
    /// Requests after which the walk stops until the next run; none without a budget.
    pub max_requests: Option<u64>,
    /// Entries after which the walk stops until the next run; none without a limit.
    pub max_entries: Option<u64>,
    /// Days after which everything is walked again although the source can say what changed.
    pub full_walk_days: u32,
    /// The share of the listings in percent that may be missing at once before an operator must confirm it.
    pub max_gone_percent: u32,
    /// The bounds of a walk.
    pub caps: WalkCaps,
}

/// The listings of a source of which an alert tells when they stand at block or caution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum ToldVerdicts {
    /// None of them.
    None,
    /// Those that the schedule names.
    Named,
    /// Every one: a directory has hundreds.
    All,
}

/// The bounds of a walk, far above what any real directory has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkCaps {
    /// Pages of one run at most.
    pub pages: u64,
    /// Listings that the source may have in the store at most, in any state.
    pub rows: u64,
    /// New listings of one run in percent of those that stand in the store at most.
    pub growth_percent: u32,
    /// True where the schedule says so itself, and means small sources too.
    pub is_growth_set: bool,
}

/// Why a source is not asked at all; none where it is.
pub(super) fn reason_to_skip(meta: &SourceMeta, section: &SourceSection) -> Option<String> {
    if section.enabled == Some(false) {
        return Some("the schedule turns it off".to_owned());
    }
    let missing: Vec<&str> = meta
        .keys
        .iter()
        // A variable that is set to nothing counts as not set.
        .filter(|key| key.is_required && variable(key.variable).is_none_or(|value| value.trim().is_empty()))
        .map(|key| key.variable)
        .collect();
    if missing.is_empty() {
        return None;
    }
    Some(format!("it answers nothing without a key: set {}", missing.join(" and ")))
}

/// The run of the source that the schedule names `id`; its hosts' paces and its credentials go into the settings of the client.
///
/// # Errors
/// Wrong configuration: an address that is none, a key that cannot be read.
pub(super) fn run_of(
    id: &str,
    meta: &SourceMeta,
    section: &SourceSection,
    http: &mut HttpSettings,
) -> anyhow::Result<SourceRun> {
    let settings = source_settings(id, meta, section, http)?;
    add_paces(meta, section, &settings.base_url, http);
    http.source_paces.extend(section.requests_per_minute.map(|per_minute| (id.to_owned(), per_minute)));
    add_keys(meta, &settings.base_url, http);
    // Installation tokens are a thing of GitHub alone.
    if meta.role.ecosystem() == Some(Ecosystem::GitHub) {
        add_app(meta, &settings.base_url, http)?;
    }
    // Local folders list themselves, and references of strangers must not make us read this machine.
    let is_asked_by_name = meta.walk == WalkKind::Names && !meta.role.is_local();
    Ok(SourceRun {
        kind: meta.id.to_owned(),
        follows: section.follow.unwrap_or(is_asked_by_name),
        max_references: section.max_references.unwrap_or(MAX_REFERENCES),
        signals: signals_of(section)?,
        told_verdicts: match section.tell_verdicts {
            None => ToldVerdicts::Named,
            Some(true) => ToldVerdicts::All,
            Some(false) => ToldVerdicts::None,
        },
        max_requests: section.max_requests,
        max_entries: None,
        full_walk_days: section.full_walk_days.unwrap_or(FULL_WALK_DAYS),
        max_gone_percent: section.max_gone_percent.unwrap_or(MAX_GONE_PERCENT),
        registry: None,
        caps: WalkCaps {
            pages: section.max_pages.unwrap_or(MAX_PAGES),
            rows: section.max_rows.unwrap_or(MAX_ROWS),
            growth_percent: section.max_growth_percent.unwrap_or(MAX_GROWTH_PERCENT),
            is_growth_set: section.max_growth_percent.is_some(),
        },
        settings,
    })
}

/// The operator's own forges: the hosts of the base addresses of sources of other forges than GitHub.
pub(super) fn forges_of<'a>(runs: impl Iterator<Item = &'a SourceRun>) -> Vec<OperatorForge> {
    let is_forge =
        |run: &&SourceRun| source(&run.kind).and_then(|source| source.meta().role.ecosystem()) == Some(Ecosystem::Git);
    let of = |run: &SourceRun| {
        let host = http::host_of(&run.settings.base_url)?;
        // Names of repositories have no port.
        let (host, _) = host.rsplit_once(':')?;
        Some(OperatorForge { host: host.to_ascii_lowercase(), paths: ForgePaths::of_interface(&run.settings.base_url) })
    };
    runs.filter(is_forge).filter_map(of).collect()
}

/// Adds the paces of the source's hosts: the published limits, and for its own address what the schedule says.
fn add_paces(meta: &SourceMeta, section: &SourceSection, base_url: &str, http: &mut HttpSettings) {
    for (number, (address, pace)) in meta.rate_limits.iter().enumerate() {
        let is_own = number == 0 && !base_url.is_empty();
        let mut pace = *pace;
        if let (0, Some(per_minute)) = (number, section.requests_per_minute) {
            pace.per_minute = per_minute;
            // A burst above the pace would exceed the limit in the first minute.
            pace.burst = pace.burst.min(per_minute.max(1));
        }
        // A part of the source's own host is a part of it wherever the operator says that it is.
        let below = meta.base_url.and_then(|own| address.strip_prefix(own)).filter(|_| !base_url.is_empty());
        let address = match below {
            _ if is_own => base_url.to_owned(),
            Some(path) => format!("{base_url}{path}"),
            None => (*address).to_owned(),
        };
        http.rate_limits.push((address, pace));
    }
    if let (true, Some(per_minute), false) =
        (meta.rate_limits.is_empty(), section.requests_per_minute, base_url.is_empty())
    {
        // As many at once as the client allows anyway, for want of a published limit.
        let in_flight = u32::try_from(http.max_in_flight_per_host).unwrap_or(1);
        http.rate_limits.push((base_url.to_owned(), RateLimit { per_minute, burst: in_flight, in_flight }));
    }
}

/// Adds the proofs of who asks, from the environment. Several values, with commas between, are a pool.
fn add_keys(meta: &SourceMeta, base_url: &str, http: &mut HttpSettings) {
    for key in meta.keys {
        let values = variable(key.variable).unwrap_or_default();
        for value in values.split(',').map(str::trim).filter(|value| !value.is_empty()) {
            http.credentials.push(Credential {
                // Bound to the base address: a redirect to another host does not carry the key there.
                base_url: base_url.to_owned(),
                header: key.header.to_owned(),
                value: Secret::new(format!("{}{value}", key.prefix)),
                kind: meta.id.to_owned(),
            });
        }
    }
}

/// A GitHub App as one more credential, where the environment names one.
fn add_app(meta: &SourceMeta, base_url: &str, http: &mut HttpSettings) -> anyhow::Result<()> {
    let named = ["CAPDEX_GITHUB_APP", "CAPDEX_GITHUB_APP_INSTALLATION", "CAPDEX_GITHUB_APP_KEY"].map(variable);
    let [Some(app), Some(installation), Some(path)] = named else {
        return match named.iter().flatten().next() {
            None => Ok(()),
            // Two of three are a mistake, and going on without the App would look like a slow source.
            Some(_) => Err(usage(
                "a GitHub App needs CAPDEX_GITHUB_APP, CAPDEX_GITHUB_APP_INSTALLATION and CAPDEX_GITHUB_APP_KEY (a file)",
            )),
        };
    };
    let key = std::fs::read_to_string(&path)
        .map_err(|error| usage(format!("cannot read the key of the GitHub App in {path}: {}", advice::told(&error))))?;
    http.apps.push(AppCredential {
        base_url: base_url.to_owned(),
        app,
        installation,
        kind: meta.id.to_owned(),
        private_key: Secret::new(key),
        made: clock::now(),
    });
    Ok(())
}

fn source_settings(
    id: &str,
    meta: &SourceMeta,
    section: &SourceSection,
    http: &mut HttpSettings,
) -> anyhow::Result<SourceSettings> {
    let sorted = |names: &[String]| -> Vec<String> {
        // Sorted and each once, so that the order of a schedule does not change a night.
        let names: BTreeSet<String> = names.iter().cloned().collect();
        names.into_iter().collect()
    };
    for pattern in &section.exclude {
        pattern.parse::<PathPattern>().map_err(|why| usage(format!("exclude = {pattern:?}: {why}")))?;
    }
    let configured = section.base_url.as_deref();
    let mut scopes = BTreeMap::new();
    let base_url = match meta.role.ecosystem() {
        // An address in the schedule wins over the ecosystem's own settings, with their scopes.
        Some(Ecosystem::Npm) => {
            if configured.is_none() {
                for (scope, base) in settings::npm_scopes(&variable, &text_of)? {
                    base.configure(id, meta.id, http);
                    scopes.insert(scope, base.url);
                }
            }
            configure(settings::npm_base_url(&variable, &text_of, configured)?, (id, meta.id), http)
        }
        Some(Ecosystem::Pypi) => {
            configure(settings::pypi_base_url(&variable, &text_of, configured)?, (id, meta.id), http)
        }
        // A source's own address is public and checked like any other; only what an operator writes may lead anywhere.
        _ => match configured {
            // What is no address is a file of the operator's, as a catalogue may be.
            Some(url) if !meta.role.is_local() && url.contains("://") => {
                // Every name of `mcp` is an address of its own. Those that strangers choose gain nothing by this one.
                if meta.role.ecosystem() != Some(Ecosystem::Mcp) {
                    http.allowed_base_urls.push(AllowedBaseUrl::new(id, url));
                }
                url.trim_end_matches('/').to_owned()
            }
            Some(folder) => folder.to_owned(),
            None => meta.base_url.unwrap_or_default().to_owned(),
        },
    };
    // A feed often has a host of its own, which the operator has named here.
    if let Some(url) = &section.changes_url {
        http.allowed_base_urls.push(AllowedBaseUrl::new(id, url));
    }
    if let Some(url) = &section.downloads_url {
        http.allowed_base_urls.push(AllowedBaseUrl::new(id, url));
    }
    // What the operator lists himself may be an address on his own network; what other listings refer to may not.
    http.own_names.extend(section.packages.iter().map(|name| (id.to_owned(), name.clone())));
    Ok(SourceSettings {
        base_url,
        scopes,
        watchlist: sorted(&section.packages),
        queries: sorted(&section.queries).into_iter().filter(|query| !query.starts_with(FACTS)).collect(),
        forges: Vec::new(),
        changes_url: section.changes_url.clone(),
        downloads_url: section.downloads_url.clone(),
        exclude: sorted(&section.exclude),
        with_dependencies: section.default_excludes == Some(false),
        release_lines: section.release_lines.unwrap_or(RELEASE_LINES),
        walked: WalkedNames::default(),
    })
}

/// How a schedule of version 0.1 says among the queries how many repositories are asked for more.
const FACTS: &str = "facts:";

/// The listings of a night that are asked for more.
fn signals_of(section: &SourceSection) -> anyhow::Result<usize> {
    let former = section.queries.iter().find_map(|query| query.trim().strip_prefix(FACTS));
    let former = former.map(|count| {
        count.parse().map_err(|_| usage(format!("queries = {FACTS}{count:?}: `{FACTS}` has a number of repositories")))
    });
    Ok(section.signals.or(former.transpose()?).unwrap_or(0))
}

fn configure(base: BaseUrl, (id, kind): (&str, &str), http: &mut HttpSettings) -> String {
    debug!(source = id, url = %base.url, origin = %base.origin, "found the source's address");
    base.configure(id, kind, http);
    base.url
}

/// The variables of version 0.1 that have another name now: the name now, and then. Both are read until version 0.2.
const FORMER_VARIABLES: [(&str, &str); 1] = [("CAPDEX_MCP_REGISTRY_KEY", "CAPDEX_SUB_REGISTRY_KEY")];

/// The value of a variable of the environment, under its name or the one that it had.
pub fn variable(name: &str) -> Option<String> {
    let former = FORMER_VARIABLES.iter().find(|(now, _)| *now == name).map(|(_, then)| *then);
    std::env::var(name).ok().or_else(|| std::env::var(former?).ok())
}

/// The certificates of authorities that npm, Node and pip are told to trust on this machine.
pub fn certificates() -> Vec<settings::TrustedCertificates> {
    settings::certificates(&variable, &text_of)
}

/// The text of a file; none where it cannot be read.
pub(super) fn text_of(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}
