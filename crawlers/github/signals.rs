//! What GitHub is asked of a repository beside its document: people, commits, releases, issues and the account behind it.
//!
//! With a token one GraphQL query has most of it (`overview.rs`); without one, and at forges that have no GraphQL, the
//! REST interface has a part. A question without an answer stays unknown.

use std::collections::BTreeMap;
use std::sync::Arc;

use capdex_model::entity_signals::rounded;
use capdex_model::listing::{Claim, Claims, Listing};
use octocrab::Page;
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::sync::Mutex;

use super::interface::{GithubResponse, Interface};
use super::overview::{self, Overview};
use super::repository::name_of;
use crate::claims::instant;
use crate::collect::{Answers, CollectFuture, CollectRequest, Collected, Collector};
use crate::{CrawlError, walk};

/// Finished runs of workflows that are looked at: what a page has, some weeks of most repositories.
const RUNS: &str = "100";
/// Fewer runs than this say nothing of health.
const ENOUGH_RUNS: u64 = 5;

/// Weeks in the quarter that is counted: 91 days.
const QUARTER_WEEKS: usize = 13;

/// The collector.
pub(super) const COLLECTOR: &dyn Collector = &GithubCollector;

struct GithubCollector;

impl Collector for GithubCollector {
    fn step(&self) -> usize {
        walk::STEP
    }

    fn days(&self) -> i64 {
        7
    }

    fn is_of_version(&self) -> bool {
        // Every push changes the listing, and the counts of a year hardly.
        false
    }

    fn collect<'a>(&'a self, request: CollectRequest<'a>) -> CollectFuture<'a> {
        Box::pin(collect(request))
    }
}

async fn collect(request: CollectRequest<'_>) -> Result<Answers, CrawlError> {
    let github = Interface::new(request.http, &request.settings.base_url);
    let asked = Asked {
        github,
        as_of: request.as_of.0,
        may_have_graphql: request.http.may_have_credential(),
        has_graphql: request.http.has_credential(),
        accounts: Arc::default(),
        memberships: Arc::default(),
    };
    let visits = request.listings.iter().map(|listing| asked.clone().repository(listing.clone()));
    let visited = walk::concurrently(visits).await;
    let mut answers = Answers::new();
    for (listing, visited) in request.listings.iter().zip(visited) {
        let answer = match visited.unwrap_or_else(|| Err(walk::broken(&listing.key))) {
            Ok(answer) => answer,
            // A failure that passes concerns the server as a whole; a refusal concerns this repository.
            Err(error) if error.is_transient() => return Err(error),
            Err(error) => Collected::failed(&listing.key, &error),
        };
        answers.push((listing.key.clone(), answer));
    }
    Ok(answers)
}

/// What the visits of a step have in common.
#[derive(Clone)]
struct Asked {
    github: Interface,
    as_of: capdex_model::time::Timestamp,
    /// False where the GraphQL interface is not asked: it answers nobody without a token.
    may_have_graphql: bool,
    /// True where its errors count; a record may be of a crawl without a token.
    has_graphql: bool,
    /// The documents of the accounts so far, by login: one account often owns several repositories.
    accounts: Arc<Mutex<BTreeMap<String, Option<Value>>>>,
    /// The organisations of each account so far, by login.
    memberships: Arc<Mutex<BTreeMap<String, Claim<u64>>>>,
}

impl Asked {
    async fn repository(self, listing: Listing) -> Result<Collected, CrawlError> {
        let (github, calls) = (&self.github, self.github.calls());
        let Some((owner, name)) = name_of(&listing.key.name) else { return Err(walk::broken(&listing.key)) };
        let (mut claims, mut is_finished) = (Claims::default(), true);
        let mut branch = None;
        let overview = match self.overview((owner, name)).await {
            Err(error) if self.has_graphql => return Err(error),
            overview => overview.ok().flatten(),
        };
        if let Some(overview) = overview {
            let known = listing.claims.repository_signals.repository_id.known();
            // The name may lead to another repository since it was listed.
            if known.is_some() && overview.id.is_some() && known != overview.id.as_ref() {
                return Err(github.malformed("the name leads to another repository than the one listed"));
            }
            branch.clone_from(&overview.branch);
            if let Some(branch) = &branch {
                claims.repository_signals.branch_protected = self.is_protected((owner, name), branch).await?;
            }
            claims.repository_signals.account_organizations =
                if overview.is_organization { Claim::Absent } else { self.memberships(owner).await? };
            overview.add_to(&mut claims);
        } else {
            is_finished = self.rest((owner, name), &mut claims).await?;
        }
        let signals = &mut claims.repository_signals;
        // With one entry a page, the number of the last page in `Link` is the number of contributors.
        let contributors = calls.repos(owner, name);
        let contributors = heard(github.page(contributors.list_contributors().per_page(1u8).send()).await)?;
        signals.contributors = contributors.map_or(Claim::Unknown, |told| count(&told.document));
        let workflows = calls.workflows(owner, name);
        let workflows = heard(github.document(workflows.list().per_page(1u8).send(), None).await)?.flatten();
        let workflows = workflows.and_then(|told| told.document.get("total_count")?.as_u64());
        signals.workflows = workflows.map_or(Claim::Unknown, |count| Claim::Known(count > 0));
        // Without a workflow nothing runs, and without a token the branch is not known.
        if let Some(branch) = branch.filter(|_| signals.workflows == Claim::Known(true)) {
            signals.failing_runs = self.failing_runs((owner, name), &branch).await?;
        }
        let claims = Box::new(claims);
        Ok(if is_finished { Collected::Told(claims) } else { Collected::Unfinished(claims) })
    }

    /// What the GraphQL interface has; none where it is not asked.
    async fn overview(&self, name: (&str, &str)) -> Result<Option<Overview>, CrawlError> {
        if !self.may_have_graphql {
            return Ok(None);
        }
        overview::ask(&self.github, name, self.as_of).await.map(Some)
    }

    /// What the REST interface has in few requests. False where GitHub still counts.
    async fn rest(&self, (owner, name): (&str, &str), claims: &mut Claims) -> Result<bool, CrawlError> {
        let (github, calls) = (&self.github, self.github.calls());
        let signals = &mut claims.repository_signals;
        let weeks = heard(github.document(calls.repos(owner, name).stats().participation(), None).await)?.flatten();
        let weeks = weeks.map(|told| commits_by_week(&told.document));
        if let Some(Some(weeks)) = &weeks {
            signals.commits_year = Claim::Known(weeks.iter().sum());
            signals.commits_quarter = Claim::Known(weeks.iter().rev().take(QUARTER_WEEKS).sum());
        }
        let releases = calls.repos(owner, name);
        let releases = heard(github.page(releases.releases().list().per_page(1u8).send()).await)?;
        signals.releases = releases.map_or(Claim::Unknown, |told| count(&told.document));
        if let Some(account) = self.account(owner).await? {
            let counted = |key: &str| account.get(key).and_then(Value::as_u64).map_or(Claim::Unknown, Claim::Known);
            signals.account_created = instant(account.get("created_at"));
            signals.account_repositories = counted("public_repos");
            signals.account_followers = match counted("followers") {
                Claim::Known(count) => Claim::Known(rounded(count)),
                unknown => unknown,
            };
        }
        // GitHub answers 202 without counts while it still counts; it is asked again the next night.
        Ok(weeks.is_none_or(|weeks| weeks.is_some()))
    }

    /// Whether a branch is protected, which is told to everybody.
    async fn is_protected(&self, (owner, name): (&str, &str), branch: &str) -> Result<Claim<bool>, CrawlError> {
        // octocrab's call would not encode the branch, whose name may have slashes.
        let url = self.github.below(["repos", owner, name, "branches", branch])?;
        let call = self.github.calls()._get(url);
        let told: Option<GithubResponse<Value>> = heard(self.github.document(call, None).await)?.flatten();
        let is_protected = told.and_then(|told| told.document.get("protected")?.as_bool());
        Ok(is_protected.map_or(Claim::Unknown, Claim::Known))
    }

    /// Of a hundred of the last finished runs on a branch, those that failed; unknown where hardly anything ran.
    async fn failing_runs(&self, (owner, name): (&str, &str), branch: &str) -> Result<Claim<u64>, CrawlError> {
        // octocrab's call reads the runs whole, of which two words are wanted here.
        let query =
            [("branch", branch), ("status", "completed"), ("exclude_pull_requests", "true"), ("per_page", RUNS)];
        let url = self.github.below_with(["repos", owner, name, "actions", "runs"], &query)?;
        let call = self.github.calls()._get(url);
        let told: Option<GithubResponse<Value>> = heard(self.github.document(call, None).await)?.flatten();
        Ok(told.map_or(Claim::Unknown, |told| failing(&told.document)))
    }

    /// The organisations in which an account is a public member, asked for once in a step.
    async fn memberships(&self, owner: &str) -> Result<Claim<u64>, CrawlError> {
        let mut memberships = self.memberships.lock().await;
        if let Some(known) = memberships.get(owner) {
            return Ok(known.clone());
        }
        let users = self.github.calls().users(owner);
        let told = heard(self.github.page(users.list_orgs().per_page(1u8).send()).await)?;
        let counted = told.map_or(Claim::Unknown, |told| count(&told.document));
        memberships.insert(owner.to_owned(), counted.clone());
        Ok(counted)
    }

    /// The document of an account, asked for once in a step.
    async fn account(&self, owner: &str) -> Result<Option<Value>, CrawlError> {
        let mut accounts = self.accounts.lock().await;
        if let Some(known) = accounts.get(owner) {
            return Ok(known.clone());
        }
        let users = self.github.calls().users(owner);
        let told = heard(self.github.document(users.profile(), None).await)?.flatten().map(|told| told.document);
        accounts.insert(owner.to_owned(), told.clone());
        Ok(told)
    }
}

impl Overview {
    fn add_to(self, claims: &mut Claims) {
        let count = |count: Option<u64>| count.map_or(Claim::Unknown, |count| Claim::Known(rounded(count)));
        let signals = &mut claims.repository_signals;
        signals.releases = count(self.releases);
        signals.commits_year = count(self.commits_year);
        signals.commits_quarter = count(self.commits_quarter);
        signals.issues_open = count(self.issues_open);
        signals.issues_closed = count(self.issues_closed);
        signals.response_hours = count(self.response_hours);
        signals.account_created = self.account_created.map_or(Claim::Unknown, Claim::Known);
        signals.account_repositories = count(self.account_repositories);
        signals.account_followers = count(self.account_followers);
    }
}

/// An answer; none where the failure concerns this repository alone.
fn heard<T>(answer: Result<T, CrawlError>) -> Result<Option<T>, CrawlError> {
    match answer {
        Ok(told) => Ok(Some(told)),
        Err(error) if error.is_transient() => Err(error),
        Err(_) => Ok(None),
    }
}

/// The number of things in a list of which a page has one.
fn count(page: &Page<IgnoredAny>) -> Claim<u64> {
    let here = u64::try_from(page.items.len()).ok();
    page.number_of_pages().map(u64::from).or(here).map_or(Claim::Unknown, Claim::Known)
}

/// Of a hundred of the runs in an answer, those that failed. A run that was skipped or cancelled says nothing.
fn failing(document: &Value) -> Claim<u64> {
    let runs = document.get("workflow_runs").and_then(Value::as_array).into_iter().flatten();
    let (mut passed, mut failed) = (0_u64, 0_u64);
    for run in runs {
        match run.get("conclusion").and_then(Value::as_str) {
            Some("success") => passed += 1,
            Some("failure" | "timed_out" | "startup_failure") => failed += 1,
            _ => {}
        }
    }
    let all = passed + failed;
    // To the next ten: a run more is no news.
    if all >= ENOUGH_RUNS { Claim::Known((failed * 100 / all).div_ceil(10) * 10) } else { Claim::Unknown }
}

/// Commits in each of the last 52 weeks, the oldest first; none while GitHub still counts them.
fn commits_by_week(document: &Value) -> Option<Vec<u64>> {
    let weeks: Option<Vec<u64>> = document.get("all")?.as_array()?.iter().map(Value::as_u64).collect();
    // The bound keeps the sum of 52 such numbers from overflowing.
    weeks.filter(|weeks| weeks.len() == 52 && weeks.iter().all(|count| *count < 1 << 40))
}
