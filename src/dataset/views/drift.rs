//! A drift event: one change of one capability between two nights.

use capdex_corpus::drift::{Change, DriftClass, DriftKind, Effect, EffectKind, VersionChange};
use capdex_db::DriftEvent;
use capdex_model::alert::ScoreChange;
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;
use serde::Serialize;

/// The schema of a list of drift events, and of each.
pub const SCHEMA: &str = "capdex.drift/1";

/// A drift event. Texts come from strangers: escape them where they are shown.
#[derive(Clone, Debug, Serialize)]
pub struct DriftView<'a> {
    /// The night that found it.
    pub as_of: AsOf,
    /// The capability's id, as text.
    pub capability: String,
    /// Every change, sorted by path and tool.
    pub changes: Vec<ChangeView<'a>>,
    /// The depth of the change, `d0` to `d6` or `same_version`.
    pub class: DriftClass,
    /// Lines of a diff, each with its sign before it; secrets masked.
    pub diff: &'a [String],
    /// Everything that the change brought, the gravest first.
    pub effects: Vec<EffectView<'a>>,
    /// The digest over the files before, in hexadecimal; none for a new capability.
    pub from_sha256: Option<String>,
    /// The version before, if one was named.
    pub from_version: Option<&'a str>,
    /// The kind of event, such as `changed` or `gone`.
    pub kind: DriftKind,
    /// Its word for whether the version moved with the change.
    pub moved: VersionChange,
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The score of each rubric before and after.
    pub scores: Vec<ScoreChangeView<'a>>,
    /// The severity of the event.
    pub severity: Severity,
    /// The capability's readable name.
    pub slug: &'a str,
    /// The digest over the files after, in hexadecimal; none for a capability that is gone.
    pub to_sha256: Option<String>,
    /// The version after, if one is named.
    pub to_version: Option<&'a str>,
}

/// One change of one path, tool or declaration.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeView<'a> {
    /// `file`, `tool`, a part of a tool or the name of a declaration.
    pub part: &'a str,
    /// The path or the tool's name; empty for a declaration.
    pub subject: &'a str,
    /// `added`, `removed`, `changed` or `renamed`.
    pub what: &'a str,
}

/// One thing that a change brought.
#[derive(Clone, Debug, Serialize)]
pub struct EffectView<'a> {
    /// The particulars: a host, an address, quoted words with secrets masked; may be empty.
    pub detail: &'a str,
    /// The kind of effect, a closed word.
    pub kind: EffectKind,
    /// The severity of the effect by itself, whatever the version says.
    pub severity: Severity,
    /// The file, tool or declaration.
    pub subject: &'a str,
}

/// The score of one rubric before and after.
#[derive(Clone, Debug, Serialize)]
pub struct ScoreChangeView<'a> {
    /// Value and grade after; none without a score.
    pub after: Option<&'a str>,
    /// Value and grade before; none without a score.
    pub before: Option<&'a str>,
    /// The rubric's id.
    pub rubric: &'a str,
}

impl<'a> DriftView<'a> {
    /// The view of an event of the store.
    pub fn of(event: &'a DriftEvent) -> Self {
        Self {
            as_of: event.at,
            capability: event.capability.to_string(),
            changes: event.changes.iter().map(ChangeView::of).collect(),
            class: event.class,
            diff: &event.diff,
            effects: event.effects.iter().map(EffectView::of).collect(),
            from_sha256: event.from.map(|digest| digest.hex()),
            from_version: event.from_version.as_deref(),
            kind: event.kind,
            moved: event.moved,
            schema: SCHEMA,
            scores: event.scores.iter().map(ScoreChangeView::of).collect(),
            severity: event.severity,
            slug: &event.slug,
            to_sha256: event.to.map(|digest| digest.hex()),
            to_version: event.to_version.as_deref(),
        }
    }
}

impl<'a> ChangeView<'a> {
    fn of(change: &'a Change) -> Self {
        Self { part: &change.part, subject: &change.subject, what: &change.what }
    }
}

impl<'a> EffectView<'a> {
    fn of(effect: &'a Effect) -> Self {
        Self { detail: &effect.detail, kind: effect.kind, severity: effect.severity, subject: &effect.subject }
    }
}

impl<'a> ScoreChangeView<'a> {
    /// The view of one rubric's change.
    pub(super) fn of(change: &'a ScoreChange) -> Self {
        Self { after: change.after.as_deref(), before: change.before.as_deref(), rubric: &change.rubric }
    }
}
