//! The source against forges on loopback.

use std::collections::BTreeMap;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Locator, Validators};
use capdex_model::snapshot::GapReason;
use serde_json::{Value, json};

use super::{SOURCE, base_url as base_url_of};
use crate::conformance::{self, Origin, World};
use crate::http::testing::{Asked, Sent, Server, client, request, settings};
use crate::{CrawlError, ListedEntry, SourceSettings};

type Known = BTreeMap<ListingKey, Validators>;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A schedule whose `forge.test` is at the server, as GitLab or as Gitea.
fn of_source(base_url: &str, kind: &str, names: &[&str]) -> SourceSettings {
    SourceSettings {
        scopes: [("forge.test".to_owned(), format!("{base_url}/{kind}"))].into(),
        watchlist: names.iter().map(|name| (*name).to_owned()).collect(),
        ..SourceSettings::default()
    }
}

async fn list(of_source: &SourceSettings, server: &Server, known: &Known) -> Result<Vec<ListedEntry>, CrawlError> {
    let (http, _) = client(settings(&[&server.base_url]));
    SOURCE.list(request("git", &http, of_source, known)).await.map(|page| page.listed)
}

fn gitlab(name: &str, visibility: &str) -> Value {
    json!({"id": 278_964, "path_with_namespace": name, "visibility": visibility, "description": "A project",
        "created_at": "2020-01-02T03:04:05.678Z", "last_activity_at": "2026-01-02T03:04:05Z", "star_count": 9,
        "forks_count": 4, "archived": false, "topics": ["mcp"], "web_url": format!("https://forge.test/{name}"),
        "namespace": {"path": "Group", "kind": "group"}, "license": {"key": "mit", "name": "MIT License"}})
}

fn gitea(name: &str) -> Value {
    json!({"id": 7, "full_name": name, "private": false, "description": "", "created_at": "2020-01-02T03:04:05Z",
        "updated_at": "2026-01-02T03:04:05+01:00", "stars_count": 2, "forks_count": 1, "watchers_count": 3,
        "archived": true, "html_url": format!("https://forge.test/{name}"), "owner": {"login": "owner", "email": "a@b.c"}})
}

#[tokio::test]
async fn a_project_of_gitlab_is_listed_with_its_commit() {
    let server = Server::start(|asked, _| match asked.path.split('?').next().unwrap_or_default() {
        "/api/v4/projects/group%2Fname/repository/commits" => Sent::ok(json!([{"id": COMMIT}]).to_string()),
        "/api/v4/projects/group%2Fname" => Sent::ok(gitlab("Group/Name", "public").to_string()),
        _ => Sent::answer(404, &[], "{}"),
    });
    let of_source = of_source(&server.base_url, "api/v4", &["forge.test/group/name"]);
    let rows = list(&of_source, &server, &Known::new()).await.expect("rows");
    let [ListedEntry::Changed { listing, validators }] = rows.as_slice() else { panic!("{rows:?}") };
    let key = ListingKey::new("git", "forge.test/group/name");
    let url = format!("{}/api/v4/projects/Group%2FName/repository/archive.tar.gz?sha={COMMIT}", server.base_url);
    let locator = Locator::GitArchive { repository: key.to_string(), commit: COMMIT.to_owned(), url };
    assert_eq!(&listing.key, &key);
    assert_eq!(&listing.locators, &vec![locator]);
    let (claims, standing) = (&listing.claims, &listing.claims.repository_signals);
    assert_eq!(&claims.license, &Claim::Known("mit".into()));
    assert_eq!(&claims.keywords, &Claim::Known(vec!["mcp".into()]));
    assert_eq!(&standing.stars, &Claim::Known(9));
    assert_eq!(&standing.repository_id, &Claim::Known(278_964));
    assert_eq!(&standing.watchers, &Claim::Unknown);
    assert_eq!(&standing.archived, &Claim::Known(false));
    // The next night asks once and has nothing to say.
    let known = Known::from([(key.clone(), validators.clone())]);
    assert_eq!(list(&of_source, &server, &known).await, Ok(vec![ListedEntry::Unchanged(key)]));
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn a_repository_of_gitea_is_listed_and_an_empty_one_has_no_bytes() {
    let server = Server::start(|asked, _| match asked.path.split('?').next().unwrap_or_default() {
        "/api/v1/repos/owner/name/commits" => Sent::ok(json!([{"sha": COMMIT}]).to_string()),
        "/api/v1/repos/owner/empty/commits" => Sent::answer(409, &[], "{}"),
        path => match path.strip_prefix("/api/v1/repos/") {
            Some(name) if name.split('/').count() == 2 => {
                let mut document = gitea(name);
                document["empty"] = json!(name == "owner/empty");
                Sent::ok(document.to_string())
            }
            _ => Sent::answer(404, &[], "{}"),
        },
    });
    let names = ["forge.test/owner/empty", "forge.test/owner/name"];
    let rows = list(&of_source(&server.base_url, "api/v1", &names), &server, &Known::new()).await.expect("rows");
    let [ListedEntry::Changed { listing: empty, .. }, ListedEntry::Changed { listing, .. }] = rows.as_slice() else {
        panic!("{rows:?}")
    };
    let url = format!("{}/api/v1/repos/owner/name/archive/{COMMIT}.tar.gz", server.base_url);
    let repository = "git:forge.test/owner/name".to_owned();
    assert_eq!(listing.locators, [Locator::GitArchive { repository, commit: COMMIT.to_owned(), url }]);
    assert_eq!(&empty.locators.len(), &0);
    assert_eq!(&empty.claims.repository_signals.watchers, &Claim::Known(3));
    assert_eq!(listing.claims.maintainers, Claim::Known(vec!["owner".into()]));
    assert!(!serde_json::to_string(listing).expect("JSON").contains("a@b.c"));
}

#[tokio::test]
async fn what_may_not_be_listed_fails_by_itself() {
    let server = Server::start(|asked, _| match asked.path.split('?').next().unwrap_or_default() {
        "/api/v4/projects/g%2Finternal" => Sent::ok(gitlab("g/internal", "internal").to_string()),
        "/api/v4/projects/g%2Fother" => Sent::ok(gitlab("g/unasked", "public").to_string()),
        "/api/v4/projects/g%2Fbare/repository/commits" => Sent::ok("[]"),
        "/api/v4/projects/g%2Fbare" => Sent::ok(gitlab("g/bare", "public").to_string()),
        path if path.ends_with("/commits") && !path.contains("gone") => Sent::ok(json!([{"id": COMMIT}]).to_string()),
        _ => Sent::answer(404, &[], "{}"),
    });
    let names = [
        "elsewhere.test/g/n",
        "forge.test/../n",
        "forge.test/g",
        "forge.test/g/bare",
        "forge.test/g/gone",
        "forge.test/g/internal",
        "forge.test/g/other",
    ];
    let rows = list(&of_source(&server.base_url, "api/v4", &names), &server, &Known::new()).await.expect("rows");
    let reasons: Vec<_> = rows
        .iter()
        .map(|row| match row {
            ListedEntry::Failed { gap, transient: false, .. } => Some(gap.reason),
            _ => None,
        })
        .collect();
    let (denied, malformed) = (Some(GapReason::Denied), Some(GapReason::Malformed));
    let bad = Some(GapReason::BadAnswer);
    assert_eq!(reasons, [denied, malformed, malformed, bad, None, denied, bad]);
    assert_eq!(rows[4], ListedEntry::Gone(ListingKey::new("git", "forge.test/g/gone")));
}

#[test]
fn a_host_is_asked_where_the_schedule_says_else_where_it_is_known_to_be() {
    let at = |base_url: &str, host: &str| {
        let settings = SourceSettings { base_url: base_url.to_owned(), ..SourceSettings::default() };
        base_url_of(&settings, host).map(str::to_owned)
    };
    let (gitlab, own) = ("https://gitlab.com/api/v4", "https://forge.example/api/v1");
    assert_eq!(at(gitlab, "gitlab.com").as_deref(), Some(gitlab));
    assert_eq!(at(own, "forge.example").as_deref(), Some(own));
    assert_eq!(at(own, "gitlab.com").as_deref(), Some(gitlab));
    assert_eq!(at(gitlab, "forge.example"), None);
    assert_eq!(at("", "elsewhere.test"), None);
    assert_eq!(at(gitlab, "codeberg.org").as_deref(), Some("https://codeberg.org/api/v1"));
}

/// A Gitea that holds a world, and redirects from names that were left.
fn answer(world: &World, asked: &Asked, base_url: &str) -> Sent {
    let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
    let rest = path.trim_start_matches("/api/v1/repos/");
    let (name, is_commits) = rest.strip_suffix("/commits").map_or((rest, false), |name| (name, true));
    let host = |name: &str| format!("forge.test/{name}");
    if let Some(new) = world.renamed.get(&host(name)) {
        let new = path.replace(name, new.trim_start_matches("forge.test/"));
        return Sent::answer(307, &[("location", &format!("{base_url}{new}?{query}"))], "");
    }
    let Some(revision) = world.entries.get(&host(name)) else { return Sent::answer(404, &[], "{}") };
    if is_commits {
        return Sent::ok(json!([{"sha": format!("{revision:040x}")}]).to_string());
    }
    Sent::ok(gitea(name).to_string())
}

const ORIGIN: Origin = Origin {
    source: SOURCE,
    name: |number| format!("forge.test/owner/repo-{number:03}"),
    settings: |world, base_url| SourceSettings {
        scopes: [("forge.test".to_owned(), format!("{base_url}/api/v1"))].into(),
        watchlist: world.entries.keys().cloned().collect(),
        ..SourceSettings::default()
    },
    answer,
    entries: 35,
};

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(ORIGIN).await;
}
