//! Registries, forges and endpoints: what they say now of what the store does not know, fetched, unpacked and scanned in memory.
//!
//! Sources, client, limits and fetchers are those of the nights. Nothing is kept.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use capdex_crawlers::http::Http;
use capdex_crawlers::unpack::UnpackLimits;
use capdex_crawlers::{CrawlError, ListRequest, ListedEntry, NextPage, SourceSettings, WalkCursor, WalkScope, source};
use capdex_model::abuse::Report;
use capdex_model::bundle::Bundle;
use capdex_model::ids::{ListingKey, package_identity};
use capdex_model::listing::{Claim, Listing, Locator, Validators};
use capdex_model::release_line;
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::source_role::Ecosystem;
use capdex_model::takedown;
use capdex_model::time::AsOf;
use futures_util::StreamExt as _;
use tokio::sync::Semaphore;

use super::answer::{AnsweredBy, CheckAnswer, Refusal};
use super::stored::AbuseReports;
use crate::analysis;
use crate::config::{Resolved, SourceRun};
use crate::jobs::fetch::fetch_one;
use crate::progress::StageProgress;
use crate::shutdown::ShutdownFlag;

/// Artifacts in memory at once, over all hosts.
const AT_ONCE: usize = 6;
/// Artifacts under way at once. Most of them wait for their host's rate limit.
const WINDOW: usize = 16;

/// One question to a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// The source, by the name of its table in the schedule, and the name there.
    pub key: ListingKey,
    /// The commit of a repository; none for the latest.
    pub commit: Option<String>,
}

/// The sources of a schedule with the one client.
pub struct Registries<'a> {
    http: Http,
    sources: &'a BTreeMap<String, SourceRun>,
    skipped: &'a BTreeMap<String, String>,
    /// What lists of abuse report; none where nobody imported any.
    reports: Option<AbuseReports>,
    at: AsOf,
}

impl<'a> Registries<'a> {
    /// Opens the client. The endpoints `own` are those that a person wrote: they may lie on this machine. What `reports` say of a
    /// package is said of what is fetched of it.
    ///
    /// # Errors
    /// A client that cannot be set up.
    pub fn open(
        resolved: &'a Resolved,
        own: &[String],
        reports: Option<AbuseReports>,
        at: AsOf,
    ) -> anyhow::Result<Self> {
        let mut settings = resolved.http.clone();
        settings.own_names.extend(own.iter().map(|url| (Ecosystem::Mcp.as_str().to_owned(), url.clone())));
        let http = Http::new(settings).context("failed to set up the HTTP client")?;
        Ok(Self { http, sources: &resolved.sources, skipped: &resolved.skipped, reports, at })
    }

    /// Answers questions, each as soon as its bytes are there.
    pub async fn answer(
        &self,
        questions: BTreeSet<Question>,
        pool: &rayon::ThreadPool,
        progress: &StageProgress,
    ) -> BTreeMap<Question, CheckAnswer> {
        let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for question in &questions {
            names.entry(&question.key.source).or_default().insert(&question.key.name);
        }
        let listed = names.into_iter().map(|(id, names)| self.list(id, names));
        let listed: BTreeMap<ListingKey, Listed> =
            futures_util::future::join_all(listed).await.into_iter().flatten().collect();
        let (slots, stop) = (Semaphore::new(AT_ONCE), ShutdownFlag::default());
        let work = questions.iter().map(|question| {
            let listed = listed.get(&question.key).cloned();
            let (slots, stop) = (&slots, &stop);
            async move {
                let answer = self.look(question, listed, slots, stop, pool).await;
                progress.advance(1);
                progress.show(self.http.usage().bytes, &question.key.to_string());
                (question.clone(), answer)
            }
        });
        futures_util::stream::iter(work).buffer_unordered(WINDOW).collect().await
    }

    /// What a source says of names.
    async fn list(&self, id: &str, names: BTreeSet<&str>) -> Vec<(ListingKey, Listed)> {
        let keys = names.iter().map(|name| ListingKey::new(id, *name));
        let all = |why: Refusal| keys.clone().map(|key| (key, Listed::Refused(why.clone()))).collect();
        let Some((run, source)) = self.sources.get(id).and_then(|run| Some((run, source(&run.kind)?))) else {
            let why = self.skipped.get(id).map_or("the schedule does not name it", String::as_str);
            return all(Refusal::of(format!("{id} is not asked: {why}")));
        };
        let http = self.http.acting_for(id, &run.kind);
        // Only what is asked for: no search, no feed, no line of a package that nobody named.
        let watchlist = names.iter().map(|name| (*name).to_owned()).collect();
        let settings = SourceSettings {
            watchlist,
            queries: Vec::new(),
            changes_url: None,
            release_lines: 0,
            ..run.settings.clone()
        };
        let known: BTreeMap<ListingKey, Validators> = BTreeMap::new();
        let (mut cursor, mut entries): (Option<WalkCursor>, Vec<ListedEntry>) = (None, Vec::new());
        // A source takes some names a step, so that there are no more steps than names.
        for _ in 0..=names.len() {
            let request = ListRequest {
                id,
                http: &http,
                settings: &settings,
                walk: WalkScope::Full,
                cursor: cursor.as_ref(),
                known: &known,
                as_of: self.at,
            };
            let page = match source.list(request).await {
                Ok(page) => page,
                Err(error) => return all(refusal_of(id, &error)),
            };
            entries.extend(page.listed);
            match page.next {
                NextPage::More(next) => cursor = Some(next),
                NextPage::Complete { .. } => break,
            }
        }
        entries.into_iter().map(|entry| of_entry(entry, run)).collect()
    }

    /// Fetches and scans what a listing leads to.
    async fn look(
        &self,
        question: &Question,
        listed: Option<Listed>,
        slots: &Semaphore,
        stop: &ShutdownFlag,
        pool: &rayon::ThreadPool,
    ) -> CheckAnswer {
        let refused = |refusal: Refusal| CheckAnswer::refused(&question.key.to_string(), refusal);
        let FetchedPackage { bundle, version } = match self.fetch(question, listed, slots, stop).await {
            Ok(fetched) => fetched,
            Err(refusal) => return refused(refusal),
        };
        let (by, identity) = (Some(AnsweredBy::Registry), bundle.identity.clone());
        // The pool's threads do the work, and other answers are waited for meanwhile.
        let (send, scanned) = tokio::sync::oneshot::channel();
        pool.spawn(move || drop(send.send(analysis::scan(&bundle))));
        match scanned.await {
            Ok(scanned) => CheckAnswer { scanned, identity, version, by, refusal: None },
            Err(_) => refused(Refusal::of("reading it broke off")),
        }
    }

    /// The files of one package.
    ///
    /// # Errors
    /// Why they cannot be had.
    pub async fn package(&self, question: &Question) -> Result<FetchedPackage, Refusal> {
        let names = BTreeSet::from([question.key.name.as_str()]);
        let listed = self.list(&question.key.source, names).await.into_iter().find(|(key, _)| *key == question.key);
        let (slots, stop) = (Semaphore::new(1), ShutdownFlag::default());
        self.fetch(question, listed.map(|(_, listed)| listed), &slots, &stop).await
    }

    /// Fetches what a listing leads to.
    async fn fetch(
        &self,
        question: &Question,
        listed: Option<Listed>,
        slots: &Semaphore,
        stop: &ShutdownFlag,
    ) -> Result<FetchedPackage, Refusal> {
        let listing = match listed {
            Some(Listed::There(listing)) => listing,
            Some(Listed::TakenDown(listing, words)) => return Ok(taken_down(&listing, words)),
            Some(Listed::Refused(refusal)) => return Err(refusal),
            None => return Err(Refusal::of("its source said nothing of it")),
        };
        let locator = listing.locators.first().map(|locator| at_commit(locator, question.commit.as_deref()));
        let locator = locator.ok_or_else(|| Refusal::of("there is nothing in it"))?;
        let kind = self.sources.get(&question.key.source).map_or(question.key.source.as_str(), |run| run.kind.as_str());
        let http = self.http.acting_for(&question.key.source, kind);
        let fetched = fetch_one(&http, &locator, &UnpackLimits::default(), slots, stop).await;
        let fetched = fetched.ok_or_else(|| Refusal::of("the run was stopped"))?;
        let fetched = fetched.map_err(|error| refusal_of(&question.key.to_string(), &error))?;
        let identity = locator.identity();
        let mut claims = listing.claims.clone();
        claims.repository_signals.reports = self.reports_of(&identity, &listing.key);
        let mut gaps = fetched.gaps;
        gaps.extend(takedown::gap_of(&claims));
        gaps.sort();
        let version = match &locator {
            Locator::GitArchive { commit, .. } => Some(commit.clone()),
            _ => locator.version().map(str::to_owned),
        };
        let bundle = Bundle { identity, files: fetched.files, gaps, claims, named: None };
        Ok(FetchedPackage { bundle, version })
    }

    /// The reports about a package, which are also about each of its release lines. Unknown where no list was imported.
    fn reports_of(&self, identity: &str, listing: &ListingKey) -> Claim<Vec<Report>> {
        let Some(reports) = &self.reports else { return Claim::Unknown };
        let subjects =
            [identity.to_owned(), release_line::package_of_identity(identity).into_owned(), listing.to_string()];
        let found: BTreeSet<&Report> = subjects.iter().filter_map(|subject| reports.get(subject)).flatten().collect();
        Claim::Known(found.into_iter().cloned().collect())
    }
}

/// The files of a package with its claims.
pub struct FetchedPackage {
    /// Files, gaps and claims.
    pub bundle: Bundle,
    /// The version, or the commit.
    pub version: Option<String>,
}

/// What a source says of one name.
#[derive(Clone, Debug)]
enum Listed {
    There(Box<Listing>),
    /// The registry's words say that it was malicious.
    TakenDown(Box<Listing>, String),
    Refused(Refusal),
}

fn of_entry(entry: ListedEntry, run: &SourceRun) -> (ListingKey, Listed) {
    match entry {
        ListedEntry::Changed { mut listing, .. } => {
            for locator in &mut listing.locators {
                locator.set_registry(run.registry.as_deref());
            }
            (listing.key.clone(), Listed::There(listing))
        }
        ListedEntry::TakenDown { key, detail } if takedown::speaks_of_malice(&detail) => {
            let package = release_line::package_of(&key.name);
            let identity = package_identity(&run.kind, package, run.registry.as_deref());
            let notice = Box::new(takedown::notice(key.clone(), identity, &detail));
            (key, Listed::TakenDown(notice, detail))
        }
        ListedEntry::TakenDown { key, detail } => {
            let why = Refusal::of(format!("its registry took it down: {detail}"));
            (key, Listed::Refused(why))
        }
        ListedEntry::Gone(key) => {
            let why = match release_line::of_name(&key.name).filter(|_| release_line::has_lines(&run.kind)) {
                Some((package, line)) => format!("{}:{package} has no version {line} (404)", run.kind),
                None => format!("{}:{} does not exist (404)", run.kind, key.name),
            };
            (key, Listed::Refused(Refusal::of(why)))
        }
        ListedEntry::Moved { key, to } => {
            let why = Refusal::of(format!("it has the name {to} now; check that one"));
            (key, Listed::Refused(why))
        }
        ListedEntry::Failed { key, gap, .. } => {
            let is_unreachable = gap.reason == GapReason::Unreachable;
            (key, Listed::Refused(Refusal { reason: gap.detail, is_unreachable }))
        }
        ListedEntry::Unchanged(key) => (key, Listed::Refused(Refusal::of("its source gave no answer of now"))),
    }
}

fn refusal_of(name: &str, error: &CrawlError) -> Refusal {
    let is_unreachable = matches!(error, CrawlError::Unreachable { .. } | CrawlError::Transient { .. });
    let reason = match error {
        CrawlError::Gone { .. } => format!("{name} does not exist (404)"),
        _ => error.to_string(),
    };
    Refusal { reason, is_unreachable }
}

/// A package that its registry took away as malicious: no file is left, and the words alone are judged.
fn taken_down(listing: &Listing, words: String) -> FetchedPackage {
    let identity = listing.locators.first().map(Locator::identity).unwrap_or_default();
    let gaps = vec![Gap::new(".", GapReason::TakenDown, words)];
    let local = Bundle::local(identity, BTreeMap::new());
    FetchedPackage { bundle: Bundle { gaps, claims: listing.claims.clone(), ..local }, version: None }
}

/// The archive of a repository at another commit. Its address ends with the commit.
fn at_commit(locator: &Locator, commit: Option<&str>) -> Locator {
    match (locator, commit) {
        (Locator::GitArchive { repository, commit: latest, url }, Some(commit)) => Locator::GitArchive {
            repository: repository.clone(),
            url: url.strip_suffix(latest.as_str()).map_or_else(|| url.clone(), |start| format!("{start}{commit}")),
            commit: commit.to_owned(),
        },
        _ => locator.clone(),
    }
}
