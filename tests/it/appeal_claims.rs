//! What the machine makes of a claim before any person looks: what stands in the store, in words, and never a decision.

use serde_json::{Value, json};

use crate::appeals::{KIT, challenge, done, night, publish, record, store};
use crate::support::registry::Registry;

const AT: &str = "2026-11-20T02:00:00Z";
const CLEAN: &str = "---\nname: setup\ndescription: Prepares the machine.\n---\n\n# Setup\n\nRead the log.\n";

/// The check of a claim. After it was filed a version without the finding comes, and then one that holds the token and the finding again.
fn checked(claim: &[&str]) -> Value {
    let registry = Registry::start();
    let capdex = store(&registry);
    let filed = [&["appeal", "file", KIT, "--rule", "pipe-to-shell", "--text", "reply.md", "--claim"], claim].concat();
    let id = done(&capdex, AT, &filed).lines().next().expect("a name").to_owned();
    let token = challenge(&capdex, AT, &id);
    let manifest =
        json!({ "name": "setup-kit", "version": "1.0.1", "description": "Prepares machines", "license": "MIT" });
    registry.npm_package(
        "setup-kit",
        "1.0.1",
        &[("package.json", manifest.to_string().as_bytes()), ("SKILL.md", CLEAN.as_bytes())],
    );
    night(&capdex, "2026-11-21T01:00:00Z");
    publish(&registry, "1.0.2", &[(".capdex/appeal.txt", token.as_bytes()), ("scorecard.yml", ANNOTATED.as_bytes())]);
    let at = "2026-11-22T01:00:00Z";
    night(&capdex, at);
    let record = record(&capdex, at, &id);
    assert_eq!(record["state"], "answered", "{record}");
    // What its maintainers say without an appeal stands behind what its vendor says in it.
    let said = "its scorecard.yml says test-data of Scorecard's check pinned-dependencies: the danger lies only in files for tests or \
                examples; a person compares";
    let checks = record["answer"]["answer"]["checks"].as_array().expect("checks");
    assert_eq!(checks.get(1..), Some(&[json!({ "claim": "context", "holds": null, "words": said })][..]));
    let claims = done(&capdex, at, &["appeal", "claims", KIT, "--format", "json"]);
    let claims: Value = serde_json::from_str(&claims).expect("JSON");
    let of = |at: usize| (&claims["items"][at]["check"], &claims["items"][at]["claim"], &claims["items"][at]["rules"]);
    assert_eq!(of(0), (&json!("license"), &json!("not_there"), &json!(["document-missing-licence-file"])));
    assert_eq!(
        of(1),
        (&json!("pinned-dependencies"), &json!("context"), &json!(["pipe-to-shell", "pipe-to-shell-suspicious"]))
    );
    checks[0].clone()
}

/// A file for Scorecard with two annotations, of which one is about the rule that is appealed against.
const ANNOTATED: &str = "annotations:\n  - checks: [pinned-dependencies]\n    reasons: [{ reason: test-data }]\n  - checks: [license]\n    reasons: [{ reason: not-detected }]\n";

#[test]
fn a_claim_is_answered_from_what_was_fetched_and_a_person_decides() {
    let fixed = checked(&["fixed_in", "--fixed-in", "1.0.1"]);
    assert_eq!(
        fixed,
        json!({ "claim": "fixed_in", "holds": true, "words": "the rule does not fire on 1.0.1, which was fetched" })
    );
    let again = checked(&["fixed_in", "--fixed-in", "1.0.0"]);
    assert_eq!(
        (&again["holds"], &again["words"]),
        (&json!(false), &json!("the rule fires on 1.0.0 too, which was fetched"))
    );
    let later = checked(&["fixed_in", "--fixed-in", "9.0.0"]);
    assert!(
        later["holds"].is_null() && later["words"].as_str().expect("words").contains("was not fetched yet"),
        "{later}"
    );
    let declared = checked(&["declared"]);
    let words = declared["words"].as_str().expect("words");
    assert!(
        declared["holds"].is_null() && words.contains("it describes itself as \"Prepares machines\""),
        "{declared}"
    );
    let mine = checked(&["not_mine"]);
    let words = mine["words"].as_str().expect("words");
    assert!(words.starts_with("npm:setup-kit speaks for npm:setup-kit; no other listing is merged with it"), "{mine}");
}
