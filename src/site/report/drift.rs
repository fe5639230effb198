//! Drift: the feed of what changed, the newest first, and one event in full with its diff.
//!
//! Changes are judged by the pass, and not here.

use capdex_corpus::drift::{Change, Effect, Newly, newly};
use capdex_db::DriftEvent;
use maud::{Markup, html};

use super::glossary::term;
use super::layout::{self, PageFrame, heading};
use super::page_text::when;
use super::page_text::{NAME, TEXT, counted, escaped_text, quoted};
use super::site::{DriftHead, Site};
use super::{dated, paths, word_diff};

/// Events of one page of the feed.
pub(crate) const EACH: usize = 100;
/// The list, and the page that begins it.
pub(crate) const LIST: &str = "drift";
const PART: &str = "drift.html";
/// Changes of one event that a page shows; the dataset has all.
const CHANGES: usize = 60;
/// Lines of a diff likewise.
const LINES: usize = 120;

/// The page of the newest.
pub(crate) fn page(site: &Site) -> String {
    let frame = PageFrame {
        title: "Drift",
        part: PART,
        path: PART,
        description: "What changed in skills and MCP servers between two nights, judged by what an agent would newly do.",
    };
    let all = site.watch.drift.len();
    let lead = html! {
        "What changed between two nights, judged by its effect and not by its size: "
        (counted(all as u64, "event")) ". " a href="drift.atom" { "Atom feed" } "."
    };
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Drift", &lead))
            @if all == 0 { p class="note" { "Nothing that was seen twice has changed." } }
            @else { (table(site, site.watch.drift.iter().take(EACH))) }
            @if all > EACH { p class="note" { "These are the newest " (EACH) ". All are on the pages of their nights." } }
            (dated::days(LIST, &site.watch.drift_pages))
        },
    )
}

/// A page of one night, by its path; none where there is no such.
pub(crate) fn of_night(site: &Site, path: &str) -> Option<String> {
    let parts = &site.watch.drift_pages;
    let at = parts.iter().position(|part| part.path(LIST) == path)?;
    let part = parts.get(at)?;
    let title = format!("Drift of {}", part.day);
    let description = format!(
        "What {} brought: changes of skills and MCP servers, judged by what an agent would newly do.",
        part.day
    );
    let frame = PageFrame { title: &title, part: PART, path, description: &description };
    let lead = html! { "What changed up to that day since the night before. " a href=(PART) { "The newest" } "." };
    Some(layout::page(
        site,
        &frame,
        &html! {
            (heading(&title, &lead))
            (table(site, part.places.iter().filter_map(|place| site.watch.drift.get(*place))))
            (dated::beside(LIST, parts, at))
        },
    ))
}

/// Events as a table, which the script filters.
fn table<'a>(site: &Site, heads: impl Iterator<Item = &'a DriftHead>) -> Markup {
    layout::wide(
        "Events of drift",
        &html! {
            table class="feed" data-filter="events" {
                thead { tr { th scope="col" { (term("night")) } th scope="col" data-choice="severity" { (term("severity")) } th scope="col" data-choice="class" { (term("class")) } th scope="col" { (term("capability")) } th scope="col" { "version" } th scope="col" { "gravest " (term("effect")) } } }
                tbody { @for head in heads { (line(site, head)) } }
            }
        },
    )
}

fn line(site: &Site, head: &DriftHead) -> Markup {
    html! {
        tr {
            td { (when(head.at)) }
            td { (layout::severity(head.severity)) }
            td { (head.class.name()) " " span class="quiet" { (head.class.as_str()) } }
            th scope="row" { (link(site, head, "")) }
            td { (versions(head.from.as_deref(), head.to.as_deref())) }
            td { (gravest(head)) }
        }
    }
}

/// A link to the event on the page of its capability; the bare name where it does not stand any more. `root` leads to the root.
fn link(site: &Site, head: &DriftHead, root: &str) -> Markup {
    let text = escaped_text(&head.slug, NAME);
    html! {
        @if site.row(&head.capability).is_some() {
            a href={ (root) (paths::capability(&head.capability)) "#" (paths::drift_anchor(&head.key)) } { bdi { (text) } }
        } @else {
            bdi { (text) } " " span class="quiet" { "(gone)" }
        }
    }
}

fn versions(from: Option<&str>, to: Option<&str>) -> Markup {
    // Folders and endpoints have none, and two dashes tell nobody anything.
    if from.is_none() && to.is_none() {
        return html! { span class="quiet" { "none" } };
    }
    html! { (quoted(from.unwrap_or("–"), 40)) " → " (quoted(to.unwrap_or("–"), 40)) }
}

fn gravest(head: &DriftHead) -> Markup {
    html! {
        @match &head.effect {
            Some((kind, subject)) => {
                @if let Some(word) = Newly::of(*kind) { "newly " strong { (word.as_str()) } ": " }
                (kind.title()) ": " (quoted(subject, NAME))
            }
            None => { (head.kind.as_str()) }
        }
        @if head.more > 0 { " " span class="quiet" { "and " (head.more) " more" } }
    }
}

/// The newest events, for the overview.
pub(crate) fn short_list(site: &Site, most: usize) -> Markup {
    html! {
        @if site.watch.drift.is_empty() { p class="note" { "Nothing that was seen twice has changed." } }
        (listed(site, site.watch.drift.iter().take(most), ""))
    }
}

/// Events in two lines each. `root` leads to the root of the site.
pub(crate) fn listed<'a>(site: &Site, heads: impl Iterator<Item = &'a DriftHead>, root: &str) -> Markup {
    html! {
        ul class="list" {
            @for head in heads {
                li {
                    (layout::severity(head.severity)) " " (link(site, head, root))
                    div class="under" { (when(head.at)) " · " (head.class.name()) " · " (gravest(head)) }
                }
            }
        }
    }
}

/// One event in full, for the page of its capability.
pub(crate) fn event(event: &DriftEvent) -> Markup {
    html! {
        article class="event" id=(paths::drift_anchor(&event.key)) tabindex="-1" {
            h3 {
                (when(event.at)) " " (layout::severity(event.severity)) " " (event.class.name())
                " " span class="quiet" { (event.class.as_str()) " · " (event.kind.as_str()) }
            }
            p class="note" {
                "Version " (versions(event.from_version.as_deref(), event.to_version.as_deref())) ", moved: " (event.moved.as_str()) "."
            }
            (effects(&event.effects))
            @if !event.scores.is_empty() {
                table class="slim" {
                    caption { "What became of the scores" }
                    thead { tr { th scope="col" { "rubric" } th scope="col" { "before" } th scope="col" { "after" } } }
                    tbody {
                        @for score in &event.scores {
                            tr { th scope="row" { (escaped_text(&score.rubric, NAME)) } td { (quoted(score.before.as_deref().unwrap_or("none"), NAME)) } td { (quoted(score.after.as_deref().unwrap_or("none"), NAME)) } }
                        }
                    }
                }
            }
            (changes(&event.changes))
            (diff(&event.diff))
        }
    }
}

/// What an agent could newly do, in words, and then what else the change brought.
fn effects(effects: &[Effect]) -> Markup {
    let newly = newly(effects.iter());
    let others: Vec<&Effect> = effects.iter().filter(|effect| Newly::of(effect.kind).is_none()).collect();
    html! {
        @if !newly.is_empty() {
            p { "An agent could newly:" }
            ul class="list" {
                @for (word, effect) in newly.iter().take(CHANGES) { li { strong { (word.as_str()) } " " (told(effect)) } }
                (layout::more_items(newly.len(), CHANGES))
            }
        } @else if !effects.is_empty() { p { "An agent could do nothing new." } }
        @if !others.is_empty() {
            ul class="list" {
                @for effect in others.iter().take(CHANGES) { li { (told(effect)) } }
                (layout::more_items(others.len(), CHANGES))
            }
        }
    }
}

fn told(effect: &Effect) -> Markup {
    html! {
        (layout::severity(effect.severity)) " " (effect.kind.title()) ": " (quoted(&effect.subject, NAME))
        @if !effect.detail.is_empty() { " " code { (quoted(&effect.detail, TEXT)) } }
    }
}

fn changes(changes: &[Change]) -> Markup {
    html! {
        @if !changes.is_empty() {
            details {
                summary { (counted(changes.len() as u64, "change")) }
                ul class="list" {
                    @for Change { what, part, subject } in changes.iter().take(CHANGES) { li { (escaped_text(what, NAME)) " " (escaped_text(part, NAME)) " " code { (quoted(subject, NAME)) } } }
                    (layout::more_items(changes.len(), CHANGES))
                }
            }
        }
    }
}

/// Changed lines, each with its sign. A line and the one in its place show the words that are not the same.
pub(crate) fn diff(lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            div class="diff" role="region" aria-label=(label(lines)) tabindex="0" {
                @for (line, words) in lines.iter().zip(word_diff::of_lines(lines)).take(LINES) {
                    // The sign is told in words too, for those who see no colours.
                    @let (class, word) = match line.chars().next() {
                        Some('+') => ("add", Some("added: ")),
                        Some('-') => ("del", Some("removed: ")),
                        _ => ("file", None),
                    };
                    div class=(class) {
                        @if let Some(word) = word { span class="unseen" { (word) } }
                        @match words {
                            Some(words) => { bdi { @for (is_changed, text) in words { @if is_changed { mark { (text) } } @else { (text) } } } }
                            None => { (quoted(line, TEXT)) }
                        }
                    }
                }
                @if lines.len() > LINES { div class="file" { "… and " (lines.len() - LINES) " more lines" } }
            }
        }
    }
}

/// A name of the region that no other on the page has: that of the first lines.
fn label(lines: &[String]) -> String {
    let digest = capdex_model::digest::Digest::of_fields(lines.iter().map(|line| line.as_bytes())).hex();
    let about = lines.iter().find(|line| !line.starts_with(['+', '-'])).map_or("", String::as_str);
    escaped_text(format!("Changed lines {} {about}", digest.get(..6).unwrap_or_default()).trim_end(), NAME)
}
