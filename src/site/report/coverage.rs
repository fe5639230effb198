//! Coverage: the origins of listings, what could not be looked at, and which published codes something here answers.
//!
//! Nothing is judged here: the page shows the ledgers.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use capdex_rubrics::catalogue::{self, Catalogue, CatalogueEntry};
use maud::{Markup, html};

use super::glossary::term;
use super::layout::{self, PageFrame, heading};
use super::page_text::when;
use super::page_text::{NAME, TEXT, escaped_text, number, percent, quoted};
use super::paths;
use super::site::Site;

/// The page.
pub(crate) fn page(site: &Site) -> String {
    let frame = PageFrame {
        title: "Coverage",
        part: "coverage.html",
        path: "coverage.html",
        description: "What could be analysed and what could not, by source and reason, and which published codes of agent security a rule answers.",
    };
    let lead = html! { "Unknown is never clean: what could not be fetched, parsed or evaluated is a gap with its reason, and lowers coverage." };
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Coverage", &lead))
            section aria-labelledby="analysed-h" { h2 id="analysed-h" { "What could be analysed" } (analysed(site)) }
            section aria-labelledby="sources-h" { h2 id="sources-h" { "Sources" } (sources(site)) }
            section aria-labelledby="gaps-h" { h2 id="gaps-h" { "Open gaps" } (gaps(site)) }
            section aria-labelledby="codes-h" { h2 id="codes-h" { "Published codes" } (codes(site)) }
        },
    )
}

fn analysed(site: &Site) -> Markup {
    let all = site.rows.len() as u64;
    let (missing, asked) = site.figures.unavailable;
    html! {
        dl class="facts" {
            @for (word, count) in &site.figures.completeness { div { dt { (word) } dd { (number(*count)) " (" (percent(*count, all)) ")" } } }
            div { dt { "answers of rules" } dd { (number(asked)) } }
            div { dt { "lacked data" } dd { (number(missing)) " (" (percent(missing, asked)) ")" } }
            div { dt { "snapshots" } dd { (number(site.totals.snapshots)) } }
            div { dt { "files kept" } dd { (number(site.totals.blobs)) } }
        }
    }
}

fn sources(site: &Site) -> Markup {
    layout::wide(
        "Sources",
        &html! {
            table {
                thead { tr { th scope="col" { (term("source")) } th scope="col" class="num" { (term("listing")) "s" } th scope="col" class="num" { (term("there")) } th scope="col" class="num" { "capabilities it " (term("speaks for")) } th scope="col" { "last whole walk" } th scope="col" { "last walk" } th scope="col" class="num" { (term("held back")) } } }
                tbody {
                    @for source in &site.sources {
                        tr {
                            th scope="row" { (escaped_text(&source.id, NAME)) }
                            td class="num" { (number(source.listings)) } td class="num" { (number(source.active)) }
                            td class="num" { (number(site.figures.sources.get(&source.id).copied().unwrap_or(0))) }
                            td { @match source.completed { Some(at) => (when(at)), None => "never" } }
                            td { (source.outcome.unwrap_or("–")) } td class="num" { (number(source.held)) }
                        }
                    }
                }
            }
        },
    )
}

fn gaps(site: &Site) -> Markup {
    html! {
        @if site.gaps.is_empty() { p class="note" { "None." } } @else {
            (layout::wide("Open gaps", &html! {
                table {
                    thead { tr { th scope="col" { "stage" } th scope="col" { "reason" } th scope="col" class="num" { (term("gap")) "s" } th scope="col" { "one of them" } } }
                    tbody {
                        @for gap in &site.gaps {
                            tr { td { (escaped_text(&gap.stage, NAME)) } th scope="row" { (gap.reason) } td class="num" { (number(gap.count)) } td { (quoted(&gap.example, NAME)) span class="under" { (quoted(&gap.detail, TEXT)) } } }
                        }
                    }
                }
            }))
        }
    }
}

/// Every catalogue with the answers to each of its codes.
fn codes(site: &Site) -> Markup {
    html! {
        p { "Every code that a method or taxonomy publishes, and what answers it here. A rule says " em { "unavailable" } " while nobody has given the data." }
        @for catalogue in catalogue::all().iter().filter(|catalogue| catalogue.asks()) {
            @let answered = catalogue.entries.iter().filter(|entry| !catalogue.rules(entry, site.rules).is_empty() || entry.elsewhere.is_some()).count();
            details {
                summary { (catalogue.title) ", " (answered) " of " (catalogue.entries.len()) " answered" }
                p class="note" { (catalogue.published_at) ", read " (catalogue.read) "." }
                (layout::wide(&catalogue.title, &table(site, catalogue)))
            }
        }
    }
}

fn table(site: &Site, catalogue: &Catalogue) -> Markup {
    html! {
        table class="slim" {
            thead { tr { th scope="col" { "code" } th scope="col" { "name" } th scope="col" { "severity" } th scope="col" { "there" } th scope="col" { "needs" } th scope="col" { "answered by" } } }
            tbody {
                @for (at, entry) in catalogue.entries.iter().enumerate() {
                    tr id=(anchor(catalogue, at, entry)) {
                        th scope="row" { code { (entry.code) } } td { (entry.name) }
                        td { (entry.severity.map_or("–", |severity| severity.as_str())) }
                        td { (entry.status.as_str()) } td { (entry.needs.as_str()) } td { (answers(site, catalogue, entry)) }
                    }
                }
            }
        }
    }
}

/// The name of an entry on the page, by its place too: codes that differ in a sign alone are two.
fn anchor(catalogue: &Catalogue, at: usize, entry: &CatalogueEntry) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    format!("code-{}-{}-{at}", catalogue.id, entry.code).chars().map(plain).collect()
}

/// The places of all entries on the page, by the words with which rules cite them.
static CITED: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let asking = catalogue::all().iter().filter(|catalogue| catalogue.asks());
    let entries = asking
        .flat_map(|catalogue| catalogue.entries.iter().enumerate().map(move |(at, entry)| (catalogue, at, entry)));
    entries
        .flat_map(|(catalogue, at, entry)| {
            let coded = format!("{} {}", catalogue.id, entry.code);
            let place = anchor(catalogue, at, entry);
            catalogue.citations(entry).into_iter().chain([coded]).map(move |cite| (cite, place.clone()))
        })
        .collect()
});

/// Citations, each a link to its entry where the page has it, from a page so far from the root.
pub(crate) fn cites(cites: &[String], root: &str) -> Markup {
    let all = cites.iter().map(|cite| (cite.as_str(), CITED.get(cite)));
    linked(all, root)
}

/// Codes of a family likewise.
pub(crate) fn codes_of(family: &str, codes: &[String], root: &str) -> Markup {
    let all = codes.iter().map(|code| (code.as_str(), CITED.get(&format!("{family} {code}"))));
    linked(all, root)
}

fn linked<'a>(cites: impl Iterator<Item = (&'a str, Option<&'a String>)>, root: &str) -> Markup {
    html! {
        @for (at, (words, place)) in cites.enumerate() {
            @if at > 0 { ", " }
            @match place { Some(place) => { a href={ (root) "coverage.html#" (place) } { (words) } } None => { (words) } }
        }
    }
}

fn answers(site: &Site, catalogue: &Catalogue, entry: &CatalogueEntry) -> Markup {
    let rules = catalogue.rules(entry, site.rules);
    html! {
        @for (at, meta) in rules.iter().enumerate() { @if at > 0 { ", " } a href=(paths::rule(meta.id.as_str())) { (meta.id) } }
        @if let Some(elsewhere) = entry.elsewhere { @if !rules.is_empty() { ", " } (elsewhere.as_str()) }
    }
}
