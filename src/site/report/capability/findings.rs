//! Findings with their source, reason and fix.
//!
//! Nothing is read here: excerpts are given.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::appeal::Annotation;
use capdex_model::fact::{Outcome, Severity};
use maud::{Markup, html};

use super::ROOT;
use super::data::CapabilityPageData;
use crate::report::page_text::{NAME, TEXT, counted, escaped_text, found_at, quoted, when};
use crate::report::{coverage, layout, paths};
use capdex_dataset::finding::{self, Finding, findings};

/// Findings of one page, the gravest; the dataset has all.
const MOST: usize = 200;

pub(super) fn section(data: &CapabilityPageData) -> Markup {
    let mut found = findings(&data.facts);
    finding::put_beside(&mut found, data.operator.as_ref(), &data.annotations);
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let outcomes = data.facts.outcomes();
    // Told because a rule that could not look has found nothing either.
    let missing = outcomes.values().filter(|outcome| **outcome == Outcome::Unavailable).count() as u64;
    let groups = groups(&found);
    // Sorted by severity, so that what is merely worth knowing is at the end.
    let is_note = |group: &Vec<&Finding<'_>>| group.first().is_some_and(|first| first.severity == Severity::Info);
    let (grave, notes) = groups.split_at(groups.partition_point(|group| !is_note(group)));
    // Several rules often fire at one line, whose source is shown once.
    let mut shown = BTreeSet::new();
    html! {
        @if found.is_empty() { p class="note" { "No findings." } }
        @for group in grave { (group_of(group, data, &mut shown)) }
        @if !notes.is_empty() {
            details class="notes" {
                summary { (counted(notes.len() as u64, "note")) " of severity info" }
                @for group in notes { (group_of(group, data, &mut shown)) }
            }
        }
        @if found.len() > MOST { p class="note" { "… and " (counted((found.len() - MOST) as u64, "milder finding")) ", in the dataset." } }
        @if missing > 0 { p class="note" { (counted(missing, "rule")) " lacked data, which lowers coverage." } }
    }
}

/// Findings of one rule together, in the order of their gravest.
fn groups<'a, 'f>(found: &'a [Finding<'f>]) -> Vec<Vec<&'a Finding<'f>>> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<&Finding<'_>>> = Vec::new();
    // Bounded before grouping, because a rule may have thousands of places.
    for finding in found.iter().take(MOST) {
        // The first finding of a rule opens its group; as the gravest come first, groups are in the order of their worst.
        let at = *places.entry(finding.rule).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(at) {
            group.push(finding);
        }
    }
    groups
}

fn group_of<'a>(group: &[&Finding<'a>], data: &CapabilityPageData, shown: &mut BTreeSet<(&'a str, u32)>) -> Markup {
    let Some(first) = group.first() else { return html! {} };
    // A stored finding may be of a rule that this version no longer has.
    let meta = data.facts.rules().find(first.rule);
    html! {
        article class="finding" {
            h3 {
                (layout::severity(first.severity)) " " (quoted(first.title, TEXT)) " "
                @match meta {
                    Some(_) => { a class="rule" href={ (ROOT) (paths::rule(first.rule)) } { (first.rule) } }
                    None => { span class="rule" { (quoted(first.rule, NAME)) } }
                }
            }
            @if let Some(rate) = first.rate(data.current.capability.kind) { p class="note" { "Measured: " (rate) "." } }
            @for finding in group { (place(finding, data, shown.insert((finding.file, finding.line)))) }
            @if let Some(meta) = meta {
                details {
                    summary { "Why, and what to do" }
                    p { (meta.why) } p { strong { "Fix. " } (meta.fix) }
                    p class="note" { "Cites " (coverage::cites(&meta.cites, ROOT)) ". Confidence " (first.confidence.as_str()) "." }
                }
            }
        }
    }
}

/// What an appeal comes to: both texts, each said to be whose it is.
pub(super) fn annotated(annotation: &Annotation) -> Markup {
    html! {
        div class="note" {
            strong { (annotation.outcome.words()) } " since " (when(annotation.at)) ", "
            a href={ (ROOT) (paths::appeal(&annotation.appeal)) } { (annotation.appeal) } ". "
            (annotation.speaker()) ": " (quoted(&annotation.vendor, TEXT))
            @if let Some(reason) = &annotation.reason { " Decision: " (quoted(reason, TEXT)) }
        }
    }
}

fn place(finding: &Finding<'_>, data: &CapabilityPageData, is_first: bool) -> Markup {
    // An empty excerpt means a line that the file does not have any more.
    let excerpt =
        data.excerpts.get(&(finding.file.to_owned(), finding.line)).filter(|lines| is_first && !lines.is_empty());
    html! {
        div class="place" {
            (found_at(finding))
            @for annotation in &finding.annotations { (annotated(annotation)) }
            @if let Some(lines) = excerpt {
                div class="source" role="region" aria-label={ "Lines around line " (finding.line) " of " (escaped_text(finding.file, NAME)) } tabindex="0" {
                    @for (number, text) in lines {
                        div class=(if *number == finding.line { "hit" } else { "line" }) {
                            span class="no" { (number) } @if *number == finding.line { span class="unseen" { "(the finding) " } } bdi { (escaped_text(text, TEXT)) }
                        }
                    }
                }
            }
        }
    }
}
