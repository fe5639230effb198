//! Rules: they turn a capability's evidence into facts.
//!
//! A rule cannot fail; it can lack data. Its card carries the codes of each method's own catalogue, by which rubrics find
//! it. The parts:
//!
//! - `cards/<pack>/<id>.toml`: the description and examples of every rule, with the patterns of a data rule or the name of
//!   a check. `build.rs` lists them.
//! - `pattern`: the engine for all data rules.
//! - `questions/<topic>.toml`: what checks have the engine look for in whole texts.
//! - `checks`: the functions of the rules that need structure.
//! - `flood`: bounds on what one file and one input tell.
//! - [`INDEX`]: the descriptions of all rules, handed to crates that may not know the rules.

#![warn(missing_docs)]
#![warn(clippy::disallowed_methods, clippy::disallowed_types)]

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::{Confidence, Fact, FactSurface, Outcome, Place, Severity};
use capdex_model::facts::{NumberedFact, NumberedRule, SparseFacts};
use capdex_model::rule::{Lifecycle, RuleIndex, RuleMeta, RuleSource};
use capdex_model::takedown;

mod approval;
mod checks;
#[cfg(test)]
mod facts_tests;
mod flood;
#[cfg(test)]
mod formats_tests;
mod measured;
mod pattern;
mod questions;
mod runs;
#[cfg(test)]
mod spellings_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;
#[cfg(test)]
mod twin_tests;
mod vocab;
mod voices;

use checks::CodeRule;
use flood::{FINDINGS_PER_FILE, without_flood};

pub use approval::{NOT_APPROVED, under_list};
pub use flood::within_input;
pub use measured::detection;

/// The rules of this program, for all who read facts: the store is opened over it, and facts carry it along.
pub static INDEX: RuleIndex = RuleIndex::new(RuleSource { metas, digest, measured: measured::sets, mask_line });

/// The value of `measure-tool-permissions` over the tools that an agent asks for, held against its own name and purpose.
pub fn permissions_of_agent(tools: &BTreeSet<&str>, name: &str, purpose: &str) -> serde_json::Value {
    checks::permissions_of_agent(tools, name, purpose)
}

/// A quoted line with every secret masked: those that a rule knows, and runs of letters that are a word of no language.
pub fn mask_line(text: &str) -> Cow<'_, str> {
    runs::mask_runs(&mask_secrets(text)).into_owned().into()
}

/// Text with every secret that a rule knows masked: what passes quote is masked as findings are.
pub fn mask_secrets(text: &str) -> Cow<'_, str> {
    pattern::mask_secrets(text)
}

/// The sink for a rule's reports. It fills in the rule's id and version and keeps severity within the rule's own.
pub struct FactSink<'a> {
    meta: &'a RuleMeta,
    /// The number of the rule in [`INDEX`].
    number: Option<usize>,
    facts: Vec<NumberedFact>,
}

impl<'a> FactSink<'a> {
    /// A sink for one rule.
    pub fn new(meta: &'a RuleMeta) -> Self {
        Self { meta, number: INDEX.number(meta.id.as_str()), facts: Vec::new() }
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
        self.facts.push(INDEX.defaults().found_in_whole(self.rule(), words, fact));
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
        self.facts.push(INDEX.defaults().not_applicable(self.rule()));
    }

    /// Reports that it was looked for and is not there.
    pub fn absent(&mut self) {
        self.facts.push(INDEX.defaults().absent(self.rule()));
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
        // The engine tells it of all facts at once, when every rule has spoken.
        let surface = FactSurface::Whole;
        Fact { rule, version, outcome, severity, confidence, place, surface, voice: None, evidence, value }
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
    // Line ends of either kind give one quote, and so one fingerprint.
    let text = if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) };
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
    let facts = subjects.iter().zip(told).map(|(subject, mut told)| {
        let kind = subject.capability.kind;
        for fact in told.iter_mut().filter(|fact| !fact.fact().place.file.is_empty()) {
            let (place, is_finding) = (&fact.fact().place, fact.fact().is_finding());
            let surface = subject.evidence.fact_surface(place);
            // A measure speaks to nobody, and nobody asks about its voice.
            let voice = subject.evidence.voice_at(place).filter(|_| is_finding);
            let fact = fact.fact_mut();
            (fact.surface, fact.voice) = (surface, voice);
        }
        SparseFacts::over_defaults(&INDEX, kind, told)
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
    let numbered = || checks::RULES.iter().map(|rule| (rule, INDEX.number(rule.meta.id.as_str())));
    let runs = |meta: &RuleMeta, kind| meta.lifecycle != Lifecycle::Retired && meta.kinds.contains(&kind);
    Kind::ALL.into_iter().map(|kind| (kind, numbered().filter(|(rule, _)| runs(&rule.meta, kind)).collect())).collect()
});

/// Facts of every rule where nothing at all could be read: the data is missing, or the question makes no sense. Of what was
/// found all the same only a registry's word of a takedown is kept: it is about no file.
pub fn unavailable(kind: Kind, found: &SparseFacts) -> SparseFacts {
    let applies = INDEX.all().iter().filter(|meta| meta.lifecycle != Lifecycle::Retired && meta.kinds.contains(&kind));
    let mut told: Vec<NumberedFact> = Vec::new();
    for meta in applies {
        let rule = numbered(meta);
        if takedown::RULES.contains(&meta.id.as_str()) && found.is_true(meta.id.as_str()) {
            let of_rule = found.of(meta.id.as_str()).filter(|fact| fact.outcome == Outcome::True);
            told.extend(of_rule.map(|fact| NumberedFact::own(rule.number, fact.clone())));
        } else {
            told.push(unavailable_fact(rule, "nothing could be read"));
        }
    }
    SparseFacts::over_defaults(&INDEX, kind, told)
}

fn metas() -> Vec<&'static RuleMeta> {
    checks::RULES.iter().map(|rule| &rule.meta).chain(pattern::metas()).collect()
}

/// Raised with every change of decomposing, evidence or matching that can change a fact while no rule's text changes:
/// stored snapshots are then scanned again.
const ENGINE: u32 = 27;

fn digest(metas: &[&'static RuleMeta]) -> Digest {
    let metas = Digest::of_json(&(ENGINE, metas));
    // Whole texts of data rules, with comments: cheaper than telling which changes matter.
    let texts = pattern::texts().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]);
    let words = vocab::ALL.iter().chain(questions::TEXTS).map(|text| text.as_bytes());
    Digest::of_fields(std::iter::once(&metas.as_bytes()[..]).chain(words).chain(texts))
}

fn numbered(meta: &RuleMeta) -> NumberedRule<'_> {
    NumberedRule { number: INDEX.number(meta.id.as_str()), id: &meta.id, version: meta.version }
}

/// The fact that a rule lacks data, in one line of words.
fn unavailable_fact(rule: NumberedRule<'_>, missing: &str) -> NumberedFact {
    INDEX.defaults().unavailable(rule, missing, quote)
}
