//! The page of one capability: verdict, findings with their source, scores side by side with their arithmetic, history, drift,
//! listings, and what resembles it.
//!
//! The store is read in [`data`] alone.

use capdex_model::score::Band;
use capdex_rubrics::{RUBRICS, why_they_differ};
use maud::{Markup, html};

use capdex_dataset::annotations;

use super::directory::shown_name;
use super::glossary::term;
use super::layout::{self, PageFrame, SELECTION, heading};
use super::page_text::when;
use super::page_text::{NAME, TEXT, counted, escaped_text, number, quoted};
use super::site::{CapabilitySummary, Site};
use super::{alerts, drift, night, paths, plots};

pub(crate) mod data;
mod excerpt;
mod findings;
mod judge;
pub(crate) mod past;
mod reach;
pub(crate) mod relations;
mod scores;
mod surfaces;

use data::Step;
pub(crate) use data::{CapabilityPageData, read};

/// The depth of the page, and the way from it to the root.
pub(crate) const DEPTH: usize = 2;
pub(crate) const ROOT: &str = "../../";
/// Scans of the history that are shown, the newest.
const SCANS: usize = 50;
/// Gaps that are shown.
const GAPS: usize = 50;
/// Letters of the page's description, as many as search engines show.
const DESCRIPTION: usize = 240;
/// Alerts shown, the gravest.
const ALERTS: usize = 20;

/// The page.
pub(crate) fn page(site: &Site, row: &CapabilitySummary, data: &CapabilityPageData) -> String {
    // The name is a stranger's text and becomes the title, so it passes the gate here.
    let name = escaped_text(&shown_name(row), NAME);
    let part = if site.is_selection { SELECTION } else { "directory.html" };
    let path = paths::capability(&row.id);
    let description = described(row);
    let frame = PageFrame { title: &name, part, path: &path, description: &description };
    layout::page(
        site,
        &frame,
        &html! {
            (heading(&name, &lead(row)))
            p class="reason" { (layout::band(row.band)) " because: " (quoted(&data.verdict.reason, TEXT)) "." }
            (by_the_operator(data))
            @for annotation in annotations::of_whole(&data.annotations) { (findings::annotated(annotation)) }
            (contents())
            (summary(site, row, data))
            section aria-labelledby="findings" { h2 id="findings" { "Findings" } (findings::section(data)) }
            (judge::section(data))
            section aria-labelledby="scores" { h2 id="scores" { "Scores" } (scores::section(data)) }
            section aria-labelledby="surfaces" { h2 id="surfaces" { "What a model reads" } (surfaces::section(data)) }
            section aria-labelledby="reach" { h2 id="reach" { "What it reaches" } (reach::section(data)) }
            section aria-labelledby="drift" { h2 id="drift" { "Drift" } (events(data)) }
            section aria-labelledby="history" { h2 id="history" { "History" } (history(data)) }
            section aria-labelledby="listed" { h2 id="listed" { "Directories that list it" } (relations::listed(&data.current.listing, data.listing.as_ref(), &data.listed)) }
            section aria-labelledby="resembles" { h2 id="resembles" { "What resembles it" } (relations::resembling(site, row)) }
        },
    )
}

/// The page in a sentence: verdict, kind, package and reason.
fn described(row: &CapabilitySummary) -> String {
    let said = format!("{}: {} in {}. {}.", row.band.as_str(), row.kind.as_str(), row.package, row.reason);
    escaped_text(&said, DESCRIPTION)
}

fn lead(row: &CapabilitySummary) -> Markup {
    html! {
        (layout::band(row.band)) @if let Some(mark) = row.mark { " (" (mark) ")" } " " (row.kind.as_str()) " in "
        a href={ (ROOT) (paths::package(&row.package)) } { (quoted(&row.package, NAME)) }
        @if let Some(version) = &row.version { " " (quoted(version, 60)) }
        @if !row.path.is_empty() { ", " code { (quoted(&row.path, NAME)) } }
    }
}

/// The operator's word beside the verdict.
fn by_the_operator(data: &CapabilityPageData) -> Markup {
    let Some(said) = &data.operator else { return html! {} };
    html! {
        p class="reason" { (layout::band(said.band)) " by the operator's word, because: " (quoted(&said.reason, TEXT)) "." }
        @if !said.rulings.is_empty() {
            ul class="list" {
                @for ruling in &said.rulings {
                    li {
                        (quoted(&ruling.scope.to_string(), NAME)) ": " (quoted(&ruling.words(), TEXT))
                        @if ruling.content.is_none() { ", for any content" }
                    }
                }
            }
        }
    }
}

fn contents() -> Markup {
    let parts = [
        ("findings", "Findings"),
        ("scores", "Scores"),
        ("surfaces", "Surfaces"),
        ("reach", "Hosts and permissions"),
        ("drift", "Drift"),
        ("history", "History"),
        ("listed", "Directories"),
        ("resembles", "Look-alikes"),
    ];
    html! { nav class="contents" aria-label="On this page" { ul { @for (id, name) in parts { li { a href={ "#" (id) } { (name) } } } } } }
}

/// The things to know before anything else.
fn summary(site: &Site, row: &CapabilitySummary, data: &CapabilityPageData) -> Markup {
    let current = &data.current;
    let raised: Vec<_> = site.watch.alerts_of(&row.id).collect();
    html! {
        @if !raised.is_empty() { section aria-label="Alerts" class="alerts" { (alerts::listed(site, raised.iter().copied().take(ALERTS), ROOT)) (layout::more(raised.len(), ALERTS)) } }
        (differ(data))
        dl class="facts" {
            div { dt { (term("finding")) "s" } dd { (row.findings.above_info()) } }
            div { dt { "first seen" } dd { (when(row.first_seen)) } }
            div { dt { "this content since" } dd { (when(data.content_since)) } }
            div { dt { (term("listing")) } dd { (quoted(&row.listing.to_string(), NAME)) ", " (row.listing_state.as_str()) } }
            div { dt { "files" } dd { (number(current.capability.files.len() as u64)) } }
            div { dt { (term("complete")) } dd { (current.completeness.as_str()) } }
            (night::standing(site, row, ROOT))
            div class="long" { dt { "slug" } dd { code { (quoted(&row.slug, TEXT)) } } }
            div class="long" { dt { "id" } dd { code { (row.id) } } }
            div class="long" { dt { (term("content")) } dd { code { (current.capability.content) } } }
        }
        @let gaps = current.completeness.gaps();
        @if !gaps.is_empty() {
            details {
                summary { (counted(gaps.len() as u64, "gap")) ": what could not be looked at" }
                ul class="list" {
                    @for gap in gaps.iter().take(GAPS) { li { (quoted(&gap.to_string(), TEXT)) } }
                    (layout::more_items(gaps.len(), GAPS))
                }
            }
        }
    }
}

/// The degree of disagreement between the methods, and its reason.
fn differ(data: &CapabilityPageData) -> Markup {
    // Agreement needs no paragraph.
    let Some(share) = data.verdict.disagreement.filter(|share| share.as_thousandths() > 0) else { return html! {} };
    let seeds = RUBRICS.iter().filter(|rubric| rubric.meta().rubric.is_seed());
    let bands: Vec<(String, Band)> = seeds
        .filter_map(|rubric| {
            let score = data.scores.iter().find(|score| score.rubric.id == rubric.meta().rubric.id)?;
            Some((score.rubric.id.to_string(), rubric.band(score)))
        })
        .collect();
    html! {
        p class="differ" {
            "The methods disagree, by " strong { (share.to_json()) } " of 1: "
            @for (at, (id, band)) in bands.iter().enumerate() { @if at > 0 { ", " } (id) " says " (layout::band(*band)) }
            ". "
            @if let Some(reason) = why_they_differ(&data.scores) { "Because " (quoted(&reason, TEXT)) "." }
        }
    }
}

fn events(data: &CapabilityPageData) -> Markup {
    html! {
        @if data.drift.is_empty() { p class="note" { "It has not changed since it was first seen." } }
        @for event in &data.drift { (drift::event(event)) }
        @if data.drift_more > 0 { p class="note" { "… and " (counted(data.drift_more as u64, "earlier event")) ", in the dataset." } }
    }
}

fn history(data: &CapabilityPageData) -> Markup {
    let steps = &data.steps;
    // The newest are shown, because a reader wants to know when this content came.
    let shown: Vec<&Step> = steps.iter().rev().take(SCANS).collect();
    let has_bands = steps.len() > 1;
    html! {
        (spark(steps))
        (layout::wide("Scans", &html! {
            table class="slim" {
                thead { tr { th scope="col" { "scanned" } th scope="col" { "fetched" } th scope="col" { "version" } @if has_bands { th scope="col" { (term("verdict")) } } th scope="col" { "content" } th scope="col" { "rule set" } } }
                tbody {
                    @for Step { scan, band } in &shown {
                        tr {
                            td { (when(scan.scan_as_of)) } td { (when(scan.snapshot_as_of)) }
                            td { (quoted(scan.version.as_deref().unwrap_or("–"), 60)) }
                            @if has_bands { td { @match band { Some(band) => (layout::band(*band)), None => "–" } } }
                            td { code { (short(&scan.content.hex())) } } td { code { (short(&scan.ruleset.hex())) } }
                        }
                    }
                }
            }
        }))
        @if steps.len() > shown.len() { p class="note" { "… and " (steps.len() - shown.len()) " earlier." } }
        @else { p class="note" { "Scans that found the same again are left out." } }
    }
}

/// The verdicts as a line of steps, the oldest first. The table beside it has the same in words.
fn spark(steps: &[Step]) -> Markup {
    let bands: Vec<Band> = steps.iter().filter_map(|step| step.band).collect();
    html! { @if bands.len() > 1 { (plots::spark("verdicts", "Verdict of each scan that found something new, oldest first", &bands)) } }
}

fn short(hex: &str) -> &str {
    hex.get(..12).unwrap_or(hex)
}
