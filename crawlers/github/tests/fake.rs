//! A GitHub that holds what a test says, with the shapes, statuses and caps of the recorded one.
//!
//! Must not be kinder than the real one: it refuses what lies behind the tenth page of a search, and a name that was
//! left answers with a redirect to the number.

use std::collections::BTreeMap;

use capdex_model::time::Timestamp;
use serde_json::{Value, json};
use url::Url;

use crate::http::testing::{Asked, Sent};

/// A repository.
#[derive(Clone, Debug)]
pub(super) struct Repo {
    pub(super) id: u64,
    pub(super) full_name: String,
    pub(super) stars: u64,
    pub(super) created: i64,
    /// Changes with every push.
    pub(super) revision: u32,
    pub(super) is_private: bool,
    pub(super) is_empty: bool,
}

impl Repo {
    pub(super) fn new(id: u64, full_name: &str) -> Self {
        let created = 1_700_000_000 + i64::try_from(id).expect("small");
        let full_name = full_name.to_owned();
        Self { id, full_name, stars: 3, created, revision: 1, is_private: false, is_empty: false }
    }

    pub(super) fn commit(&self) -> String {
        format!("{:020x}{:020x}", self.id, self.revision)
    }

    fn etag(&self) -> String {
        format!("W/\"{}-{}-{}-{}\"", self.id, self.full_name, self.revision, self.stars)
    }

    /// The document in a list or a search.
    pub(super) fn item(&self) -> Value {
        let (owner, name) = self.full_name.split_once('/').expect("two names");
        json!({
            "id": self.id, "node_id": format!("R_{}", self.id), "name": name, "full_name": self.full_name,
            "private": self.is_private, "owner": {"login": owner, "id": 7},
            "html_url": format!("https://github.com/{}", self.full_name), "description": null, "fork": false,
            "created_at": Timestamp::from_unix_seconds(self.created).to_string(),
            "pushed_at": Timestamp::from_unix_seconds(self.created + i64::from(self.revision)).to_string(),
            "stargazers_count": self.stars, "watchers_count": self.stars, "forks_count": 1,
            "license": {"key": "mit", "name": "MIT License", "spdx_id": "MIT", "url": null},
            "topics": ["mcp-server"], "archived": false, "default_branch": "main", "size": 5,
        })
    }

    /// The document under its own name.
    fn document(&self) -> Value {
        let mut document = self.item();
        document["subscribers_count"] = json!(2);
        document
    }
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub(super) struct GitHub {
    pub(super) repos: Vec<Repo>,
    /// Names that were left, and the number that has another one now.
    pub(super) left: BTreeMap<String, u64>,
    /// Whether searches say that they ran out of time, while they have more results than this.
    pub(super) tires_above: Option<usize>,
    /// Whether it still counts commits.
    pub(super) counts_still: bool,
}

impl GitHub {
    pub(super) fn with(repos: impl IntoIterator<Item = Repo>) -> Self {
        Self { repos: repos.into_iter().collect(), ..Self::default() }
    }

    fn named(&self, name: &str) -> Option<&Repo> {
        self.repos.iter().find(|repo| repo.full_name.eq_ignore_ascii_case(name))
    }

    /// The answer to a request.
    pub(super) fn answer(&self, asked: &Asked) -> Sent {
        let url = Url::parse(&format!("http://x{}", asked.path)).expect("a path");
        let query: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
        let segments: Vec<&str> = url.path_segments().expect("segments").collect();
        match segments.as_slice() {
            ["repos", owner, name, rest @ ..] => self.repository(asked, &format!("{owner}/{name}"), rest),
            ["repositories"] => self.by_id(&query),
            ["repositories", id] => match self.repos.iter().find(|repo| repo.id.to_string() == *id) {
                Some(repo) => conditional(asked, &repo.etag(), &repo.document()),
                None => not_found(),
            },
            ["search", "repositories"] => self.search(&query, Repo::item),
            ["search", "code"] => self.search(&query, |repo| {
                json!({"name": "SKILL.md", "path": "SKILL.md", "sha": "00", "repository":
                    {"id": repo.id, "full_name": repo.full_name, "private": repo.is_private}})
            }),
            ["orgs" | "users", owner, "repos"] => self.owned(owner, &query),
            ["users", _, "orgs"] => {
                let link = "<http://x/user/7/orgs?per_page=1&page=3>; rel=\"last\"";
                Sent::answer(200, &[("link", link)], json!([{"login": "guild"}]).to_string())
            }
            ["users", owner] => Sent::ok(
                json!({"login": owner, "created_at": "2015-01-02T03:04:05Z", "public_repos": 12, "followers": 345})
                    .to_string(),
            ),
            ["graphql"] => self.graphql(asked),
            _ => not_found(),
        }
    }

    fn repository(&self, asked: &Asked, name: &str, rest: &[&str]) -> Sent {
        let Some(repo) = self.named(name) else {
            let Some(id) = self.left.get(&name.to_ascii_lowercase()) else { return not_found() };
            // The recorded answer names the whole address; a relative one leads to the same place.
            let body = json!({"message": "Moved Permanently", "url": format!("/repositories/{id}")});
            return Sent::answer(301, &[("location", &format!("/repositories/{id}"))], body.to_string());
        };
        match rest {
            [] => conditional(asked, &repo.etag(), &repo.document()),
            ["commits", _] if repo.is_empty => {
                Sent::answer(409, &[], json!({"message": "Git Repository is empty."}).to_string())
            }
            ["commits", "main"] => Sent::ok(repo.commit()),
            ["contributors"] => {
                let link = "<http://x/repositories/1/contributors?per_page=1&page=2>; rel=\"next\", \
                            <http://x/repositories/1/contributors?per_page=1&page=41>; rel=\"last\"";
                Sent::answer(200, &[("link", link)], json!([{"login": "a"}]).to_string())
            }
            ["stats", "participation"] if self.counts_still => Sent::answer(202, &[], "{}"),
            ["releases"] => {
                let link = "<http://x/repositories/1/releases?per_page=1&page=5>; rel=\"last\"";
                Sent::answer(200, &[("link", link)], json!([{"id": 1}]).to_string())
            }
            ["branches", "main"] => Sent::ok(json!({"name": "main", "protected": true}).to_string()),
            ["stats", "participation"] => Sent::ok(json!({"all": (0..52).collect::<Vec<_>>()}).to_string()),
            ["actions", "runs"] => {
                assert_eq!(url_query(asked, "branch"), "main");
                assert_eq!(url_query(asked, "status"), "completed");
                let runs = ["success", "success", "failure", "cancelled", "success", "success", "timed_out", "skipped"];
                let runs: Vec<Value> = runs.iter().map(|of| json!({"status": "completed", "conclusion": of})).collect();
                Sent::ok(json!({"total_count": runs.len(), "workflow_runs": runs}).to_string())
            }
            ["actions", "workflows"] => Sent::ok(json!({"total_count": 2, "workflows": [{}]}).to_string()),
            _ => not_found(),
        }
    }

    /// The answer to the one query that is asked, in the shape of GitHub's schema.
    fn graphql(&self, asked: &Asked) -> Sent {
        let body: Value = serde_json::from_slice(&asked.body).expect("JSON");
        let of = |key: &str| body["variables"][key].as_str().expect("a variable").to_owned();
        let Some(repo) = self.named(&format!("{}/{}", of("owner"), of("name"))) else {
            let errors = json!([{"type": "NOT_FOUND", "path": ["repository"], "message": "Could not resolve"}]);
            return Sent::ok(json!({"data": {"repository": null}, "errors": errors}).to_string());
        };
        let repository = json!({
            "databaseId": repo.id, "releases": {"totalCount": 5},
            "defaultBranchRef": {"name": "main", "target": {"year": {"totalCount": 90}, "quarter": {"totalCount": 4}}},
            "owner": {"createdAt": "2015-01-02T03:04:05Z", "followers": {"totalCount": 345}, "repositories": {"totalCount": 12}},
        });
        let data = json!({"repository": repository, "open": {"issueCount": 3}, "closed": {"issueCount": 9}, "recent": {"nodes": []}});
        Sent::ok(json!({ "data": data }).to_string())
    }

    fn search(&self, query: &BTreeMap<String, String>, shown: impl Fn(&Repo) -> Value) -> Sent {
        let page: usize = query["page"].parse().expect("a page");
        if page > 10 {
            return Sent::answer(
                422,
                &[],
                json!({"message": "Only the first 1000 search results are available"}).to_string(),
            );
        }
        let terms: Vec<&str> = query["q"].split(' ').collect();
        let range = |name: &str| {
            let term = terms.iter().find_map(|term| term.strip_prefix(name)?.strip_prefix(':'));
            term.map_or((0, i64::MAX), range)
        };
        let (stars, created) = (range("stars"), range("created"));
        let within = |(from, to): (i64, i64), value: i64| (from..=to).contains(&value);
        let mut hits: Vec<&Repo> = self.repos.iter().collect();
        hits.retain(|repo| within(stars, i64::try_from(repo.stars).expect("small")) && within(created, repo.created));
        hits.sort_by_key(|repo| (std::cmp::Reverse(repo.stars), repo.id));
        let is_tired = self.tires_above.is_some_and(|count| hits.len() > count);
        let items: Vec<Value> = hits.iter().skip((page - 1) * 100).take(100).map(|repo| shown(repo)).collect();
        let total = hits.len();
        Sent::ok(json!({"total_count": total, "incomplete_results": is_tired, "items": items}).to_string())
    }

    fn owned(&self, owner: &str, query: &BTreeMap<String, String>) -> Sent {
        let page: usize = query["page"].parse().expect("a page");
        let all: Vec<&Repo> =
            self.repos.iter().filter(|repo| repo.full_name.split('/').next() == Some(owner)).collect();
        if all.is_empty() {
            return not_found();
        }
        let items: Vec<Value> = all.iter().skip((page - 1) * 100).take(100).map(|repo| repo.item()).collect();
        let next = format!("<https://elsewhere.test/organizations/7/repos?page={}>; rel=\"next\"", page + 1);
        let headers = [("link", next.as_str())];
        let headers = if all.len() > page * 100 { headers.as_slice() } else { &[] };
        Sent::answer(200, headers, Value::from(items).to_string())
    }

    fn by_id(&self, query: &BTreeMap<String, String>) -> Sent {
        let since: u64 = query["since"].parse().expect("a number");
        let mut all: Vec<&Repo> = self.repos.iter().filter(|repo| repo.id > since).collect();
        all.sort_by_key(|repo| repo.id);
        let shown = |repo: &&Repo| json!({"id": repo.id, "full_name": repo.full_name, "private": repo.is_private});
        Sent::ok(Value::from(all.iter().take(100).map(shown).collect::<Vec<_>>()).to_string())
    }
}

/// A value in the query of what was asked.
fn url_query(asked: &Asked, name: &str) -> String {
    let url = Url::parse(&format!("http://x{}", asked.path)).expect("a path");
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// `3..9`, `>=3`, `5`; numbers or instants.
fn range(text: &str) -> (i64, i64) {
    let value = |text: &str| match text.parse::<i64>() {
        Ok(value) => value,
        Err(_) => text.parse::<Timestamp>().expect("an instant").unix_seconds(),
    };
    match (text.strip_prefix(">="), text.split_once("..")) {
        (Some(from), _) => (value(from), i64::MAX),
        (None, Some((from, to))) => (value(from), value(to)),
        (None, None) => (value(text), value(text)),
    }
}

fn conditional(asked: &Asked, etag: &str, document: &Value) -> Sent {
    if asked.header("if-none-match") == Some(etag) {
        return Sent::answer(304, &[("etag", etag)], "");
    }
    Sent::answer(200, &[("etag", etag)], document.to_string())
}

fn not_found() -> Sent {
    Sent::answer(404, &[], json!({"message": "Not Found"}).to_string())
}
