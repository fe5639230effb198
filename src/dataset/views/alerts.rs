//! An alert: something that deserves a person, with its evidence and the way to see it again.

use capdex_model::alert::{Alert, AlertEvidence, Raised};
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::time::AsOf;
use serde::Serialize;

use super::drift::ScoreChangeView;

/// The schema of a list of alerts, and of each.
pub const SCHEMA: &str = "capdex.alerts/1";

/// An alert as the command line and the notifiers give it. Texts come from strangers: escape them where they are shown.
#[derive(Clone, Debug, Serialize)]
pub struct AlertView<'a> {
    /// The capability that it is about, where it is about one.
    pub capability: Option<CapabilityId>,
    /// The closed word of the pass for what it saw.
    pub class: &'a str,
    /// The digest of the content at which it was raised, in hexadecimal.
    pub content_sha256: Option<String>,
    /// The particulars, one a line.
    pub details: &'a [String],
    /// Lines of a diff, each with its sign before it; secrets masked.
    pub diff: &'a [String],
    /// What it rests on, in parts: effect, rule, severity, path, line, quote; the gravest first.
    pub evidence: &'a [AlertEvidence],
    /// The advice.
    pub fix: &'a str,
    /// The short name by which `capdex alerts` takes it.
    pub id: String,
    /// The whole key, stable over nights.
    pub key: &'a str,
    /// Everything else that is raised together with the subject; sorted.
    pub members: &'a [String],
    /// The pass that raised it.
    pub pass: &'a str,
    /// The night that raised it first.
    pub raised: AsOf,
    /// The number of people that it may concern, 0 to 1000 on a logarithmic scale.
    pub reach: u32,
    /// The command that shows the same again.
    pub reproduce: String,
    /// [`SCHEMA`] in lists; left out of messages, which have an envelope of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<&'static str>,
    /// The score of each rubric before and after.
    pub scores: Vec<ScoreChangeView<'a>>,
    /// The severity.
    pub severity: Severity,
    /// `open`, `acknowledged`, `suppressed` or `ruled`; left out of messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<&'static str>,
    /// The readable subject: a slug, a listing, an entity, a name.
    pub subject: &'a str,
    /// One sentence for a person.
    pub title: &'a str,
    /// The reason why it matters.
    pub why: &'a str,
}

impl<'a> AlertView<'a> {
    /// The view of an alert and of the night that raised it, without a state.
    pub fn of(alert: &'a Alert, raised: AsOf) -> Self {
        Self {
            capability: alert.capability,
            class: &alert.class,
            content_sha256: alert.content.map(|digest| digest.hex()),
            details: &alert.details,
            diff: &alert.diff,
            evidence: &alert.evidence,
            fix: &alert.fix,
            id: alert.handle(),
            key: &alert.key,
            members: &alert.members,
            pass: &alert.pass,
            raised,
            reach: alert.reach,
            reproduce: alert.command(),
            schema: None,
            scores: alert.scores.iter().map(ScoreChangeView::of).collect(),
            severity: alert.severity,
            state: None,
            subject: &alert.subject,
            title: &alert.title,
            why: &alert.why,
        }
    }

    /// The same as an item of a list, with its state.
    #[must_use]
    pub fn in_state(self, state: &'static str) -> Self {
        Self { schema: Some(SCHEMA), state: Some(state), ..self }
    }

    /// The rule that an acknowledgement is bound to: `pass/class`.
    pub fn rule(&self) -> String {
        format!("{}/{}", self.pass, self.class)
    }
}

/// An alert as the service gives it: the stored alert, its short name, its rule and its night. No state, because
/// acknowledgements are the operator's own.
#[derive(Clone, Debug, Serialize)]
pub struct RaisedView<'a> {
    /// The short name by which `capdex alerts` takes it.
    pub alert: String,
    /// The capability that it is about, where it is about one.
    pub capability: Option<CapabilityId>,
    /// The closed word of the pass for what it saw.
    pub class: &'a str,
    /// The digest of the content at which it was raised, with its algorithm.
    pub content: Option<capdex_model::digest::Digest>,
    /// The particulars, one a line.
    pub details: &'a [String],
    /// Lines of a diff, each with its sign before it; secrets masked.
    pub diff: &'a [String],
    /// What it rests on, in parts: effect, rule, severity, path, line, quote; the gravest first.
    pub evidence: &'a [AlertEvidence],
    /// The advice.
    pub fix: &'a str,
    /// The whole key, stable over nights.
    pub key: &'a str,
    /// Everything else that is raised together with the subject; sorted.
    pub members: &'a [String],
    /// The pass that raised it.
    pub pass: &'a str,
    /// The night that raised it first.
    pub raised: AsOf,
    /// The number of people that it may concern, 0 to 1000 on a logarithmic scale.
    pub reach: u32,
    /// The stored command that shows the same again; empty where its key does.
    pub reproduce: &'a str,
    /// The rule that an acknowledgement is bound to: `pass/class`.
    pub rule: String,
    /// The score of each rubric before and after.
    pub scores: Vec<ScoreChangeView<'a>>,
    /// The severity.
    pub severity: Severity,
    /// The readable subject: a slug, a listing, an entity, a name.
    pub subject: &'a str,
    /// One sentence for a person.
    pub title: &'a str,
    /// The reason why it matters.
    pub why: &'a str,
}

impl<'a> RaisedView<'a> {
    /// The view of an alert of the store.
    pub fn of(Raised { alert, at }: &'a Raised) -> Self {
        Self {
            alert: alert.handle(),
            capability: alert.capability,
            class: &alert.class,
            content: alert.content,
            details: &alert.details,
            diff: &alert.diff,
            evidence: &alert.evidence,
            fix: &alert.fix,
            key: &alert.key,
            members: &alert.members,
            pass: &alert.pass,
            raised: *at,
            reach: alert.reach,
            reproduce: &alert.reproduce,
            rule: alert.rule(),
            scores: alert.scores.iter().map(ScoreChangeView::of).collect(),
            severity: alert.severity,
            subject: &alert.subject,
            title: &alert.title,
            why: &alert.why,
        }
    }
}
