//! Alerts: what the passes raised for a person, as they are ranked.
//!
//! Sinks play no part here: what became of alerts there is the operator's.

use capdex_model::alert::{Alert, Raised};
use maud::{Markup, html};

use super::layout::{self, PageFrame, heading};
use super::page_text::when;
use super::page_text::{NAME, TEXT, counted, escaped_text, quoted};
use super::site::Site;
use super::{dated, drift, paths};

/// Alerts of one page.
pub(crate) const EACH: usize = 50;
/// The list, and the page that begins it.
pub(crate) const LIST: &str = "alerts";
const PART: &str = "alerts.html";
/// Particulars of one alert that a page shows.
const DETAILS: usize = 40;

/// The place of an alert: its page and its name there; none where it is on no page.
pub(crate) fn place(site: &Site, alert: &Alert) -> Option<String> {
    Some(format!("{}#{}", site.watch.alert_page(&alert.key)?.path(LIST), paths::alert_anchor(&alert.key)))
}

/// The page of the gravest.
pub(crate) fn page(site: &Site) -> String {
    let frame = PageFrame {
        title: "Alerts",
        part: PART,
        path: PART,
        description: "What changed or was found in agent capabilities and deserves a person, the gravest first, each with its evidence.",
    };
    let all = site.watch.alerts.len();
    let lead = html! {
        (counted(all as u64, "alert")) ", the gravest first; each is raised once, with its evidence and the command that shows it again. "
        a href="alerts.atom" { "Atom feed" } "."
    };
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Alerts", &lead))
            @if all == 0 { p class="note" { "Nothing was raised." } }
            @for raised in site.watch.alerts.iter().take(EACH) { (whole(site, raised)) }
            @if all > EACH { p class="note" { "These are the gravest " (EACH) ". All are on the pages of their nights." } }
            (dated::days(LIST, &site.watch.alert_pages))
        },
    )
}

/// A page of one night, by its path; none where there is no such.
pub(crate) fn of_night(site: &Site, path: &str) -> Option<String> {
    let parts = &site.watch.alert_pages;
    let at = parts.iter().position(|part| part.path(LIST) == path)?;
    let part = parts.get(at)?;
    let title = format!("Alerts of {}", part.day);
    let description = format!("What was raised on {}, the gravest first, each with its evidence.", part.day);
    let frame = PageFrame { title: &title, part: PART, path, description: &description };
    let lead =
        html! { "What was raised on that day, the gravest first. " a href=(PART) { "The gravest of all nights" } "." };
    let raised = part.places.iter().filter_map(|place| site.watch.alerts.get(*place));
    Some(layout::page(
        site,
        &frame,
        &html! {
            (heading(&title, &lead))
            @for raised in raised { (whole(site, raised)) }
            (dated::beside(LIST, parts, at))
        },
    ))
}

fn whole(site: &Site, raised: &Raised) -> Markup {
    let alert = &raised.alert;
    let row = alert.capability.as_ref().and_then(|id| site.row(id));
    html! {
        article class="event" id=(paths::alert_anchor(&alert.key)) tabindex="-1" {
            h2 { (layout::severity(alert.severity)) " " (quoted(&alert.title, TEXT)) }
            p class="note" {
                (when(raised.at)) " · " (escaped_text(&alert.pass, NAME)) "/" (escaped_text(&alert.class, NAME)) " · "
                @match row {
                    Some(row) => { a href=(paths::capability(&row.id)) { (quoted(&alert.subject, NAME)) } }
                    None => { (quoted(&alert.subject, NAME)) }
                }
            }
            @if !alert.why.is_empty() { p { (quoted(&alert.why, TEXT)) } }
            @if !alert.fix.is_empty() { p { strong { "Fix. " } (quoted(&alert.fix, TEXT)) } }
            (particulars(alert))
            (drift::diff(&alert.diff))
            p class="note" { code { (escaped_text(&alert.command(), TEXT)) } }
        }
    }
}

fn particulars(alert: &Alert) -> Markup {
    html! {
        @if !alert.details.is_empty() {
            ul class="list" {
                @for line in alert.details.iter().take(DETAILS) { li { (quoted(line, TEXT)) } }
                (layout::more_items(alert.details.len(), DETAILS))
            }
        }
        @if !alert.members.is_empty() {
            details {
                summary { (counted(alert.members.len() as u64, "member")) }
                ul class="list" {
                    @for member in alert.members.iter().take(DETAILS) { li { (quoted(member, NAME)) } }
                    (layout::more_items(alert.members.len(), DETAILS))
                }
            }
        }
    }
}

/// The gravest, for the overview.
pub(crate) fn short_list(site: &Site, most: usize) -> Markup {
    listed(site, site.watch.alerts.iter().take(most), "")
}

/// Alerts in one line each, from a page so far from the root.
pub(crate) fn listed<'a>(site: &Site, alerts: impl Iterator<Item = &'a Raised>, root: &str) -> Markup {
    let lines: Vec<Markup> = alerts
        .map(|raised| {
            html! {
                li {
                    (layout::severity(raised.alert.severity)) " "
                    @match place(site, &raised.alert) {
                        Some(place) => { a href={ (root) (place) } { (quoted(&raised.alert.title, NAME * 2)) } }
                        None => { (quoted(&raised.alert.title, NAME * 2)) }
                    }
                    div class="under" { (when(raised.at)) " · " (escaped_text(&raised.alert.rule(), NAME)) }
                }
            }
        })
        .collect();
    html! {
        @if lines.is_empty() { p class="note" { "Nothing was raised." } } @else { ul class="list" { @for line in &lines { (line) } } }
    }
}
