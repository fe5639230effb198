//! One GraphQL query for a repository: releases, commits, issues of a year, and the account that owns it.
//!
//! It takes the place of eight requests to the REST interface. Source: GitHub GraphQL API documentation, "Queries" and
//! "Objects".

use capdex_model::time::Timestamp;
use serde_json::{Value, json};

use super::interface::Interface;
use crate::CrawlError;

/// Issues of which the time to a first answer is measured: the newest of the year.
const SAMPLE: usize = 20;
/// Fewer issues than this say nothing of how soon answers come.
const ENOUGH: usize = 5;

const DAY_S: i64 = 86_400;

const QUERY: &str = "query($owner: String!, $name: String!, $year: GitTimestamp!, $quarter: GitTimestamp!, \
$open: String!, $closed: String!, $recent: String!, $sample: Int!) {
  repository(owner: $owner, name: $name) {
    databaseId
    releases { totalCount }
    defaultBranchRef { name target { ... on Commit {
      year: history(since: $year) { totalCount } quarter: history(since: $quarter) { totalCount } } } }
    owner {
      __typename
      ... on User { createdAt followers { totalCount } repositories(ownerAffiliations: OWNER, privacy: PUBLIC) { totalCount } }
      ... on Organization { createdAt repositories(privacy: PUBLIC) { totalCount } }
    }
  }
  open: search(type: ISSUE, query: $open) { issueCount }
  closed: search(type: ISSUE, query: $closed) { issueCount }
  recent: search(type: ISSUE, query: $recent, first: $sample) { nodes { ... on Issue {
    createdAt author { login } comments(first: 10) { nodes { createdAt author { login } } } } } }
}";

/// What the query answers; none where it says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Overview {
    /// The repository's number.
    pub(super) id: Option<u64>,
    /// Its main branch.
    pub(super) branch: Option<String>,
    pub(super) releases: Option<u64>,
    pub(super) commits_year: Option<u64>,
    pub(super) commits_quarter: Option<u64>,
    pub(super) issues_open: Option<u64>,
    pub(super) issues_closed: Option<u64>,
    /// The median of the hours until a first answer by somebody else. One that waits still has waited until now.
    pub(super) response_hours: Option<u64>,
    /// True where an organisation owns it.
    pub(super) is_organization: bool,
    pub(super) account_created: Option<Timestamp>,
    pub(super) account_repositories: Option<u64>,
    pub(super) account_followers: Option<u64>,
}

/// Asks for a repository. Years and quarters end at `now`.
///
/// # Errors
/// Any error of the client; `Gone` for a repository that the answer does not have, `Transient` where the query was refused
/// for the moment.
pub(super) async fn ask(
    github: &Interface,
    (owner, name): (&str, &str),
    now: Timestamp,
) -> Result<Overview, CrawlError> {
    let before = |days: i64| Timestamp::from_unix_seconds(now.unix_seconds() - days * DAY_S);
    let (year, quarter) = (before(365), before(90));
    // A search takes days.
    let day: String = year.to_string().chars().take(10).collect();
    let issues = |more: &str| format!("repo:{owner}/{name} is:issue created:>={day}{more}");
    let variables = json!({
        "owner": owner, "name": name, "year": year, "quarter": quarter, "sample": SAMPLE,
        "open": issues(" is:open"), "closed": issues(" is:closed"), "recent": issues(" sort:created-desc"),
    });
    let answer = github.graphql(QUERY, variables).await?;
    if answer.pointer("/data/repository").is_none_or(Value::is_null) {
        return Err(refusal(github, &answer, (owner, name)));
    }
    Ok(read(&answer, now))
}

/// Why there is no repository in an answer.
fn refusal(github: &Interface, answer: &Value, (owner, name): (&str, &str)) -> CrawlError {
    let errors = answer.get("errors").and_then(Value::as_array).into_iter().flatten();
    let kinds: Vec<&str> = errors.filter_map(|error| error.get("type").and_then(Value::as_str)).collect();
    let subject = format!("{owner}/{name}");
    match kinds.as_slice() {
        ["NOT_FOUND", ..] => CrawlError::Gone { subject },
        // Points of an hour that are spent, a query that took too long: the next night asks again.
        [] => github.malformed("an answer without data and without errors"),
        _ => CrawlError::Transient { subject, detail: format!("the query was refused: {}", kinds.join(", ")) },
    }
}

fn read(answer: &Value, now: Timestamp) -> Overview {
    let count = |pointer: &str| answer.pointer(pointer).and_then(Value::as_u64);
    let of = |pointer: &str| count(&format!("/data/repository{pointer}"));
    let owner = |pointer: &str| answer.pointer(&format!("/data/repository/owner{pointer}"));
    Overview {
        id: of("/databaseId"),
        branch: answer.pointer("/data/repository/defaultBranchRef/name").and_then(Value::as_str).map(str::to_owned),
        releases: of("/releases/totalCount"),
        commits_year: of("/defaultBranchRef/target/year/totalCount"),
        commits_quarter: of("/defaultBranchRef/target/quarter/totalCount"),
        issues_open: count("/data/open/issueCount"),
        issues_closed: count("/data/closed/issueCount"),
        response_hours: response_hours(answer, now),
        is_organization: owner("/__typename").and_then(Value::as_str) == Some("Organization"),
        account_created: owner("/createdAt").and_then(instant),
        account_repositories: owner("/repositories/totalCount").and_then(Value::as_u64),
        account_followers: owner("/followers/totalCount").and_then(Value::as_u64),
    }
}

fn instant(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
}

fn response_hours(answer: &Value, now: Timestamp) -> Option<u64> {
    let issues = answer.pointer("/data/recent/nodes")?.as_array()?;
    let login = |of: &Value| of.pointer("/author/login").and_then(Value::as_str).map(str::to_owned);
    let waited = |issue: &Value| {
        let opened = instant(issue.get("createdAt")?)?;
        let comments = issue.pointer("/comments/nodes").and_then(Value::as_array).into_iter().flatten();
        // Who opened it answers nobody by writing more.
        let others = comments.filter(|comment| login(comment) != login(issue));
        let answered = others.filter_map(|comment| instant(comment.get("createdAt")?)).min().unwrap_or(now);
        u64::try_from((answered.unix_seconds() - opened.unix_seconds()) / 3_600).ok()
    };
    let mut hours: Vec<u64> = issues.iter().filter_map(waited).collect();
    hours.sort_unstable();
    (hours.len() >= ENOUGH).then(|| hours.get(hours.len() / 2).copied()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_790_000_000;

    fn at(hours_ago: i64) -> String {
        Timestamp::from_unix_seconds(NOW - hours_ago * 3_600).to_string()
    }

    fn issue(opened: i64, comments: &[(&str, i64)]) -> Value {
        let comment = |(who, ago): &(&str, i64)| json!({"createdAt": at(*ago), "author": {"login": who}});
        let nodes: Vec<Value> = comments.iter().map(comment).collect();
        json!({"createdAt": at(opened), "author": {"login": "ann"}, "comments": {"nodes": nodes}})
    }

    fn hours(issues: &[Value]) -> Option<u64> {
        let answer = json!({"data": {"recent": {"nodes": issues}}});
        response_hours(&answer, Timestamp::from_unix_seconds(NOW))
    }

    #[test]
    fn the_first_answer_is_somebody_else_s_and_who_waits_still_has_waited_until_now() {
        let quick = issue(100, &[("ann", 99), ("bob", 98)]);
        let slow = issue(100, &[("bob", 40), ("eve", 90)]);
        let open = issue(1_000, &[("ann", 5)]);
        assert_eq!(hours(&[quick.clone(), quick.clone(), slow.clone(), open.clone(), open.clone()]), Some(10));
        assert_eq!(hours(&[quick.clone(), quick, open.clone(), open.clone(), open]), Some(1_000));
        assert_eq!(hours(&[slow.clone(), slow.clone(), slow.clone(), slow]), None, "four say nothing");
    }

    #[test]
    fn an_answer_is_read_as_far_as_it_goes() {
        let answer = json!({"data": {
            "repository": {
                "databaseId": 7, "releases": {"totalCount": 3},
                "defaultBranchRef": {"name": "trunk", "target": {"year": {"totalCount": 90}, "quarter": {"totalCount": 4}}},
                "owner": {"__typename": "Organization", "createdAt": "2015-01-02T03:04:05Z", "repositories": {"totalCount": 12}}},
            "open": {"issueCount": 2}, "closed": null, "recent": {"nodes": []}}});
        let read = read(&answer, Timestamp::from_unix_seconds(NOW));
        let expected = Overview {
            id: Some(7),
            branch: Some("trunk".into()),
            releases: Some(3),
            commits_year: Some(90),
            commits_quarter: Some(4),
            issues_open: Some(2),
            is_organization: true,
            account_created: "2015-01-02T03:04:05Z".parse().ok(),
            account_repositories: Some(12),
            ..Overview::default()
        };
        assert_eq!(read, expected);
    }
}
