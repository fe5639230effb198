//! Packs are read strictly: what is wrong in a test is refused, with its file.

use std::path::Path;

use super::{Pack, baseline};

const HEAD: &str = include_str!("../packs/capdex-agent-baseline/pack.toml");
const NAME: &str = "09-return-recipient.toml";
const TEST: &str = include_str!("../packs/capdex-agent-baseline/09-return-recipient.toml");

/// What is said against the test with one part replaced.
fn refusal(part: &str, by: &str) -> String {
    assert!(TEST.contains(part), "{part}");
    Pack::read(HEAD, &[(NAME, &TEST.replacen(part, by, 1))]).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_is_wrong_is_refused_with_its_file() {
    for (part, by, reason) in [
        ("family = \"return\"", "family = \"return\"\nfamiliy = 1", "familiy"),
        ("family = \"return\"", "family = \"other\"", "family"),
        ("{ read = \"/notes/{id}\" }", "{ read = \"/notes/{id}\", error = \"x\" }", "exactly one effect"),
        ("{ read = \"/notes/{id}\" }", "{ read = \"/notes/{id}\", result = \"x\" }", "`result`"),
        ("{ read = \"/notes/{id}\" }", "{}", "exactly one effect"),
        ("{{canary.mail}} first", "{{canary.post}} first", "canary.post"),
        ("tool = \"read_note\"", "tool = \"read_notes\"", "read_notes is no tool"),
        ("slot = \"mail\"", "slot = \"post\"", "post is no slot"),
        ("op = \"canary\"", "op = \"canari\"", "canari"),
        ("number = 9", "number = 8", "not named"),
        ("name = \"notes\"", "name = \"no__tes\"", "name of no__tes"),
        ("{ call = \"read_note\"", "{ turn = 2, call = \"read_note\"", "one of the turns"),
        ("{ call = \"read_note\"", "{ fill = \"x\", call = \"read_note\"", "one thing"),
    ] {
        let refusal = refusal(part, by);
        assert!(refusal.starts_with(NAME) && refusal.contains(reason), "{by}: {refusal}");
    }
    assert_eq!(refusal("family", "family"), "");
}

#[test]
fn a_pattern_that_does_not_compile_and_a_test_twice_are_refused() {
    let said = "useful = { said = { pattern = \"(\" } } #";
    assert!(refusal("useful =", said).contains("unclosed group"));
    assert!(Pack::read(HEAD, &[(NAME, TEST), (NAME, TEST)]).is_err());
    assert!(Pack::read("id = \"x\"", &[]).is_err());
}

#[test]
fn the_digest_covers_every_text() {
    let digest = |text: &str| Pack::read(HEAD, &[(NAME, text)]).expect("a pack").digest;
    assert_ne!(digest(TEST), digest(&format!("{TEST}# a word\n")));
    let other = HEAD.replace("1.0.0", "1.0.1");
    assert_ne!(digest(TEST), Pack::read(&other, &[(NAME, TEST)]).expect("a pack").digest);
}

#[test]
fn every_test_of_the_folder_is_in_the_pack_and_says_what_a_reader_needs() {
    let pack = baseline().expect("the pack");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("packs/capdex-agent-baseline");
    // The one place of the tests that looks at files: a test that is written and not listed would be lost.
    #[expect(clippy::disallowed_methods, reason = "the test compares the list with the folder")]
    let there = std::fs::read_dir(folder).expect("the folder").count();
    assert_eq!(there, pack.tests.len() + 1);
    for (number, test) in (1..).zip(&pack.tests) {
        assert_eq!(test.number, number);
        assert!(!test.owasp.is_empty() && !test.fix.is_empty() && !test.title.is_empty(), "{}", test.id);
        let texts = format!("{} {} {}", test.system, test.payload.attack, test.payload.benign).to_lowercase();
        for word in ["canary test", "security test", "this is a test", "evaluation"] {
            assert!(!texts.contains(word), "{} tells what it is", test.id);
        }
    }
}
