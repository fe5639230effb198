//! Rules: they turn a capability's evidence into facts.
//!
//! A rule cannot fail; it can lack data. Its card carries the codes of each method's own catalogue, by which rubrics find
//! it. The parts:
//!
//! - `cards/<pack>/<id>.toml`: the description and examples of every rule, with the patterns of a data rule or the name of
//!   a check. `build.rs` lists them.
//! - `pattern`: the engine for all data rules.
//! - `checks`: the functions of the rules that need structure.
//! - [`catalogue`]: entries of published methods, and the rules that answer each.

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::{Confidence, Fact, Outcome, Place, Severity};
use capdex_model::facts::{NumberedFact, NumberedRule, SparseFacts};
use capdex_model::ids::RuleId;
use capdex_model::listing::Claims;

pub mod catalogue;
pub mod checks;
mod defaults;
pub mod measured;
mod pattern;
mod runs;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

use checks::CodeRule;
pub use defaults::{defaults, facts};

/// A quoted line with every secret masked: those that a rule knows, and runs of letters that are a word of no language.
pub fn mask_line(text: &str) -> std::borrow::Cow<'_, str> {
    runs::mask_runs(&mask_secrets(text)).into_owned().into()
}

/// Text with every secret that a rule knows masked: what passes quote is masked as findings are.
pub fn mask_secrets(text: &str) -> std::borrow::Cow<'_, str> {
    pattern::mask_secrets(text)
}

/// The trust in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// Gives facts that users see, but no rubric counts.
    Trial,
    /// Counts.
    Stable,
    /// Kept so that old facts can be read; never runs.
    Retired,
}

/// The methods whose catalogues a rule may carry codes of, by the first part of the rubric's id.
pub const FAMILIES: [&str; 4] = ["spiderrating", "saferskills", "mcpbundles", "agentscore"];

/// The description of a rule, as its card gives it. The manual is written from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleMeta {
    /// Stable, lower-case kebab, never reused.
    pub id: RuleId,
    /// The check in `checks/` that looks: a module, or `module::function` where one module serves several rules. Data
    /// rules name none. It is no part of the rule set's digest: a moved function changes no fact.
    #[serde(default, skip_serializing)]
    pub check: Option<String>,
    /// Raised with every change of what fires.
    pub version: u32,
    /// One line for a person: what the finding is.
    pub title: String,
    /// Why it matters.
    pub why: String,
    /// The remedy for the author.
    pub fix: String,
    /// Its blind spots.
    pub cannot_see: String,
    /// The severity of its plainest case; context may lower it, nothing raises it.
    pub severity: Severity,
    /// The confidence of its plainest case.
    pub confidence: Confidence,
    /// The kinds that it applies to; for the others it answers `NotApplicable`.
    pub kinds: Vec<Kind>,
    /// The trust in it.
    pub lifecycle: Lifecycle,
    /// The published entries that it rests on: `SAFE-T1402`, `mcp-scan:W021@C`, `owasp-mcp:MCP03`.
    pub cites: Vec<String>,
    /// Its names in each method's own catalogue, by family.
    #[serde(default)]
    pub codes: BTreeMap<String, Vec<String>>,
    /// Inputs on which it must fire and must stay silent.
    pub examples: Examples,
}

/// The inputs that prove a rule.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Examples {
    /// On each of these the rule fires.
    pub fires: Vec<Example>,
    /// On each of these it stays silent.
    pub silent: Vec<Example>,
}

/// One small bundle, decomposed and scanned in full by the walking test.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The case that the example shows.
    #[serde(default)]
    pub note: String,
    /// The files by path. Escapes of the format write what an editor cannot show.
    pub files: BTreeMap<String, String>,
    /// The claims of the listing, for rules that look at claims.
    #[serde(default)]
    pub claims: Claims,
}

/// The sink for a rule's reports. It fills in the rule's id and version and keeps severity within the rule's own.
pub struct FactSink<'a> {
    meta: &'a RuleMeta,
    /// The number of the rule in [`defaults()`].
    number: Option<usize>,
    facts: Vec<NumberedFact>,
}

impl<'a> FactSink<'a> {
    /// A sink for one rule.
    pub fn new(meta: &'a RuleMeta) -> Self {
        Self { meta, number: number(meta.id.as_str()), facts: Vec::new() }
    }

    /// The reported facts, in their order.
    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter().map(NumberedFact::fact)
    }

    /// Reports a finding in its plainest form.
    pub fn found(&mut self, place: Place, evidence: &str) {
        self.found_as(self.meta.severity, self.meta.confidence, place, evidence);
    }

    /// Reports a finding that its context makes milder. More than the rule's own severity is cut to it.
    pub fn found_as(&mut self, severity: Severity, confidence: Confidence, place: Place, evidence: &str) {
        // A card promises its plainest case: no check can exceed it by mistake.
        let (severity, confidence) = (severity.min(self.meta.severity), confidence.min(self.meta.confidence));
        // Masked before it is cut: half a secret would not be recognised as one.
        let evidence = quote(&pattern::mask_secrets(evidence));
        self.tell(severity, confidence, place, evidence, serde_json::Value::Null);
    }

    /// Reports a finding in the capability as a whole, in words of ours that are always the same: the fact is made once.
    pub fn found_in_whole(&mut self, words: &'static str) {
        let RuleMeta { severity, confidence, .. } = *self.meta;
        let evidence = || quote(&pattern::mask_secrets(words));
        let fact = || self.fact(severity, confidence, Place::default(), evidence(), serde_json::Value::Null);
        self.facts.push(defaults().found_in_whole(self.rule(), words, fact));
    }

    /// Reports a measured value, which is no finding.
    pub fn measured(&mut self, value: serde_json::Value) {
        self.tell(Severity::Info, self.meta.confidence, Place::default(), String::new(), value);
    }

    /// Reports that the data is missing, and which.
    pub fn unavailable(&mut self, missing: &str) {
        self.facts.push(unavailable_fact(self.rule(), missing));
    }

    /// Reports that the question makes no sense for this capability.
    pub fn not_applicable(&mut self) {
        self.facts.push(defaults().not_applicable(self.rule()));
    }

    /// Reports that it was looked for and is not there.
    pub fn absent(&mut self) {
        self.facts.push(defaults().absent(self.rule()));
    }

    const fn rule(&self) -> NumberedRule<'a> {
        NumberedRule { number: self.number, id: &self.meta.id, version: self.meta.version }
    }

    fn tell(
        &mut self,
        severity: Severity,
        confidence: Confidence,
        place: Place,
        evidence: String,
        value: serde_json::Value,
    ) {
        let fact = self.fact(severity, confidence, place, evidence, value);
        self.facts.push(NumberedFact::own(self.number, fact));
    }

    fn fact(
        &self,
        severity: Severity,
        confidence: Confidence,
        place: Place,
        evidence: String,
        value: serde_json::Value,
    ) -> Fact {
        let (rule, version, outcome) = (self.meta.id.clone(), self.meta.version, Outcome::True);
        Fact { rule, version, outcome, severity, confidence, place, evidence, value }
    }
}

/// The longest evidence that a fact carries, in code points.
const EVIDENCE_LENGTH: usize = 200;

/// The first so many code points of a text.
fn cut(text: &str, most: usize) -> &str {
    // A text has at most as many code points as bytes, so that most need no counting.
    if text.len() <= most {
        return text;
    }
    let end = text.char_indices().nth(most).map(|(at, _)| at);
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Cuts evidence to 200 code points and one line: newlines and tabs become spaces.
fn quote(text: &str) -> String {
    let text = text.trim();
    let shown = cut(text, EVIDENCE_LENGTH);
    // One line, so that evidence cannot draw lines of its own into a table or a log.
    let mut quoted = shown.replace(['\n', '\r', '\t'], " ");
    if shown.len() < text.len() {
        quoted.push('…');
    }
    quoted
}

/// Runs every rule over some capabilities; gives the facts of each. Each rule answers exactly once or, where it found
/// something, once for each find.
///
/// A rule looks at all of them before the next one does: what it works with is fetched from memory once for many.
pub fn evaluate(subjects: &[Subject<'_>]) -> Vec<SparseFacts> {
    let mut told = pattern::evaluate(subjects);
    for (kind, rules) in CODE_RULES.iter() {
        let of_kind = |subject: &Subject<'_>| subject.capability.kind == *kind;
        // Chosen once for each kind and not by each rule.
        let mut asked: Vec<_> = subjects.iter().zip(&mut told).filter(|(subject, _)| of_kind(subject)).collect();
        rules.iter().for_each(|rule| ask(rule, &mut asked));
    }
    let facts = subjects.iter().zip(told).map(|(subject, told)| {
        let kind = subject.capability.kind;
        SparseFacts::over_defaults(defaults(), kind, told)
    });
    facts.collect()
}

/// Asks one rule in code about some capabilities, and adds to what was told of each.
fn ask((rule, number): &NumberedCheck, asked: &mut [(&Subject<'_>, &mut Vec<NumberedFact>)]) {
    // One list serves all of them: a rule nearly always reports nothing or little.
    let mut own = Vec::new();
    for (subject, told) in asked {
        let mut sink = FactSink { meta: &rule.meta, number: *number, facts: own };
        (rule.check)(subject, &mut sink);
        own = sink.facts;
        // Below it no file can hold too many: the grouping is spared nearly always.
        if own.len() > FINDINGS_PER_FILE {
            own = without_flood(own);
        }
        told.append(&mut own);
    }
}

/// The facts of one capability.
#[cfg(test)]
pub(crate) fn facts_of_one(subject: Subject<'_>) -> SparseFacts {
    evaluate(&[subject]).pop().expect("facts for each")
}

/// The facts of every capability of a bundle, without a look at its gaps.
#[cfg(test)]
pub(crate) fn facts_of(bundle: &capdex_model::bundle::Bundle) -> Vec<SparseFacts> {
    let evidence = capdex_evidence::Evidence::gather(bundle);
    let capabilities = capdex_evidence::decompose::decompose(bundle, &evidence);
    let subject = |capability| Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &[] };
    evaluate(&capabilities.iter().map(subject).collect::<Vec<_>>())
}

/// A rule with a check, and its place among all rules.
type NumberedCheck = (&'static CodeRule, Option<usize>);

/// For each kind the rules with a check that run on it.
static CODE_RULES: LazyLock<Vec<(Kind, Vec<NumberedCheck>)>> = LazyLock::new(|| {
    let numbered = || checks::RULES.iter().map(|rule| (rule, number(rule.meta.id.as_str())));
    let runs = |meta: &RuleMeta, kind| meta.lifecycle != Lifecycle::Retired && meta.kinds.contains(&kind);
    Kind::ALL.into_iter().map(|kind| (kind, numbered().filter(|(rule, _)| runs(&rule.meta, kind)).collect())).collect()
});

/// Facts of every rule where nothing at all could be read: the data is missing, or the question makes no sense.
pub fn unavailable(kind: Kind) -> SparseFacts {
    let applies = all().iter().filter(|meta| meta.lifecycle != Lifecycle::Retired && meta.kinds.contains(&kind));
    let told = applies.map(|meta| unavailable_fact(numbered(meta), "nothing could be read")).collect();
    SparseFacts::over_defaults(defaults(), kind, told)
}

/// The most findings of one rule in one file that are kept apart: who repeats a thing a thousand times shall not drown
/// what else there is.
const FINDINGS_PER_FILE: usize = 50;

/// Keeps the worst and first findings of a rule in each file; the last of those kept says how many more there were.
fn without_flood(own: Vec<NumberedFact>) -> Vec<NumberedFact> {
    let mut by_file: BTreeMap<String, Vec<NumberedFact>> = BTreeMap::new();
    for answer in own {
        by_file.entry(answer.fact().place.file.clone()).or_default().push(answer);
    }
    let mut kept = Vec::new();
    for (_, mut facts) in by_file {
        let more = facts.len().saturating_sub(FINDINGS_PER_FILE);
        if more > 0 {
            facts.sort_by(|a, b| {
                let (a, b) = (a.fact(), b.fact());
                // By place among equals, so that the same files keep the same findings.
                b.severity.cmp(&a.severity).then_with(|| a.place.cmp(&b.place))
            });
            facts.truncate(FINDINGS_PER_FILE);
            if let Some(last) = facts.last_mut().map(NumberedFact::fact_mut) {
                last.evidence = format!("{} (and {more} more in this file)", last.evidence);
            }
        }
        kept.extend(facts);
    }
    kept
}

static ALL: LazyLock<Vec<&'static RuleMeta>> = LazyLock::new(|| {
    let mut metas: Vec<&'static RuleMeta> = checks::RULES.iter().map(|rule| &rule.meta).collect();
    metas.extend(pattern::metas());
    // A rule's place in this order is its number, by which facts refer to it within one run.
    metas.sort_by(|a, b| a.id.cmp(&b.id));
    metas
});

/// Raised with every change of decomposing, evidence or matching that can change a fact while no rule's text changes:
/// stored snapshots are then scanned again.
const ENGINE: u32 = 9;

static DIGEST: LazyLock<Digest> = LazyLock::new(|| {
    let metas = Digest::of_json(&(ENGINE, &*ALL));
    // Whole texts of data rules, with comments: cheaper than telling which changes matter.
    let texts = pattern::texts().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
    Digest::of_fields(std::iter::once(&metas.as_bytes()[..]).chain(texts))
});

/// The descriptions of all rules, sorted by id.
pub fn all() -> &'static [&'static RuleMeta] {
    &ALL
}

/// The number of a rule: its place among all, in the order of their ids.
pub fn number(id: &str) -> Option<usize> {
    defaults().number(id)
}

fn numbered(meta: &RuleMeta) -> NumberedRule<'_> {
    NumberedRule { number: number(meta.id.as_str()), id: &meta.id, version: meta.version }
}

/// The fact that a rule lacks data, in one line of words.
fn unavailable_fact(rule: NumberedRule<'_>, missing: &str) -> NumberedFact {
    defaults().unavailable(rule, missing, quote)
}

/// The description of one rule.
pub fn find(id: &str) -> Option<&'static RuleMeta> {
    ALL.get(number(id)?).copied()
}

/// The names of a rule in one method's own catalogue; empty where the method has none for it, or no rule is so called.
pub fn codes(rule: &str, family: &str) -> &'static [String] {
    find(rule).and_then(|meta| meta.codes.get(family)).map_or(&[], Vec::as_slice)
}

/// The digest over every rule's id, version and text: facts are kept under it.
pub fn digest() -> Digest {
    *DIGEST
}
