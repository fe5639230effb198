//! The machine's answer to an appeal: what was found and why, what its claim comes to, and what the numbers would be without it.
//!
//! It follows from the store alone, and decides nothing.

use capdex_dataset::export::ranked_capability;
use capdex_dataset::finding::{Finding, findings};
use capdex_db::{CurrentCapability, Reader, StoreError};
use capdex_model::appeal::{Appeal, ClaimKind};
use capdex_model::bundle::Bundle;
use capdex_model::capability::Kind;
use capdex_model::fact::{Fact, FactSurface, Outcome, Place};
use capdex_model::facts::SparseFacts;
use capdex_model::rule::measured;
use capdex_model::ruling::{RulingScope, RulingSubject};
use capdex_model::score::Score;
use capdex_model::time::AsOf;
use serde_json::{Map, Value, json};

use super::scorecard::{self, ScorecardClaim};
use super::{rule_now, subject_now};
use crate::analysis;

/// The facts of the content that an appeal is about; none where the store never had it.
///
/// # Errors
/// Errors of the store.
pub fn facts(reader: &Reader, appeal: &Appeal, current: &CurrentCapability) -> anyhow::Result<Option<SparseFacts>> {
    let filing = appeal.filing();
    if current.capability.content == filing.content {
        return ranked_capability::facts(reader, current).map(Some);
    }
    let history = reader.capability_history(&current.capability.id)?;
    let revision = history.into_iter().rev().find(|revision| revision.content == filing.content);
    Ok(revision.map(|revision| reader.facts(&revision.facts)).transpose()?.flatten())
}

/// The findings that a scope names, with their places among all.
pub fn named<'a>(facts: &'a SparseFacts, scope: &RulingScope) -> Vec<(usize, Finding<'a>)> {
    let is_named = |finding: &Finding<'_>| match scope {
        RulingScope::Whole => false,
        RulingScope::Rule(id) => finding.rule == id,
        RulingScope::Finding(fingerprint) => finding.fingerprint == *fingerprint,
    };
    findings(facts).into_iter().enumerate().filter(|(_, finding)| is_named(finding)).collect()
}

/// The answer.
///
/// # Errors
/// Errors of the store.
pub fn answer(reader: &Reader, appeal: &Appeal, now: AsOf) -> anyhow::Result<Value> {
    let filing = appeal.filing();
    let Some(current) = subject_now(reader, appeal)? else {
        return Ok(json!({ "content_sha256": filing.content.hex(), "finding": null, "rule": rule(appeal),
                          "checks": [check(filing.claim, None, "it is not listed any more")], "head": null,
                          "scores": {}, "band": null, "changes": changes() }));
    };
    let facts = facts(reader, appeal, &current)?;
    let found = facts.as_ref().map(|facts| named(facts, &filing.scope)).unwrap_or_default();
    let first = found.first().map(|(_, finding)| {
        json!({ "rule": finding.rule, "title": finding.title, "severity": finding.severity, "confidence": finding.confidence,
                "file": finding.file, "line": finding.line, "pointer": finding.pointer, "evidence": finding.evidence,
                "fingerprint": finding.fingerprint, "places": found.len() })
    });
    let surface = facts.as_ref().zip(found.first()).and_then(|(facts, (at, _))| facts.findings().nth(*at));
    let surface = surface.map(|fact| fact.surface);
    let head = Head::of(reader, appeal, &current)?;
    let mut checks = vec![claim(reader, appeal, (&current, facts.as_ref()), &found, surface, &head)?];
    // What its maintainers say without an appeal stands behind what its vendor says in it.
    let annotated = head.annotated.iter().filter(|one| filing.rule.as_deref().is_some_and(|rule| one.is_about(rule)));
    checks.extend(annotated.map(|one| check(one.claim, None, format!("{}; a person compares", one.words()))));
    let numbers = facts.as_ref().map(|facts| numbers(facts, &found, &current, now));
    let (scores, band) = numbers.unwrap_or_else(|| (json!({}), Value::Null));
    Ok(json!({
        "content_sha256": filing.content.hex(),
        "finding": first,
        "rule": rule(appeal),
        "checks": checks,
        "head": { "version": current.version, "content_sha256": current.capability.content.hex(),
                  "is_same_content": head.is_same, "still_found": head.still_found, "seen": current.revision_as_of },
        "scores": scores,
        "band": band,
        "changes": changes(),
    }))
}

fn changes() -> &'static str {
    "A new version without what is quoted, which the next night reads; or a new version of the rule, which scans everything \
     again. A decision on this appeal changes no number."
}

/// The rule, what fires it and how often it is wrong.
fn rule(appeal: &Appeal) -> Value {
    let filing = appeal.filing();
    let Some(meta) = filing.rule.as_deref().and_then(|id| capdex_rules::INDEX.find(id)) else { return Value::Null };
    let kind = filing.subject.part.as_ref().map(|(kind, _)| *kind);
    let rate = kind.and_then(|kind| measured::benign_high(capdex_rules::INDEX.measured(), meta.id.as_str(), kind));
    let measured = rate.map(|rate| {
        let (low, high) = rate.interval();
        let percent = |number: f64| (number * 10.0).round() / 10.0;
        json!({ "high_on_benign": rate.hits, "of": rate.of, "percent_low": percent(low), "percent_high": percent(high) })
    });
    json!({ "id": meta.id, "version_filed": filing.rule_version, "version_now": rule_now(meta.id.as_str()).map(|now| now.version), "title": meta.title,
            "why": meta.why, "fix": meta.fix, "cannot_see": meta.cannot_see, "measured": measured })
}

/// Letters of a description that are quoted.
const DESCRIPTION: usize = 200;
/// Listings of one thing that are named.
const LISTINGS: usize = 5;

/// What stands now.
struct Head {
    is_same: bool,
    /// Whether the finding is in it; none where nobody can say.
    still_found: Option<bool>,
    /// Whether a fresh scan of the very bytes finds it; none where they are not kept.
    found_again: Option<bool>,
    version: Option<String>,
    /// How its source describes it; none where it does not, or the bytes are not kept.
    description: Option<String>,
    /// What its maintainers say of checks of others; empty where the bytes are not kept.
    annotated: Vec<ScorecardClaim>,
}

impl Head {
    fn of(reader: &Reader, appeal: &Appeal, current: &CurrentCapability) -> anyhow::Result<Self> {
        let filing = appeal.filing();
        let facts = ranked_capability::facts(reader, current)?;
        let is_same = appeal.is_about(&current.capability);
        let has = |facts: &SparseFacts| match (&filing.scope, &filing.rule) {
            // In other content a finding has another fingerprint, and its rule is what can be asked for.
            (RulingScope::Finding(_), Some(rule)) if !is_same => facts.is_true(rule),
            (RulingScope::Whole, _) => true,
            (scope, _) => !named(facts, scope).is_empty(),
        };
        let bundle = match reader.bundle(current.snapshot) {
            Err(StoreError::Pruned { .. }) => None,
            other => Some(other?),
        };
        let again = bundle.as_ref().filter(|_| is_same).and_then(|bundle| scanned_again(bundle, &filing.subject));
        Ok(Self {
            is_same,
            still_found: Some(has(&facts)),
            found_again: again.as_ref().map(has),
            version: current.version.clone(),
            annotated: bundle.as_ref().map(scorecard::claims).unwrap_or_default(),
            description: bundle
                .as_ref()
                .and_then(|bundle| bundle.claims.description.known())
                .filter(|text| !text.trim().is_empty())
                .cloned(),
        })
    }
}

/// The facts of a fresh scan.
fn scanned_again(bundle: &Bundle, subject: &RulingSubject) -> Option<SparseFacts> {
    analysis::scan(bundle).into_iter().find(|one| subject.covers(&one.capability)).map(|one| one.facts)
}

/// What a claim comes to: `holds` is none where only a person can say.
fn check(claim: ClaimKind, holds: Option<bool>, words: impl Into<String>) -> Value {
    json!({ "claim": claim, "holds": holds, "words": words.into() })
}

/// What the claim comes to, as far as the store can say.
fn claim(
    reader: &Reader,
    appeal: &Appeal,
    (current, facts): (&CurrentCapability, Option<&SparseFacts>),
    found: &[(usize, Finding<'_>)],
    surface: Option<FactSurface>,
    head: &Head,
) -> anyhow::Result<Value> {
    let (filing, first) = (appeal.filing(), found.first().map(|(_, finding)| finding));
    let place = first.map_or_else(String::new, |finding| format!(" at {}:{}", finding.file, finding.line));
    let said = |holds, words: String| check(filing.claim, holds, words);
    Ok(match filing.claim {
        ClaimKind::NotThere => match (first, head.found_again) {
            (None, _) => said(Some(true), "no such finding is recorded for this content".to_owned()),
            (_, Some(true)) => said(Some(false), format!("the kept bytes were scanned again, and it is there{place}")),
            (_, Some(false)) => {
                said(Some(true), "the kept bytes were scanned again, and today's rules do not find it".to_owned())
            }
            (_, None) => said(None, format!("the bytes of that content are not kept; it was recorded{place}")),
        },
        ClaimKind::Context => match first {
            Some(finding) => {
                // The engine's own word for the text in which it stands.
                let read_as = surface.map_or(Value::Null, |surface| json!(surface));
                let read_as = read_as.as_str().unwrap_or("nothing of its own").to_owned();
                let blind = cannot_see(finding.rule);
                said(
                    None,
                    format!(
                        "{} is read as {read_as}; of itself the rule says that it cannot see: {blind}",
                        finding.file
                    ),
                )
            }
            None => said(None, "no finding is named, so that no file can be looked at".to_owned()),
        },
        ClaimKind::Stale => match (head.is_same, head.still_found) {
            (true, _) => said(Some(false), "what stands now has the same content".to_owned()),
            (false, Some(still)) => said(Some(!still), still_words(still, head)),
            (false, None) => said(None, "nobody has looked at what stands now".to_owned()),
        },
        ClaimKind::FixedIn => match (&filing.version, head.still_found) {
            (Some(version), Some(still)) if head.version.as_ref() == Some(version) => {
                said(Some(!still), still_words(still, head))
            }
            (Some(version), _) => match in_version(reader, appeal, current, version)? {
                Some(true) => said(Some(false), format!("the rule fires on {version} too, which was fetched")),
                Some(false) => said(Some(true), format!("the rule does not fire on {version}, which was fetched")),
                None => said(None, format!("{version} was not fetched yet; the night that lists it will look")),
            },
            (None, _) => said(None, "no version is named".to_owned()),
        },
        ClaimKind::Declared => announced(facts, head, said),
        ClaimKind::NotMine => said(None, whose(reader, current)?),
        ClaimKind::Severity | ClaimKind::Other => said(None, "a person looks at it".to_owned()),
    })
}

/// Whether the rule fires on a version that was fetched; none where it was not, or its facts are gone.
fn in_version(
    reader: &Reader,
    appeal: &Appeal,
    current: &CurrentCapability,
    version: &str,
) -> anyhow::Result<Option<bool>> {
    let Some(rule) = appeal.filing().rule.as_deref() else { return Ok(None) };
    let history = reader.capability_history(&current.capability.id)?;
    // The last scan of it: rules of before may have seen less.
    let of_version = history.into_iter().rev().find(|revision| revision.version.as_deref() == Some(version));
    let facts = of_version.map(|revision| reader.facts(&revision.facts)).transpose()?.flatten();
    Ok(facts.map(|facts| facts.is_true(rule)))
}

/// What the thing says of itself, where a behaviour may be announced: its description, and the purposes that its words declare.
/// Whether that is enough, a person compares; nothing at all announces nothing.
fn announced(facts: Option<&SparseFacts>, head: &Head, said: impl Fn(Option<bool>, String) -> Value) -> Value {
    let declared =
        facts.and_then(|facts| facts.value("measure-tool-permissions")).and_then(|value| value.get("declared"));
    let purposes: Vec<&str> =
        declared.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    match (&head.description, purposes.as_slice()) {
        (None, []) => {
            said(Some(false), "it has no description and declares no purpose, so that nothing is announced".to_owned())
        }
        (description, purposes) => {
            let described = description.as_deref().map_or_else(
                || "it has no description".to_owned(),
                |text| format!("it describes itself as \"{}\"", text.chars().take(DESCRIPTION).collect::<String>()),
            );
            let declared = match purposes {
                [] => "declares no purpose of its tools".to_owned(),
                purposes => format!("declares {}", purposes.join(", ")),
            };
            said(None, format!("{described}, and {declared}; whether that announces what was found, a person compares"))
        }
    }
}

/// The listings of one thing, and why they are one.
fn whose(reader: &Reader, current: &CurrentCapability) -> anyhow::Result<String> {
    let others: Vec<String> = reader
        .same_entity(&current.listing)?
        .into_iter()
        .filter(|one| one.listing != current.listing)
        .map(|one| match one.edges.first() {
            Some(edge) => format!("{} ({} {})", one.listing, edge.reason.as_str(), edge.to),
            None => one.listing.to_string(),
        })
        .collect();
    let (shown, more) = others.split_at(others.len().min(LISTINGS));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let merged = match shown {
        [] => "no other listing is merged with it".to_owned(),
        shown => format!("merged with it are {}{more}", shown.join(", ")),
    };
    Ok(format!("{} speaks for {}; {merged}; a person looks at who publishes that", current.listing, current.identity))
}

fn still_words(still: bool, head: &Head) -> String {
    let version = head.version.as_deref().map_or_else(String::new, |version| format!(" {version}"));
    let found = if still { "the rule still fires" } else { "the rule does not fire" };
    format!("{found} on what stands now,{version}")
}

fn cannot_see(rule: &str) -> String {
    capdex_rules::INDEX.find(rule).map_or_else(|| "what it says nowhere".to_owned(), |meta| meta.cannot_see.clone())
}

/// Every method's number now and without what is named, marked as "what if", and the verdict's band likewise.
fn numbers(
    facts: &SparseFacts,
    found: &[(usize, Finding<'_>)],
    current: &CurrentCapability,
    now: AsOf,
) -> (Value, Value) {
    let without = without(facts, current.capability.kind, found);
    let (is, would) = (analysis::score(facts, None, now), analysis::score(&without, None, now));
    let value = |score: &Score| json!({ "value": score.value, "grade": score.grade });
    let pairs: Map<String, Value> = is
        .iter()
        .zip(&would)
        .map(|(is, would)| (is.rubric.id.to_string(), json!({ "now": value(is), "what_if": value(would) })))
        .collect();
    let band = |scores: &[Score]| analysis::judge(scores, &current.completeness).band;
    (Value::Object(pairs), json!({ "now": band(&is), "what_if": band(&would) }))
}

/// The facts as they would be had what is named not been found.
fn without(facts: &SparseFacts, kind: Kind, found: &[(usize, Finding<'_>)]) -> SparseFacts {
    let gone = |fact: &Fact| found.iter().any(|(_, finding)| finding.is_of(fact));
    let mut kept: Vec<Fact> = facts.all().filter(|fact| !gone(fact)).cloned().collect();
    for fact in facts.findings().filter(|fact| gone(fact)) {
        // A rule answers always: one whose findings are all taken out has looked and found nothing.
        if !kept.iter().any(|other| other.rule == fact.rule) {
            let nothing = Fact {
                outcome: Outcome::False,
                place: Place::default(),
                evidence: String::new(),
                value: Value::Null,
                ..fact.clone()
            };
            kept.push(nothing);
        }
    }
    SparseFacts::new(&capdex_rules::INDEX, kind, kept)
}
