//! `scan --format table`: for people, the worst first.

use std::collections::BTreeSet;

use capdex_dataset::escape;
use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::snapshot::Completeness;
use capdex_rubrics::{answers, cannot_answer};

use super::{JudgedCapability, Printer, ScanFormat, not_shown};
use crate::caret;
use crate::judge_words;
use crate::output::{self, Out};
use capdex_dataset::finding::BaselineStatus;
use capdex_dataset::finding::Finding;
use capdex_dataset::surface_counts::surface_counts;
use capdex_dataset::variants::variants;

/// Evidence shown on one line, in columns.
const EVIDENCE: usize = 100;
/// The sentence behind the verdict, likewise.
const REASON: usize = 200;

pub(super) struct TableFormat;

impl ScanFormat for TableFormat {
    fn id(&self) -> &'static str {
        "table"
    }

    fn about(&self) -> &'static str {
        "For people, the worst first"
    }

    fn printer(&self) -> Box<dyn Printer> {
        Box::new(TablePrinter { is_begun: false })
    }
}

struct TablePrinter {
    is_begun: bool,
}

impl Printer for TablePrinter {
    fn add(&mut self, judged: &JudgedCapability, out: &mut Out) -> anyhow::Result<()> {
        print(judged, !self.is_begun, out)?;
        self.is_begun = true;
        Ok(())
    }
}

fn print(judged: &JudgedCapability, first: bool, out: &mut Out) -> anyhow::Result<()> {
    let scanned = &judged.scanned;
    let findings = judged.findings();
    // A rest of a package without findings has nothing to say; one with a gap has.
    let is_empty_rest = scanned.capability.kind == Kind::Package
        && findings.is_empty()
        && judged.not_shown() == 0
        && scanned.completeness == Completeness::Analysed;
    if is_empty_rest {
        return Ok(());
    }
    if !first {
        out.line("")?;
    }
    let band = output::styled(output::band_style(judged.verdict.band), judged.verdict.band.as_str());
    out.line(format_args!(
        "{band}  {} {}  ({})",
        scanned.capability.kind,
        escape::escape(&scanned.capability.name),
        escape::escape(&scanned.capability.slug)
    ))?;
    let reason = escape::shorten(&escape::escape(&judged.verdict.reason), REASON);
    out.line(format_args!("    because: {reason}"))?;
    if let Some(said) = &judged.operator {
        let band = output::styled(output::band_style(said.band), said.band.as_str());
        let reason = escape::shorten(&escape::escape(&said.reason), REASON);
        out.line(format_args!("    by the operator's word: {band}, because: {reason}"))?;
    }
    if let Some(variants) = variants(&scanned.capability) {
        out.line(format_args!("    {variants}"))?;
    }
    if let Some(counts) = surface_counts(&scanned.surfaces) {
        out.line(format_args!("    {counts}"))?;
    }
    let mut worst_first: Vec<&Finding<'_>> = findings.iter().collect();
    // A stable sort: equals stay in the order of the files.
    worst_first.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    // Where a rule found several things, its rate and fix are told with the worst and first.
    let mut told = BTreeSet::new();
    for finding in worst_first {
        print_finding(judged, finding, out)?;
        if finding.severity >= Severity::Medium && told.insert(finding.rule) {
            print_rule(scanned.capability.kind, finding, out)?;
        }
    }
    if let Some(note) = not_shown(judged) {
        out.line(format_args!("    {note}"))?;
    }
    for gap in scanned.completeness.gaps() {
        out.line(format_args!("    not looked at: {}", escape::escape(&gap.to_string())))?;
    }
    if let Some(judge) = &judged.judge {
        judge_words::print(&judge.word, "    ", out)?;
        if let Some((score, value)) = judge.score.as_ref().and_then(|score| Some((score, score.value?))) {
            out.line(format_args!("    {} {value} {}", score.rubric.id, score.grade))?;
        }
    }
    // Last: the methods are told beside the verdict, and do not make it.
    let scores: Vec<String> = judged
        .shown()
        .filter(|score| answers(score))
        .filter_map(|score| score.value.map(|value| format!("{} {value} {}", score.rubric.id, score.grade)))
        .collect();
    if !scores.is_empty() {
        out.line(format_args!("    methods: {}", scores.join(" · ")))?;
    }
    for (score, why) in judged.shown().filter_map(|score| Some((score, cannot_answer(score)?))) {
        out.line(format_args!("    {}: cannot answer: {why}", score.rubric.id))?;
    }
    Ok(())
}

fn print_finding(judged: &JudgedCapability, finding: &Finding<'_>, out: &mut Out) -> anyhow::Result<()> {
    let mut severity = output::styled(output::severity_style(finding.severity), finding.severity.as_str());
    if let Some(standing) = finding.baseline.filter(|standing| *standing != BaselineStatus::New) {
        severity = format!("{severity} ({})", standing.words());
    }
    if let Some(ruling) = finding.ruling {
        severity = format!("{severity} (set aside: {})", escape::escape(&ruling.words()));
    }
    if finding.file.is_empty() {
        out.line(format_args!("    {severity}  {}  {}", finding.rule, finding.title))?;
        return Ok(());
    }
    let place = format!("{}:{}", escape::escape(finding.file), finding.line);
    out.line(format_args!("    {severity}  {}  {place}  {}", finding.rule, finding.title))?;
    if !finding.evidence.is_empty() {
        // The mark keeps a quoted line from being read as a command by whoever runs us: `::` at its beginning is one.
        let quoted = escape::shorten(&escape::escape(finding.evidence), EVIDENCE);
        out.line(format_args!("        > {quoted}"))?;
        let line = judged.lines.get(&(finding.file.to_owned(), finding.line));
        let caret = line.and_then(|line| caret::under(finding, line, &quoted, "        > ".len()));
        caret.map_or(Ok(()), |caret| out.line(caret))?;
    }
    Ok(())
}

/// What is known of the rule: how often it is wrong, and what to do about what it finds.
fn print_rule(kind: Kind, finding: &Finding<'_>, out: &mut Out) -> anyhow::Result<()> {
    if let Some(rate) = finding.short_rate(kind) {
        out.line(format_args!("        rate  {rate}"))?;
    }
    if let Some(meta) = capdex_rules::INDEX.find(finding.rule) {
        out.line(output::hanging("        fix   ", &meta.fix))?;
    }
    Ok(())
}
