//! The comparison as the object of schema `capdex.diff/1`.

use capdex_corpus::drift::{Change, DriftClass, DriftKind, Effect, EffectKind, Newly};
use capdex_dataset::finding::Finding;
use capdex_dataset::program::{Program, program};
use capdex_model::fact::Severity;
use capdex_model::score::Verdict;
use capdex_rubrics::operator::OperatorVerdict;
use serde::Serialize;

use super::together::Together;
use super::{DiffSide, Difference};

/// The whole comparison. Texts come from strangers: escape them where they are shown.
#[derive(Clone, Debug, Serialize)]
pub struct DiffRecord<'a> {
    schema: &'static str,
    /// The program that says so.
    #[serde(flatten)]
    program: &'static Program,
    from: SideRecord<'a>,
    to: SideRecord<'a>,
    /// True where both sides could be looked at in whole.
    whole: bool,
    /// What an agent could newly do.
    newly: Vec<NewlyRecord<'a>>,
    /// What rules find after and did not find before, the gravest first.
    new_findings: Vec<Finding<'a>>,
    capabilities: Vec<CapabilityRecord<'a>>,
    /// What stands together with the things that a configuration loads; no key where none was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    together: Option<&'a Together>,
}

#[derive(Clone, Debug, Serialize)]
struct SideRecord<'a> {
    name: &'a str,
    version: Option<&'a str>,
    band: &'static str,
    reason: &'a str,
    /// The band by the operator's word; no key where he has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    operator: Option<&'a OperatorVerdict>,
}

/// One thing that an agent could newly do.
#[derive(Clone, Debug, Serialize)]
pub(super) struct NewlyRecord<'a> {
    what: Newly,
    effect: EffectKind,
    severity: Severity,
    title: &'static str,
    subject: &'a str,
    detail: &'a str,
}

#[derive(Clone, Debug, Serialize)]
struct CapabilityRecord<'a> {
    slug: &'a str,
    kind: DriftKind,
    class: DriftClass,
    severity: Severity,
    changes: &'a [Change],
    diff: &'a [String],
}

impl<'a> NewlyRecord<'a> {
    pub(super) fn of((what, effect): (Newly, &'a Effect)) -> Self {
        Self {
            what,
            effect: effect.kind,
            severity: effect.severity,
            title: effect.kind.title(),
            subject: &effect.subject,
            detail: &effect.detail,
        }
    }
}

impl<'a> DiffRecord<'a> {
    /// Puts a comparison together.
    pub fn new(sides: [&'a DiffSide; 2], difference: &'a Difference, together: Option<&'a Together>) -> Self {
        let [from, to] = sides;
        let [before, after] = &difference.verdicts;
        let [word_before, word_after] = &difference.operator;
        let newly = difference.newly().into_iter().map(NewlyRecord::of);
        let capabilities = difference.drifts.iter().map(|(slug, drift)| CapabilityRecord {
            slug,
            kind: drift.kind,
            class: drift.class,
            severity: drift.severity,
            changes: &drift.changes,
            diff: &drift.diff,
        });
        Self {
            schema: "capdex.diff/1",
            program: program(),
            from: side(from, before, word_before.as_ref()),
            to: side(to, after, word_after.as_ref()),
            whole: difference.is_whole,
            newly: newly.collect(),
            new_findings: difference.new_findings(),
            capabilities: capabilities.collect(),
            together,
        }
    }
}

fn side<'a>(side: &'a DiffSide, verdict: &'a Verdict, operator: Option<&'a OperatorVerdict>) -> SideRecord<'a> {
    SideRecord {
        name: &side.name,
        version: side.version.as_deref(),
        band: verdict.band.as_str(),
        reason: &verdict.reason,
        operator,
    }
}
