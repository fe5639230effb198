//! Alerts: what the passes raised for a person, as they are ranked.
//!
//! Sinks play no part here: what became of alerts there is the operator's.

use capdex_model::alert::{Alert, Raised};
use maud::{Markup, html};

use super::layout::{self, PageFrame, heading, pager, pages_of};
use super::page_text::when;
use super::page_text::{NAME, TEXT, counted, escaped_text, quoted};
use super::site::Site;
use super::{drift, paths};

/// Alerts of one page.
pub(crate) const EACH: usize = 50;
/// Particulars of one alert that a page shows.
const DETAILS: usize = 40;

/// The number of pages.
pub(crate) fn pages(site: &Site) -> usize {
    pages_of(site.watch.alerts.len(), EACH)
}

/// The page on which an alert stands, with its name there.
fn place(site: &Site, alert: &Alert) -> String {
    let at = site.watch.alert_at(&alert.key);
    format!("{}#{}", paths::part("alerts", at / EACH + 1), paths::alert_anchor(&alert.key))
}

/// One page, from 1.
pub(crate) fn page(site: &Site, number: usize) -> String {
    let frame = PageFrame { title: "Alerts", part: "alerts.html", depth: 0, as_of: Some(site.as_of) };
    let lead = html! {
        (counted(site.watch.alerts.len() as u64, "alert")) ", the gravest first; each is raised once, with its evidence and the command that shows it again. "
        a href="alerts.atom" { "Atom feed" } "."
    };
    let alerts = site.watch.alerts.iter().skip((number - 1).saturating_mul(EACH)).take(EACH);
    layout::page(
        &frame,
        &html! {
            (heading("Alerts", &lead))
            @if site.watch.alerts.is_empty() { p class="note" { "Nothing was raised." } }
            @for raised in alerts { (whole(site, raised)) }
            (pager("alerts", number, pages(site)))
        },
    )
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
                    a href={ (root) (place(site, &raised.alert)) } { (quoted(&raised.alert.title, NAME * 2)) }
                    div class="under" { (when(raised.at)) " · " (escaped_text(&raised.alert.rule(), NAME)) }
                }
            }
        })
        .collect();
    html! {
        @if lines.is_empty() { p class="note" { "Nothing was raised." } } @else { ul class="list" { @for line in &lines { (line) } } }
    }
}
