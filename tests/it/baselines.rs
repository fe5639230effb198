//! Baselines and fingerprints: bound to content as people compare it, and to one place of a file whatever folder is named.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::packages::HOSTILE_SKILL;
use crate::support::capdex::Capdex;

/// A repository with one skill, and a baseline of all that stands in it.
fn known() -> Capdex {
    let capdex = Capdex::offline();
    capdex.write("repo/.git/HEAD", "ref: refs/heads/main\n");
    capdex.write("repo/skills/n/SKILL.md", HOSTILE_SKILL).write("repo/README.md", "# x\n");
    capdex.run(&["scan", "repo", "--write-baseline", "known.json"]);
    capdex
}

fn fails(capdex: &Capdex, input: &str) -> Option<i32> {
    capdex.run(&["scan", input, "--baseline", "known.json", "--fail-on", "medium"]).code
}

#[test]
fn line_ends_and_byte_order_marks_change_nothing() {
    let capdex = known();
    assert_eq!(fails(&capdex, "repo"), Some(0));
    for form in [HOSTILE_SKILL.replace('\n', "\r\n"), format!("\u{feff}{HOSTILE_SKILL}")] {
        capdex.write("repo/skills/n/SKILL.md", form);
        assert_eq!(fails(&capdex, "repo"), Some(0));
    }
    capdex.write("repo/skills/n/SKILL.md", HOSTILE_SKILL.replace('\n', " \n"));
    assert_eq!(fails(&capdex, "repo"), Some(1), "a blank is content");
}

#[test]
fn any_root_of_the_scan_and_any_place_of_the_clone_will_do() {
    let capdex = known();
    for input in ["repo/skills", "repo/skills/n", "repo/skills/n/SKILL.md"] {
        assert_eq!(fails(&capdex, input), Some(0), "{input}");
    }
    capdex.write("elsewhere/deep/.git", "gitdir: ../x\n").write("elsewhere/deep/skills/n/SKILL.md", HOSTILE_SKILL);
    assert_eq!(fails(&capdex, "elsewhere/deep"), Some(0), "another clone");
    capdex.write("repo/other/n/SKILL.md", HOSTILE_SKILL);
    assert_eq!(fails(&capdex, "repo/other"), Some(1), "another place in it is new");
}

#[test]
fn one_address_in_sarif_has_one_fingerprint() {
    let capdex = known();
    // Outside of a repository the working folder takes its place.
    capdex.write("plain/skills/n/SKILL.md", HOSTILE_SKILL);
    for roots in
        [["repo", "repo/skills", "repo/skills/n/SKILL.md"], ["plain", "plain/skills", "plain/skills/n/SKILL.md"]]
    {
        let of = |root: &str| -> BTreeSet<(String, String)> {
            let sarif: Value =
                serde_json::from_str(&capdex.run(&["scan", root, "--format", "sarif"]).stdout).expect("JSON");
            let results = sarif["runs"][0]["results"].as_array().expect("results").clone();
            let own = results.iter().filter(|result| result["ruleId"] == "pipe-to-shell").map(|result| {
                let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
                (place.to_string(), result["partialFingerprints"]["capdex/v1"].to_string())
            });
            own.collect()
        };
        assert_eq!(of(roots[0]).len(), 1);
        assert!(roots.iter().all(|root| of(root) == of(roots[0])), "{roots:?}");
    }
}

#[test]
fn a_baseline_of_the_form_of_before_still_holds_and_is_written_anew() {
    let capdex = Capdex::offline();
    capdex.write("SKILL.md", HOSTILE_SKILL);
    capdex.run(&["scan", "SKILL.md", "--write-baseline", "known.json", "--baseline-expires", "2099-01-01"]);
    let path = capdex.path().join("known.json");
    let present = std::fs::read_to_string(&path).expect("reads");
    // Where the place is the path inside the input, both forms bind alike.
    capdex.write("former.json", present.replace("capdex.baseline/2", "capdex.baseline/1"));
    std::fs::remove_file(&path).expect("removes");
    let fails = |options: &[&str]| {
        capdex.run(&[&["scan", "SKILL.md", "--fail-on", "medium", "--baseline", "former.json"], options].concat()).code
    };
    assert_eq!(fails(&[]), Some(0));
    assert_eq!(fails(&["--write-baseline", "present.json", "--baseline-expires", "3"]), Some(0));
    let written = std::fs::read_to_string(capdex.path().join("present.json")).expect("reads");
    assert!(written.contains("capdex.baseline/2") && written.contains("2099-01-01"), "{written}");
    capdex.write("SKILL.md", HOSTILE_SKILL.replace('\n', "\r\n"));
    assert_eq!(fails(&[]), Some(1), "the form of before counts bytes");
    assert_eq!(capdex.run(&["scan", "SKILL.md", "--fail-on", "medium", "--baseline", "present.json"]).code, Some(0));
}
