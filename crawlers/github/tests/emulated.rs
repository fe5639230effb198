//! Nights against a stateful GitHub that others wrote (`emulate`), with every request counted.

#[expect(clippy::disallowed_types, reason = "a server for a test is no target of a crawl")]
#[path = "../../../tests/it/support/github/mod.rs"]
mod github;

use super::*;
use crate::fetch;
use crate::http::{Credential, Http, Secret};
use crate::unpack::UnpackLimits;
use crate::unpack::archives::{Tar, gzip};

fn make_archive(top: &str, commit: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let marked = Tar::new().global_pax(&[("comment", commit)]);
    let all = files.iter().fold(marked, |tar, (path, content)| tar.file(&format!("{top}/{path}"), content));
    gzip(&all.finish())
}

/// A night: the rows, and how often each path of the interface was asked for them and for their archives.
struct Night {
    rows: Vec<ListedEntry>,
    listing: Vec<github::Asked>,
    fetching: Vec<github::Asked>,
    files: BTreeMap<String, Vec<u8>>,
}

async fn night(server: &github::GitHub, http: &Http, names: &[&str], known: &mut Known) -> Night {
    let of_source = SourceSettings {
        base_url: server.base_url(),
        watchlist: names.iter().map(|name| (*name).to_owned()).collect(),
        ..SourceSettings::default()
    };
    server.take_asked();
    let page = SOURCE.list(request("github", http, &of_source, known)).await.expect("a page");
    assert_eq!(page.next, NextPage::END);
    let listing = server.take_asked();
    let mut files = BTreeMap::new();
    for listing in listings(&page.listed) {
        for locator in &listing.locators {
            let fetched = fetch::fetch(http, locator, &UnpackLimits::default()).await.expect("an archive");
            assert_eq!(fetched.gaps, []);
            files.extend(
                fetched
                    .files
                    .into_iter()
                    .map(|(path, file)| (format!("{}/{path}", listing.key.name), file.bytes.to_vec())),
            );
        }
    }
    learn(known, &page.listed);
    Night { rows: page.listed, listing, fetching: server.take_asked(), files }
}

/// How often a repository was asked for, by what the asked paths are below.
fn count(asked: &[github::Asked], name: &str) -> usize {
    let is_below = |path: &str| {
        path.strip_prefix(&format!("/repos/{name}")).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    asked.iter().filter(|asked| is_below(&asked.path.to_ascii_lowercase())).count()
}

#[tokio::test]
async fn an_unchanged_repository_costs_one_request_and_a_changed_one_three() {
    let Ok(command) = std::env::var("CAPDEX_EMULATE") else {
        println!("skipped: no CAPDEX_EMULATE");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..12).map(|number| format!("octo/server-{number:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let parts: Vec<(&str, &str)> = names.iter().filter_map(|name| name.split_once('/')).collect();
    let server = github::GitHub::start(&command, folder.path(), &parts, make_archive);
    let mut settings = settings(&[&server.base_url(), &server.codeload_url()]);
    let token = Secret::new(format!("Bearer {}", github::TOKEN));
    settings.credentials = vec![Credential::authorization(server.base_url(), token)];
    let (http, _) = client(settings);
    let mut known = Known::new();

    let first = night(&server, &http, &names, &mut known).await;
    assert_eq!(listings(&first.rows).len(), 12, "{:?}", first.rows);
    for name in &names {
        assert_eq!(count(&first.listing, name), 2, "{name}");
        assert_eq!(count(&first.fetching, name), 1, "{name}");
        assert!(first.files.contains_key(&format!("{name}/README.md")), "{:?}", first.files.keys());
    }

    let second = night(&server, &http, &names, &mut known).await;
    assert!(second.rows.iter().all(|row| matches!(row, ListedEntry::Unchanged(_))), "{:?}", second.rows);
    assert_eq!(second.listing.len(), 12);
    assert_eq!(second.fetching.len(), 0);
    assert!(second.listing.iter().all(|asked| asked.status == 304));

    let of_search = SourceSettings {
        base_url: server.base_url(),
        queries: vec!["topic:mcp-server".to_owned()],
        ..SourceSettings::default()
    };
    let page = SOURCE.list(request("github", &http, &of_search, &known)).await.expect("a page");
    assert!(page.listed.iter().all(|row| matches!(row, ListedEntry::Unchanged(_))), "{:?}", page.listed);
    assert_eq!(page.listed.len(), 12, "a search says all that is needed");
    assert_eq!(server.take_asked().len(), 1, "a search says all that is needed");

    let commit = server.commit("octo/server-03", "SKILL.md", b"# Weather\n");
    server.rename("octo/server-05", "moved");
    server.delete("octo/server-07");
    let third = night(&server, &http, &names, &mut known).await;
    assert_eq!(count(&third.listing, "octo/server-03"), 2);
    assert_eq!(count(&third.fetching, "octo/server-03"), 1);
    assert_eq!(third.files.get("octo/server-03/SKILL.md").map(Vec::as_slice), Some(&b"# Weather\n"[..]));
    let locators =
        listings(&third.rows).into_iter().find(|one| one.key == key("octo/server-03")).map(|one| &one.locators);
    assert!(matches!(locators.map(Vec::as_slice), Some([Locator::GitArchive { commit: now, .. }]) if *now == commit));
    assert!(
        third.rows.contains(&ListedEntry::Moved { key: key("octo/server-05"), to: "octo/moved".into() }),
        "{:?}",
        third.rows
    );
    assert!(listings(&third.rows).iter().any(|one| one.key == key("octo/moved")));
    assert!(third.rows.contains(&ListedEntry::Gone(key("octo/server-07"))));
    // Nine unchanged, one changed with its commit, one moved with its redirect and commit, one gone.
    assert_eq!(third.listing.len(), 9 + 2 + 3 + 1);

    let of_archives = |asked: &&github::Asked| server.codeload_url().ends_with(&format!(":{}", asked.port));
    let (codeload, api): (Vec<_>, Vec<_>) = first.fetching.iter().partition(of_archives);
    assert_eq!(codeload.len(), 12);
    assert_eq!(api.len(), 12);
    assert!(codeload.iter().all(|asked| asked.header("authorization").is_none()), "no token leaves the interface");
    assert!(api.iter().all(|asked| asked.header("authorization").is_some()));
    println!(
        "requests: first night {} + {}, unchanged night {}, third night {} + {}",
        first.listing.len(),
        first.fetching.len(),
        second.listing.len(),
        third.listing.len(),
        third.fetching.len()
    );
}
