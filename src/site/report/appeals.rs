//! Appeals: what vendors say of findings, what was answered and decided, and what is late.
//!
//! Words of vendors pass the same gate as every text of strangers: nothing in them is markup.

use std::collections::BTreeMap;

use capdex_db::Reader;
use capdex_model::appeal::{Appeal, AppealDeed, AppealId, AppealState, Due};
use maud::{Markup, html};

use super::layout::{self, PageFrame, heading, pager, pages_of};
use super::page_text::{NAME, TEXT, counted, number, quoted, when};
use super::paths;
use super::site::{AppealHead, Site};

/// Appeals of one page.
const EACH: usize = 100;
/// Letters of a vendor's text or of a decision: as many as are taken.
const WORDS: usize = 2000;
/// The part of the site.
const PART: &str = "appeals.html";

/// The number of pages.
pub(crate) fn pages(site: &Site) -> usize {
    pages_of(site.appeals.len(), EACH)
}

/// One page of the list, from 1.
pub(crate) fn page(site: &Site, at: usize) -> String {
    let path = paths::part("appeals", at);
    let frame = PageFrame {
        title: "Appeals",
        part: PART,
        path: &path,
        description: "What publishers say of findings about their packages, what was answered and decided, and what is late.",
    };
    let lead = html! {
        "Whoever controls a package may appeal against a finding. The machine answers within an hour of the proof, a person decides "
        "within seven days, and the finding is annotated, never deleted. No number changes by an appeal. "
        a href="appeals.atom" { "Atom feed" } "."
    };
    let heads = site.appeals.iter().skip((at - 1).saturating_mul(EACH)).take(EACH);
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Appeals", &lead))
            (counts(site))
            @if site.appeals.is_empty() { p class="note" { "Nobody has appealed." } } @else {
                (layout::wide("Appeals", &html! {
                    table class="slim" {
                        thead { tr { th scope="col" { "appeal" } th scope="col" { "about" } th scope="col" { "rule" } th scope="col" { "claim" } th scope="col" { "state" } th scope="col" { "filed" } } }
                        tbody { @for head in heads { (line(site, head)) } }
                    }
                }))
            }
            (pager("appeals", at, pages(site)))
        },
    )
}

fn line(site: &Site, head: &AppealHead) -> Markup {
    let row = head.capability().and_then(|id| site.row(&id));
    let subject = head.subject.to_string();
    html! {
        tr {
            td { a href=(paths::appeal(&head.id)) { code { (head.id) } } }
            td {
                @match row {
                    Some(row) => { a href=(paths::capability(&row.id)) { (quoted(&subject, NAME)) } }
                    None => { (quoted(&subject, NAME)) }
                }
            }
            td { (quoted(head.rule.as_deref().unwrap_or("the whole verdict"), NAME)) }
            td { (head.claim) }
            td { (head.state.as_str()) (late(head.overdue(site.as_of))) }
            td { @if let Some(filed) = head.filed { (when(filed)) } }
        }
    }
}

fn late(due: Option<Due>) -> Markup {
    html! { @if let Some(due) = due { ", overdue since " (when(capdex_model::time::AsOf(due.at))) } }
}

/// Counts by state, the median hours, and what is late.
fn counts(site: &Site) -> Markup {
    let mut states: BTreeMap<AppealState, u64> = BTreeMap::new();
    for head in &site.appeals {
        *states.entry(head.state).or_default() += 1;
    }
    let hours = |of: fn(&AppealHead) -> Option<i64>| {
        let mut all: Vec<i64> = site.appeals.iter().filter_map(of).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied()
    };
    let overdue = site.appeals.iter().filter(|head| head.overdue(site.as_of).is_some()).count() as u64;
    html! {
        dl class="facts" {
            @for (state, count) in &states { div { dt { (state.as_str()) } dd { (number(*count)) } } }
            @if let Some(hours) = hours(|head| head.answer_hours) { div { dt { "median hours to the answer" } dd { (hours) } } }
            @if let Some(hours) = hours(|head| head.decision_hours) { div { dt { "median hours to the decision" } dd { (hours) } } }
            div { dt { "overdue" } dd { (number(overdue)) } }
        }
    }
}

/// The page of one appeal; none where there is no such.
///
/// # Errors
/// Errors of the store.
pub(crate) fn of_appeal(site: &Site, reader: &Reader, id: &AppealId) -> anyhow::Result<Option<String>> {
    let Some(head) = site.appeals.iter().find(|head| head.id == *id) else { return Ok(None) };
    Ok(reader.appeal(id)?.map(|appeal| whole(site, head, &appeal)))
}

fn whole(site: &Site, head: &AppealHead, appeal: &Appeal) -> String {
    let title = format!("Appeal {}", head.id);
    let path = paths::appeal(&head.id);
    let description = format!(
        "A publisher's appeal against a finding, {}: what was filed, answered and decided.",
        head.state.as_str()
    );
    let frame = PageFrame { title: &title, part: PART, path: &path, description: &description };
    let filing = appeal.filing();
    let row = head.capability().and_then(|id| site.row(&id));
    let subject = filing.subject.to_string();
    let lead = html! {
        (head.state.as_str()) (late(head.overdue(site.as_of))) " · "
        @match row {
            Some(row) => { a href={ "../" (paths::capability(&row.id)) } { (quoted(&subject, NAME)) } }
            None => { (quoted(&subject, NAME)) }
        }
    };
    layout::page(
        site,
        &frame,
        &html! {
            (heading(&title, &lead))
            dl class="facts" {
                div { dt { "claim" } dd { (head.claim) } }
                @if let Some(rule) = &filing.rule { div { dt { "rule" } dd { (quoted(rule, NAME)) } } }
                div { dt { "on" } dd { (quoted(&filing.scope.to_string(), NAME)) } }
                @if let Some(due) = head.due { div { dt { "next" } dd { (due.what.as_str()) " by " (due.at) } } }
                div class="long" { dt { "content" } dd { code { (filing.content) } } }
            }
            @match appeal.vendor_words() {
                Some(words) => {
                    h2 { @if appeal.is_control_lost() { "Words of the owner of that time" } @else { "Vendor's words" } }
                    blockquote { (quoted(words, WORDS)) }
                }
                None => { p class="note" { "Nobody has proved to control it, so that no words are shown and no clock runs." } }
            }
            (answer(appeal))
            @if let Some((event, outcome, reason)) = appeal.decision() {
                h2 { "Decision: " (outcome.as_str()) }
                p class="note" { (when(event.at)) " by " (quoted(&event.by, NAME)) }
                blockquote { (quoted(reason, WORDS)) }
            }
            h2 { "What happened" }
            ul class="list" {
                @for event in appeal.events() {
                    li { (when(event.at)) " " (event.deed.as_str()) " by " (event.actor.as_str()) (particulars(&event.deed)) div class="under" { code { (event.digest()) } } }
                }
            }
        },
    )
}

fn particulars(deed: &AppealDeed) -> Markup {
    html! {
        @match deed {
            AppealDeed::Refused { method, reason } => { ": " (method.as_str()) ", " (quoted(reason, TEXT)) }
            AppealDeed::Proven { method, locator, .. } => { ": " (method.as_str()) ", " (quoted(locator, TEXT)) }
            AppealDeed::Decided { outcome, .. } => { ": " (outcome.as_str()) }
            AppealDeed::Challenged { expires, .. } => { ", until " (expires) }
            _ => {}
        }
    }
}

/// The machine's answer, as far as a person reads it; the API has it whole.
fn answer(appeal: &Appeal) -> Markup {
    let Some(answer) = appeal.newest(|event| match &event.deed {
        AppealDeed::Answered { answer } => Some(answer),
        _ => None,
    }) else {
        return html! {};
    };
    let text =
        |pointer: &str| answer.pointer(pointer).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let scores = answer.get("scores").and_then(serde_json::Value::as_object);
    let value = |score: &serde_json::Value, when: &str| {
        score.pointer(&format!("/{when}/value")).map_or_else(|| "–".to_owned(), ToString::to_string)
    };
    html! {
        h2 { "The machine's answer" }
        @if !text("/finding/evidence").is_empty() {
            p { (quoted(&text("/finding/title"), TEXT)) " in " code { (quoted(&text("/finding/file"), NAME)) } }
            blockquote { (quoted(&text("/finding/evidence"), TEXT)) }
        }
        p { strong { "The claim. " } (quoted(&text("/checks/0/words"), TEXT)) }
        @for place in 1..answer.get("checks").and_then(serde_json::Value::as_array).map_or(0, Vec::len) {
            p { strong { "Its maintainers say. " } (quoted(&text(&format!("/checks/{place}/words")), TEXT)) }
        }
        p { strong { "What would change it. " } (quoted(&text("/changes"), TEXT)) }
        @if let Some(scores) = scores.filter(|scores| !scores.is_empty()) {
            details {
                summary { (counted(scores.len() as u64, "number")) ", now and what if the finding were not there" }
                ul class="list" { @for (rubric, score) in scores { li { (quoted(rubric, NAME)) ": " (quoted(&value(score, "now"), NAME)) ", what if " (quoted(&value(score, "what_if"), NAME)) } } }
            }
        }
    }
}
