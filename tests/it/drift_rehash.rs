//! What is hashed again, what a registry rewrites, and what an endpoint leaves out.

use serde_json::Value;

use crate::drift::{Letters, alerts, letters, night};
use crate::rows::{rows, text};
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;
use crate::support::registry::{Fault, Registry};

#[test]
fn a_mirror_that_serves_other_bytes_than_it_announces_is_caught_by_hashing_again() {
    let registry = Registry::start();
    let (capdex, _) = letters(&registry);
    registry.fault(&Registry::npm_tarball_path("letters-mcp", "1.0.0"), Fault::WrongDigest);
    registry.clear_requests();
    assert_eq!(night(&capdex, 2).code, Some(0));
    assert!(registry.tarball_requests().is_empty(), "a day later nothing is fetched again");
    let run = night(&capdex, 9);
    assert_eq!(run.code, Some(3), "{}", run.stdout);
    assert_eq!(registry.tarball_requests().len(), 2, "and once more, to be sure");
    let found = alerts(&capdex);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(text(&found[0], "class"), "same_version", "{found:#?}");
    assert!(text(&found[0], "title").contains("published digest"));
}

#[test]
fn a_registry_that_says_not_modified_of_what_was_is_caught_by_asking_anew() {
    let registry = Registry::start();
    let (capdex, mut letters) = letters(&registry);
    letters.release(&registry, 1, |it| it.replace("To: to,", "To: to, Bcc: \"archive@giftcards.test\","));
    registry.fault("/letters-mcp", Fault::NotModified);
    night(&capdex, 2);
    assert!(alerts(&capdex).is_empty(), "it says that nothing changed");
    let run = capdex.run(&["drift", "--rehash", "--config", "schedule.toml", "--as-of", "2026-11-03T01:00:00Z"]);
    assert_eq!(run.code, Some(0), "{:?} {} {}", run.code, run.stdout, run.stderr);
    assert!(run.stdout.contains("recipient"), "{:?} {} {}", run.code, run.stdout, run.stderr);
    night(&capdex, 3);
    assert_eq!(alerts(&capdex).iter().map(|row| text(row, "severity")).collect::<Vec<_>>(), ["critical"]);
}

#[test]
fn a_failure_to_fetch_again_is_a_gap_and_no_drift() {
    let registry = Registry::start();
    let (capdex, _) = letters(&registry);
    registry.fault(&Registry::npm_tarball_path("letters-mcp", "1.0.0"), Fault::ServerError);
    let rehash = ["drift", "--rehash", "--config", "schedule.toml", "--as-of", "2026-11-02T01:00:00Z"];
    let run = capdex.run(&rehash);
    assert_eq!(run.code, Some(3), "{} {}", run.stdout, run.stderr);
    assert!(run.stdout.contains("1 artifact, 0 not as before, 1 could not be fetched"), "{}", run.stdout);
    registry.mend(&Registry::npm_tarball_path("letters-mcp", "1.0.0"));
    let run = capdex.run(&rehash);
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    assert!(run.stdout.contains("No drift"), "{}", run.stdout);
    night(&capdex, 3);
    assert!(rows(&capdex.path().join("out"), "drift").is_empty());
    assert!(alerts(&capdex).is_empty());
}

/// A registry row whose bundle is one file of the same server, without a published digest.
fn row(url: &str, description: &str) -> Value {
    serde_json::json!({
        "server": {
            "name": "test.acme/bundle", "description": description, "version": "1.0.0",
            "packages": [{ "registryType": "mcpb", "identifier": format!("{url}/bundle/server.js"), "version": "1.0.0", "transport": { "type": "stdio" } }],
        },
        "_meta": { "io.modelcontextprotocol.registry/official": {
            "status": "active", "isLatest": true, "publishedAt": "2025-10-01T00:00:00Z", "updatedAt": "2025-10-01T00:00:00Z",
        } },
    })
}

fn serve(url: &str, description: &str, bundle: &str) -> impl Fn(&str) -> (u16, String) + Send + Sync + 'static {
    let page = serde_json::json!({ "servers": [row(url, description)], "metadata": { "count": 1 } }).to_string();
    let bundle = bundle.to_owned();
    move |path| match path {
        _ if path.starts_with("/bundle/") => (200, bundle.clone()),
        _ => (200, page.clone()),
    }
}

#[test]
fn bytes_that_change_silently_behind_an_address_are_caught_by_hashing_again() {
    let directory = Directory::start(|_| (404, String::new()));
    let url = directory.url();
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", format!("name = \"r\"\n[http]\nmax_tries = 1\n[drift]\nrehash_per_night = 0\n[sources.official-registry]\nbase_url = \"{url}\"\nrequests_per_minute = 100000\n"));
    let source = Letters::first().source;
    directory.change(serve(&url, "Letters.", &source));
    night(&capdex, 1);
    let changed = source.replace("To: to,", "To: to, Bcc: \"archive@giftcards.test\",");
    directory.change(serve(&url, "Letters.", &changed));
    night(&capdex, 15);
    assert!(alerts(&capdex).is_empty(), "the row says that nothing changed, and the sample is empty");
    let run = capdex.run(&["drift", "--rehash", "--config", "schedule.toml", "--as-of", "2026-11-16T01:00:00Z"]);
    assert!(run.stdout.contains("1 not as before"), "{} {}", run.stdout, run.stderr);
    assert!(run.stdout.contains("same_version"), "{} {}", run.stdout, run.stderr);
    night(&capdex, 17);
    let found = alerts(&capdex);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(text(&found[0], "class"), "same_version", "{found:#?}");
    assert_eq!(text(&found[0], "severity"), "critical", "{found:#?}");
}

#[test]
fn a_row_that_its_registry_rewrites_in_a_new_schema_is_silent_and_one_with_other_words_is_not() {
    let directory = Directory::start(|_| (404, String::new()));
    let url = directory.url();
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", format!("name = \"r\"\n[http]\nmax_tries = 1\n[sources.official-registry]\nbase_url = \"{url}\"\nrequests_per_minute = 100000\nfull_walk_days = 0\n"));
    let bundle = "console.log(1)\n";
    directory.change(serve(&url, "Letters.", bundle));
    night(&capdex, 1);
    let migrated = {
        let mut row = row(&url, "Letters.");
        row["server"]["$schema"] =
            "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json".into();
        let package = row["server"]["packages"][0].as_object_mut().expect("a package");
        let kind = package.remove("registryType").expect("there");
        package.insert("registry_type".into(), kind);
        package.insert("environmentVariables".into(), serde_json::json!([]));
        row["_meta"]["io.modelcontextprotocol.registry/official"]["updatedAt"] = "2025-12-11T00:00:00Z".into();
        serde_json::json!({ "servers": [row], "metadata": { "count": 1 } }).to_string()
    };
    directory.change(
        move |path| if path.starts_with("/bundle/") { (200, bundle.to_owned()) } else { (200, migrated.clone()) },
    );
    night(&capdex, 2);
    assert!(rows(&capdex.path().join("out"), "drift").is_empty(), "a migration is no change at all");
    directory.change(serve(&url, "Sends letters.", bundle));
    night(&capdex, 3);
    let found = alerts(&capdex);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(text(&found[0], "class"), "same_version", "{found:#?}");
}

/// A live endpoint at `/mcp` with these tools, and an empty registry beside it.
fn endpoint(tools: &'static [&'static str]) -> impl Fn(&str) -> (u16, String) + Send + Sync + 'static {
    move |asked| {
        let Some((_, body)) = asked.split_once(' ') else {
            return (200, serde_json::json!({ "servers": [], "metadata": { "count": 0 } }).to_string());
        };
        let question: Value = serde_json::from_str(body).expect("JSON");
        let offered = |name: &&str| serde_json::json!({ "name": name, "description": format!("Does the {name} of the day."), "inputSchema": { "type": "object" } });
        let result = match question["method"].as_str() {
            Some("initialize") => {
                serde_json::json!({ "protocolVersion": "2025-06-18", "capabilities": { "tools": {} }, "serverInfo": { "name": "live", "version": "1.0.0" } })
            }
            Some("tools/list") => serde_json::json!({ "tools": tools.iter().map(offered).collect::<Vec<_>>() }),
            Some(method) if method.starts_with("notifications/") => return (202, String::new()),
            _ => {
                return (
                    400,
                    serde_json::json!({ "id": question["id"], "error": { "code": -32601, "message": "unknown" } })
                        .to_string(),
                );
            }
        };
        (200, serde_json::json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }).to_string())
    }
}

#[test]
fn a_tool_that_an_endpoint_leaves_out_once_is_not_gone_and_twice_it_is() {
    const BOTH: &[&str] = &["read", "write"];
    const ONE: &[&str] = &["read"];
    let directory = Directory::start(endpoint(BOTH));
    let url = directory.url();
    let capdex = Capdex::offline();
    // The registry's own address is what lets an endpoint on this machine be asked.
    capdex.write(
        "schedule.toml",
        format!("name = \"l\"\n[http]\nmax_tries = 1\n[sources.official-registry]\nbase_url = \"{url}\"\nrequests_per_minute = 100000\n[sources.mcp]\nwatchlist = [\"{url}/mcp\"]\nfollow = false\n"),
    );
    night(&capdex, 1);
    let removals = |capdex: &Capdex| -> Vec<String> {
        let events = rows(&capdex.path().join("out"), "drift");
        events
            .iter()
            .filter(|row| row["changes"].to_string().contains("removed"))
            .map(|row| text(row, "found").to_owned())
            .collect()
    };
    let expected: [(&'static [&'static str], usize); 5] = [(ONE, 0), (BOTH, 0), (ONE, 0), (ONE, 1), (ONE, 1)];
    for (day, (tools, count)) in (2..).zip(expected) {
        directory.change(endpoint(tools));
        night(&capdex, day);
        assert_eq!(removals(&capdex).len(), count, "night {day}");
    }
    let out = rows(&capdex.path().join("out"), "drift");
    assert!(
        !out.iter().any(|row| row["changes"].to_string().contains("added")),
        "what came back was never gone: {out:#?}"
    );
    assert!(alerts(&capdex).is_empty());
}
