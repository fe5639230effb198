//! Look-alikes over a night, with the real binary: what excuses a name and what does not, skills among packages, and ages.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::directory::serve;
use crate::identity::{Repo, forge, on_forge, repo};
use crate::nightly::night;
use crate::packages::{self, HOSTILE_SKILL};
use crate::rows::{rows, text};
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;
use crate::support::registry::Registry;

/// Packages in one night: name, account, when it appeared, further files.
type Package<'a> = (&'a str, &'a str, &'a str, Vec<(&'a str, &'a str)>);

const NEW: &str = "2026-11-10T00:00:00Z";
const OLD: &str = "2019-03-01T00:00:00Z";
const HOSTILE: (&str, &str) = ("skills/setup/SKILL.md", HOSTILE_SKILL);

/// The manifest of a package, with more keys of it where they are given.
fn manifest(name: &str, more: &str) -> String {
    format!(r#"{{"name":"{name}","version":"1.0.0","license":"MIT"{more}}}"#)
}

/// What one night says: the severity of each lead by its two names, and the folder of the dataset.
fn leads_of(packages: &[Package<'_>], popular: &str) -> (BTreeMap<(String, String), String>, Capdex) {
    let registry = Registry::start();
    for (name, account, created, more) in packages {
        let plain = manifest(name, "");
        let mut files: Vec<(&str, &[u8])> = more.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        if more.iter().all(|(path, _)| *path != "package.json") {
            files.push(("package.json", plain.as_bytes()));
        }
        registry.npm_package(name, "1.0.0", &files);
        registry.npm_owner(name, account, created);
    }
    let capdex = Capdex::with(&registry);
    capdex.write("popular.tsv", format!("name\tdownloads_a_month\n{popular}"));
    let names: Vec<&str> = packages.iter().map(|(name, ..)| *name).collect();
    let schedule = packages::schedule(&names, &[]);
    capdex.write(
        "schedule.toml",
        schedule.replace("[sources.npm]", "[lookalikes]\npopular = [\"popular.tsv\"]\n[sources.npm]"),
    );
    let run = night(&capdex, "2026-11-20T01:00:00Z");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    (leads_in(&capdex), capdex)
}

/// The severity of each lead of the last night by its two names.
fn leads_in(capdex: &Capdex) -> BTreeMap<(String, String), String> {
    let leads = rows(&capdex.path().join("out"), "typosquats");
    let of = |row: &Value| {
        ((text(row, "name").to_owned(), text(row, "target").to_owned()), text(row, "severity").to_owned())
    };
    leads.iter().map(of).collect()
}

/// The same of one night over repositories of a forge, each of which has three stars.
fn leads_of_repositories(repos: Vec<Repo>, popular: &str) -> BTreeMap<(String, String), String> {
    let names: Vec<&str> = repos.iter().map(|of| of.name).collect();
    let capdex = Capdex::offline();
    capdex.write("popular.tsv", format!("name\tdownloads_a_month\n{popular}"));
    let lists = "[lookalikes]\npopular = [\"popular.tsv\"]\n";
    let directory = Directory::start(forge(repos.clone(), vec![]));
    capdex.write("schedule.toml", format!("name = \"r\"\n{lists}{}", on_forge(&directory, &names)));
    let run = night(&capdex, "2026-11-20T01:00:00Z");
    assert!(matches!(run.code, Some(0 | 3)), "{}", run.stdout);
    leads_in(&capdex)
}

fn severity<'a>(leads: &'a BTreeMap<(String, String), String>, name: &str, target: &str) -> Option<&'a str> {
    leads.get(&(name.to_owned(), target.to_owned())).map(String::as_str)
}

#[test]
fn nothing_excuses_what_does_harm() {
    let (leads, _) = leads_of(
        &[
            // Plural, number, version; a publisher with an old package of his own.
            ("postmark-mcps", "mallory", NEW, vec![HOSTILE]),
            ("postmark-mcp2", "mallory", NEW, vec![HOSTILE]),
            ("postmark-mcp-v2", "mallory", NEW, vec![HOSTILE]),
            ("tidy-notes", "mallory", OLD, vec![]),
            ("@upstach/context7-mcp", "mallory", NEW, vec![HOSTILE]),
            ("mcp-server-filesystem", "mallory", NEW, vec![HOSTILE]),
            // The same names by people who do no harm.
            ("tavily-mcps", "ann", NEW, vec![]),
            ("firecrawl-mpc", "ann", NEW, vec![]),
        ],
        "postmark-mcp\t900000\n@upstash/context7-mcp\t900000\n@modelcontextprotocol/server-filesystem\t900000\n\
         tavily-mcp\t900000\nfirecrawl-mcp\t900000\n",
    );
    for (name, target) in [
        ("postmark-mcps", "postmark-mcp"),
        ("postmark-mcp2", "postmark-mcp"),
        ("postmark-mcp-v2", "postmark-mcp"),
        ("@upstach/context7-mcp", "@upstash/context7-mcp"),
        ("mcp-server-filesystem", "@modelcontextprotocol/server-filesystem"),
    ] {
        assert!(matches!(severity(&leads, name, target), Some("medium" | "high")), "{name}: {leads:#?}");
    }
    assert_eq!(severity(&leads, "tavily-mcps", "tavily-mcp"), Some("low"), "{leads:#?}");
    assert_eq!(severity(&leads, "firecrawl-mpc", "firecrawl-mcp"), Some("low"), "{leads:#?}");
}

/// Lists are made by counting, and squats are counted too.
#[test]
fn a_place_on_the_operators_own_list_excuses_no_harm() {
    let (leads, _) = leads_of(
        &[
            ("postmrak-mcp", "mallory", NEW, vec![HOSTILE]),
            ("tavilly-mcp", "mallory", OLD, vec![HOSTILE]),
            // The same by people who do no harm.
            ("firecrawl-mpc", "ann", NEW, vec![]),
        ],
        "postmark-mcp\t900000\npostmrak-mcp\t900\ntavily-mcp\t900000\ntavilly-mcp\t50\nfirecrawl-mcp\t900000\nfirecrawl-mpc\t70\n",
    );
    assert!(matches!(severity(&leads, "postmrak-mcp", "postmark-mcp"), Some("medium" | "high")), "{leads:#?}");
    assert!(matches!(severity(&leads, "tavilly-mcp", "tavily-mcp"), Some("medium" | "high")), "{leads:#?}");
    assert_eq!(severity(&leads, "firecrawl-mpc", "firecrawl-mcp"), None, "{leads:#?}");
}

#[test]
fn a_skill_is_compared_with_skills_and_marks_none_beside_it() {
    let skill = |name: &str| {
        format!("---\nname: {name}\ndescription: Does one thing. Use when asked.\n---\n\n# One\n\nDo it.\n")
    };
    let hostile = HOSTILE_SKILL.replace("name: setup", "name: pfd-processing");
    let (pdf, clickhouse, notes) = (skill("pdf-processing"), skill("clickhouse-mcp"), skill("notes"));
    let (leads, capdex) = leads_of(
        &[
            ("famous-skills", "bob", OLD, vec![("skills/pdf/SKILL.md", &pdf)]),
            (
                "many-skills",
                "mallory",
                NEW,
                vec![
                    ("skills/pfd/SKILL.md", &hostile),
                    ("skills/clickhouse/SKILL.md", &clickhouse),
                    ("skills/notes/SKILL.md", &notes),
                ],
            ),
        ],
        "mcp-clickhouse\t900000\n",
    );
    assert_eq!(leads.len(), 1, "{leads:#?}");
    assert!(matches!(severity(&leads, "pfd-processing", "pdf-processing"), Some("medium" | "high")), "{leads:#?}");
    let out = capdex.path().join("out");
    let findings = rows(&out, "findings");
    let of_rule = findings.iter().filter(|row| text(row, "rule") == "sighted-look-alike");
    let marked: Vec<&str> = of_rule.map(|row| text(row, "slug")).collect::<BTreeSet<_>>().into_iter().collect();
    assert_eq!(marked.len(), 1, "{marked:?}");
    assert!(marked[0].contains("pfd"), "{marked:?}");
}

#[test]
fn a_date_of_a_registry_counts_from_the_first_night() {
    let row = |name: &str, at: &str, host: &str| {
        json!({
            "server": {"name": name, "description": "Payments for agents.", "version": "1.0.0",
                       "remotes": [{"type": "streamable-http", "url": format!("https://{host}/")}]},
            "_meta": {"io.modelcontextprotocol.registry/official":
                      {"status": "active", "publishedAt": at, "updatedAt": at, "isLatest": true}},
        })
    };
    let directory = Directory::start(serve(vec![
        row("com.vendorly/mcp", "2025-03-01T00:00:00Z", "mcp.vendorly.com"),
        row("com.vendorly-pay/mcp", "2026-11-01T00:00:00Z", "mcp.vendorly-pay.com"),
    ]));
    let capdex = Capdex::offline();
    let url = directory.url();
    capdex.write(
        "schedule.toml",
        format!("name = \"r\"\n[sources.official-registry]\nbase_url = \"{url}\"\nrequests_per_minute = 100000\n"),
    );
    let run = night(&capdex, "2026-11-20T01:00:00Z");
    assert!(matches!(run.code, Some(0 | 3)), "{}", run.stdout);
    let leads = rows(&capdex.path().join("out"), "typosquats");
    let told: Vec<_> = leads.iter().map(|row| ["space", "target", "kind"].map(|cell| text(row, cell))).collect();
    assert!(told.iter().any(|row| row[0] == "host" && row[2] == "host_combosquat"), "{told:?}");
    // Of two that came in one month neither is the established one.
    directory.change(serve(vec![
        row("com.vendorly/mcp", "2026-11-02T00:00:00Z", "mcp.vendorly.com"),
        row("com.vendorly-pay/mcp", "2026-11-01T00:00:00Z", "mcp.vendorly-pay.com"),
    ]));
    let other = Capdex::offline();
    let schedule = std::fs::read(capdex.path().join("schedule.toml")).expect("a schedule");
    other.write("schedule.toml", schedule);
    let run = night(&other, "2026-11-20T01:00:00Z");
    assert!(matches!(run.code, Some(0 | 3)), "{}", run.stdout);
    assert!(rows(&other.path().join("out"), "typosquats").is_empty());
}

/// What an older, more used or common name is excused for is that it is nobody's copy; not what it does.
#[test]
fn neither_age_nor_users_nor_crowds_excuse_harm() {
    let is_raised = |severity: Option<&str>| matches!(severity, Some("medium" | "high"));
    // Both established, and the hostile one older.
    let pair = |more: Vec<(&'static str, &'static str)>| {
        let packages = [("letters-mcp", "ann", "2020-03-01T00:00:00Z", vec![]), ("lettres-mcp", "mallory", OLD, more)];
        leads_of(&packages, "").0
    };
    let leads = pair(vec![HOSTILE]);
    assert!(is_raised(severity(&leads, "lettres-mcp", "letters-mcp")), "{leads:#?}");
    let leads = pair(vec![]);
    assert_eq!(severity(&leads, "lettres-mcp", "letters-mcp"), None, "{leads:#?}");
    // One name under accounts of one person.
    let crowd = |content: &str| -> Vec<Repo> {
        let names = ["m1/postmrak-mcp", "m2/postmrak-mcp", "m3/postmrak-mcp", "m4/postmrak-mcp"];
        (1..).zip(names).map(|(id, name)| repo(name, id, &[(HOSTILE.0, content)])).collect()
    };
    let honest =
        "---\nname: setup\ndescription: Prepares the machine. Use when asked.\n---\n\n# Setup\n\nRead the guide.\n";
    let leads = leads_of_repositories(crowd(HOSTILE.1), "postmark-mcp\t900000\n");
    assert!(is_raised(severity(&leads, "postmrak-mcp", "postmark-mcp")), "{leads:#?}");
    let leads = leads_of_repositories(crowd(honest), "postmark-mcp\t900000\n");
    assert_eq!(severity(&leads, "postmrak-mcp", "postmark-mcp"), None, "{leads:#?}");
    // More stars than the other has users.
    let starred = |content: &str| {
        leads_of_repositories(vec![repo("m1/postmrak-mcp", 1, &[(HOSTILE.0, content)])], "postmark-mcp\t2\n")
    };
    let leads = starred(HOSTILE.1);
    assert!(is_raised(severity(&leads, "postmrak-mcp", "postmark-mcp")), "{leads:#?}");
    let leads = starred(honest);
    assert_eq!(severity(&leads, "postmrak-mcp", "postmark-mcp"), None, "{leads:#?}");
}

const WORDS: &str = r#","description":"Writes letters to customers and files every answer that comes back""#;

/// Who only asked for a name had nothing under it: its age is that of what was published.
#[test]
fn a_name_that_was_only_asked_for_has_no_age() {
    let severity_of = |account: &str| {
        let registry = Registry::start();
        let publish = |name: &str, account: &str, created: &str| {
            registry.npm_package(name, "1.0.0", &[("package.json", manifest(name, WORDS).as_bytes())]);
            registry.npm_owner(name, account, created);
        };
        publish("letters-mcp", "ann", OLD);
        let capdex = Capdex::with(&registry);
        capdex.write("schedule.toml", packages::schedule(&["letters-mcp", "lettres-mcp"], &[]));
        let first = night(&capdex, "2025-01-01T01:00:00Z");
        assert!(matches!(first.code, Some(0 | 3)), "{}", first.stdout);
        publish("lettres-mcp", account, NEW);
        let second = night(&capdex, "2026-11-20T01:00:00Z");
        assert_eq!(second.code, Some(0), "{}", second.stdout);
        severity(&leads_in(&capdex), "lettres-mcp", "letters-mcp").map(str::to_owned)
    };
    let told = severity_of("mallory");
    assert!(matches!(told.as_deref(), Some("medium" | "high")), "{told:?}");
    assert_eq!(severity_of("ann"), None, "one owner may name his things alike");
}

#[test]
fn a_scope_that_is_almost_anothers_is_told_whatever_stands_behind_it() {
    let popular = "@upstash/context7-mcp\t900000\n";
    let (leads, _) = leads_of(&[("@upstach/other-thing", "mallory", NEW, vec![])], popular);
    assert_eq!(severity(&leads, "upstach", "upstash"), Some("low"), "{leads:#?}");
    let (leads, _) = leads_of(&[("@upstash/other-thing", "ann", NEW, vec![])], popular);
    assert!(leads.is_empty(), "{leads:#?}");
}

/// A lead that is raised is a finding in what bears the name, and so a verdict; a name by itself is none.
#[test]
fn a_package_that_poses_as_another_is_not_ok() {
    let posing = format!(r#"{WORDS},"repository":"https://github.com/ann/letters-mcp""#);
    let (own, other) = (manifest("letters-mcp", &posing), manifest("lettres-mcp", &posing));
    let night_with = |file: Vec<(&str, &str)>| {
        let packages = [
            ("letters-mcp", "ann", OLD, vec![("package.json", own.as_str())]),
            ("lettres-mcp", "mallory", NEW, file),
            // An old package of the same publisher vouches for nothing.
            ("tidy-notes", "mallory", OLD, vec![]),
        ];
        let (leads, capdex) = leads_of(&packages, "");
        let out = capdex.path().join("out");
        let band = rows(&out, "packages")
            .iter()
            .find(|row| text(row, "package") == "npm:lettres-mcp")
            .map(|row| text(row, "band").to_owned());
        let findings = rows(&out, "findings");
        let sighted = findings.iter().find(|row| text(row, "rule") == "sighted-look-alike");
        let sighted = sighted.map(|row| text(row, "severity").to_owned());
        let raised = rows(&out, "alerts").iter().filter(|row| text(row, "pass") == "lookalikes").count();
        (severity(&leads, "lettres-mcp", "letters-mcp").map(str::to_owned), sighted, band.expect("a package"), raised)
    };
    let (lead, sighted, band, raised) = night_with(vec![("package.json", other.as_str())]);
    assert_eq!((lead.as_deref(), raised), (Some("high"), 1), "{band}");
    // The rule has the severity that its method gives the code.
    assert_eq!(sighted.as_deref(), Some("medium"));
    assert!(matches!(band.as_str(), "watch" | "caution" | "block"), "{band}");
    let (lead, sighted, band, raised) = night_with(vec![]);
    assert_eq!((lead.as_deref(), sighted, raised), (Some("low"), None, 0), "the name alone");
    assert!(matches!(band.as_str(), "ok" | "unknown"), "{band}");
}
