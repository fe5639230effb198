//! The feeds of the site: alerts and drift as Atom, the newest first.
//!
//! Entries are escaped by the one gate for Atom.

use capdex_db::DriftEvent;

use super::paths;
use super::site::Site;
use crate::atom::{self, Feed, FeedEntry};

/// Entries of one feed.
pub(crate) const ENTRIES: usize = 100;
/// Lines of one entry.
const LINES: usize = 40;

/// The feed of alerts.
pub(crate) fn alerts(site: &Site) -> String {
    // A feed is read from its newest entry, while the page shows the worst first.
    let mut newest: Vec<_> = site.watch.alerts.iter().collect();
    newest.sort_by_key(|raised| std::cmp::Reverse(raised.at));
    let entries: Vec<FeedEntry> = newest
        .into_iter()
        .take(ENTRIES)
        .map(|raised| {
            let alert = &raised.alert;
            let said = [&alert.why, &alert.fix].into_iter().chain(&alert.details).filter(|line| !line.is_empty());
            FeedEntry {
                // The key of the alert, which does not change, so that readers show an entry once.
                id: vec!["capdex alert".to_owned(), alert.key.clone()],
                title: format!("{}: {}", alert.severity.as_str(), alert.title),
                at: raised.at,
                severity: alert.severity.as_str(),
                lines: said.take(LINES).cloned().chain([alert.command()]).collect(),
                url: super::alerts::place(site, alert).and_then(|place| site.url_of(&place)),
            }
        })
        .collect();
    document(site, "alerts", "alerts.atom", &entries)
}

/// The feed of appeals, by what happened to them last. It holds no word of a vendor's.
pub(crate) fn appeals(site: &Site) -> String {
    let mut newest: Vec<_> = site.appeals.iter().filter_map(|head| Some((head.changed?, head))).collect();
    newest.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    let entries: Vec<FeedEntry> = newest
        .into_iter()
        .take(ENTRIES)
        .map(|(changed, head)| FeedEntry {
            // Each state is news of its own.
            id: vec!["capdex appeal".to_owned(), head.id.to_string(), head.state.as_str().to_owned()],
            title: format!("{} is {}", head.id, head.state.as_str()),
            at: changed,
            severity: "info",
            url: site.url_of(&paths::appeal(&head.id)),
            lines: vec![
                format!("About {}", head.subject),
                format!("Against {}, claim {}", head.rule.as_deref().unwrap_or("the whole verdict"), head.claim),
                format!("capdex appeal show {}", head.id),
            ],
        })
        .collect();
    document(site, "appeals", "appeals.atom", &entries)
}

/// The feed of drift, from its newest events.
pub(crate) fn drift(site: &Site, events: &[DriftEvent]) -> String {
    let entries: Vec<FeedEntry> = events
        .iter()
        .map(|event| {
            let effects = event.effects.iter().map(|effect| format!("{}: {}", effect.kind.title(), effect.subject));
            let changes =
                event.changes.iter().map(|change| format!("{} {} {}", change.what, change.part, change.subject));
            FeedEntry {
                id: vec!["capdex drift".to_owned(), event.key.clone()],
                title: format!("{} ({}): {}", event.severity.as_str(), event.class.name(), event.slug),
                at: event.at,
                severity: event.severity.as_str(),
                // Without the difference: readers of feeds show markup, and lines of strangers are nothing for them.
                lines: effects.chain(changes).take(LINES).collect(),
                url: site.row(&event.capability).and_then(|row| {
                    site.url_of(&format!("{}#{}", paths::capability(&row.id), paths::drift_anchor(&event.key)))
                }),
            }
        })
        .collect();
    document(site, "drift", "drift.atom", &entries)
}

/// A feed under its address, where that is known. Its name does not hold the address: a site that moves keeps its entries.
fn document(site: &Site, name: &str, path: &str, entries: &[FeedEntry]) -> String {
    let title = format!("capdex {name}");
    atom::document(&Feed { id: &["capdex site", name], title: &title, url: site.url_of(path).as_deref() }, entries)
}
