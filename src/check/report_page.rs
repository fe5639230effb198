//! The report of a check as one page that can be handed on: verdicts, findings, methods, and what they were made with.
//!
//! The page loads nothing and has no script. All text of strangers goes through the gate of the site.

use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;
use capdex_dataset::finding::Finding;
use capdex_model::time::AsOf;
use capdex_rubrics::RUBRICS;
use capdex_site::report::standalone::{
    self, GENERATOR, NAME, TEXT, band, counted, escaped_text, found_at, heading, quoted, severity, wide,
};
use maud::{Markup, html};

use super::CheckedTarget;
use crate::exit::usage;
use crate::files;
use crate::formats::JudgedCapability;

/// Targets, capabilities of one, findings and gaps of one of those that are shown; more are counted.
const TARGETS: usize = 500;
const PARTS: usize = 100;
const FINDINGS: usize = 200;
const GAPS: usize = 50;
/// Bytes at the beginning of a file in which a page of ours says that it is one.
const HEAD: u64 = 1024;

/// Refuses a path at which something lies that is no report of ours. For those who work before they write.
///
/// # Errors
/// Wrong usage, naming the file.
pub fn expect_room(path: &Path) -> anyhow::Result<()> {
    let not_ours = || usage(format!("{} is there and is no report of capdex: name another file", path.display()));
    match fs::symlink_metadata(path) {
        Err(_) => Ok(()),
        Ok(about) if !about.is_file() => Err(not_ours()),
        Ok(_) => {
            let mut head = Vec::new();
            let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
            read.with_context(|| format!("failed to read {}", path.display()))?;
            let is_ours = String::from_utf8_lossy(&head).contains(GENERATOR);
            if is_ours { Ok(()) } else { Err(not_ours()) }
        }
    }
}

/// Writes the report, whole or not at all. Targets come worst first.
///
/// # Errors
/// Errors of the file system.
pub fn write(path: &Path, checked: &[CheckedTarget], at: AsOf) -> anyhow::Result<()> {
    expect_room(path)?;
    files::replace(path, page(checked, at).as_bytes()).with_context(|| format!("failed to write {}", path.display()))
}

/// The page.
fn page(checked: &[CheckedTarget], at: AsOf) -> String {
    let title = match checked {
        [one] => format!("Check of {}", escaped_text(&one.target.name, NAME)),
        several => format!("Check of {}", counted(several.len() as u64, "target")),
    };
    let lead = html! { "What capdex found in published bytes, worst first. Nothing of them was run." };
    let body = html! {
        (heading(&title, &lead))
        @for (at, one) in checked.iter().take(TARGETS).enumerate() { (target(at, one)) }
        (more(checked.len(), TARGETS, "target"))
        section aria-labelledby="made-with" { h2 id="made-with" { "Made with" } (made_with()) }
    };
    standalone::page(&title, at, &body)
}

/// One target: its verdict, who answered for it, and each of its capabilities.
fn target(at: usize, checked: &CheckedTarget) -> Markup {
    let record = &checked.record;
    let id = format!("target-{at}");
    let reason = checked.judged.last().map(JudgedCapability::acting_reason).unwrap_or_default();
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (quoted(&checked.target.name, NAME)) }
            p class="reason" { (band(checked.band())) " because: " (quoted(reason, TEXT)) "." }
            dl class="facts" {
                @if let Some(purl) = &record.purl { div class="long" { dt { "package URL" } dd { code { (quoted(purl, TEXT)) } } } }
                @if let Some(version) = &record.version { div { dt { "version" } dd { (quoted(version, NAME)) } } }
                @if let Some(by) = record.answered_by { div { dt { "answered by" } dd { (by) } } }
                @if let Some(asked) = &record.asked_at { div { dt { "as it was on" } dd { (quoted(asked, NAME)) } } }
                @if let Some(origin) = &record.found_in { div class="long" { dt { "found in" } dd { (quoted(&origin.file, NAME)) } } }
            }
            @for (part, judged) in checked.judged.iter().take(PARTS).enumerate() { (capability(&format!("{id}-{part}"), judged)) }
            (more(checked.judged.len(), PARTS, "capability"))
        }
    }
}

fn capability(id: &str, judged: &JudgedCapability) -> Markup {
    let scanned = &judged.scanned.capability;
    let mut findings = judged.findings();
    // A stable sort: equals stay in the order of the files.
    findings.sort_by_key(|finding| Reverse(finding.severity));
    let gaps = judged.gaps();
    html! {
        article class="event" aria-labelledby=(id) {
            h3 id=(id) { (scanned.kind.as_str()) " " (quoted(&scanned.slug, NAME)) }
            p class="reason" { (band(judged.verdict.band)) " because: " (quoted(&judged.verdict.reason, TEXT)) "." }
            @if let Some(said) = &judged.operator {
                p class="reason" { (band(said.band)) " by the operator's word, because: " (quoted(&said.reason, TEXT)) "." }
            }
            dl class="facts" {
                @if !scanned.path.is_empty() { div class="long" { dt { "path" } dd { code { (quoted(&scanned.path, NAME)) } } } }
                div { dt { "complete" } dd { (judged.scanned.completeness.as_str()) } }
                div class="long" { dt { "content" } dd { code { (scanned.content) } } }
            }
            @if findings.is_empty() { p class="note" { "No findings." } }
            @for one in findings.iter().take(FINDINGS) { (finding(one)) }
            (more(findings.len(), FINDINGS, "milder finding"))
            @if !gaps.is_empty() {
                details {
                    summary { (counted(gaps.len() as u64, "gap")) ": what could not be looked at" }
                    ul class="list" { @for gap in gaps.iter().take(GAPS) { li { (quoted(&gap.to_string(), TEXT)) } } }
                    (more(gaps.len(), GAPS, "gap"))
                }
            }
            (scores(id, judged))
        }
    }
}

fn finding(finding: &Finding<'_>) -> Markup {
    html! {
        div class="finding" {
            h4 { (severity(finding.severity)) " " (quoted(finding.title, TEXT)) " " span class="rule" { (quoted(finding.rule, NAME)) } }
            (found_at(finding))
            @for annotation in &finding.annotations { p class="note" { (annotation.outcome.words()) " on appeal " (annotation.appeal) "." } }
            @if let Some(meta) = capdex_rules::INDEX.find(finding.rule) {
                details {
                    summary { "Why, and what to do" }
                    p { (meta.why) } p { strong { "Fix. " } (meta.fix) }
                    p class="note" { "Cites " (meta.cites.join(", ")) ". Confidence " (finding.confidence.as_str()) "." }
                }
            }
        }
    }
}

/// What each method says.
fn scores(id: &str, judged: &JudgedCapability) -> Markup {
    let label = format!("Scores of {} ({id})", escaped_text(&judged.scanned.capability.slug, NAME));
    wide(
        &label,
        &html! {
            table class="slim" {
                thead { tr { th scope="col" { "method" } th scope="col" { "value" } th scope="col" { "grade" } th scope="col" { "coverage" } th scope="col" { "why there is no value" } } }
                tbody {
                    @for score in judged.shown() {
                        tr {
                            th scope="row" { (score.rubric.id) }
                            td class="num" { @match score.value { Some(value) => { (value) } None => { "n/a" } } }
                            td { (quoted(&score.grade, NAME)) } td { (score.coverage.to_json()) }
                            td { (quoted(&score.reason, TEXT)) }
                        }
                    }
                }
            }
        },
    )
}

/// The rule set and the methods, by version and digest; the program stands at the page's end.
fn made_with() -> Markup {
    html! {
        dl class="facts" {
            div class="long" { dt { "rule set" } dd { code { "sha256:" (capdex_rules::INDEX.digest().hex()) } } }
            @for rubric in RUBRICS.iter().map(|rubric| &rubric.meta().rubric) {
                div class="long" { dt { (rubric.id) " " (rubric.version) } dd { code { "sha256:" (rubric.text.hex()) } } }
            }
        }
    }
}

/// The number of things beyond those that are shown.
fn more(all: usize, shown: usize, noun: &str) -> Markup {
    html! { @if all > shown { p class="note" { "… and " (counted((all - shown) as u64, noun)) " more." } } }
}
