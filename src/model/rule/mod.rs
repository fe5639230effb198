//! A rule as everything but the rules themselves knows it: its description, its place among all, and its measured rates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::appeal::AppealId;
use crate::fact::{Confidence, Severity};
use crate::ids::RuleId;
use crate::kind::Kind;
use crate::listing::Claims;

pub mod detection;
mod index;
pub mod measured;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use index::{RuleIndex, RuleSource};

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
    /// Findings that appeals showed to be wrong and that it goes on making. They are told and change no fact, so that they are no part
    /// of the rule set's digest.
    #[serde(default, skip_serializing)]
    pub known_false_positive: Vec<KnownFalsePositive>,
    /// Inputs on which it must fire and must stay silent.
    pub examples: Examples,
}

impl RuleMeta {
    /// True where its card says why it goes on finding what an appeal showed to be wrong.
    pub fn is_known_to_err(&self, appeal: &AppealId) -> bool {
        self.known_false_positive.iter().any(|known| known.appeal == *appeal)
    }
}

/// A finding that an appeal showed to be wrong and that its rule goes on making.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFalsePositive {
    /// The appeal.
    pub appeal: AppealId,
    /// Why the rule stays as it is.
    pub reason: String,
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
