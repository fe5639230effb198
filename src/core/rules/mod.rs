//! Rules: they turn a capability's evidence into facts.
//!
//! A rule cannot fail; it can lack data. Must not know any rubric beyond the codes that the rule carries in each
//! method's own catalogue.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::capability::{Capability, Kind};
use crate::digest::Digest;
use crate::evidence::Evidence;
use crate::evidence::document::Document;
use crate::evidence::tools::Tool;
use crate::fact::{Confidence, Fact, Facts, Outcome, Place, Severity};
use crate::facts::Answer;
use crate::ids::RuleId;
use crate::listing::Claims;
use crate::snapshot::Gap;
use crate::told::Silent;

mod answers;
pub mod catalogue;
pub mod code;
pub mod measured;
mod pattern;
mod runs;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

pub use runs::mask_runs;

/// Text with every secret that a rule knows masked: what passes quote is masked as findings are.
pub fn mask_secrets(text: &str) -> std::borrow::Cow<'_, str> {
    pattern::mask_secrets(text)
}

/// How far a rule is trusted.
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

/// What is known of a rule without running it. The manual is written from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleMeta {
    /// Stable, lower-case kebab, never reused.
    pub id: RuleId,
    /// Raised with every change of what fires.
    pub version: u32,
    /// One line for a person: what the finding is.
    pub title: String,
    /// Why it matters.
    pub why: String,
    /// What its author can do about it.
    pub fix: String,
    /// What it cannot see.
    pub cannot_see: String,
    /// The severity of its plainest case; context may lower it, nothing raises it.
    pub severity: Severity,
    /// How sure it is in its plainest case.
    pub confidence: Confidence,
    /// The kinds that it applies to; for the others it answers `NotApplicable`.
    pub kinds: Vec<Kind>,
    /// How far it is trusted.
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
    /// What the example shows.
    #[serde(default)]
    pub note: String,
    /// The files by path. Escapes of the format write what an editor cannot show.
    pub files: BTreeMap<String, String>,
    /// What the listing claims, for rules that look at claims.
    #[serde(default)]
    pub claims: Claims,
}

/// What a rule looks at: one capability with the evidence of its bundle.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The capability.
    pub capability: &'a Capability,
    /// The evidence of the whole bundle.
    pub evidence: &'a Evidence,
    /// What the listing claims.
    pub claims: &'a Claims,
    /// The gaps of the whole bundle: what could not be read or was refused on the way in.
    pub gaps: &'a [Gap],
}

impl<'a> Subject<'a> {
    /// The documents of this capability, in the order of their paths.
    pub fn documents(&self) -> impl Iterator<Item = &'a Document> + use<'a> {
        let evidence = self.evidence;
        self.capability.files.iter().filter_map(move |path| evidence.documents.get(path))
    }

    /// The tools that stand in files of this capability, in the order of path, line and name.
    pub fn tools(&self) -> impl Iterator<Item = &'a Tool> + use<'a> {
        let tools = self.evidence.tools.as_slice();
        // Both are sorted by path. A bundle of a thousand servers asks a thousand times: each time for its own alone.
        self.capability.files.iter().filter(|_| !tools.is_empty()).flat_map(move |path| {
            let first = tools.partition_point(|tool| tool.place.file < *path);
            tools.get(first..).into_iter().flatten().take_while(move |tool| tool.place.file == *path)
        })
    }
}

/// A rule that needs structure. Data rules are run together by the engine in `pattern`.
pub trait Rule: Send + Sync {
    /// What is known of it without running it.
    fn meta(&self) -> &RuleMeta;
    /// Looks at one capability of a kind that it applies to, and reports what it found. Reporting nothing means that
    /// it looked and found nothing.
    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>);
}

/// Where a rule reports. Fills in the rule's id and version and keeps severity within the rule's own.
pub struct FactSink<'a> {
    meta: &'a RuleMeta,
    /// The place of the rule among all.
    number: Option<usize>,
    answers: Vec<Answer>,
}

impl<'a> FactSink<'a> {
    /// A sink for one rule.
    pub fn new(meta: &'a RuleMeta) -> Self {
        Self { meta, number: number(meta.id.as_str()), answers: Vec::new() }
    }

    /// What the rule has reported, in that order.
    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.answers.iter().map(Answer::fact)
    }

    /// Reports a finding in its plainest form.
    pub fn found(&mut self, place: Place, evidence: &str) {
        self.found_as(self.meta.severity, self.meta.confidence, place, evidence);
    }

    /// Reports a finding that its context makes milder. More than the rule's own severity is cut to it.
    pub fn found_as(&mut self, severity: Severity, confidence: Confidence, place: Place, evidence: &str) {
        let (severity, confidence) = (severity.min(self.meta.severity), confidence.min(self.meta.confidence));
        let evidence = quote(&pattern::mask_secrets(evidence));
        self.tell(severity, confidence, place, evidence, serde_json::Value::Null);
    }

    /// Reports a finding in the capability as a whole, in words of ours that are always the same: the fact is made once.
    pub fn found_in_whole(&mut self, words: &'static str) {
        let RuleMeta { severity, confidence, .. } = *self.meta;
        let evidence = || quote(&pattern::mask_secrets(words));
        let fact = || self.fact(severity, confidence, Place::default(), evidence(), serde_json::Value::Null);
        self.answers.push(answers::found(self.number, words, fact));
    }

    /// Reports a measured value, which is no finding.
    pub fn measured(&mut self, value: serde_json::Value) {
        self.tell(Severity::Info, self.meta.confidence, Place::default(), String::new(), value);
    }

    /// Reports that the data is missing, and which.
    pub fn unavailable(&mut self, missing: &str) {
        self.answers.push(answers::unavailable(self.meta, self.number, missing));
    }

    /// Reports that the question makes no sense for this capability.
    pub fn not_applicable(&mut self) {
        self.answers.push(answers::not_applicable(self.meta, self.number));
    }

    /// Reports that it was looked for and is not there.
    pub fn absent(&mut self) {
        self.answers.push(answers::absent(self.meta, self.number));
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
        self.answers.push(Answer::own(self.number, fact));
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
pub fn evaluate(subjects: &[Subject<'_>]) -> Vec<Facts> {
    let mut told = pattern::evaluate(subjects);
    for (kind, rules) in CODE_RULES.iter() {
        let of_kind = |subject: &Subject<'_>| subject.capability.kind == *kind;
        let mut asked: Vec<_> = subjects.iter().zip(&mut told).filter(|(subject, _)| of_kind(subject)).collect();
        rules.iter().for_each(|rule| ask(rule, &mut asked));
    }
    let facts = subjects.iter().zip(told).map(|(subject, told)| {
        let kind = subject.capability.kind;
        Facts::told(kind, answers::nothing_found(kind), told)
    });
    facts.collect()
}

/// Asks one rule in code about some capabilities, and adds to what was told of each.
fn ask((rule, meta, number): &CodeRule, asked: &mut [(&Subject<'_>, &mut Vec<Answer>)]) {
    // One list serves all of them: a rule nearly always reports nothing or little.
    let mut own = Vec::new();
    for (subject, told) in asked {
        let mut sink = FactSink { meta, number: *number, answers: own };
        rule.check(subject, &mut sink);
        own = sink.answers;
        if own.len() > FINDINGS_PER_FILE {
            own = without_flood(own);
        }
        told.append(&mut own);
    }
}

/// The facts of one capability.
#[cfg(test)]
pub(crate) fn facts_of_one(subject: Subject<'_>) -> Facts {
    evaluate(&[subject]).pop().expect("facts for each")
}

/// The facts of every capability of a bundle, without a look at its gaps.
#[cfg(test)]
pub(crate) fn facts_of(bundle: &crate::bundle::Bundle) -> Vec<Facts> {
    let evidence = Evidence::gather(bundle);
    let capabilities = crate::decompose::decompose(bundle, &evidence);
    let subject = |capability| Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &[] };
    evaluate(&capabilities.iter().map(subject).collect::<Vec<_>>())
}

/// A rule in code with what is known of it and its place among all rules.
type CodeRule = (&'static dyn Rule, &'static RuleMeta, Option<usize>);

/// For each kind the rules in code that run on it.
static CODE_RULES: LazyLock<Vec<(Kind, Vec<CodeRule>)>> = LazyLock::new(|| {
    let running = || code::RULES.iter().map(|rule| (*rule, rule.meta(), number(rule.meta().id.as_str())));
    let runs = |meta: &RuleMeta, kind| meta.lifecycle != Lifecycle::Retired && meta.kinds.contains(&kind);
    Kind::ALL.into_iter().map(|kind| (kind, running().filter(|(_, meta, _)| runs(meta, kind)).collect())).collect()
});

/// What every rule answers where nothing at all could be read: the data is missing, or the question makes no sense.
pub fn unavailable(kind: Kind) -> Facts {
    let applies = all().iter().filter(|meta| meta.lifecycle != Lifecycle::Retired && meta.kinds.contains(&kind));
    let told =
        applies.map(|meta| answers::unavailable(meta, number(meta.id.as_str()), "nothing could be read")).collect();
    Facts::told(kind, answers::nothing_found(kind), told)
}

/// The most findings of one rule in one file that are kept apart: who repeats a thing a thousand times shall not drown
/// what else there is.
const FINDINGS_PER_FILE: usize = 50;

/// Keeps the worst and first findings of a rule in each file; the last of those kept says how many more there were.
fn without_flood(own: Vec<Answer>) -> Vec<Answer> {
    let mut by_file: BTreeMap<String, Vec<Answer>> = BTreeMap::new();
    for answer in own {
        by_file.entry(answer.fact().place.file.clone()).or_default().push(answer);
    }
    let mut kept = Vec::new();
    for (_, mut facts) in by_file {
        let more = facts.len().saturating_sub(FINDINGS_PER_FILE);
        if more > 0 {
            facts.sort_by(|a, b| {
                let (a, b) = (a.fact(), b.fact());
                b.severity.cmp(&a.severity).then_with(|| a.place.cmp(&b.place))
            });
            facts.truncate(FINDINGS_PER_FILE);
            if let Some(last) = facts.last_mut().map(Answer::fact_mut) {
                last.evidence = format!("{} (and {more} more in this file)", last.evidence);
            }
        }
        kept.extend(facts);
    }
    kept
}

static ALL: LazyLock<Vec<&'static RuleMeta>> = LazyLock::new(|| {
    let mut metas: Vec<&'static RuleMeta> = code::RULES.iter().map(|rule| rule.meta()).collect();
    metas.extend(pattern::metas());
    metas.sort_by(|a, b| a.id.cmp(&b.id));
    metas
});

/// Raised with every change of decomposing, evidence or matching that can change a fact while no rule's text changes:
/// stored snapshots are then scanned again.
const ENGINE: u32 = 9;

static DIGEST: LazyLock<Digest> = LazyLock::new(|| {
    let metas = Digest::of_json(&(ENGINE, &*ALL));
    let texts = pattern::texts().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
    Digest::of_fields(std::iter::once(&metas.as_bytes()[..]).chain(texts))
});

/// What is known of every rule, sorted by id.
pub fn all() -> &'static [&'static RuleMeta] {
    &ALL
}

/// The place of a rule among all, where it is probably the one at `likely`: facts stand mostly in the order of the rules, and
/// a search for each was a tenth of the time that reading them took.
pub(crate) fn number_near(likely: usize, id: &str) -> Option<usize> {
    if ALL.get(likely).is_some_and(|meta| meta.id.as_str() == id) { Some(likely) } else { number(id) }
}

/// The place of a rule among all, in the order of their ids.
pub(crate) fn number(id: &str) -> Option<usize> {
    ALL.binary_search_by(|meta| meta.id.as_str().cmp(id)).ok()
}

/// Facts of which what is not told is usual; gives back what was told where a rule that tells something is not known. Words that
/// this version's rules say too are shared and not made.
pub(crate) fn facts_told(kind: Kind, silent: &[Silent<'_>], told: Vec<Fact>) -> Result<Facts, Vec<Fact>> {
    let mut next = 0;
    let mut near = |id: &str| {
        let number = number_near(next, id)?;
        next = number + 1;
        Some(number)
    };
    let numbers = silent.iter().map(|(rule, ..)| &**rule).chain(told.iter().map(|fact| fact.rule.as_str()));
    let Some(numbers) = numbers.map(&mut near).collect::<Option<Vec<usize>>>() else { return Err(told) };
    let (of_silent, of_told) = numbers.split_at(silent.len());
    let silent = silent.iter().zip(of_silent).map(|(word, number)| answers::word(*number, word));
    let told = told.into_iter().zip(of_told).map(|(fact, number)| Answer::own(Some(*number), fact));
    Ok(Facts::told(kind, answers::nothing_found(kind), silent.chain(told).collect()))
}

/// What every rule that runs answers about a kind where it finds nothing, in the order of the rules.
pub fn nothing_found(kind: crate::capability::Kind) -> impl ExactSizeIterator<Item = &'static Fact> {
    answers::nothing_found(kind).answers().iter().map(crate::facts::Answer::fact)
}

/// What is known of one rule.
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
