//! The source against a GitHub on loopback, and against recorded answers of the real one.

mod emulated;
mod fake;
mod interface;
mod recorded;

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator, Validators};
use capdex_model::snapshot::GapReason;
use capdex_model::time::AsOf;
use fake::{GitHub, Repo};

use super::SOURCE;
use super::repository::Repository;
use crate::conformance::{self, Origin, World};
use crate::http::testing::{Server, client, request, settings};
use crate::http::{AllowedBaseUrl, Credential, Secret};
use crate::{CollectRequest, Collected, CrawlError, ListRequest, ListedEntry, NextPage, SourceSettings, WalkCursor};

type Known = BTreeMap<ListingKey, Validators>;

fn of_source(server: &Server, names: &[&str], queries: &[&str]) -> SourceSettings {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    SourceSettings {
        base_url: server.base_url.clone(),
        watchlist: owned(names),
        queries: owned(queries),
        ..SourceSettings::default()
    }
}

fn serve(github: &GitHub) -> Server {
    let github = github.clone();
    Server::start(move |asked, _| github.answer(asked))
}

/// All rows of a walk.
async fn walk(of_source: &SourceSettings, known: &Known) -> Result<Vec<ListedEntry>, CrawlError> {
    let (http, _) = client(settings(&[&of_source.base_url]));
    let (mut rows, mut cursor): (Vec<ListedEntry>, Option<WalkCursor>) = (Vec::new(), None);
    loop {
        let request = ListRequest { cursor: cursor.as_ref(), ..request("github", &http, of_source, known) };
        let page = SOURCE.list(request).await?;
        rows.extend(page.listed);
        match page.next {
            NextPage::More(next) => cursor = Some(next),
            NextPage::Complete { watermark: None } => return Ok(rows),
            NextPage::Complete { watermark } => panic!("no watermark was promised: {watermark:?}"),
        }
    }
}

fn learn(known: &mut Known, rows: &[ListedEntry]) {
    for row in rows {
        if let ListedEntry::Changed { listing, validators } = row {
            known.insert(listing.key.clone(), validators.clone());
        }
    }
}

fn key(name: &str) -> ListingKey {
    ListingKey::new("github", name)
}

fn listings(rows: &[ListedEntry]) -> Vec<&Listing> {
    rows.iter()
        .filter_map(|row| match row {
            ListedEntry::Changed { listing, .. } => Some(listing.as_ref()),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn a_repository_is_listed_with_its_commit_and_what_its_document_says() {
    let server = serve(&GitHub::with([Repo::new(12, "Octo/Weather")]));
    let rows = walk(&of_source(&server, &["octo/weather"], &[]), &Known::new()).await.expect("rows");
    let all = listings(&rows);
    let [listing] = all.as_slice() else { panic!("one: {rows:?}") };
    let commit = Repo::new(12, "Octo/Weather").commit();
    let url = format!("{}/repos/Octo/Weather/tarball/{commit}", server.base_url);
    let locator = Locator::GitArchive { repository: "github:octo/weather".into(), commit, url };
    assert_eq!(&listing.key, &key("octo/weather"));
    assert_eq!(&listing.locators, &vec![locator]);
    let (claims, standing) = (&listing.claims, &listing.claims.repository_signals);
    assert_eq!(&claims.description, &Claim::Absent);
    assert_eq!(&claims.license, &Claim::Known("MIT".into()));
    assert_eq!(claims.repository, Claim::Known("https://github.com/Octo/Weather".into()));
    assert_eq!(claims.maintainers, Claim::Known(vec!["Octo".into()]));
    assert_eq!(&standing.stars, &Claim::Known(3));
    assert_eq!(&standing.forks, &Claim::Known(1));
    assert_eq!(&standing.watchers, &Claim::Known(2));
    assert_eq!(&standing.repository_id, &Claim::Known(12));
    assert_eq!(&standing.repository_node, &Claim::Known("R_12".into()));
    assert_eq!(standing.fork_of, Claim::Absent);
    assert_eq!(&standing.contributors, &Claim::Unknown);
    assert_eq!(&standing.commits_year, &Claim::Unknown);
    assert_eq!(server.paths(), ["/repos/octo/weather", "/repos/Octo/Weather/commits/main"]);
    assert_eq!(server.asked()[1].header("accept"), Some("application/vnd.github.sha"));
}

#[tokio::test]
async fn an_unchanged_repository_costs_one_request_and_a_changed_one_two_and_its_archive() {
    let mut github = GitHub::with((0..40).map(|id| Repo::new(id + 1, &format!("octo/repo-{id:02}"))));
    let names: Vec<String> = github.repos.iter().map(|repo| repo.full_name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut known = Known::new();
    let night = async |github: &GitHub, known: &mut Known| {
        let server = serve(github);
        let rows = walk(&of_source(&server, &names, &[]), known).await.expect("rows");
        learn(known, &rows);
        (listings(&rows).len(), server.asked().len())
    };
    assert_eq!(night(&github, &mut known).await, (40, 80));
    assert_eq!(night(&github, &mut known).await, (0, 40));
    github.repos[7].revision = 2;
    github.repos[8].stars = 9;
    assert_eq!(night(&github, &mut known).await, (2, 42));
    assert_eq!(night(&github, &mut known).await, (0, 40));
}

#[tokio::test]
async fn what_a_search_says_again_is_not_even_asked_for() {
    let github = GitHub::with((0..250).map(|id| Repo::new(id + 1, &format!("octo/repo-{id:03}"))));
    let mut known = Known::new();
    for (changed, requests) in [(250, 3 + 2 * 250), (0, 3)] {
        let server = serve(&github);
        let rows = walk(&of_source(&server, &[], &["topic:mcp-server"]), &known).await.expect("rows");
        assert_eq!(rows.len(), 250);
        assert_eq!(listings(&rows).len(), changed);
        assert_eq!(server.asked().len(), requests);
        learn(&mut known, &rows);
    }
}

#[tokio::test]
async fn a_search_past_the_cap_is_split_and_gives_each_repository_once() {
    let stars = |id: u64| if id < 1_500 { 0 } else { id % 40 };
    let repos = (1..=2_600).map(|id| Repo { stars: stars(id), ..Repo::new(id, &format!("octo/r{id}")) });
    for tires_above in [None, Some(600)] {
        let github = GitHub { tires_above, ..GitHub::with(repos.clone()) };
        // What is known already costs no visits, so that only searches are asked.
        let digest = |repo: &Repo| Repository::read(&repo.item()).expect("a repository").digest();
        let known = |repo: &Repo| Validators { digest: Some(digest(repo)), ..Validators::default() };
        let known: Known = github.repos.iter().map(|repo| (key(&repo.full_name), known(repo))).collect();
        let server = serve(&github);
        let rows = walk(&of_source(&server, &[], &["topic:mcp-server"]), &known).await.expect("rows");
        let found: BTreeSet<_> =
            rows.iter().map(|row| matches!(row, ListedEntry::Unchanged(_)).then_some(format!("{row:?}"))).collect();
        assert_eq!(rows.len(), 2_600);
        assert_eq!(found.len(), 2_600);
        assert!(!found.contains(&None));
        let paths = server.paths();
        assert!(paths.iter().all(|path| !path.contains("page=11")), "{}", paths.len());
        assert!(paths.len() < 100, "{}", paths.len());
    }
}

#[tokio::test]
async fn a_renamed_repository_is_moved_and_listed_under_its_new_name_once() {
    let mut github = GitHub::with([Repo::new(1_000, "octo/new-name"), Repo::new(5, "octo/other")]);
    github.left = ["octo/old-name", "octo/older-name"].map(|name| (name.to_owned(), 1_000)).into();
    let server = serve(&github);
    let mut known = Known::new();
    let names = ["octo/old-name", "octo/older-name", "octo/other"];
    let rows = walk(&of_source(&server, &names, &[]), &known).await.expect("rows");
    let [
        ListedEntry::Moved { key: old, to },
        ListedEntry::Changed { listing, .. },
        ListedEntry::Moved { to: again, .. },
        _,
    ] = rows.as_slice()
    else {
        panic!("{rows:?}")
    };
    assert_eq!(old, &key("octo/old-name"));
    assert_eq!(to.as_str(), "octo/new-name");
    assert_eq!(again.as_str(), "octo/new-name");
    assert_eq!(listing.key, key("octo/new-name"));
    assert_eq!(listing.claims.repository_signals.repository_id, Claim::Known(1_000));
    learn(&mut known, &rows);
    // A second night knows the new name, and asks no more than the redirect takes.
    let server = serve(&github);
    let rows = walk(&of_source(&server, &names[..1], &[]), &known).await.expect("rows");
    assert_eq!(rows[1], ListedEntry::Unchanged(key("octo/new-name")));
    assert_eq!(server.paths(), ["/repos/octo/old-name", "/repositories/1000"]);
    // Where the new name is walked by itself, it is not listed twice.
    let server = serve(&github);
    let rows = walk(&of_source(&server, &["octo/new-name", "octo/old-name"], &[]), &Known::new()).await.expect("rows");
    assert!(matches!(rows.as_slice(), [ListedEntry::Changed { .. }, ListedEntry::Moved { .. }]), "{rows:?}");
}

#[tokio::test]
async fn another_repository_under_the_same_name_has_another_number_and_another_digest() {
    let mut known = Known::new();
    let mut numbers = BTreeSet::new();
    for id in [1, 2] {
        let server = serve(&GitHub::with([Repo { created: 1_700_000_000, ..Repo::new(id, "octo/name") }]));
        let rows = walk(&of_source(&server, &["octo/name"], &[]), &known).await.expect("rows");
        learn(&mut known, &rows);
        numbers.insert(listings(&rows)[0].claims.repository_signals.repository_id.clone());
    }
    assert_eq!(numbers, [Claim::Known(1), Claim::Known(2)].into());
}

#[tokio::test]
async fn private_ones_are_refused_and_empty_ones_have_no_bytes() {
    let private = Repo { is_private: true, ..Repo::new(1, "octo/private") };
    let empty = Repo { is_empty: true, ..Repo::new(2, "octo/empty") };
    let server = serve(&GitHub::with([private, empty]));
    let names = ["..", "octo/empty", "octo/missing", "octo/private", "x/y/z"];
    let rows = walk(&of_source(&server, &names, &["topic:x"]), &Known::new()).await.expect("rows");
    let [dots, empty, missing, private, three] = rows.as_slice() else { panic!("{rows:?}") };
    let reason = |row: &ListedEntry| match row {
        ListedEntry::Failed { gap, transient: false, .. } => Some(gap.reason),
        _ => None,
    };
    assert_eq!(reason(dots), Some(GapReason::Malformed));
    assert_eq!(reason(three), Some(GapReason::Malformed));
    assert!(matches!(empty, ListedEntry::Changed { listing, .. } if listing.locators.is_empty()));
    assert_eq!(missing, &ListedEntry::Gone(key("octo/missing")));
    assert_eq!(reason(private), Some(GapReason::Denied));
}

#[tokio::test]
async fn owners_numbers_and_code_are_walked_to_their_end() {
    let github = GitHub::with((1..=230).map(|id| Repo::new(id, &format!("octo/r{id}"))));
    for (query, found, pages) in [
        ("org:octo", 230, vec!["/orgs/octo/repos?type=public&sort=full_name&per_page=100&page=3"]),
        ("user:nobody", 0, vec!["/users/nobody/repos?type=owner&sort=full_name&per_page=100&page=1"]),
        ("ids:11..150", 140, vec!["/repositories?since=10", "/repositories?since=110"]),
        ("filename:SKILL.md", 230, vec!["/search/code?q=filename%3ASKILL.md&per_page=100&page=3"]),
    ] {
        let server = serve(&github);
        let rows = walk(&of_source(&server, &[], &[query]), &Known::new()).await.expect("rows");
        assert_eq!(listings(&rows).len(), found, "{query}");
        let paths = server.paths();
        assert!(pages.iter().all(|page| paths.iter().any(|path| path == page)), "{query}: {paths:?}");
        let of_lists = paths.iter().filter(|path| !path.starts_with("/repos/")).count();
        assert_eq!(paths.len(), of_lists + 2 * found);
    }
}

/// What is answered of some repositories beside their documents.
async fn collected(server: &Server, names: &[&str], token: bool) -> Result<Vec<Collected>, CrawlError> {
    let mut of_client = settings(&[]);
    of_client.allowed_base_urls = vec![AllowedBaseUrl::new("github", &server.base_url)];
    if token {
        of_client.credentials.push(Credential {
            base_url: server.base_url.clone(),
            header: "authorization".to_owned(),
            value: Secret::new("Bearer x".to_owned()),
            kind: "github".to_owned(),
        });
    }
    let (http, _) = client(of_client);
    let http = http.acting_for("github", "github");
    let listed = |name: &&str| Listing {
        key: ListingKey::new("github", *name),
        locators: Vec::new(),
        claims: Claims::default(),
        references: Vec::new(),
    };
    let (listings, of_source): (Vec<_>, _) = (names.iter().map(listed).collect(), of_source(server, &[], &[]));
    let as_of = AsOf("2026-11-22T00:00:00Z".parse().expect("an instant"));
    let request = CollectRequest { id: "github", http: &http, settings: &of_source, listings: &listings, as_of };
    let collector = SOURCE.collector().expect("it answers beside its listings");
    Ok(collector.collect(request).await?.into_iter().map(|(_, answer)| answer).collect())
}

#[tokio::test]
async fn without_a_token_the_rest_interface_has_a_part() {
    let server = serve(&GitHub::with((1..=3).map(|id| Repo::new(id, &format!("octo/r{id}")))));
    let answers = collected(&server, &["octo/r1", "octo/r2", "octo/r3"], false).await.expect("answers");
    let Collected::Told(claims) = &answers[0] else { panic!("{answers:?}") };
    let standing = &claims.repository_signals;
    assert_eq!(&standing.contributors, &Claim::Known(41));
    assert_eq!(&standing.workflows, &Claim::Known(true));
    let (year, quarter) = ((0..52).sum::<u64>(), (39..52).sum::<u64>());
    assert_eq!(&standing.commits_year, &Claim::Known(year));
    assert_eq!(&standing.commits_quarter, &Claim::Known(quarter));
    assert_eq!(&standing.releases, &Claim::Known(5));
    assert_eq!(standing.account_created, Claim::Known("2015-01-02T03:04:05Z".parse().expect("an instant")));
    assert_eq!((&standing.account_repositories, &standing.account_followers), (&Claim::Known(12), &Claim::Known(340)));
    assert_eq!((&standing.branch_protected, &standing.issues_open), (&Claim::Unknown, &Claim::Unknown));
    // One account is asked for once, and nobody for GraphQL.
    assert_eq!(server.asked().len(), 3 * 4 + 1, "{:?}", server.paths());
}

#[tokio::test]
async fn with_a_token_one_query_has_most_of_it() {
    let server = serve(&GitHub::with([Repo::new(1, "octo/a")]));
    let answers = collected(&server, &["octo/a"], true).await.expect("answers");
    let Collected::Told(claims) = &answers[0] else { panic!("{answers:?}") };
    let standing = &claims.repository_signals;
    assert_eq!((&standing.issues_open, &standing.issues_closed), (&Claim::Known(3), &Claim::Known(9)));
    assert_eq!((&standing.branch_protected, &standing.releases), (&Claim::Known(true), &Claim::Known(5)));
    assert_eq!((&standing.commits_year, &standing.commits_quarter), (&Claim::Known(90), &Claim::Known(4)));
    assert_eq!((&standing.contributors, &standing.workflows), (&Claim::Known(41), &Claim::Known(true)));
    assert_eq!(&standing.account_repositories, &Claim::Known(12));
    // Two of six that say something failed: a third, to the next ten.
    assert_eq!((&standing.failing_runs, &standing.account_organizations), (&Claim::Known(40), &Claim::Known(3)));
    assert_eq!(server.asked().len(), 6, "{:?}", server.paths());
    let query = server.asked().into_iter().find(|asked| asked.path == "/graphql").expect("asked");
    let body: serde_json::Value = serde_json::from_slice(&query.body).expect("JSON");
    assert_eq!(body["variables"]["open"], "repo:octo/a is:issue created:>=2025-11-22 is:open");
    assert_eq!(body["variables"]["year"], "2025-11-22T00:00:00Z");
}

#[tokio::test]
async fn counts_that_github_still_makes_are_asked_for_again_and_a_name_that_is_gone_fails_alone() {
    let github = GitHub { counts_still: true, ..GitHub::with([Repo::new(1, "octo/a")]) };
    let server = serve(&github);
    let answers = collected(&server, &["octo/a"], false).await.expect("answers");
    let Collected::Unfinished(claims) = &answers[0] else { panic!("{answers:?}") };
    assert_eq!(claims.repository_signals.commits_year, Claim::Unknown);
    assert_eq!(claims.repository_signals.contributors, Claim::Known(41));
    let answers = collected(&server, &["octo/gone", "octo/a"], true).await.expect("answers");
    assert!(matches!(answers.as_slice(), [Collected::Failed(_), Collected::Told(_)]), "{answers:?}");
}

#[tokio::test]
async fn a_query_that_cannot_be_asked_is_an_error_before_any_request() {
    let server = serve(&GitHub::default());
    let error = walk(&of_source(&server, &["octo/a"], &["ids:9"]), &Known::new()).await;
    assert!(matches!(error, Err(CrawlError::Malformed { .. })));
    assert!(server.asked().is_empty());
}

#[tokio::test]
async fn a_source_under_another_id_keeps_to_that_id() {
    let server = serve(&GitHub::with([Repo::new(1, "octo/a")]));
    let (http, _) = client(settings(&[&server.base_url]));
    let (of_source, known) = (of_source(&server, &["octo/a"], &[]), Known::new());
    let page = SOURCE.list(request("ghes", &http, &of_source, &known)).await.expect("a page");
    let listing = listings(&page.listed)[0];
    assert_eq!(listing.key, ListingKey::new("ghes", "octo/a"));
    assert_eq!(listing.locators[0].identity(), "ghes:octo/a");
}

/// A world of the conformance checks as a GitHub.
fn github_of(world: &World) -> GitHub {
    let number = |name: &str| name.rsplit('-').next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0);
    let repo = |(name, revision): (&String, &u32)| Repo { revision: *revision, ..Repo::new(number(name) + 1, name) };
    let mut github = GitHub::with(world.entries.iter().map(repo));
    github.left = world.renamed.iter().map(|(old, new)| (old.clone(), number(new) + 1)).collect();
    github
}

const NAMES: Origin = Origin {
    source: SOURCE,
    name: |number| format!("octo/repo-{number:03}"),
    settings: |world, base_url| SourceSettings {
        base_url: base_url.to_owned(),
        watchlist: world.entries.keys().cloned().collect(),
        ..SourceSettings::default()
    },
    answer: |world, asked, _| github_of(world).answer(asked),
    entries: 35,
};

const SEARCHES: Origin = Origin {
    settings: |_, base_url| SourceSettings {
        base_url: base_url.to_owned(),
        queries: vec!["topic:mcp-server".to_owned()],
        ..SourceSettings::default()
    },
    entries: 110,
    ..NAMES
};

#[tokio::test]
async fn by_name_it_does_what_every_source_must() {
    conformance::check(NAMES).await;
}

#[tokio::test]
async fn by_search_it_does_what_every_source_must() {
    conformance::check(SEARCHES).await;
}
