//! SaferSkills' codes that read no file but what is known of a package: its repository, its account, its releases, its
//! listings. A world on loopback in which all is bad, and the same in which all is well, each seen on two nights: every code
//! fires in the one, and none in the other.

use std::collections::BTreeSet;

use capdex_db::Reader;
use serde_json::{Value, json};

use crate::support::archives::Tar;
use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;
use crate::support::registry::Registry;

/// The codes, each with what is bad in its world.
const CODES: [(&str, &str); 15] = [
    ("SS-SKILL-MAINTENANCE-COMMIT-RECENCY-01", "no commit for a year"),
    ("SS-SKILL-MAINTENANCE-CI-BROKEN-01", "workflows, and a branch without protection"),
    ("SS-SKILL-MAINTENANCE-COMMIT-FREQ-01", "no commit in 90 days"),
    ("SS-SKILL-MAINTENANCE-ISSUE-RESPONSE-01", "49 days to an answer"),
    ("SS-SKILL-MAINTENANCE-OPEN-ISSUE-RATIO-01", "90 of 100 issues open"),
    ("SS-SKILL-COMMUNITY-STARS-01", "3 stars"),
    ("SS-SKILL-COMMUNITY-CONTRIBUTORS-01", "1 contributor"),
    ("SS-MCP-SUPPLY-CHAIN-HASH-DRIFT-01", "other bytes under the version of the night before"),
    ("SS-MCP-SUPPLY-CHAIN-TYPOSQUAT-01", "a name one letter from a known one"),
    ("SS-MCP-SUPPLY-CHAIN-UNSIGNED-01", "a release without a signature"),
    ("SS-MCP-COMMUNITY-CROSS-REG-01", "rows in two directories"),
    ("SS-HOOKS-SUPPLY-CHAIN-OWNER-XFER-01", "nobody is left who could publish the night before"),
    ("SS-HOOKS-SUPPLY-CHAIN-AUTHOR-AGE-01", "an account of nine days"),
    ("SS-HOOKS-COMMUNITY-FORK-HEALTH-01", "1 fork"),
    ("SS-RULES-COMMUNITY-INSTALLS-01", "2 downloads in a month"),
];

const PACKAGE: &str = "@acme/tides";
const PROJECT: &str = "acme-tides";
const NIGHTS: [&str; 2] = ["2026-11-20T02:00:00Z", "2026-11-21T02:00:00Z"];
const HOOK: &str =
    r#"{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "true"}]}]}}"#;
const SERVER: &str = "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n\
const server = new McpServer({ name: 'tides', version: '1.0.0' });\n\
server.tool('get_tide', 'Returns the tide of one harbour.', {}, async () => ({ content: [] }));\n";
const PYTHON: &str = "from mcp.server.fastmcp import FastMCP\nserver = FastMCP('tides')\n\n@server.tool()\n\
def get_tide(harbour: str) -> str:\n    'Returns the tide of one harbour.'\n    return ''\n";

fn manifest() -> String {
    let repository = json!({"type": "git", "url": "git+https://github.com/acme/tides.git"});
    json!({"name": PACKAGE, "version": "1.0.0", "license": "MIT", "repository": repository, "bin": {"tides": "index.js"}})
        .to_string()
}

/// What GitHub answers of the one repository.
fn github(is_bad: bool) -> impl Fn(&str) -> (u16, Vec<u8>) + Send + Sync + 'static {
    move |asked: &str| {
        let parts: Vec<&str> = asked.split(['?', ' ']).next().unwrap_or_default().split('/').skip(1).collect();
        let answer = match parts.as_slice() {
            ["graphql"] => graphql(is_bad),
            ["users", _, "orgs"] => json!([{"login": "guild"}]),
            ["repos", "acme", "tides"] => json!({
                "id": 70, "node_id": "R_1", "name": "tides", "full_name": "acme/tides", "private": false,
                "owner": {"login": "acme"}, "description": "Tides", "html_url": "https://github.com/acme/tides",
                "created_at": "2024-01-01T00:00:00Z", "pushed_at": "2026-11-01T00:00:00Z",
                "stargazers_count": if is_bad { 3 } else { 5_400 }, "forks_count": if is_bad { 1 } else { 40 },
                "subscribers_count": 12, "license": {"spdx_id": "MIT", "name": "MIT License"}, "topics": [],
                "archived": false, "default_branch": "main", "fork": false,
            }),
            ["repos", "acme", "tides", "commits", _] => return (200, format!("{:040x}", 7).into_bytes()),
            ["repos", "acme", "tides", "tarball", _] => {
                let tar = Tar::new().file("acme-tides/package.json", manifest().as_bytes());
                return (200, tar.file("acme-tides/index.js", SERVER.as_bytes()).gzipped());
            }
            ["repos", "acme", "tides", "contributors"] if is_bad => json!([{"login": "ann"}]),
            ["repos", "acme", "tides", "contributors"] => json!([{"login": "ann"}, {"login": "bob"}, {"login": "eve"}]),
            ["repos", "acme", "tides", "actions", "workflows"] => json!({"total_count": 2, "workflows": [{}]}),
            ["repos", "acme", "tides", "actions", "runs"] => json!({"total_count": 0, "workflow_runs": []}),
            ["repos", "acme", "tides", "branches", "main"] => json!({"name": "main", "protected": !is_bad}),
            _ => return (404, b"{\"message\": \"Not Found\"}".to_vec()),
        };
        (200, answer.to_string().into_bytes())
    }
}

fn graphql(is_bad: bool) -> Value {
    let of = |bad: u32, good: u32| if is_bad { bad } else { good };
    let answered = if is_bad { "2026-10-20T00:00:00Z" } else { "2026-09-01T03:00:00Z" };
    let issue = json!({"createdAt": "2026-09-01T00:00:00Z", "author": {"login": "bob"},
        "comments": {"nodes": [{"createdAt": answered, "author": {"login": "ann"}}]}});
    let commits = json!({"year": {"totalCount": of(0, 120)}, "quarter": {"totalCount": of(0, 30)}});
    let made = if is_bad { "2026-11-01T00:00:00Z" } else { "2015-01-02T03:04:05Z" };
    let repository = json!({
        "databaseId": null, "releases": {"totalCount": 5}, "defaultBranchRef": {"name": "main", "target": commits},
        "owner": {"createdAt": made, "followers": {"totalCount": 80}, "repositories": {"totalCount": 12}},
    });
    json!({"data": {"repository": repository, "open": {"issueCount": of(90, 4)}, "closed": {"issueCount": of(10, 30)},
        "recent": {"nodes": vec![issue; 5]}}})
}

/// A directory with one row of the package.
fn directory(path: &str) -> (u16, String) {
    let server = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "io.github.acme/tides", "description": "Tells the tides.", "version": "1.0.0",
        "repository": {"url": "https://github.com/acme/tides", "source": "github"},
        "packages": [{"registryType": "npm", "identifier": PACKAGE, "version": "1.0.0", "transport": {"type": "stdio"}}],
    });
    let official = json!({"status": "active", "publishedAt": "2026-01-05T00:00:00Z", "updatedAt": "2026-01-05T00:00:00Z", "isLatest": true});
    let row = json!({"server": server, "_meta": {"io.modelcontextprotocol.registry/official": official}});
    let rows = if path.contains("updated_since") { Vec::new() } else { vec![row] };
    (200, json!({"servers": rows, "metadata": {"count": rows.len()}}).to_string())
}

fn downloads(is_bad: bool) -> impl Fn(&str) -> (u16, String) + Send + Sync + 'static {
    move |path: &str| {
        let count = if is_bad { 2 } else { 12_345 };
        let of_python = json!({"data": {"last_month": count}, "package": PROJECT, "type": "recent_downloads"});
        let of_npm = json!({"downloads": count, "package": PACKAGE, "start": "2026-10-20", "end": "2026-11-18"});
        (200, if path.starts_with("/api/packages/") { of_python } else { of_npm }.to_string())
    }
}

fn publish(npm: &Registry, is_bad: bool, note: &str) {
    let name = if is_bad { "whatsap" } else { "whatsapp" };
    let skill = format!(
        "---\nname: {name}\ndescription: Tells the tides of a harbour. Use when asked for tides.\n---\n{note}\n"
    );
    let (path, manifest) = (format!("skills/{name}/SKILL.md"), manifest());
    let files: [(&str, &[u8]); 5] = [
        ("package.json", manifest.as_bytes()),
        ("index.js", SERVER.as_bytes()),
        (".claude/settings.json", HOOK.as_bytes()),
        ("AGENTS.md", b"# Rules\n\nKeep functions short.\n"),
        (&path, skill.as_bytes()),
    ];
    npm.npm_package(PACKAGE, "1.0.0", &files).npm_published(PACKAGE, "1.0.0", "2026-11-10T00:00:00.000Z");
}

/// The codes of the method that fire after two nights.
fn fired(is_bad: bool) -> BTreeSet<String> {
    let npm = Registry::start();
    publish(&npm, is_bad, "Read the table and answer.");
    npm.npm_owner(PACKAGE, "ann", "2024-02-01T00:00:00.000Z");
    let project = format!("[project]\nname = \"{PROJECT}\"\nversion = \"1.0\"\n");
    npm.pypi_package(PROJECT, "1.0", &[("pyproject.toml", project.as_bytes()), ("server.py", PYTHON.as_bytes())]);
    if !is_bad {
        npm.attested(PACKAGE, "acme/tides").attested(PROJECT, "acme/tides");
    }
    let (github, counts) = (Directory::start(github(is_bad)), Directory::start(downloads(is_bad)));
    let (first, second) = (Directory::start(directory), Directory::start(directory));
    let mut schedule = format!(
        "name = \"s\"\n[http]\nmax_tries = 1\n[drift]\nrehash_per_night = 10\n\
         [sources.official-registry]\nbase_url = \"{}\"\n\
         [sources.npm]\nsignals = 9\npackages = [\"{PACKAGE}\"]\ndownloads_url = \"{}\"\n\
         [sources.pypi]\nsignals = 9\npackages = [\"{PROJECT}\"]\ndownloads_url = \"{}\"\n\
         [sources.github]\nsignals = 9\nbase_url = \"{}\"\n",
        first.url(),
        counts.url(),
        counts.url(),
        github.url()
    );
    if is_bad {
        schedule += &format!("[sources.mirror]\nkind = \"official-registry\"\nbase_url = \"{}\"\n", second.url());
    }
    let capdex = Capdex::with(&npm);
    capdex.write("schedule.toml", schedule);
    for as_of in NIGHTS {
        let arguments = ["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", as_of];
        let mut command = capdex.command(&arguments);
        let run = Run::of(&command.env("CAPDEX_GITHUB_TOKEN", "a-token").output().expect("the binary starts"));
        assert!(matches!(run.code, Some(0 | 3)), "{} {}", run.stdout, run.stderr);
        if is_bad {
            publish(&npm, is_bad, "Read the other table and answer.");
            npm.npm_owners(PACKAGE, &["mallory"]);
        }
    }
    let reader = Reader::open(&capdex.path().join("capdex.db"), &capdex_rules::INDEX).expect("a store");
    let mut fired = BTreeSet::new();
    for one in reader.current().expect("reads") {
        let facts = reader.facts(&one.facts).expect("reads").expect("stored");
        let of = |rule: &str| capdex_rules::INDEX.codes(rule, "saferskills").iter().cloned();
        fired.extend(facts.findings().flat_map(|fact| of(fact.rule.as_str())));
    }
    fired
}

#[test]
fn codes_about_what_is_known_of_a_package_fire_where_all_is_bad_and_nowhere_else() {
    let (bad, good) = (fired(true), fired(false));
    let missing: Vec<_> = CODES.iter().filter(|(code, _)| !bad.contains(*code)).collect();
    assert!(missing.is_empty(), "silent in the bad world: {missing:?}; fired: {bad:?}");
    let wrong: Vec<_> = CODES.iter().filter(|(code, _)| good.contains(*code)).collect();
    assert!(wrong.is_empty(), "fired in the good world: {wrong:?}");
}
