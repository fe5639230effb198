//! `ScanRecord`: one capability as the object of schema `capdex.scan/1`, keys in the order of `docs/cli.md`.
//!
//! Nothing is scanned or scored here.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::appeal::Annotation;
use capdex_model::capability::{Capability, Kind};
use capdex_model::fact::Outcome;
use capdex_model::facts::SparseFacts;
use capdex_model::input::{Alias, LeftOut};
use capdex_model::points::Points;
use capdex_model::score::{Score, ScorePart, ScoreText, Term, Verdict};
use capdex_model::snapshot::Completeness;
use capdex_model::surface::{SurfaceInventory, SurfaceRecord};
use capdex_rubrics::operator::OperatorVerdict;
use capdex_rubrics::verdict::deciding;
use serde::Serialize;
use serde_json::Value;

use crate::finding::{Finding, findings};
use crate::judged::JudgeRecord;
use crate::program::Program;

/// One capability with everything that was found and computed.
#[derive(Clone, Debug, Serialize)]
pub struct ScanRecord<'a> {
    schema: &'static str,
    /// The program that scanned; none where another may have.
    #[serde(flatten)]
    pub program: Option<&'static Program>,
    input: &'a str,
    path: &'a str,
    /// The paths of its copies for other agents and of its translations, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variants: Vec<&'a str>,
    /// The target of `check` that it answers; none for what `scan` reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<&'a TargetRecord>,
    kind: Kind,
    slug: &'a str,
    name: &'a str,
    content_sha256: String,
    completeness: &'static str,
    incomplete_reasons: Vec<String>,
    /// The links of a local input that lead to what was read, sorted; on the package's line alone.
    #[serde(skip_serializing_if = "<[Alias]>::is_empty")]
    pub aliases: &'a [Alias],
    /// What of a local input was left out on purpose, sorted; on the package's line alone.
    #[serde(skip_serializing_if = "<[LeftOut]>::is_empty")]
    pub left_out: &'a [LeftOut],
    capability_tags: BTreeSet<String>,
    /// The findings, sorted by (file, line, column, rule).
    pub findings: Vec<Finding<'a>>,
    /// The number of findings that the caller's filter leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings_not_shown: Option<usize>,
    scores: BTreeMap<&'a str, ScoreView<'a>>,
    /// What a model reads of it; null where it was scanned before that was listed.
    surfaces: Option<&'a [SurfaceRecord]>,
    /// The number of surfaces beyond those that are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    surfaces_beyond: Option<u64>,
    /// What to do about it.
    pub verdict: VerdictView<'a>,
    /// What a model says beside it; no key where none was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<&'a JudgeRecord>,
}

/// A target of `check`, and what answered for it.
#[derive(Clone, Debug, Serialize)]
pub struct TargetRecord {
    /// The name under which it is shown: `npm:acme@1.0.0`, an address, an image.
    pub name: String,
    /// The package URL at the version that was judged; none where there is none.
    pub purl: Option<String>,
    /// The version, or the commit, that was judged; none where nothing was.
    pub version: Option<String>,
    /// Who gave the bytes: `store`, `dataset`, `registry`, or `disk` for what an agent loads; none where nobody did.
    pub answered_by: Option<&'static str>,
    /// When the store's answer was asked of the registry, RFC 3339; none for an answer of now.
    pub asked_at: Option<String>,
    /// Where the target was found; none where it was named itself.
    pub found_in: Option<TargetOrigin>,
}

/// The place in a configuration or a lock file that names a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TargetOrigin {
    /// The file, as its user named it or below the home folder.
    pub file: String,
    /// The name under which a configuration knows it; none in a lock file.
    pub server: Option<String>,
    /// The launch, as far as the target; no other argument, since those hold secrets. None in a lock file.
    pub started_as: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct ScoreView<'a> {
    version: &'a str,
    value: Option<Points>,
    grade: &'a str,
    coverage: Value,
    breakdown: Breakdown<'a>,
    caps: &'a [ScoreText],
    reason: &'a str,
}

#[derive(Clone, Debug, Serialize)]
struct Breakdown<'a> {
    terms: &'a [Term],
    parts: Vec<PartView<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct PartView<'a> {
    name: &'a str,
    value: Option<Points>,
    coverage: Value,
    note: &'a str,
}

/// A verdict as it is printed.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictView<'a> {
    band: &'static str,
    reason: &'a str,
    /// The fingerprint of the finding that decides; null where no finding does.
    pub finding: Option<String>,
    disagreement: Value,
    /// The band by the operator's word, with who said it; no key where he has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator: Option<&'a OperatorVerdict>,
    /// What appeals against all of it come to; no key where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<&'a Annotation>,
}

impl<'a> ScanRecord<'a> {
    /// Puts together what is known of one capability. `input` is the path as given.
    pub fn new(
        input: &'a str,
        capability: &'a Capability,
        completeness: &Completeness,
        facts: &'a SparseFacts,
        scores: &'a [Score],
        verdict: &'a Verdict,
    ) -> Self {
        let findings = findings(facts);
        let finding = deciding(facts).and_then(|fact| findings.iter().find(|finding| finding.is_of(fact)));
        let finding = finding.map(|finding| finding.fingerprint.clone());
        Self {
            schema: "capdex.scan/1",
            program: None,
            input,
            path: &capability.path,
            variants: capability.variants().collect(),
            target: None,
            kind: capability.kind,
            slug: &capability.slug,
            name: &capability.name,
            content_sha256: capability.content.hex(),
            completeness: completeness.as_str(),
            incomplete_reasons: completeness.gaps().iter().map(ToString::to_string).collect(),
            aliases: &[],
            left_out: &[],
            capability_tags: capability_tags(facts),
            findings,
            findings_not_shown: None,
            scores: scores.iter().map(|score| (&*score.rubric.id, ScoreView::of(score))).collect(),
            surfaces: None,
            surfaces_beyond: None,
            verdict: VerdictView {
                band: verdict.band.as_str(),
                reason: &verdict.reason,
                finding,
                disagreement: verdict.disagreement.map_or(Value::Null, |share| share.to_json()),
                operator: None,
                annotations: Vec::new(),
            },
            judge: None,
        }
    }

    /// The same with the surfaces that the scan listed.
    pub fn with_surfaces(self, inventory: &'a SurfaceInventory) -> Self {
        let surfaces_beyond = Some(inventory.beyond).filter(|beyond| *beyond > 0);
        Self { surfaces: Some(&inventory.records), surfaces_beyond, ..self }
    }
}

impl<'a> ScoreView<'a> {
    fn of(score: &'a Score) -> Self {
        Self {
            version: &score.rubric.version,
            value: score.value,
            grade: &score.grade,
            coverage: score.coverage.to_json(),
            breakdown: breakdown(&score.terms, &score.parts),
            caps: &score.caps,
            reason: &score.reason,
        }
    }
}

fn breakdown<'a>(terms: &'a [Term], parts: &'a [ScorePart]) -> Breakdown<'a> {
    let parts = parts
        .iter()
        .map(|part| PartView {
            name: &part.name,
            value: part.value,
            coverage: part.coverage.to_json(),
            note: &part.note,
        })
        .collect();
    Breakdown { terms, parts }
}

/// The part of what a rule measured that holds a capability code.
pub const TAG: &str = "tag";

/// The capability codes (`W015` and so on) that rules measured: each has a `tag` in its value.
pub fn capability_tags(facts: &SparseFacts) -> BTreeSet<String> {
    facts
        // All facts and not findings alone: an ability is no fault.
        .all()
        .filter(|fact| fact.outcome == Outcome::True)
        .filter_map(|fact| fact.value.get(TAG).and_then(Value::as_str))
        .map(ToOwned::to_owned)
        .collect()
}
