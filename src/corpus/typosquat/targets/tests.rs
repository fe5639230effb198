//! Every way of being almost a name, with a pair of each, and names that are no candidates.

use super::*;

fn targets(names: &[&str]) -> Targets {
    Targets::new(names.iter().map(|name| Name::read(name).expect("a name")).collect())
}

/// The kinds and targets that a name is found under.
fn found(name: &str, of: &[&str]) -> Vec<(String, &'static str)> {
    let targets = targets(of);
    let found = targets.of(&Name::read(name).expect("a name"));
    found.iter().map(|found| (targets.name(found.target).expect("there").text.clone(), found.kind.as_str())).collect()
}

fn kind(name: &str, of: &str) -> &'static str {
    found(name, &[of]).first().map_or("none", |(_, kind)| kind)
}

#[test]
fn every_way_is_found_and_named() {
    for (name, target, expected) in [
        ("раураl", "paypal", "confusable"),
        ("express\u{200B}", "express", "confusable"),
        ("ｅｘｐｒｅｓｓ", "express", "confusable"),
        ("ехрrеss-server", "express-server", "confusable"),
        ("rnodern-ui", "modern-ui", "confusable"),
        ("1odash", "lodash", "confusable"),
        ("fl0w", "flow", "confusable"),
        ("go4it", "goforit", "homophone"),
        ("crossenv", "cross-env", "delimiter"),
        ("my_package", "my-package", "delimiter"),
        ("acme-x", "@acme/x", "scope"),
        ("@acme/x", "acme-x", "scope"),
        ("@evil/lodash", "lodash", "scope"),
        ("@evil/sdk-core", "@acme/sdk-core", "scope"),
        ("nmap-python", "python-nmap", "word_order"),
        ("mcp-server-x", "x-mcp-server", "word_order"),
        ("reqeusts", "requests", "transposition"),
        ("rrequests", "requests", "repetition"),
        ("reqest", "requests", "edits"),
        ("babelcl", "babel-cli", "omission"),
        ("mcp-server-stripe", "mcp-stripe", "affix"),
        ("mcp-server-filesystem", "@modelcontextprotocol/server-filesystem", "affix"),
        ("firecrawl-model-context-protocol", "firecrawl-mcp", "affix"),
        ("contex7-mcp", "@upstash/context7-mcp", "affix"),
        ("context77-mcp", "@upstash/context7-mcp", "affix"),
        ("playwrite-mcp", "@playwright/mcp", "homophone"),
        ("@upstach/context7-mcp", "@upstash/context7-mcp", "replacement"),
        ("@play-wright/mcp", "@playwright/mcp", "delimiter"),
        ("ethetsjs", "ethers", "affix"),
        ("requests-darwin-lite", "requests", "combosquat"),
        ("beautifulsoup-numpy", "beautifulsoup4", "combosquat"),
        ("fairsequence", "fairseq", "combosquat"),
        ("node-mongoose-orm", "mongoose", "affix"),
    ] {
        assert_eq!(kind(name, target), expected, "{name} against {target}");
    }
}

#[test]
fn the_name_itself_and_strangers_are_no_candidates() {
    for (name, target) in [
        ("express", "express"),
        ("Express", "express"),
        ("flask", "django"),
        ("ab", "ac"),
        ("react-router", "reach"),
        ("日本語", "express"),
        ("git-tools", "git"),
        // A vendor's word, and another kind of thing for it.
        ("mcp-server-stripe", "stripe"),
        ("clickhouse-io", "mcp-clickhouse"),
        ("stripe-agent-plugin", "stripe"),
    ] {
        assert_eq!(kind(name, target), "none", "{name} against {target}");
    }
}

#[test]
fn a_name_may_be_almost_several_and_each_once() {
    let of = ["requests", "request", "requests-oauthlib"];
    let found = found("requestz", &of);
    assert_eq!(found, [("requests".into(), "replacement"), ("request".into(), "insertion")]);
}

#[test]
fn words_of_an_ecosystem_are_nobodys_brand() {
    let family: Vec<String> = (0..60).map(|number| format!("react-part{number}x")).collect();
    let mut names: Vec<&str> = family.iter().map(String::as_str).collect();
    names.insert(0, "react");
    assert_eq!(found("react-something-else", &names), []);
    assert_eq!(found("something-of-mongoose", &["mongoose"]), [("mongoose".into(), "combosquat")]);
}

#[test]
fn a_name_under_many_scopes_is_nobodys() {
    let scoped = ["@a/shared-core", "@b/shared-core", "@c/shared-core", "@d/shared-core"];
    assert_eq!(found("@evil/shared-core", &scoped[..3]).len(), 3);
    assert_eq!(found("@evil/shared-core", &scoped), []);
}

#[test]
fn the_longest_name_among_the_words_counts() {
    let found = found("google-maps-helper-free-gift", &["google", "google-maps"]);
    assert_eq!(found, [("google-maps".into(), "combosquat")]);
}
