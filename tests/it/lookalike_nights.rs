//! Look-alikes over a night, with the real binary: what excuses a name and what does not, skills among packages, and ages.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::directory::serve;
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

/// What one night says: the severity of each lead by its two names, and the folder of the dataset.
fn leads_of(packages: &[Package<'_>], popular: &str) -> (BTreeMap<(String, String), String>, Capdex) {
    let registry = Registry::start();
    for (name, account, created, more) in packages {
        let manifest = format!(r#"{{"name":"{name}","version":"1.0.0","license":"MIT"}}"#);
        let mut files: Vec<(&str, &[u8])> = vec![("package.json", manifest.as_bytes())];
        files.extend(more.iter().map(|(path, text)| (*path, text.as_bytes())));
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
    let leads = rows(&capdex.path().join("out"), "typosquats");
    let of = |row: &Value| {
        ((text(row, "name").to_owned(), text(row, "target").to_owned()), text(row, "severity").to_owned())
    };
    (leads.iter().map(of).collect(), capdex)
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
}
