//! `AgentVerdict`: one checked target in the words of `capdex.scan/1`, cut and quoted for a model to read.
//!
//! Our own words name rules by their own cards. Text of strangers passes [`quoted`].

use capdex_dataset::finding::Finding;
use capdex_model::listing::Claim;
use capdex_model::score::Band;
use serde::Serialize;

use crate::check::CheckedTarget;
use crate::check::answer::NOT_STORED;
use crate::formats::JudgedCapability;
use crate::quotation::{NAME, PASSAGE, quoted};

/// Findings that are shown of one target.
const FINDINGS: usize = 5;

/// The verdict over one target.
#[derive(Clone, Debug, Serialize)]
pub struct AgentVerdict {
    target: TargetWords,
    /// The band with reason and advice.
    pub verdict: VerdictWords,
    /// The worst findings, the gravest first.
    findings: Vec<FindingWords>,
    /// The number of findings beyond those.
    findings_beyond: usize,
    /// True where all that an installer would get was looked at.
    complete: bool,
}

#[derive(Clone, Debug, Serialize)]
struct TargetWords {
    name: String,
    version: Option<String>,
    answered_by: Option<&'static str>,
    asked_at: Option<String>,
    /// The server of a configuration that starts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
}

/// A band with its reason.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictWords {
    #[serde(serialize_with = "as_word")]
    band: Band,
    /// The reason as one sentence.
    reason: String,
    /// Whether the operator's own list names it; no key where there is no list.
    #[serde(skip_serializing_if = "Option::is_none")]
    approved: Option<bool>,
    /// The advice to an agent.
    advice: &'static str,
}

/// A finding, with its text and place quoted.
#[derive(Clone, Debug, Serialize)]
pub struct FindingWords {
    rule: String,
    severity: &'static str,
    confidence: &'static str,
    title: String,
    file: String,
    line: u32,
    evidence: String,
    /// Why that is bad, by the rule's card; only where somebody asks for reasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// The remedy, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

fn as_word<S: serde::Serializer>(band: &Band, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(band.as_str())
}

impl FindingWords {
    /// A finding in words that an agent may read.
    pub fn of(finding: &Finding<'_>) -> Self {
        Self {
            // A rule of a later program may have any name.
            rule: known(finding.rule).map_or_else(|| quoted(finding.rule, NAME), str::to_owned),
            severity: finding.severity.as_str(),
            confidence: finding.confidence.as_str(),
            title: title(finding),
            file: quoted(finding.file, NAME),
            line: finding.line,
            evidence: quoted(finding.evidence, PASSAGE),
            why: None,
            fix: None,
        }
    }

    /// The same with what the card of its rule says; nothing more of a rule that this program does not have.
    pub fn explained(finding: &Finding<'_>) -> Self {
        let meta = capdex_rules::INDEX.find(finding.rule);
        let (why, fix) = (meta.map(|meta| meta.why.clone()), meta.map(|meta| meta.fix.clone()));
        Self { why, fix, ..Self::of(finding) }
    }

    /// Reason and fix as one line of text; none where nobody asked for them.
    pub fn advice_line(&self) -> Option<String> {
        Some(format!("Why: {} Fix: {}", self.why.as_ref()?, self.fix.as_ref()?))
    }

    /// The finding as one line of text.
    pub fn line(&self) -> String {
        let place = if self.file.is_empty() { String::new() } else { format!(" in {} line {}", self.file, self.line) };
        let evidence =
            if self.evidence.is_empty() { String::new() } else { format!("; quoted from there: {}", self.evidence) };
        format!("{} ({}, rule {}){place}{evidence}", self.title, self.severity, self.rule)
    }
}

/// The id of a rule of this program; none for any other text.
fn known(rule: &str) -> Option<&str> {
    capdex_rules::INDEX.find(rule).map(|_| rule)
}

/// The title of a rule by its card: a stored finding may carry another.
fn title(finding: &Finding<'_>) -> String {
    capdex_rules::INDEX.find(finding.rule).map_or_else(|| quoted(finding.title, PASSAGE), |meta| meta.title.to_string())
}

/// The advice to an agent about a band.
pub const fn advice(band: Band) -> &'static str {
    match band {
        Band::Ok => "capdex found nothing against it",
        Band::Watch => "tell the user what was found before it is installed",
        Band::Caution => "leave it until the user has read what was found",
        Band::Unknown => "nobody knows yet what it does: leave the choice to the user",
        Band::Block => "leave it alone and tell the user why",
    }
}

/// The advice about a band of something that the operator's own list says this of.
fn advice_on(band: Band, approved: &Claim<bool>) -> &'static str {
    match (band, approved) {
        (Band::Ok | Band::Watch, Claim::Known(false)) => "it is not approved here: leave the choice to the user",
        _ => advice(band),
    }
}

impl AgentVerdict {
    /// The verdict over a checked target.
    pub fn of(checked: &CheckedTarget) -> Self {
        let record = &checked.record;
        let mut findings: Vec<Finding<'_>> = checked.judged.iter().flat_map(JudgedCapability::findings).collect();
        findings.sort_by_key(|finding| (std::cmp::Reverse(finding.severity), std::cmp::Reverse(finding.confidence)));
        let shown: Vec<FindingWords> = findings.iter().take(FINDINGS).map(FindingWords::of).collect();
        let band = checked.band();
        Self {
            target: TargetWords {
                name: quoted(&record.name, NAME),
                version: record.version.as_deref().map(|version| quoted(version, NAME)),
                answered_by: record.answered_by,
                asked_at: record.asked_at.clone(),
                server: record
                    .found_in
                    .as_ref()
                    .and_then(|origin| origin.server.as_deref())
                    .map(|name| quoted(name, NAME)),
            },
            verdict: VerdictWords {
                band,
                reason: reason(checked, &findings),
                approved: checked.approved.known().copied(),
                advice: advice_on(band, &checked.approved),
            },
            findings_beyond: findings.len().saturating_sub(shown.len()),
            findings: shown,
            complete: checked.is_complete(),
        }
    }

    /// The band.
    pub const fn band(&self) -> Band {
        self.verdict.band
    }

    /// The verdict as one line of text.
    pub fn line(&self) -> String {
        let TargetWords { name, version, .. } = &self.target;
        let version = version.as_ref().filter(|version| !name.contains(version.trim_matches(['«', '»'])));
        let version = version.map(|version| format!(" {version}")).unwrap_or_default();
        let VerdictWords { band, reason, approved, advice } = &self.verdict;
        let list = if *approved == Some(false) { "; the operator's own list does not name it" } else { "" };
        format!("{}: {name}{version}: {reason}{list}. Advice: {advice}.", band.as_str())
    }
}

/// The reason for the band of a target.
fn reason(checked: &CheckedTarget, findings: &[Finding<'_>]) -> String {
    if let Some(refusal) = &checked.refusal {
        return match refusal.reason.as_str() {
            NOT_STORED => "the store does not know it, and no registry was asked".to_owned(),
            reason => format!("it could not be looked at: {}", quoted(reason, PASSAGE)),
        };
    }
    let package = checked.judged.last();
    // The operator's word speaks for itself wherever it is what counts.
    if let Some(said) = package.and_then(|package| package.operator.as_ref()).filter(|said| !said.rulings.is_empty()) {
        return format!("by the operator's word: {}", quoted(&said.reason, PASSAGE));
    }
    let deciding = package.and_then(|package| package.deciding.as_deref());
    let deciding = deciding.and_then(|fingerprint| findings.iter().find(|finding| finding.fingerprint == fingerprint));
    match (checked.band(), deciding, package) {
        (Band::Ok, ..) => "nothing was found".to_owned(),
        (_, Some(finding), _) => FindingWords::of(finding).line(),
        (Band::Unknown, None, Some(package)) => match package.gaps().first() {
            Some(gap) => format!("not all of it could be looked at: {}", quoted(&gap.to_string(), PASSAGE)),
            None => format!("not all of it could be looked at: {}", quoted(&package.verdict.reason, PASSAGE)),
        },
        (_, None, package) => {
            quoted(package.map(|package| package.verdict.reason.as_str()).unwrap_or_default(), PASSAGE)
        }
    }
}
