//! The engine's security layer over our findings: issues of a server's source, verdicts of a skill.
//!
//! Which findings there are is ours; what the engine would look at and what each costs is the engine's, version 0.3.4.

use std::collections::BTreeMap;

use capdex_evidence::rated_files::is_rated;
use capdex_model::capability::Kind;
use capdex_model::fact::{Fact, Severity};
use capdex_model::facts::SparseFacts;

use super::super::description::round;
use super::super::findings;
use super::super::numbers::ENGINE;
use super::super::{FAMILY, NAME};
use super::numbers::TABLE;

/// The layer, its issues and what they force.
#[derive(Debug, Default, PartialEq)]
pub(super) struct OssSecurityLayer {
    pub(super) value: f64,
    pub(super) counts: BTreeMap<Severity, usize>,
    /// The rules behind them, in no order.
    pub(super) rules: Vec<&'static str>,
    /// A malicious pattern or name of a skill.
    pub(super) malicious: bool,
}

impl OssSecurityLayer {
    /// The number of issues of a severity that were counted.
    pub(super) fn count(&self, severity: Severity) -> usize {
        self.counts.get(&severity).copied().unwrap_or(0)
    }

    fn add(&mut self, severity: Severity, rule: &'static str) {
        *self.counts.entry(severity).or_default() += 1;
        self.rules.push(rule);
    }
}

/// The layer of a capability. `rated` is how many source files the engine would rate.
pub(super) fn of(facts: &SparseFacts, rated: u64) -> OssSecurityLayer {
    match facts.kind {
        Kind::Skill => of_skill(facts),
        _ => of_server(facts, rated),
    }
}

/// True facts with their rules and the codes of these.
fn coded(facts: &SparseFacts) -> impl Iterator<Item = (&Fact, &'static str, &'static [String])> {
    findings::coded_facts(facts, FAMILY).map(|(fact, meta, codes)| (fact, meta.id.as_str(), codes))
}

/// The severest of some codes by the engine's table, the first among equals. Context does not count there.
fn severest<'a>(codes: impl Iterator<Item = &'a String>) -> Option<Severity> {
    codes.filter_map(|code| ENGINE.codes.get(code).copied()).max()
}

/// Each finding in a rated file is one issue of the severest category that the engine has for the file's language.
fn of_server(facts: &SparseFacts, rated: u64) -> OssSecurityLayer {
    let mut security = OssSecurityLayer::default();
    // Findings in files that the engine would not rate are unknown to it.
    for (fact, rule, codes) in coded(facts).filter(|(fact, ..)| is_rated(&fact.place.file)) {
        let categories = &TABLE.categories;
        // The engine has one table for Python and one for everything else.
        let own = if fact.place.file.ends_with(".py") { &categories.python } else { &categories.script };
        let looked_for = |code: &&String| own.contains(code) || categories.any.contains(code);
        if let Some(severity) = severest(codes.iter().filter(looked_for)) {
            security.add(severity, rule);
        }
    }
    security.value = if rated == 0 { TABLE.missing.security } else { value_of(&security) };
    security
}

/// Ten less the penalties, rounded; then what the low issues took is given back, and the result rounded again.
pub(super) fn value_of(security: &OssSecurityLayer) -> f64 {
    let penalty = |severity: Severity| TABLE.security.penalties.get(&severity).copied().unwrap_or(0.0);
    let taken: f64 = security.counts.iter().map(|(severity, count)| penalty(*severity) * *count as f64).sum();
    let refund = penalty(Severity::Low) * security.count(Severity::Low) as f64;
    round((round((10.0 - taken).max(0.0), 1) + refund).min(10.0), 1)
}

/// One verdict for all patterns, one each for a pin and for the operator's list, and the findings about configuration.
fn of_skill(facts: &SparseFacts) -> OssSecurityLayer {
    let mut security = OssSecurityLayer::default();
    let (mut malicious, mut suspicious, mut unapproved, mut tampered) = (None, None, None, None);
    let mut configuration: BTreeMap<&str, (Severity, &'static str)> = BTreeMap::new();
    for (fact, rule, codes) in coded(facts) {
        for code in codes {
            match code.as_str() {
                // A name counts below, by the letter of the engine and not by our rule.
                "TS-E015" | "TS-W007" => {}
                "TS-W011" => unapproved = Some(rule),
                "TS-P002" => tampered = Some(rule),
                _ => match code.get(..4) {
                    Some("TS-C") => {
                        let severity = ENGINE.codes.get(code).copied().unwrap_or(fact.severity);
                        configuration.entry(code).or_insert((severity, rule));
                    }
                    _ if !is_scanned(fact) => {}
                    Some("TS-E") => malicious = Some(rule),
                    Some("TS-W") => suspicious = Some(rule),
                    _ if PATTERNS.contains(&code.as_str()) => suspicious = Some(rule),
                    _ => {}
                },
            }
        }
    }
    let name = facts.value(NAME);
    malicious = malicious.or(name.filter(|value| value["taken_down"] == true).map(|_| NAME));
    suspicious = suspicious.or(name.filter(|value| value["target"].is_string()).map(|_| NAME));
    let mut value = 10.0;
    for (severity, rule) in configuration.into_values() {
        value -= TABLE.security.penalties.get(&severity).filter(|_| severity > Severity::Info).unwrap_or(&0.0);
        security.add(severity, rule);
    }
    let numbers = &TABLE.skill;
    let verdicts = [
        (malicious, Severity::Critical, numbers.malicious),
        // Either a malicious verdict or a suspicious one, however many patterns matched.
        (suspicious.filter(|_| malicious.is_none()), Severity::Medium, numbers.suspicious),
        (tampered, Severity::High, numbers.tampered),
        (unapproved, Severity::Medium, numbers.suspicious),
    ];
    for (rule, severity, points) in verdicts {
        if let Some(rule) = rule {
            value -= points;
            security.add(severity, rule);
        }
    }
    security.malicious = malicious.is_some();
    security.value = round(value.clamp(0.0, 10.0), 1);
    security
}

/// The patterns of the skill scanner that have no code.
const PATTERNS: [&str; 2] = ["browser_data_access", "webhook_exfiltration"];

/// True for a file that the engine's skill scanner reads: the skill's text, and Python beside it.
fn is_scanned(fact: &Fact) -> bool {
    let name = fact.place.file.rsplit('/').next().unwrap_or_default();
    // A finding about the skill as a whole names no file.
    name.is_empty() || name.eq_ignore_ascii_case("SKILL.md") || name.ends_with(".py")
}
