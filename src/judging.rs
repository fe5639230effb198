//! From a bundle to its judged capabilities, as the formats of `scan` and `check` print them.
//!
//! Where the bundle came from, and what is done with the result, is the caller's business.

use std::sync::Arc;

use capdex_dataset::scan_record::TargetRecord;
use capdex_db::Scanned;
use capdex_model::bundle::Bundle;
use capdex_model::capability::Kind;
use capdex_model::input::{Alias, LeftOut};
use capdex_model::score::{Band, Verdict};
use capdex_model::time::AsOf;
use capdex_rubrics::rank::place;

use crate::analysis;
use crate::cli::FailOn;
use crate::content::LineNeutralContents;
use crate::formats::JudgedCapability;
use crate::formats::filter::FindingFilter;
use crate::formats::place::InputPlace;

/// What is told of an input beside its files.
pub struct JudgedInput {
    /// The input as its user named it.
    pub name: String,
    /// Its place, as others may refer to it.
    pub place: InputPlace,
    /// The links in it that lead to what was read, sorted.
    pub aliases: Vec<Alias>,
    /// What of it was left out on purpose, sorted.
    pub left_out: Vec<LeftOut>,
    /// The digests of its files for a baseline; empty where there is none.
    pub contents: Arc<LineNeutralContents>,
    /// The target that it answers; none for local input.
    pub target: Option<Arc<TargetRecord>>,
}

/// Scans and scores one bundle. The package comes last, and is judged as strictly as the strictest of what it holds.
pub fn judge(bundle: &Bundle, input: &JudgedInput, at: AsOf) -> Vec<JudgedCapability> {
    judge_scanned(analysis::scan(bundle), input, at)
}

/// The same over what the rules have answered already. The package must be the last.
pub fn judge_scanned(scanned: Vec<Scanned>, input: &JudgedInput, at: AsOf) -> Vec<JudgedCapability> {
    let scores = analysis::score_all(&scanned.iter().map(|one| &one.facts).collect::<Vec<_>>(), at);
    let judged = scanned.into_iter().zip(scores).map(|(scanned, scores)| {
        let verdict = analysis::judge(&scores, &scanned.completeness);
        // The package's line speaks for the whole input.
        let is_package = scanned.capability.kind == Kind::Package;
        let judged = JudgedCapability {
            input: input.name.clone(),
            place: input.place.clone(),
            aliases: if is_package { input.aliases.clone() } else { Vec::new() },
            left_out: if is_package { input.left_out.clone() } else { Vec::new() },
            contents: Arc::clone(&input.contents),
            target: input.target.clone(),
            scanned,
            scores,
            own_band: verdict.band,
            verdict,
            deciding: None,
            baseline_statuses: Vec::new(),
            filter: FindingFilter::default(),
        };
        judged.decided()
    });
    let mut judged: Vec<JudgedCapability> = judged.collect();
    give_the_package_its_verdict(&mut judged);
    judged
}

/// The package is judged as strictly as the strictest of what it holds. Its line is the last.
fn give_the_package_its_verdict(judged: &mut [JudgedCapability]) {
    let speaker = speaker(&judged.iter().map(|one| one.verdict.band).collect::<Vec<_>>());
    let Some((package, others)) = judged.split_last_mut() else { return };
    // None where the package speaks for itself.
    if let Some(one) = speaker.and_then(|at| others.get(at)) {
        package.deciding.clone_from(&one.deciding);
        package.verdict = one.verdict.clone();
    }
}

/// Whose band a package has, which is the last of some: the first of the strictest, and its own before what merely is as bad.
fn speaker(bands: &[Band]) -> Option<usize> {
    let (own, others) = bands.split_last()?;
    let strictest = others.iter().enumerate().rev().max_by_key(|(_, band)| place(**band));
    Some(strictest.filter(|(_, band)| place(**band) > place(*own)).map_or(others.len(), |(at, _)| at))
}

/// The verdict over a package alone: the strictest of what it holds. The package must be the last.
pub fn verdict(scanned: &[Scanned], at: AsOf) -> Verdict {
    let scores = analysis::score_all(&scanned.iter().map(|one| &one.facts).collect::<Vec<_>>(), at);
    let verdicts = scanned.iter().zip(&scores).map(|(one, scores)| analysis::judge(scores, &one.completeness));
    let verdicts: Vec<Verdict> = verdicts.collect();
    let speaker = speaker(&verdicts.iter().map(|verdict| verdict.band).collect::<Vec<_>>());
    speaker.and_then(|at| verdicts.into_iter().nth(at)).unwrap_or_else(|| Verdict {
        band: Band::Unknown,
        reason: "there is nothing in it".to_owned(),
        disagreement: None,
    })
}

/// True where a threshold is met: that of a severity by findings that are shown. Unknown meets no band: the exit code for incomplete results tells it.
pub fn meets(judged: &JudgedCapability, threshold: FailOn) -> bool {
    match threshold {
        FailOn::Severity(severity) => {
            let mut shown =
                judged.scanned.facts.findings().filter(|fact| judged.filter.shows(fact.severity, fact.confidence));
            shown.any(|fact| fact.severity >= severity)
        }
        FailOn::Band(threshold) => judged.verdict.band != Band::Unknown && judged.verdict.band >= threshold,
    }
}
