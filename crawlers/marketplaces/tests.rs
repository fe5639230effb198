//! Marketplaces by hand, and the three that `marketplaces/current` records (2026-08).

use super::*;
use crate::conformance;
use crate::http::testing::{Sent, Server};
use crate::{SourceSettings, WalkScope, testing};

fn document(url: &str, whole: &Value) -> SourceDocument {
    let bytes = whole.to_string().into_bytes();
    SourceDocument { id: "marketplaces".into(), name: "o/r".into(), url: url.into(), bytes, forges: Vec::new() }
}

fn marketplace(plugins: Value) -> Value {
    json!({"name": "test", "owner": {"name": "o"}, "plugins": plugins})
}

const OWN: &str = "https://raw.githubusercontent.com/Own/Er/main/.claude-plugin/marketplace.json";

/// The origin that is kept for a source.
fn origin_of(source: Value) -> Value {
    let whole = marketplace(json!([{"name": "p", "source": source}]));
    let listed = read(&document(OWN, &whole)).expect("a marketplace");
    let [ListedEntry::Changed { listing, .. }] = listed.as_slice() else { panic!("{listed:?}") };
    let Some(Locator::Inline { files, .. }) = listing.locators.first() else { panic!("inline") };
    let text: Value = serde_json::from_str(&files["listing.json"]).expect("JSON");
    let mut origin = text["origin"].clone();
    origin["archives"] = json!(listing.locators.iter().skip(1).map(Locator::artifact).collect::<Vec<_>>());
    origin["references"] = json!(listing.references.iter().map(ToString::to_string).collect::<Vec<_>>());
    origin
}

#[test]
fn every_form_of_a_source_is_read_and_only_a_commit_is_a_pin() {
    let sha = "0123456789abcdef0123456789abcdef01234567";
    let origin = |form: &str, repository: &str, pin: Option<&str>| {
        let archives: Vec<_> = pin.into_iter().collect();
        json!({"form": form, "repository": repository, "package": null, "path": null, "ref": null, "commit": pin,
            "floating": pin.is_none(), "archives": archives, "references": [repository]})
    };
    let with = |mut origin: Value, member: &str, value: Value| {
        origin[member] = value;
        origin
    };
    assert_eq!(
        origin_of(json!("./plugins/p")),
        with(origin("path", "github:own/er", None), "path", json!("./plugins/p"))
    );
    let url = "https://github.com/O/N.git";
    assert_eq!(origin_of(json!({"source": "url", "url": url, "sha": sha})), origin("url", "github:o/n", Some(sha)));
    assert_eq!(origin_of(json!({"source": "url", "url": url})), origin("url", "github:o/n", None));
    assert_eq!(
        origin_of(json!({"source": "git-subdir", "url": url, "ref": "v1", "path": "a/b", "sha": sha})),
        with(with(origin("git-subdir", "github:o/n", Some(sha)), "path", json!("a/b")), "ref", json!("v1"))
    );
    let moving = json!({"source": "git-subdir", "url": url, "ref": "main", "path": "a"});
    assert_eq!(
        origin_of(moving),
        with(with(origin("git-subdir", "github:o/n", None), "path", json!("a")), "ref", json!("main"))
    );
    assert_eq!(
        origin_of(json!({"source": "github", "repo": "O/N", "commit": sha})),
        origin("github", "github:o/n", Some(sha))
    );
    assert_eq!(
        origin_of(json!({"source": "github", "repo": "O/N", "sha": "main"})),
        origin("github", "github:o/n", None)
    );
    let package = |version: &str| origin_of(json!({"source": "npm", "package": "@o/n", "version": version}));
    assert_eq!(&package("1.2.3")["floating"], &json!(false));
    assert_eq!(&package("^1.0.0")["floating"], &json!(true));
    assert_eq!(package("1.2.3")["references"], json!(["npm:@o/n@1.2.3"]));
    assert_eq!(package("latest")["references"], json!(["npm:@o/n"]));
    assert_eq!(origin_of(json!({"source": "pip", "package": "N_n"}))["references"], json!(["pypi:n-n"]));
    let pinned = json!({"source": "pip", "package": "N_n", "version": "==1.2"});
    assert_eq!(origin_of(pinned)["references"], json!(["pypi:n-n@1.2"]));
    let unheard_of = origin_of(json!({"source": "carrier-pigeon", "nest": 1}));
    assert_eq!(&unheard_of["form"], &json!("carrier-pigeon"));
    assert_eq!(&unheard_of["floating"], &json!(true));
}

#[test]
fn a_bad_plugin_fails_by_itself_and_a_nameless_one_spoils_the_document() {
    let whole = marketplace(
        json!([{"name": "a", "source": "./a"}, {"name": "b"}, {"name": "c", "source": {"url": "x"}}, {"name": "d", "source": 1}]),
    );
    let listed = read(&document(OWN, &whole)).expect("a marketplace");
    let failed = listed.iter().filter(|listed| matches!(listed, ListedEntry::Failed { .. })).count();
    assert_eq!(listed.len(), 4);
    assert_eq!(failed, 3);
    for whole in [marketplace(json!([{"source": "./a"}])), marketplace(json!({})), json!({"plugins": []}), json!([])] {
        assert!(read(&document(OWN, &whole)).is_err(), "{whole}");
    }
}

#[test]
fn a_renamed_plugin_moves_to_its_newest_name() {
    let mut whole = marketplace(json!([{"name": "c", "source": "./c"}, {"name": "kept", "source": "./k"}]));
    whole["renames"] = json!({"a": "b", "b": "c", "x": "y", "y": "x", "kept": "c", "left": "nowhere", "odd": 1});
    let listed = read(&document(OWN, &whole)).expect("a marketplace");
    let moved: Vec<_> = listed
        .iter()
        .filter_map(|listed| match listed {
            ListedEntry::Moved { key, to } => Some((key.name.as_str(), to.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(moved, [("o/r/a", "o/r/c"), ("o/r/b", "o/r/c")]);
}

#[test]
fn mail_addresses_are_not_kept_and_everything_else_is() {
    let plugin = json!({"name": "p", "source": "./p", "version": "1.0", "license": "MIT", "tags": ["x"], "own": 1,
        "author": {"name": "zoe", "email": "zoe@mail.test"}});
    let listed = read(&document(OWN, &marketplace(json!([plugin])))).expect("a marketplace");
    let [ListedEntry::Changed { listing, .. }] = listed.as_slice() else { panic!("one") };
    let [Locator::Inline { version: Some(version), files, .. }] = listing.locators.as_slice() else { panic!("inline") };
    let text = &files["listing.json"];
    assert!(!text.contains("mail.test"), "{text}");
    assert!(text.contains("zoe"), "{text}");
    assert!(text.contains("\"own\": 1"), "{text}");
    assert_eq!(version.as_str(), "1.0");
    assert_eq!(&listing.claims.license, &Claim::Known("MIT".into()));
    assert_eq!(listing.claims.keywords, Claim::Known(vec!["x".into()]));
}

#[test]
fn recorded_marketplaces_are_read_whole() {
    for (file, counts) in [
        ("anthropics+claude-plugins-official", (286, 233, 53, 9)),
        ("obra+superpowers", (1, 0, 1, 0)),
        ("wshobson+agents", (92, 0, 92, 0)),
    ] {
        let Some(text) = testing::recorded(&format!("marketplaces/current/{file}.json")) else { return };
        let bytes = text.into_bytes();
        let url = OWN.to_owned();
        let document = SourceDocument { id: "marketplaces".into(), name: "o/r".into(), url, bytes, forges: Vec::new() };
        let listed = read(&document).expect("a marketplace");
        let listings: Vec<_> = listed
            .iter()
            .filter_map(|listed| match listed {
                ListedEntry::Changed { listing, .. } => Some(listing),
                _ => None,
            })
            .collect();
        let pinned = listings.iter().filter(|listing| listing.locators.len() == 2).count();
        let moved = listed.iter().filter(|listed| matches!(listed, ListedEntry::Moved { .. })).count();
        assert_eq!((listings.len(), pinned, listings.len() - pinned, moved), counts, "{file}");
        assert!(listings.iter().all(|listing| listing.references.len() == 1), "{file}");
    }
}

const ORIGIN: conformance::Origin = conformance::Origin {
    source: SOURCE,
    name: |number| format!("owner/list-{}/plugin-{number:03}", number % 3),
    settings: |_, base_url| {
        let watchlist = (0..3).map(|list| format!("{base_url}/owner/list-{list}/main/marketplace.json")).collect();
        SourceSettings { watchlist, ..SourceSettings::default() }
    },
    answer: |world, asked, _| {
        let list = asked.path.trim_start_matches('/').trim_end_matches("main/marketplace.json");
        let plugins: Vec<_> = world
            .entries
            .iter()
            .filter_map(|(name, revision)| {
                let name = name.strip_prefix(list)?;
                Some(json!({"name": name, "source": "./p", "version": format!("{revision}.0.0")}))
            })
            .collect();
        let own = |name: &String| name.strip_prefix(list).map(str::to_owned);
        let renames = world.renamed.iter().filter_map(|(old, new)| Some((own(old)?, Value::from(own(new)?))));
        let renames: Map<_, _> = renames.collect();
        Sent::ok(json!({"name": "test", "plugins": plugins, "renames": renames}).to_string())
    },
    entries: 30,
};

#[tokio::test]
async fn it_does_what_every_source_must() {
    conformance::check(ORIGIN).await;
}

#[tokio::test]
async fn each_document_is_asked_for_once() {
    let server = Server::start(|_, _| Sent::ok(marketplace(json!([{"name": "p", "source": "./p"}])).to_string()));
    let of_source = (ORIGIN.settings)(&conformance::World::default(), &server.base_url);
    let (listed, _) = testing::walk(SOURCE, &of_source, WalkScope::Full).await.expect("a walk");
    let path = |list: usize| format!("/owner/list-{list}/main/marketplace.json");
    assert_eq!(listed.len(), 3);
    assert_eq!(server.paths(), vec![path(0), path(1), path(2)]);
}
