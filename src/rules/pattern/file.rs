//! The format of a data rule: one TOML file, from which its meta data and its matcher are made.
//!
//! A file that does not parse or compile is a defect of this program, found by the walking test before it ships.

use std::collections::BTreeMap;

use serde::Deserialize;

use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;
use capdex_evidence::zones::ZoneKind;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};
use capdex_model::ids::RuleId;

use crate::voices::HeardVoices;
use capdex_evidence::voice::Voice;

use super::condition::Condition;
use super::expression::Expression;
use super::mildness::Lower;
use capdex_model::rule::{Examples, KnownFalsePositive, Lifecycle, RuleMeta};

/// A data rule as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFile {
    id: String,
    version: u32,
    title: String,
    why: String,
    fix: String,
    cannot_see: String,
    severity: Severity,
    confidence: Confidence,
    /// The kinds that it applies to; all where the file says nothing.
    kinds: Option<Vec<Kind>>,
    lifecycle: Lifecycle,
    cites: Vec<String>,
    #[serde(default)]
    codes: BTreeMap<String, Vec<String>>,
    /// The regular expressions of which any one begins a find. ASCII classes; `(?i)` is up to each.
    patterns: Vec<Expression>,
    /// Expressions of which one must occur in a text for the patterns to be tried at all; for patterns that begin with
    /// common words or count repetitions, which are slow to look for.
    #[serde(default)]
    marks: Vec<Expression>,
    /// The voices that it hears; those of its pack where the file says nothing.
    voices: Option<Vec<Voice>>,
    /// The zones in which it may fire; all where the file says nothing.
    zones: Option<Vec<ZoneKind>>,
    /// The roles of files in which it may fire; all but lock files where the file says nothing.
    roles: Option<Vec<FileRole>>,
    /// The languages of files in which it may fire; all where the file says nothing.
    languages: Option<Vec<Language>>,
    /// Conditions that must also hold for a find.
    #[serde(default)]
    near: Vec<Condition>,
    /// Conditions that make it no find.
    #[serde(default)]
    unless: Vec<Condition>,
    /// Conditions that make it milder.
    #[serde(default)]
    lower: Vec<Lower>,
    /// True where the find is a secret that evidence must not show.
    #[serde(default)]
    mask: bool,
    /// The most finds in one file; the worst and first are kept and stand for the rest.
    #[serde(default = "default_max_per_file")]
    max_per_file: usize,
    /// Findings that appeals showed to be wrong and that it goes on making.
    #[serde(default)]
    known_false_positive: Vec<KnownFalsePositive>,
    examples: Examples,
}

const fn default_max_per_file() -> usize {
    3
}

/// A data rule, ready to run.
#[derive(Debug)]
pub(super) struct DataRule {
    pub(super) meta: RuleMeta,
    /// Marks of which one must occur in a text, where there are any.
    pub(super) marks: Vec<Expression>,
    pub(super) finders: Vec<Expression>,
    pub(super) voices: HeardVoices,
    pub(super) zones: Option<Vec<ZoneKind>>,
    pub(super) roles: Option<Vec<FileRole>>,
    pub(super) languages: Option<Vec<Language>>,
    pub(super) near: Vec<Condition>,
    pub(super) unless: Vec<Condition>,
    pub(super) lower: Vec<Lower>,
    pub(super) mask: bool,
    pub(super) max_per_file: usize,
}

/// Why a rule file is not usable, for the walking test.
pub(super) type Defect = String;

impl DataRule {
    /// Reads a rule file. Its expressions are compiled when they are first needed, which is never for most.
    pub(super) fn parse(text: &str) -> Result<Self, Defect> {
        let file: RuleFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let voices = HeardVoices::of(&file.id, file.voices);
        Ok(Self {
            voices,
            meta: RuleMeta {
                id: RuleId::from(file.id),
                check: None,
                version: file.version,
                title: file.title,
                why: file.why,
                fix: file.fix,
                cannot_see: file.cannot_see,
                severity: file.severity,
                confidence: file.confidence,
                // A rule without kinds looks at all of them: new kinds are then covered without touching cards.
                kinds: file.kinds.unwrap_or_else(|| Kind::ALL.to_vec()),
                lifecycle: file.lifecycle,
                cites: file.cites,
                codes: file.codes,
                known_false_positive: file.known_false_positive,
                examples: file.examples,
            },
            marks: file.marks,
            finders: file.patterns,
            zones: file.zones,
            roles: file.roles,
            languages: file.languages,
            near: file.near,
            unless: file.unless,
            lower: file.lower,
            mask: file.mask,
            max_per_file: file.max_per_file,
        })
    }

    /// Every expression of the rule, for the test that compiles them all.
    #[cfg(test)]
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let lowers = self.lower.iter().flat_map(Lower::conditions);
        let conditions = self.near.iter().chain(&self.unless).chain(lowers);
        self.marks.iter().chain(&self.finders).chain(conditions.flat_map(Condition::expressions))
    }
}
