//! `Fact`: one thing that a rule found, did not find, or could not look at.
//!
//! A fact that is true and has a severity above `info` is what users call a finding. Every rubric reads the same facts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::digest::Digest;
use crate::ids::RuleId;
use crate::voice::Voice;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing, not a defect.
    Info,
    /// A weakness of little consequence.
    Low,
    /// A weakness.
    Medium,
    /// Dangerous in ordinary use.
    High,
    /// An attack, or as good as one.
    Critical,
}

impl Severity {
    /// Every severity, mildest first.
    pub const ALL: [Self; 5] = [Self::Info, Self::Low, Self::Medium, Self::High, Self::Critical];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}

/// The confidence of a rule in what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A weak sign.
    Low,
    /// Usually right.
    Medium,
    /// Right unless shown otherwise.
    High,
}

impl Confidence {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// The answer of a rule about one subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is there.
    True,
    /// It was looked for and is not there.
    False,
    /// The question makes no sense for this kind.
    NotApplicable,
    /// The data that the question needs is missing.
    Unavailable,
}

impl Outcome {
    /// The answer of a rule that says both: that it is there, else that it could not look everywhere.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        // Missing data outranks "not there": absence is proven only where everything was looked at.
        let rank = |outcome: Self| match outcome {
            Self::True => 3,
            Self::Unavailable => 2,
            Self::False => 1,
            Self::NotApplicable => 0,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

/// The place of something in the input.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The file's path inside the input; empty where the whole capability is meant.
    pub file: String,
    /// The line, from 1; 0 where no line is meant.
    pub line: u32,
    /// The column in code points, from 1; 0 where no column is meant.
    pub column: u32,
    /// A JSON Pointer, for schema text; empty elsewhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pointer: String,
}

/// The text in which a finding stands, as published methods tell texts apart: each method reads some of them.
///
/// Told by the engine from the place, once for each true fact. It follows from the same bytes as the place does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactSurface {
    /// No text: the capability as a whole, its listing, its history.
    #[default]
    Whole,
    /// What a server tells a model: names, descriptions, schemas and annotations of its tools, its prompts and resources,
    /// its instructions. Wherever they are written.
    Served,
    /// The scripts of a `package.json`.
    PackageScripts,
    /// The description and the keywords of a `package.json`.
    PackageWords,
    /// Anything else in a `package.json`.
    PackageManifest,
    /// A text that an agent loads as instructions.
    Instructions,
    /// The source of a program.
    Source,
    /// A shell script or a hook.
    Script,
    /// Another manifest, a configuration or a lock file.
    Manifest,
    /// A test, a fixture or an example.
    Test,
    /// A text for people.
    Docs,
    /// Other data.
    Data,
}

impl FactSurface {
    /// True where nothing needs to be written: facts without a text are nearly all.
    // Serde hands a field over by reference.
    #[expect(clippy::trivially_copy_pass_by_ref)]
    pub(crate) fn is_whole(&self) -> bool {
        *self == Self::Whole
    }
}

/// One answer of one rule about one capability.
///
/// Severity and confidence are stored with the fact because a rule may lower them by context (a code block in
/// documentation, a test fixture), never raise them above its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The rule that speaks.
    pub rule: RuleId,
    /// The rule's version.
    pub version: u32,
    /// The answer.
    pub outcome: Outcome,
    /// The severity, where true.
    pub severity: Severity,
    /// The confidence, where true.
    pub confidence: Confidence,
    /// The place, where true.
    #[serde(default)]
    pub place: Place,
    /// The text in which it stands, where true.
    #[serde(default, skip_serializing_if = "FactSurface::is_whole")]
    pub surface: FactSurface,
    /// Who is spoken to there, where it is a finding in a text; none elsewhere, and where it was found before this was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voice: Option<Voice>,
    /// The quoted text, masked where it is a secret, at most 200 code points; empty where nothing is quoted.
    /// For `Unavailable`: what was missing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// A measured value, for rules that measure; `null` elsewhere.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub value: Value,
}

impl Fact {
    /// True where users see it as a finding: true, and of a rule that looks for defects. Measures have a value and
    /// severity `info`, and are not findings.
    pub fn is_finding(&self) -> bool {
        self.outcome == Outcome::True && (self.severity != Severity::Info || self.value.is_null())
    }

    /// True where it stands at a place, and is not about the whole capability.
    pub(crate) fn is_placed(&self) -> bool {
        let Place { file, line, column, pointer } = &self.place;
        !file.is_empty() || *line > 0 || *column > 0 || !pointer.is_empty()
    }

    /// The hex digest that stays when lines move: rule, file and evidence, and how many equal ones stand before it.
    pub fn fingerprint(&self, earlier_equal: usize) -> String {
        fingerprint(self.rule.as_str(), &self.place.file, &self.place.pointer, &self.evidence, earlier_equal)
    }
}

/// The fingerprint of a finding from its parts; see [`Fact::fingerprint`].
pub fn fingerprint(rule: &str, file: &str, pointer: &str, evidence: &str, earlier_equal: usize) -> String {
    // Neither line nor column: a line added above a finding must not make it new.
    let count = earlier_equal.to_string();
    Digest::of_fields([rule, file, pointer, evidence, &count].map(str::as_bytes)).hex()
}
