//! source-token-services-probed: a program asks the machine's own services of several clouds for their tokens.

use super::source_calls::{source_files, weighed};
use crate::FactSink;
use capdex_evidence::code::sinks::sends;
use capdex_evidence::subject::Subject;
use capdex_evidence::zones::ZoneKind;
use capdex_model::fact::{Confidence, Severity};

/// Larger files are bundles, which hold the libraries of several clouds.
const LARGEST: usize = 64 << 10;

/// For each cloud the words of an address that hands out tokens.
const SERVICES: [&[&str]; 4] = [
    &["meta-data/iam", "iam/security-credentials", "latest/user-data"],
    &["computeMetadata/v1/instance/service-accounts", "metadata.google.internal"],
    &["metadata/identity/oauth2", "metadata/instance?api-version"],
    &["100.100.100.200/latest/meta-data"],
];

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for file in source_files(subject) {
        let Some(document) = subject.evidence.documents.get(file.path) else { continue };
        let text = document.text.as_str();
        if text.len() > LARGEST || !text.contains("169.254.169.254") && !text.contains("metadata.google.internal") {
            continue;
        }
        // A library of one cloud asks its own; who asks those of others does not know where it is.
        let places = SERVICES.iter().filter_map(|words| {
            let at = words.iter().find_map(|word| text.find(word))?;
            (document.zone_at(at) == ZoneKind::Literal).then_some(at)
        });
        let places: Vec<usize> = places.collect();
        // A guard holds the same addresses to refuse them.
        let refuses = ["block", "deny", "denied", "forbid", "disallow", "is_private", "isPrivate", "ssrf"]
            .iter()
            .any(|word| text.contains(word));
        let asks = file.view.calls.iter().any(sends);
        if let (true, Some(at)) = (places.len() >= 2 && asks && !refuses, places.first()) {
            let (severity, confidence) = weighed(&file, Severity::High, Confidence::Medium);
            facts.found_as(severity, confidence, document.place(*at), document.line_of(*at).trim());
        }
    }
}
