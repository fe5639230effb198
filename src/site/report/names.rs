//! The directory by name: every capability in a plain list that needs no script, cut into pages that stay as they are.
//!
//! Ranks move every night and would move rows from page to page. Names do not. Where a page begins is decided by the id of its
//! first row alone, so that one row more or less changes its own page and no other.

use maud::{Markup, html};

use super::directory::{place, shown_name};
use super::layout::{self, PageFrame, heading};
use super::page_text::{NAME, counted, escaped_text, quoted};
use super::paths;
use super::site::{CapabilitySummary, Site};

/// The list of the pages.
pub(crate) const INDEX: &str = "names.html";
/// Rows of one page: at least, at most, and how many there are on average beyond the least.
const LEAST: usize = 32;
const MOST: usize = 400;
const OFTEN: u32 = 96;

/// A page of the list: its name, and the places of its rows among all.
#[derive(Debug)]
pub(crate) struct NamePart {
    /// The short id of its first row; `first` for the first page, whatever its first row is.
    pub(crate) key: String,
    /// Its rows, by name.
    pub(crate) places: Vec<usize>,
}

/// The pages of rows.
pub(super) fn parts(rows: &[CapabilitySummary]) -> Vec<NamePart> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|at| rows.get(*at).map(|row| (&row.package, &row.path, row.id)));
    let mut parts: Vec<NamePart> = Vec::new();
    for at in order {
        let Some(row) = rows.get(at) else { continue };
        match parts.last_mut() {
            Some(part) if !begins(row, part.places.len()) => part.places.push(at),
            Some(_) => parts.push(NamePart { key: paths::short(&row.id), places: vec![at] }),
            None => parts.push(NamePart { key: "first".to_owned(), places: vec![at] }),
        }
    }
    parts
}

/// True where a row begins a page, behind a page of so many rows.
fn begins(row: &CapabilitySummary, behind: usize) -> bool {
    // Digits of the id that no shard is named by; an id is a digest, and so they are as good as drawn.
    let hex = row.id.0.hex();
    let drawn = hex.get(56..).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or_default();
    behind >= MOST || (behind >= LEAST && drawn.is_multiple_of(OFTEN))
}

/// The list of the pages, each by its first row.
pub(crate) fn index(site: &Site) -> String {
    let frame = PageFrame {
        title: "Directory by name",
        part: "directory.html",
        path: INDEX,
        description: "Every capability that was looked at, by the name of its package.",
    };
    let lead = html! {
        "The same capabilities as in the " a href="directory.html" { "directory" } ", by the names of their packages, in pages for readers without a script."
    };
    let first = |part: &NamePart| part.places.first().and_then(|at| site.rows.get(*at));
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Directory by name", &lead))
            ul class="columns" {
                @for part in &site.names { @if let Some(row) = first(part) { li { a href=(paths::names(&part.key)) { "from " (quoted(&place(row), NAME)) } } } }
            }
        },
    )
}

/// One page, by its key; none where there is no such.
pub(crate) fn page(site: &Site, key: &str) -> Option<String> {
    let at = site.names.iter().position(|part| part.key == key)?;
    let part = site.names.get(at)?;
    let rows = || part.places.iter().filter_map(|at| site.rows.get(*at));
    let first = rows().next().map(|row| escaped_text(&row.package, NAME)).unwrap_or_default();
    let title = format!("Capabilities from {first}");
    let path = paths::names(key);
    let description = format!("Skills, MCP servers and other agent capabilities from {first}, each with its verdict.");
    let frame = PageFrame { title: &title, part: "directory.html", path: &path, description: &description };
    let beside = |part: Option<&NamePart>| part.map(|part| format!("../{}", paths::names(&part.key)));
    let before = at.checked_sub(1).and_then(|at| site.names.get(at));
    let lead = html! { (counted(part.places.len() as u64, "capability")) ", by name. " a href={ "../" (INDEX) } { "All pages" } "." };
    Some(layout::page(
        site,
        &frame,
        &html! {
            (heading(&title, &lead))
            (layout::wide(&title, &html! {
                table {
                    thead { tr { th scope="col" { "capability" } th scope="col" { "kind" } th scope="col" { "verdict" } } }
                    tbody { @for row in rows() { (line(row)) } }
                }
            }))
            (layout::neighbours((beside(before), "Before"), (beside(site.names.get(at + 1)), "After")))
        },
    ))
}

fn line(row: &CapabilitySummary) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href={ "../" (paths::capability(&row.id)) } { (quoted(&shown_name(row), NAME)) }
                span class="under" {
                    a href={ "../" (paths::package(&row.package)) } { (quoted(&row.package, NAME)) }
                    @if !row.path.is_empty() { "#" (quoted(&row.path, NAME)) }
                }
            }
            td { (row.kind.as_str()) }
            td { (layout::band(row.band)) @if let Some(mark) = row.mark { " " (mark) } }
        }
    }
}
