//! `Finding`: a fact as users see it, with its rule's words and codes and a fingerprint that survives moved lines.
//!
//! The decision what is a finding is that of `Fact::is_finding`.

use std::collections::BTreeMap;

use capdex_model::appeal::Annotation;
use capdex_model::capability::Kind;
use capdex_model::fact::{self, Confidence, Fact, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::rule::{RuleIndex, measured};
use capdex_model::ruling::{Ruling, RulingScope};
use capdex_model::voice::Voice;
use capdex_rubrics::operator::OperatorVerdict;
use serde::Serialize;

/// The standing of a finding against a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BaselineStatus {
    /// Not in it.
    New,
    /// In it, for this content and still good: the only one that counts for no threshold.
    Known,
    /// In it, for other content or as something milder.
    Changed,
    /// In it, and its time is over.
    Expired,
}

impl BaselineStatus {
    /// The words that people read.
    pub const fn words(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Known => "in the baseline",
            Self::Changed => "changed since the baseline",
            Self::Expired => "expired in the baseline",
        }
    }
}

/// One finding, in the key order of `docs/cli.md`.
#[derive(Clone, Debug, Serialize)]
pub struct Finding<'a> {
    /// The rule.
    pub rule: &'a str,
    /// The severity.
    pub severity: Severity,
    /// The confidence.
    pub confidence: Confidence,
    /// The rule's one line.
    pub title: &'a str,
    /// The file inside the input; empty where the whole capability is meant.
    pub file: &'a str,
    /// From 1; 0 where no line is meant.
    pub line: u32,
    /// In code points, from 1; 0 where no column is meant.
    pub column: u32,
    /// JSON Pointer, for schema text.
    pub pointer: &'a str,
    /// Quoted, masked where secret.
    pub evidence: &'a str,
    /// Who is spoken to at its place; none where it is about no text, and where it was found before this was told.
    pub voice: Option<Voice>,
    /// Stable when lines move.
    pub fingerprint: String,
    /// The published entries that the rule rests on.
    pub citations: &'a [String],
    /// The rule's names in each method's own catalogue.
    pub codes: MethodCodes<'a>,
    /// How often its rule is high where nothing is wrong; none where it fired on none of the cases that it was measured on.
    pub measured: Option<BenignRate>,
    /// The standing against the baseline; none, and no key, where there is no baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineStatus>,
    /// The operator's ruling that sets it aside; none, and no key, where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruling: Option<&'a Ruling>,
    /// What appeals come to that are about it; none, and no key, where there are none. They change nothing of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<&'a Annotation>,
}

impl Finding<'_> {
    /// How often its rule is wrong, as measured on cases of its kind, in words; none where that is not known, and below medium,
    /// where nobody asks.
    pub fn rate(&self, kind: Kind) -> Option<String> {
        let of = self.measured.filter(|_| self.severity >= Severity::Medium)?;
        let rate = measured::Rate { hits: of.benign_high, of: of.benign };
        Some(format!("{} that it was measured on, {rate} %", of.words(kind)))
    }

    /// The same without the interval, for one line among others.
    pub fn short_rate(&self, kind: Kind) -> Option<String> {
        self.measured.filter(|_| self.severity >= Severity::Medium).map(|of| of.words(kind))
    }

    /// True where it is what users see of a fact.
    pub fn is_of(&self, fact: &Fact) -> bool {
        let place = &fact.place;
        (self.rule, self.file, self.line, self.column) == (fact.rule.as_str(), &place.file, place.line, place.column)
            && (self.pointer, self.evidence) == (&place.pointer, &fact.evidence)
    }

    /// The fingerprint that it has at a path, as the `earlier_equal`-th of its kind. Line ends and a byte order mark in what
    /// it quotes do not count.
    pub fn fingerprint_at(&self, path: &str, earlier_equal: usize) -> String {
        let evidence = self.evidence.replace("\r\n", "\n").replace('\u{feff}', "");
        fact::fingerprint(self.rule, path, self.pointer, &evidence, earlier_equal)
    }
}

/// On how many of the benign cases about its kind of thing a rule fires at high or critical.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BenignRate {
    /// Cases on which it does.
    pub benign_high: u64,
    /// Cases that it was measured on.
    pub benign: u64,
}

impl BenignRate {
    /// The counts in words, for a capability of a kind.
    fn words(self, kind: Kind) -> String {
        let about = if kind == Kind::McpServer { "tool lists" } else { "skills" };
        format!("high on {} of {} benign {about}", self.benign_high, self.benign)
    }
}

/// The codes of one rule, by method.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MethodCodes<'a> {
    /// SaferSkills.
    pub saferskills: &'a [String],
    /// SpiderRating.
    pub spiderrating: &'a [String],
    /// MCPBundles.
    pub mcpbundles: &'a [String],
    /// AgentScore.
    pub agentscore: &'a [String],
}

impl MethodCodes<'_> {
    /// The codes of a rule; all empty for one that this version does not know.
    fn of(rule: &str, rules: &RuleIndex) -> MethodCodes<'static> {
        MethodCodes {
            saferskills: rules.codes(rule, "saferskills"),
            spiderrating: rules.codes(rule, "spiderrating"),
            mcpbundles: rules.codes(rule, "mcpbundles"),
            agentscore: rules.codes(rule, "agentscore"),
        }
    }
}

/// The words of a rule that stand beside each of its findings.
#[derive(Clone, Copy, Debug)]
pub struct RuleWords<'a> {
    /// The rule's one line.
    pub title: &'a str,
    /// The published entries that it rests on.
    pub citations: &'a [String],
    /// Its names in each method's own catalogue.
    pub codes: MethodCodes<'static>,
}

impl RuleWords<'_> {
    /// The words of a rule of `rules`.
    pub fn of(rule: &str, rules: &'static RuleIndex) -> RuleWords<'static> {
        let meta = rules.find(rule);
        RuleWords {
            // A stored finding may be of a rule that this program no longer has.
            title: meta.map_or("a rule of another version of capdex", |meta| &meta.title),
            citations: meta.map_or(&[], |meta| &meta.cites),
            codes: MethodCodes::of(rule, rules),
        }
    }
}

/// The findings among facts, sorted by (file, line, column, rule).
pub fn findings(facts: &SparseFacts) -> Vec<Finding<'_>> {
    fingerprinted(facts).map(|(fact, fingerprint)| finding(fact, fingerprint, facts.rules(), facts.kind)).collect()
}

/// The facts that are findings, each with its fingerprint, in the order of [`findings`].
pub fn fingerprinted(facts: &SparseFacts) -> impl Iterator<Item = (&Fact, String)> {
    // Equal evidence in one file is numbered, so that each occurrence has a fingerprint of its own.
    let mut seen: BTreeMap<(&str, &str, &str, &str), usize> = BTreeMap::new();
    facts.findings().map(move |fact| {
        let key = (fact.rule.as_str(), fact.place.file.as_str(), fact.place.pointer.as_str(), fact.evidence.as_str());
        let earlier = seen.entry(key).or_default();
        *earlier += 1;
        (fact, fact.fingerprint(*earlier - 1))
    })
}

fn finding<'a>(fact: &'a Fact, fingerprint: String, rules: &'static RuleIndex, kind: Kind) -> Finding<'a> {
    let RuleWords { title, citations, codes } = RuleWords::of(fact.rule.as_str(), rules);
    let rate = measured::benign_high(rules.measured(), fact.rule.as_str(), kind);
    Finding {
        rule: fact.rule.as_str(),
        severity: fact.severity,
        confidence: fact.confidence,
        title,
        file: &fact.place.file,
        line: fact.place.line,
        column: fact.place.column,
        pointer: &fact.place.pointer,
        evidence: &fact.evidence,
        voice: fact.voice,
        fingerprint,
        citations,
        codes,
        measured: rate.map(|rate| BenignRate { benign_high: rate.hits, benign: rate.of }),
        baseline: None,
        ruling: None,
        annotations: Vec::new(),
    }
}

/// Puts beside findings what is said of them: the ruling that sets each aside, and what appeals about it come to. They must be all
/// findings of the facts, in their order.
pub fn put_beside<'a>(
    findings: &mut [Finding<'a>],
    operator: Option<&'a OperatorVerdict>,
    annotations: &'a [Annotation],
) {
    for (at, ruling) in operator.iter().flat_map(|said| &said.set_aside) {
        if let (Some(finding), Some(said)) = (findings.get_mut(*at), operator) {
            finding.ruling = said.rulings.get(*ruling);
        }
    }
    annotate(findings, annotations);
}

/// Puts beside findings what appeals about them come to.
pub fn annotate<'a>(findings: &mut [Finding<'a>], annotations: &'a [Annotation]) {
    for finding in findings {
        let is_about = |annotation: &&Annotation| match &annotation.scope {
            RulingScope::Whole => false,
            RulingScope::Rule(id) => finding.rule == id,
            RulingScope::Finding(fingerprint) => finding.fingerprint == *fingerprint,
        };
        finding.annotations = annotations.iter().filter(is_about).collect();
    }
}

/// The number of findings of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeverityCounts([u64; 5]);

impl SeverityCounts {
    /// Counts the findings among facts.
    pub fn of(facts: &SparseFacts) -> Self {
        let mut tally = Self::default();
        for fact in facts.findings() {
            if let Some(count) = Severity::ALL
                .iter()
                .position(|severity| *severity == fact.severity)
                .and_then(|index| tally.0.get_mut(index))
            {
                *count += 1;
            }
        }
        tally
    }

    /// The number of one severity.
    pub fn count(&self, severity: Severity) -> u64 {
        Severity::ALL.iter().zip(self.0).find(|(each, _)| **each == severity).map_or(0, |(_, count)| count)
    }
}

impl SeverityCounts {
    /// `1 critical, 2 low`, worst first, without what is merely worth knowing; `none`.
    pub fn above_info(&self) -> String {
        let parts: Vec<String> = Severity::ALL
            .into_iter()
            // Worst first, because the text may be cut.
            .rev()
            .filter(|severity| *severity > Severity::Info && self.count(*severity) > 0)
            .map(|severity| format!("{} {}", self.count(severity), severity.as_str()))
            .collect();
        if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
    }
}
