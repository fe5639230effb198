//! Takedowns: what a registry says when it takes a package away, or warns of one that it leaves.
//!
//! Texts are the registry's or the publisher's own words, and only claims. Whoever fetches them decides where they stood.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::claim::Claim;
use crate::corpus_signal::CorpusSignal;
use crate::ids::ListingKey;
use crate::listing::{Claims, Listing};
use crate::locator::Locator;
use crate::snapshot::{Gap, GapReason};

/// The pass of the corpus signals that say that a registry took something away.
pub const PASS: &str = "takedowns";

/// The class of those signals for what a registry says that it took away; what vanished without a word has another.
pub const TAKEN_DOWN: &str = "taken_down";

/// The rules that state it: a registry's word holds though nothing of the thing could be read.
pub const RULES: [&str; 2] = ["sighted-removal", "sighted-takedown"];

/// A version of which its registry, or whoever may deprecate there, says that it is malicious.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedVersion {
    /// The version.
    pub version: String,
    /// The words: a deprecation or the reason of a yank, cut to [`REASON_LENGTH`]. Untrusted text.
    pub reason: String,
}

/// The longest reason that is kept, in code points.
pub const REASON_LENGTH: usize = 200;

/// The most versions of one package that are kept; of more, the last by their text.
pub const MAX_REFUSED: usize = 64;

impl RefusedVersion {
    /// A version with the words that speak of malice; none where they do not.
    pub fn of(version: &str, words: &str) -> Option<Self> {
        speaks_of_malice(words).then(|| Self {
            version: version.to_owned(),
            reason: words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(REASON_LENGTH).collect(),
        })
    }

    /// Some of them sorted by version, each once, [`MAX_REFUSED`] at most.
    pub fn sorted(found: impl Iterator<Item = Self>) -> Vec<Self> {
        let mut all: Vec<Self> = found.collect();
        all.sort();
        all.dedup();
        let beyond = all.len().saturating_sub(MAX_REFUSED);
        all.split_off(beyond)
    }
}

/// Words that say that something is malicious, and that nobody writes of an honest package. Lower case.
const OF_MALICE: [&str; 44] = [
    "is malicious",
    "was malicious",
    "are malicious",
    "be malicious",
    "malicious code",
    "malicious package",
    "malicious version",
    "malicious release",
    "malicious publish",
    "malicious payload",
    "malicious script",
    "malicious dependency",
    "malicious content",
    "malicious update",
    "malicious upload",
    "contains malware",
    "contained malware",
    "is malware",
    "was malware",
    "are malware",
    "be malware",
    "distributes malware",
    "distributed malware",
    "infected with",
    "with malware",
    "was compromised",
    "is compromised",
    "were compromised",
    "are compromised",
    "been compromised",
    "compromised version",
    "compromised release",
    "compromised package",
    "was hijacked",
    "were hijacked",
    "been hijacked",
    "backdoored",
    "contains a backdoor",
    "contained a backdoor",
    "supply chain attack",
    "supply-chain attack",
    "security holding package",
    "quarantined by the registry",
    "removed by the security team",
];

/// Words that, shortly before those of malice, turn them into the opposite or into somebody else's.
const TURNING: [&str; 32] = [
    "not",
    "no",
    "never",
    "without",
    "isn't",
    "wasn't",
    "aren't",
    "weren't",
    "doesn't",
    "cannot",
    "against",
    "if",
    "whether",
    "unless",
    "detect",
    "detects",
    "detecting",
    "prevent",
    "prevents",
    "preventing",
    "block",
    "blocks",
    "blocking",
    "scan",
    "scans",
    "scanning",
    "scanner",
    "allow",
    "allows",
    "allowed",
    "allowing",
    "vulnerable",
];

/// The number of words before those of malice in which a turning one counts.
const TURNING_WITHIN: usize = 4;

/// True where a text says of the thing that it stands at that it is malicious or was taken over. An honest deprecation
/// ("use the other package", "fixes CVE-2026-1") does not, nor does one that denies it.
pub fn speaks_of_malice(text: &str) -> bool {
    // One form for quotation marks, white space and case: registries show what people typed.
    let text = text.replace('’', "'").to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    OF_MALICE.iter().any(|phrase| {
        text.match_indices(phrase).any(|(at, _)| {
            let (before, _) = text.split_at(at);
            let starts_a_word = !before.ends_with(|letter: char| letter.is_alphanumeric());
            starts_a_word && !is_turned(before)
        })
    })
}

/// True where the words before those of malice deny them. Those of an earlier sentence are not asked.
fn is_turned(before: &str) -> bool {
    let sentence = before.rsplit(['.', ';', '!', '?', ':']).next().unwrap_or_default();
    let words =
        sentence.split(|letter: char| !letter.is_alphanumeric() && letter != '\'').filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    words.iter().rev().take(TURNING_WITHIN).any(|word| TURNING.contains(word))
}

/// The gap that stands at a package of which the registry says that nobody is to have it, or that it took away: while
/// that holds, nothing of it counts as clean. None where nobody says so.
pub fn gap_of(claims: &Claims) -> Option<Gap> {
    let signals = claims.repository_signals.corpus_signals.known().into_iter().flatten();
    let taken = signals.filter(|signal: &&CorpusSignal| signal.pass == PASS).max();
    let deprecated = claims.deprecated.known().filter(|words| speaks_of_malice(words));
    let detail = taken.map(|signal| signal.detail.clone());
    let detail = detail.or_else(|| deprecated.map(|words| format!("its registry says of this version: {words}")));
    // The whole input, whichever of its files anybody asks for.
    detail.map(|detail| Gap::new(".", GapReason::TakenDown, detail))
}

/// The listing of a package that its registry called malicious, and took away, before anybody listed it: it has no files,
/// and the registry's words stand where a deprecation would. `identity` is the package's own.
pub fn notice(key: ListingKey, identity: String, words: &str) -> Listing {
    let claims = Claims { deprecated: Claim::Known(words.to_owned()), ..Claims::default() };
    let locator = Locator::Inline { identity, version: None, files: BTreeMap::new() };
    Listing { key, locators: vec![locator], claims, references: Vec::new() }
}

/// True for a [`notice`]: nobody had that package from here. Rows of directories carry a text.
pub fn is_notice(listing: &Listing) -> bool {
    let is_empty = |locator: &Locator| matches!(locator, Locator::Inline { files, .. } if files.is_empty());
    listing.locators.len() == 1 && listing.locators.iter().all(is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Severity;

    #[test]
    fn words_of_malice_are_told_from_those_of_honest_deprecations() {
        for text in [
            "This package was found to be malicious. Remove it.",
            "Contains malware, do not use",
            "WARNING: version 1.2.3 was compromised; upgrade to 1.2.4",
            "This release has been hijacked.",
            "Security holding package",
            "Published in a supply-chain attack on our account.",
            "Do not use!  It contains\nmalicious code.",
            "Not supported. This is malicious",
        ] {
            assert!(speaks_of_malice(text), "{text}");
        }
        for text in [
            "",
            "Use @acme/other instead.",
            "Deprecated: fixes CVE-2026-1234, a security vulnerability.",
            "This version is not malicious, a scanner was wrong.",
            "It was never compromised, but please update.",
            "Contains no malicious code; the report was wrong.",
            "The scanner that detects malicious packages has moved to scan-kit.",
            "Security fix: allows malicious code in templates.",
            "Replaced by a version that blocks malicious content.",
            "The performance of the old one is bad.",
            "unmaintained",
            "noninfected with anything",
        ] {
            assert!(!speaks_of_malice(text), "{text}");
        }
    }

    #[test]
    fn refused_versions_are_sorted_cut_and_bounded() {
        let words = format!("is malicious {}", "x".repeat(900));
        let version = RefusedVersion::of("1.0.0", &words).expect("malice");
        assert_eq!(version.reason.chars().count(), REASON_LENGTH);
        assert_eq!(RefusedVersion::of("1.0.0", "use another"), None);
        let many = (0..200).filter_map(|number| RefusedVersion::of(&format!("1.0.{:03}", 199 - number), "is malware"));
        let sorted = RefusedVersion::sorted(many);
        assert_eq!(sorted.len(), MAX_REFUSED);
        assert!(sorted.is_sorted());
        assert_eq!(sorted.last().map(|last| last.version.as_str()), Some("1.0.199"));
    }

    #[test]
    fn only_what_was_taken_down_or_speaks_of_malice_has_a_gap() {
        let mut claims = Claims::default();
        assert_eq!(gap_of(&claims), None);
        claims.deprecated = Claim::Known("use another".into());
        assert_eq!(gap_of(&claims), None);
        claims.deprecated = Claim::Known("was found to be malicious".into());
        assert_eq!(gap_of(&claims).map(|gap| gap.reason), Some(GapReason::TakenDown));
        claims.deprecated = Claim::Absent;
        let signal = |pass: &str| CorpusSignal {
            pass: pass.into(),
            class: "withdrawn".into(),
            severity: Severity::Medium,
            capability: None,
            content: None,
            detail: "npm:a is gone".into(),
        };
        claims.repository_signals.corpus_signals = Claim::Known(vec![signal("drift")]);
        assert_eq!(gap_of(&claims), None);
        claims.repository_signals.corpus_signals = Claim::Known(vec![signal("drift"), signal(PASS)]);
        assert_eq!(gap_of(&claims).map(|gap| gap.detail), Some("npm:a is gone".to_owned()));
    }
    #[test]
    fn a_notice_is_told_from_rows_that_carry_a_text() {
        let key = ListingKey::new("npm", "tides-kit");
        let mut listing = notice(key, "npm:tides-kit".into(), "a security holding package");
        assert!(is_notice(&listing));
        assert_eq!(gap_of(&listing.claims).map(|gap| gap.reason), Some(GapReason::TakenDown));
        if let Some(Locator::Inline { files, .. }) = listing.locators.first_mut() {
            files.insert("server.json".into(), "{}".into());
        }
        assert!(!is_notice(&listing));
        listing.locators.clear();
        assert!(!is_notice(&listing));
    }
}
