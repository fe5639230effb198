//! From a bundle to its judged capabilities, as the formats of `scan` and `check` print them.
//!
//! Where the bundle came from, and what is done with the result, is the caller's business.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use capdex_dataset::operator;
use capdex_dataset::scan_record::TargetRecord;
use capdex_db::Scanned;
use capdex_model::appeal::Appeal;
use capdex_model::bundle::Bundle;
use capdex_model::capability::Kind;
use capdex_model::input::{Alias, LeftOut};
use capdex_model::ruling::OperatorPolicy;
use capdex_model::score::{Band, Verdict};
use capdex_model::time::AsOf;
use capdex_rubrics::operator::{BeforeOperator, OperatorVerdict};
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
    /// The operator's rulings and votes.
    pub policy: Arc<OperatorPolicy>,
    /// Appeals that may be about it; empty for local input, which nobody but its owner has.
    pub appeals: Arc<Vec<Appeal>>,
}

/// Scans and scores one bundle. The package comes last, and is judged as strictly as the strictest of what it holds.
pub fn judge(bundle: &Bundle, input: &JudgedInput, at: AsOf) -> Vec<JudgedCapability> {
    let mut judged = judge_scanned(analysis::scan(bundle), input, at);
    // While the bytes are at hand.
    judged.iter_mut().for_each(|one| one.lines = lines(bundle, one));
    judged
}

/// Longer lines are of generated files, and no quote of them is printed in full.
const LINE_BYTES: usize = 4096;

/// The lines that findings are in.
fn lines(bundle: &Bundle, judged: &JudgedCapability) -> BTreeMap<(String, u32), String> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for place in judged.scanned.facts.findings().map(|fact| &fact.place).filter(|place| place.line > 0) {
        wanted.entry(&place.file).or_default().insert(place.line);
    }
    let mut lines = BTreeMap::new();
    for (path, wanted) in wanted {
        let bytes = bundle.files.get(path).map(|file| &*file.bytes);
        let Some(text) = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()) else { continue };
        let last = wanted.last().copied().unwrap_or_default();
        let met = (1..=last).zip(text.lines()).filter(|(number, _)| wanted.contains(number));
        let short = met.filter(|(_, line)| line.len() <= LINE_BYTES);
        lines.extend(short.map(|(number, line)| ((path.to_owned(), number), line.to_owned())));
    }
    lines
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
            operator: None,
            rulings: Vec::new(),
            annotations: Vec::new(),
            baseline_statuses: Vec::new(),
            lines: BTreeMap::new(),
            judge: None,
            filter: FindingFilter::default(),
        };
        judged.decided().heard(&input.policy, at).annotated(&input.appeals)
    });
    let mut judged: Vec<JudgedCapability> = judged.collect();
    // Before its verdict becomes that of another.
    give_the_package_the_operators_word(&mut judged);
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

/// The operator's word on a package is the strictest band that he acts on in it, where he has a word on any of it.
fn give_the_package_the_operators_word(judged: &mut [JudgedCapability]) {
    if judged.iter().all(|one| one.operator.is_none()) {
        return;
    }
    let speaker = speaker(&judged.iter().map(JudgedCapability::acting_band).collect::<Vec<_>>());
    let Some(said) = speaker.and_then(|at| judged.get(at)) else { return };
    let plain = || OperatorVerdict::of_nobody(&said.verdict);
    let word = said.operator.clone().unwrap_or_else(plain);
    let Some(package) = judged.last_mut() else { return };
    package.operator = Some(OperatorVerdict { set_aside: BTreeMap::new(), ..word });
}

/// Whose band a package has, which is the last of some: the first of the strictest, and its own before what merely is as bad.
fn speaker(bands: &[Band]) -> Option<usize> {
    let (own, others) = bands.split_last()?;
    let strictest = others.iter().enumerate().rev().max_by_key(|(_, band)| place(**band));
    Some(strictest.filter(|(_, band)| place(**band) > place(*own)).map_or(others.len(), |(at, _)| at))
}

/// The verdict over a package alone, and by the operator's word where he has one: each the strictest of what it holds. The
/// package must be the last.
pub fn verdict(scanned: &[Scanned], policy: &OperatorPolicy, at: AsOf) -> (Verdict, Option<OperatorVerdict>) {
    let scores = analysis::score_all(&scanned.iter().map(|one| &one.facts).collect::<Vec<_>>(), at);
    let judged = scanned.iter().zip(&scores).map(|(one, scores)| {
        let Scanned { capability, facts, completeness, .. } = one;
        let verdict = analysis::judge(scores, completeness);
        let before = BeforeOperator { capability, facts, scores, completeness, verdict: &verdict };
        let word = operator::heard(policy, before, at);
        (verdict, word)
    });
    let judged: Vec<(Verdict, Option<OperatorVerdict>)> = judged.collect();
    let own = speaker(&judged.iter().map(|(verdict, _)| verdict.band).collect::<Vec<_>>());
    let nothing = || Verdict { band: Band::Unknown, reason: "there is nothing in it".to_owned(), disagreement: None };
    let own = own.and_then(|at| judged.get(at)).map_or_else(nothing, |(verdict, _)| verdict.clone());
    if judged.iter().all(|(_, word)| word.is_none()) {
        return (own, None);
    }
    let acting =
        |(verdict, word): &(Verdict, Option<OperatorVerdict>)| word.as_ref().map_or(verdict.band, |word| word.band);
    let said = speaker(&judged.iter().map(acting).collect::<Vec<_>>()).and_then(|at| judged.get(at));
    let word = said.map(|(verdict, word)| {
        let plain = || OperatorVerdict::of_nobody(verdict);
        OperatorVerdict { set_aside: BTreeMap::new(), ..word.clone().unwrap_or_else(plain) }
    });
    (own, word)
}

/// True where a threshold is met: that of a severity by findings that are shown. Unknown meets no band: the exit code for incomplete results tells it.
pub fn meets(judged: &JudgedCapability, threshold: FailOn) -> bool {
    match threshold {
        FailOn::Severity(severity) => {
            let mut shown = judged.scanned.facts.findings().enumerate().filter(|(at, fact)| {
                // What the operator has set aside counts for nothing.
                let is_aside = judged.rulings.get(*at).is_some_and(Option::is_some);
                !is_aside && judged.filter.shows(fact.severity, fact.confidence)
            });
            shown.any(|(_, fact)| fact.severity >= severity)
        }
        FailOn::Band(threshold) => {
            let band = judged.acting_band();
            band != Band::Unknown && band >= threshold
        }
    }
}
