//! The directory: every capability in order, as pages of a plain list, and as rows for the script that filters and sorts them.
//!
//! A page from a file may load scripts and nothing else, so the rows are scripts. Each is a call with arrays of numbers,
//! and of strings that went through the gate. Without the script the list is whole, page by page.

use capdex_dataset::export::top_rows::has_column;
use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::points::Points;
use capdex_rubrics::RUBRICS;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::glossary::{self, term};
use super::layout::{self, PageFrame, heading};
use super::names;
use super::overview::BANDS;
use super::package;
use super::page_text::{NAME, counted, escaped_text, quoted};
use super::paths;
use super::site::{CapabilitySummary, Site, seeds};

/// Rows of the plain list; the directory by name has all.
const PLAIN: usize = 100;
/// Rows of one file for the script.
pub(crate) const CHUNK: usize = 2_000;

/// The number of files of rows.
pub(crate) fn chunks(site: &Site) -> usize {
    site.rows.len().div_ceil(CHUNK)
}

/// The page: the place of the script, and the best as a plain list.
pub(crate) fn page(site: &Site) -> String {
    let lead = html! {
        (counted(site.rows.len() as u64, "capability")) ", best first: by verdict, then by trust, then by coverage. "
        a href=(names::INDEX) { "By name" } "."
    };
    let frame = PageFrame {
        title: "Directory",
        part: "directory.html",
        path: "directory.html",
        description: "Skills, MCP servers, hooks, plugins and rules for AI agents, ranked by verdict and trust, with four published scores side by side.",
    };
    let columns = columns(site);
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Directory", &lead))
            (live(site))
            div id="plain" {
                (layout::wide("Directory", &html! { table class="directory" { (head(&columns)) tbody { @for row in site.rows.iter().take(PLAIN) { (line(row, &columns)) } } } }))
                @if site.rows.len() > PLAIN { p { "The first " (PLAIN) ". " a href=(names::INDEX) { "All of them, by name" } "." } }
            }
        },
    )
}

/// The place of the script, with what it must know.
fn live(site: &Site) -> Markup {
    let mut sources: Vec<&str> = site.figures.sources.keys().map(String::as_str).collect();
    // Sorted here and in `rows`: the script finds a source by its number.
    sources.sort_unstable();
    let columns = columns(site);
    let rubrics: Vec<Value> = RUBRICS
        .iter()
        .enumerate()
        .map(|(place, rubric)| {
            let meta = rubric.meta();
            json!({ "id": meta.rubric.id, "seed": meta.rubric.is_seed(), "column": columns.contains(&place) })
        })
        .collect();
    // Bands and kinds as words once; the rows hold their numbers, which keeps the files small.
    let told = json!({
        "rows": site.rows.len(),
        "files": chunks(site),
        "kinds": Kind::ALL.map(Kind::as_str),
        "bands": BANDS.map(capdex_model::score::Band::as_str),
        "sources": sources.iter().map(|source| escaped_text(source, NAME)).collect::<Vec<_>>(),
        "rubrics": rubrics,
        "rules": rules(site).collect::<Vec<_>>(),
        "packages": package::list::chunks(site),
        "words": glossary::meanings(&["capability", "kind", "band", "differ", "finding"]),
    });
    html! {
        div id="directory" hidden data-told=(told) {}
        noscript { p class="note" { "Filtering and sorting need the script of this site. Without it the list below has the first, and the directory by name has all." } }
    }
}

/// The places of the methods that have a column: those that answer for enough rows. Another would take room and say nothing.
fn columns(site: &Site) -> Vec<usize> {
    let answered = |place: &usize| site.figures.values.get(place).map_or(0, |values| values.values().sum());
    let rows = site.rows.len() as u64;
    seeds().map(|(place, _)| place).filter(|place| has_column(answered(place), rows)).collect()
}

fn head(columns: &[usize]) -> Markup {
    html! {
        thead {
            tr {
                th scope="col" class="num" { "#" }
                th scope="col" { (term("capability")) }
                th scope="col" class="c-kind" { (term("kind")) }
                th scope="col" { (term("band")) }
                @for (_, rubric) in seeds().filter(|(place, _)| columns.contains(place)) { th scope="col" class="num c-value" { (short_name(&rubric.meta().rubric.id)) } }
                th scope="col" class="num c-differ" { (term("differ")) }
                th scope="col" class="c-found" { (term("finding")) "s" }
            }
        }
    }
}

/// The method's name without the variant.
fn short_name(id: &str) -> &str {
    id.split('/').next().unwrap_or(id)
}

fn line(row: &CapabilitySummary, columns: &[usize]) -> Markup {
    html! {
        tr {
            td class="num quiet" { @if let Some(rank) = row.rank { (rank) } }
            th scope="row" class="c-name" {
                a href=(paths::capability(&row.id)) { (quoted(&shown_name(row), NAME)) }
                span class="under" {
                    a href=(paths::package(&row.package)) { (quoted(&row.package, NAME)) }
                    @if !row.path.is_empty() { "#" (quoted(&row.path, NAME)) }
                    @if let Some(mark) = row.mark { ", " (mark) }
                }
            }
            td class="c-kind" { (row.kind.as_str()) }
            td { (layout::band(row.band)) }
            @for at in columns { td class="num c-value" { (value(row.answer(*at))) } }
            td class="num c-differ" { (differ(row)) }
            td class="c-found" { (row.findings.above_info()) }
        }
    }
}

/// The name of a row: its own, else its place.
pub(crate) fn shown_name(row: &CapabilitySummary) -> String {
    if row.name.trim().is_empty() { place(row) } else { row.name.clone() }
}

/// The location: package and path.
pub(crate) fn place(row: &CapabilitySummary) -> String {
    if row.path.is_empty() { row.package.clone() } else { format!("{}#{}", row.package, row.path) }
}

/// A value, or a dash where the rubric has none.
pub(crate) fn value(value: Option<Points>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| value.to_string())
}

fn differ(row: &CapabilitySummary) -> String {
    row.disagreement.map_or_else(|| "–".to_owned(), |share| share.to_json().to_string())
}

/// One file of rows, from 0: a call that hands them to the script, each in the order that `site.js` reads.
pub(crate) fn rows(site: &Site, number: usize) -> String {
    // The same order as in `live`.
    let mut sources: Vec<&str> = site.figures.sources.keys().map(String::as_str).collect();
    sources.sort_unstable();
    // A call and no bare array: a page from `file://` may load a script, but may not fetch data.
    let mut text = format!("capdexRows({number},[\n");
    let from = number.saturating_mul(CHUNK);
    for (at, row) in site.rows.iter().skip(from).take(CHUNK).enumerate() {
        if at > 0 {
            text.push_str(",\n");
        }
        // JSON of strings that went through the gate, so that no text can end the script.
        text.push_str(&cells(row, &sources).to_string());
    }
    text.push_str("\n]);\n");
    text
}

/// The rules of this program that found something, whose capabilities have a file each.
pub(crate) fn rules(site: &Site) -> impl Iterator<Item = &str> {
    // A rule of another version may have any name, and would be no name of a file.
    site.figures.holders.keys().map(String::as_str).filter(|rule| site.rules.find(rule).is_some())
}

/// The file of a rule: a call with the short ids of the capabilities in which it found something. None for a rule without one.
pub(crate) fn found(site: &Site, rule: &str) -> Option<String> {
    let rule = rules(site).find(|known| *known == rule)?;
    let mut ids: Vec<String> = site.figures.holders.get(rule)?.iter().map(paths::short).collect();
    ids.sort_unstable();
    Some(format!("capdexFound({}, {});\n", json!(rule), json!(ids)))
}

fn cells(row: &CapabilitySummary, sources: &[&str]) -> Value {
    // Places in the lists that the page gives to the script.
    let kind = Kind::ALL.iter().position(|kind| *kind == row.kind);
    let band = BANDS.iter().position(|band| *band == row.band);
    let source = sources.binary_search(&row.listing.source.as_str()).ok();
    let counts = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low].map(|of| row.findings.count(of));
    json!([
        // The short id, because the whole one would be a third of the bytes.
        paths::short(&row.id),
        escaped_text(&shown_name(row), NAME),
        escaped_text(&row.package, NAME),
        escaped_text(&row.path, NAME),
        kind,
        band,
        source,
        row.disagreement.map(|share| share.as_thousandths()),
        counts,
        (0..RUBRICS.len()).map(|at| row.answer(at)).collect::<Vec<_>>(),
        row.mark,
    ])
}
