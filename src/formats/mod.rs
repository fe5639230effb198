//! The formats of `scan`: what was judged, as people, programs and the tools of others read it.
//!
//! Nothing is judged here. Text of strangers passes `output::escape` and then the gate of the format itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use capdex_db::Scanned;
use capdex_model::appeal::{Annotation, Appeal};
use capdex_model::fact::Severity;
use capdex_model::input::{Alias, LeftOut};
use capdex_model::ruling::{OperatorPolicy, Ruling};
use capdex_model::score::{Band, Score, Verdict};
use capdex_model::snapshot::Gap;
use capdex_model::time::AsOf;
use capdex_rubrics::operator::{self, BeforeOperator, OperatorVerdict};
use capdex_rubrics::verdict::deciding;

use crate::content::LineNeutralContents;
use crate::output::Out;
use capdex_dataset::annotations;
use capdex_dataset::escape;
use capdex_dataset::finding::BaselineStatus;
use capdex_dataset::finding::{self, Finding, findings};
use capdex_dataset::judged::JudgeRecord;
use capdex_dataset::program::program;
use capdex_dataset::scan_record::{ScanRecord, TargetRecord};
use filter::FindingFilter;

pub mod filter;
mod github;
mod json;
mod jsonl;
mod junit;
pub(crate) mod markdown;
pub mod outputs;
pub mod place;
pub(crate) mod sarif;
mod table;

/// A way to print results.
pub trait ScanFormat: Send + Sync {
    /// The word that `--format` takes.
    fn id(&self) -> &'static str;
    /// One line for the help and the manual.
    fn about(&self) -> &'static str;
    /// Begins a print.
    fn printer(&self) -> Box<dyn Printer>;
}

/// One print as it grows: every result in the order of the inputs, then the end.
pub trait Printer {
    /// Takes one result.
    fn add(&mut self, judged: &JudgedCapability, out: &mut Out) -> anyhow::Result<()>;
    /// Ends the print.
    fn finish(self: Box<Self>, _out: &mut Out) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Every format; the first is the default.
pub const FORMATS: &[&dyn ScanFormat] = &[
    &table::TableFormat,
    &json::JsonFormat,
    &jsonl::JsonLinesFormat,
    &sarif::SarifFormat,
    &junit::JunitFormat,
    &github::GithubFormat,
    &markdown::MarkdownFormat,
];

/// One capability of one input, judged.
pub struct JudgedCapability {
    /// The path as given.
    pub input: String,
    /// The place of the input, as others may refer to it.
    pub place: place::InputPlace,
    /// The links of the input that lead to what was read, sorted; on the package's line alone.
    pub aliases: Vec<Alias>,
    /// What of the input was left out on purpose, sorted; on the package's line alone.
    pub left_out: Vec<LeftOut>,
    /// The digests of the input's files for a baseline; empty where there is none.
    pub contents: Arc<LineNeutralContents>,
    /// The target of `check` that it answers; none for local input.
    pub target: Option<Arc<TargetRecord>>,
    /// The capability with its facts.
    pub scanned: Scanned,
    /// Its scores, of the rubrics asked for.
    pub scores: Vec<Score>,
    /// Its verdict; that of the package on the package's line.
    pub verdict: Verdict,
    /// The band by what is its own: that of the verdict or of the operator's word, but for a package that is as bad as something
    /// in it.
    pub own_band: Band,
    /// The fingerprint of the finding that decides the verdict; none where no finding does.
    pub deciding: Option<String>,
    /// The verdict by the operator's word; that of the package on the package's line. None where he has none.
    pub operator: Option<OperatorVerdict>,
    /// The ruling by which each finding is set aside, in the order of the findings; empty where none is.
    pub rulings: Vec<Option<Ruling>>,
    /// What appeals about it come to.
    pub annotations: Vec<Annotation>,
    /// The standing of each finding against the baseline, in the order of the findings; empty without a baseline.
    pub baseline_statuses: Vec<BaselineStatus>,
    /// The lines of the input that findings are in, by file and line, for those who print them; empty where the input is gone.
    pub lines: BTreeMap<(String, u32), String>,
    /// What a model says of it; none where none was asked.
    pub judge: Option<JudgeRecord>,
    /// The findings that are shown; the rest is counted.
    pub filter: FindingFilter,
}

impl JudgedCapability {
    /// The scores that people are shown: a variant of a method only where it was asked for by name, and then alone.
    pub fn shown(&self) -> impl Iterator<Item = &Score> {
        // A variant alone is one that was asked for by name.
        self.scores.iter().filter(|score| score.rubric.is_seed() || self.scores.len() == 1)
    }

    /// The findings that are shown, each with how it stands against the baseline, and with the fingerprint of its place.
    pub fn findings(&self) -> Vec<Finding<'_>> {
        // Filtered last, so that a fingerprint is the same whatever is shown.
        let all = self.all_findings().into_iter();
        all.filter(|finding| self.filter.shows(finding.severity, finding.confidence)).collect()
    }

    /// The number of findings that the filter leaves out.
    pub fn not_shown(&self) -> usize {
        self.scanned.facts.findings().filter(|fact| !self.filter.shows(fact.severity, fact.confidence)).count()
    }

    /// The same, whether shown or not.
    pub fn all_findings(&self) -> Vec<Finding<'_>> {
        let mut all = findings(&self.scanned.facts);
        // Equal ones in one file are numbered, as in the fingerprints of before.
        let mut seen: BTreeMap<(&str, &str, &str, &str), usize> = BTreeMap::new();
        for finding in all.iter_mut().filter(|finding| !finding.file.is_empty()) {
            let earlier = seen.entry((finding.rule, finding.file, finding.pointer, finding.evidence)).or_default();
            finding.fingerprint = finding.fingerprint_at(&self.place.fingerprint_path(finding.file), *earlier);
            *earlier += 1;
        }
        for (finding, standing) in all.iter_mut().zip(&self.baseline_statuses) {
            finding.baseline = Some(*standing);
        }
        for (finding, ruling) in all.iter_mut().zip(&self.rulings) {
            finding.ruling = ruling.as_ref();
        }
        // A fingerprint of the store stays that finding's, whatever place it is shown at.
        let mut stored = findings(&self.scanned.facts);
        finding::annotate(&mut stored, &self.annotations);
        for (finding, stored) in all.iter_mut().zip(stored) {
            finding.annotations = stored.annotations;
        }
        all
    }

    /// The same with the finding that decides its own verdict.
    #[must_use]
    pub fn decided(self) -> Self {
        let fact = deciding(&self.scanned.facts);
        let found = fact.and_then(|fact| self.all_findings().into_iter().find(|finding| finding.is_of(fact)));
        let fingerprint = found.map(|finding| finding.fingerprint);
        Self { deciding: fingerprint, ..self }
    }

    /// The same with the operator's word on it. A fingerprint is the one that is shown here, or the store's.
    #[must_use]
    pub fn heard(self, policy: &OperatorPolicy, now: AsOf) -> Self {
        if policy.is_empty() {
            return self;
        }
        let (shown, stored) = (self.all_findings(), findings(&self.scanned.facts));
        let is_named = |at: usize, fingerprint: &str| {
            [&shown, &stored].iter().any(|all| all.get(at).is_some_and(|one| one.fingerprint == fingerprint))
        };
        let before = BeforeOperator {
            capability: &self.scanned.capability,
            facts: &self.scanned.facts,
            scores: &self.scores,
            completeness: &self.scanned.completeness,
            verdict: &self.verdict,
        };
        let operator = operator::heard(policy, before, is_named, now);
        let rulings = operator.as_ref().filter(|said| !said.set_aside.is_empty()).map(|said| {
            let ruling = |at: usize| said.rulings.get(*said.set_aside.get(&at)?).cloned();
            (0..stored.len()).map(ruling).collect()
        });
        let rulings = rulings.unwrap_or_default();
        let own_band = operator.as_ref().map_or(self.own_band, |said| said.band);
        Self { operator, rulings, own_band, ..self }
    }

    /// The same with what appeals about it come to.
    #[must_use]
    pub fn annotated(self, appeals: &[Appeal]) -> Self {
        let about = appeals.iter().filter(|appeal| appeal.is_about(&self.scanned.capability));
        let annotations = about.filter_map(Appeal::annotation).collect();
        Self { annotations, ..self }
    }

    /// The band to act on: by the operator's word where he has one, else the verdict's.
    pub fn acting_band(&self) -> Band {
        self.operator.as_ref().map_or(self.verdict.band, |said| said.band)
    }

    /// The sentence behind it.
    pub fn acting_reason(&self) -> &str {
        self.operator.as_ref().map_or(&self.verdict.reason, |said| &said.reason)
    }

    /// The gaps: parts that could not be looked at.
    pub fn gaps(&self) -> &[Gap] {
        self.scanned.completeness.gaps()
    }

    /// The file that a finding is about, else the anchor of its capability; empty for the input's root.
    pub fn file_of<'a>(&'a self, finding: &Finding<'a>) -> &'a str {
        if finding.file.is_empty() { &self.scanned.capability.path } else { finding.file }
    }

    fn scan_record(&self) -> ScanRecord<'_> {
        let scanned = &self.scanned;
        let Scanned { capability, surfaces, completeness, facts, .. } = scanned;
        let item = ScanRecord::new(&self.input, capability, completeness, facts, &self.scores, &self.verdict);
        let mut item = item.with_surfaces(surfaces);
        item.program = Some(program());
        item.findings = self.findings();
        item.findings_not_shown = Some(self.not_shown()).filter(|left| *left > 0);
        item.verdict.finding.clone_from(&self.deciding);
        item.verdict.operator = self.operator.as_ref();
        item.verdict.annotations = annotations::of_whole(&self.annotations).collect();
        item.aliases = &self.aliases;
        item.left_out = &self.left_out;
        item.target = self.target.as_deref();
        item.judge = self.judge.as_ref();
        item
    }
}

/// The line about findings that the filter leaves out; none where it leaves out none.
fn not_shown(judged: &JudgedCapability) -> Option<String> {
    let left = u64::try_from(judged.not_shown()).unwrap_or(u64::MAX);
    (left > 0)
        .then(|| format!("{} not shown: below --min-severity or --min-confidence", escape::count(left, "finding")))
}

/// The three words that SARIF and GitHub know for how bad something is.
const fn level(severity: Severity) -> Level {
    match severity {
        Severity::Critical | Severity::High => Level::Error,
        Severity::Medium => Level::Warning,
        Severity::Low | Severity::Info => Level::Note,
    }
}

/// The degree of badness that tools of others know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
    Note,
}
