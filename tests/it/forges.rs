//! Repositories in groups of groups, and repositories that are named as git's ssh names them: the whole path is the name.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::nightly::night;
use crate::rows::{rows, text};
use crate::support::archives;
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;

const COMMIT: &str = "89abcdef0123456789abcdef0123456789abcdef";

/// A GitLab that has these projects, by their whole paths, and nothing else.
fn gitlab(projects: &'static [&'static str]) -> Directory {
    Directory::start(move |path: &str| {
        let (path, _) = path.split_once('?').unwrap_or((path, ""));
        let mut parts = path.trim_start_matches("/api/v4/projects/").splitn(2, '/');
        let project = parts.next().unwrap_or_default().replace("%2F", "/");
        if !projects.contains(&project.as_str()) {
            return (404, b"{}".to_vec());
        }
        let name = project.rsplit('/').next().unwrap_or_default();
        match parts.next() {
            None => {
                let document = json!({"id": 40 + project.len(), "path_with_namespace": project, "visibility": "public",
                    "description": "Tides", "created_at": "2025-01-02T03:04:05Z", "star_count": 1, "forks_count": 0,
                    "last_activity_at": "2026-01-02T03:04:05Z", "archived": false, "topics": [],
                    "web_url": format!("https://forge.test/{project}")});
                (200, document.to_string().into_bytes())
            }
            Some("repository/commits") => (200, json!([{"id": COMMIT}]).to_string().into_bytes()),
            Some("repository/archive.tar.gz") => {
                let skill = format!(
                    "---\nname: {name}\ndescription: Tells the tides. Use when asked for them.\n---\n\nRead.\n"
                );
                (200, archives::Tar::new().file(&format!("{name}-{COMMIT}/SKILL.md"), skill.as_bytes()).gzipped())
            }
            Some(_) => (404, b"{}".to_vec()),
        }
    })
}

/// The repositories of which a skill was looked at.
fn fetched(capdex: &Capdex) -> BTreeSet<String> {
    let ranked = rows(&capdex.path().join("out"), "capabilities");
    let skills = ranked.iter().filter(|row| text(row, "kind") == "skill");
    skills.map(|row| text(row, "package").to_owned()).collect()
}

/// The projects that were asked for, by their whole paths.
fn asked(forge: &Directory) -> BTreeSet<String> {
    let project =
        |path: &String| path.trim_start_matches("/api/v4/projects/").split(['/', '?']).next().map(str::to_owned);
    forge.paths().iter().filter_map(project).map(|project| project.replace("%2F", "/")).collect()
}

fn names(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| format!("git:127.0.0.1/{path}")).collect()
}

fn owned(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

const PROJECTS: &[&str] = &["acme/flat", "acme/tools/notes", "acme/a/b/c/deep", "acme/a/b/scp"];

#[test]
fn a_watchlist_names_projects_in_groups_by_path_by_address_and_as_ssh_does() {
    let forge = gitlab(PROJECTS);
    let capdex = Capdex::offline();
    let url = forge.url();
    let watchlist = [
        "127.0.0.1/acme/flat".to_owned(),
        format!("{url}/acme/tools/notes/-/tree/main/skills"),
        "127.0.0.1/acme/a/b/c/deep".to_owned(),
        "git@127.0.0.1:acme/a/b/scp.git".to_owned(),
    ];
    let schedule = format!(
        "name = \"forge\"\n[sources.git]\nbase_url = \"{url}/api/v4\"\nrequests_per_minute = 60000\nwatchlist = {watchlist:?}\n"
    );
    capdex.write("schedule.toml", schedule);
    let run = night(&capdex, "2026-11-20T01:00:00Z");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert_eq!(fetched(&capdex), names(PROJECTS));
    assert_eq!(asked(&forge), owned(PROJECTS), "no part of a path is taken for a project");
}

#[test]
fn what_a_marketplace_names_is_followed_to_the_operators_own_forge_by_its_whole_path() {
    let forge = gitlab(PROJECTS);
    let url = forge.url();
    let sources = [
        format!("{url}/acme/flat"),
        format!("{url}/acme/tools/notes/-/blob/main/README.md"),
        format!("{url}/acme/a/b/c/deep.git"),
        "git@127.0.0.1:acme/a/b/scp.git".to_owned(),
        // Nobody's forge: not asked, and not made up as something else.
        "git@elsewhere.test:acme/a/b/other.git".to_owned(),
    ];
    let plugins: Vec<Value> = sources
        .iter()
        .enumerate()
        .map(|(number, url)| json!({"name": format!("p{number}"), "source": {"source": "url", "url": url}}))
        .collect();
    let document = json!({"name": "market", "owner": {"name": "acme"}, "plugins": plugins}).to_string();
    let market = Directory::start(move |_: &str| (200, document.clone()));
    let capdex = Capdex::offline();
    capdex.write(
        "schedule.toml",
        format!(
            "name = \"forge\"\n[sources.git]\nbase_url = \"{url}/api/v4\"\nrequests_per_minute = 60000\n[sources.marketplaces]\n\
             watchlist = [\"{}/acme/market/main/.claude-plugin/marketplace.json\"]\n",
            market.url()
        ),
    );
    let run = night(&capdex, "2026-11-20T01:00:00Z");
    assert!(matches!(run.code, Some(0 | 3)), "{}", run.stdout);
    assert_eq!(asked(&forge), owned(PROJECTS), "{}", run.stdout);
    assert!(fetched(&capdex).is_superset(&names(PROJECTS)), "{:?}", fetched(&capdex));
}

#[test]
fn a_path_that_is_none_is_a_gap_and_never_another_project() {
    let forge = gitlab(PROJECTS);
    let capdex = Capdex::offline();
    let too_deep = format!("127.0.0.1/{}/deep", vec!["g"; 20].join("/"));
    let watchlist = ["127.0.0.1/acme", "127.0.0.1/acme/../flat", too_deep.as_str(), "127.0.0.1/acme/flat"];
    let schedule = format!(
        "name = \"forge\"\n[sources.git]\nbase_url = \"{}/api/v4\"\nrequests_per_minute = 60000\nwatchlist = {watchlist:?}\n",
        forge.url()
    );
    capdex.write("schedule.toml", schedule);
    let run = night(&capdex, "2026-11-20T01:00:00Z");
    assert!(matches!(run.code, Some(0 | 3)), "{}", run.stdout);
    assert_eq!(asked(&forge), owned(&["acme/flat"]));
    let gaps = rows(&capdex.path().join("out"), "gaps");
    let told: BTreeSet<&str> = gaps.iter().map(|row| text(row, "listing")).collect();
    let expected: Vec<String> = watchlist[..3].iter().map(|name| format!("git:{name}")).collect();
    assert_eq!(told, expected.iter().map(String::as_str).collect(), "{gaps:?}");
}
