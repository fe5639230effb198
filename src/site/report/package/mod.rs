//! The page of one package: its verdict and the reason, what it hands out worst first, its versions, what changed, and where it is listed.
//!
//! The evidence stands on the pages of its capabilities. No figure of the corpus is here, so that the page stays while its package does.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use capdex_db::Reader;
use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Listing;
use capdex_model::purl::Purl;
use capdex_model::time::AsOf;
use maud::{Markup, html};

use capdex_dataset::export::band_counts::BandCounts;

use super::capability::data::{self, RelatedListing};
use super::capability::{ROOT, relations};
use super::directory::shown_name;
use super::glossary::term;
use super::layout::{self, PageFrame, heading};
use super::page_text::{NAME, TEXT, counted, escaped_text, number, quoted, when};
use super::site::packages::worst_first;
use super::site::{CapabilitySummary, DriftHead, Site};
use super::{alerts, drift, paths};

pub(crate) mod list;

/// Capabilities of one package that are shown, the worst.
const PARTS: usize = 500;
/// Capabilities whose scans are asked for versions.
const ASKED: usize = 20;
/// Versions that are shown, the newest.
const VERSIONS: usize = 30;
/// Events of drift that are shown, the newest.
const EVENTS: usize = 20;
/// Alerts that are shown, the gravest.
const ALERTS: usize = 20;
/// Letters of a sentence in a table.
const SENTENCE: usize = 240;

/// What the page needs of the store beyond the rows of the site.
pub(crate) struct PackagePageData {
    /// The listing that speaks for it.
    key: ListingKey,
    /// What that claims; none where it is not there any more.
    listing: Option<Listing>,
    /// The listings of it, sorted.
    listed: Vec<RelatedListing>,
    /// When each version was first met, the newest first.
    versions: Vec<(String, AsOf)>,
}

/// Reads what the page of a package needs; none where nothing of it stands any more.
///
/// # Errors
/// Errors of the store.
pub(crate) fn read(reader: &Reader, site: &Site, identity: &str) -> anyhow::Result<Option<PackagePageData>> {
    let rows = worst_first(site.of_package(identity));
    let Some(worst) = rows.first() else { return Ok(None) };
    // The identity in full: rows keep the beginning of long ones.
    let Some(current) = reader.current_of(&worst.id)? else { return Ok(None) };
    let mut since: BTreeMap<String, AsOf> = BTreeMap::new();
    for row in rows.iter().take(ASKED) {
        for scan in reader.capability_history(&row.id)? {
            let Some(version) = scan.version else { continue };
            match since.entry(version) {
                Entry::Occupied(mut known) => drop(known.insert(scan.snapshot_as_of.min(*known.get()))),
                Entry::Vacant(new) => drop(new.insert(scan.snapshot_as_of)),
            }
        }
    }
    let mut versions: Vec<(String, AsOf)> = since.into_iter().collect();
    // Versions of one night keep the order of their names.
    versions.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
    Ok(Some(PackagePageData {
        listing: reader.listing(&current.listing)?.and_then(|known| known.listing),
        listed: data::listed(reader, &current.identity, &current.listing)?,
        key: current.listing,
        versions,
    }))
}

/// The page.
pub(crate) fn page(site: &Site, identity: &str, data: &PackagePageData) -> String {
    let rows = worst_first(site.of_package(identity));
    let Some(worst) = rows.first() else { return String::new() };
    let title = escaped_text(identity, NAME);
    let path = paths::package(identity);
    let said = format!("{}: {identity}, {}. {}.", worst.band.as_str(), parts_of(&rows), worst.reason);
    let description = escaped_text(&said, SENTENCE);
    let frame = PageFrame { title: &title, part: "directory.html", path: &path, description: &description };
    let mut heads: Vec<&DriftHead> = rows.iter().flat_map(|row| site.watch.drift_of(&row.id)).collect();
    // A stable sort: the events of one night stay in the order of the capabilities.
    heads.sort_by_key(|head| std::cmp::Reverse(head.at));
    layout::page(
        site,
        &frame,
        &html! {
            (heading(&title, &lead(worst, &rows)))
            (reason(worst, &rows))
            (contents())
            (summary(site, identity, &rows))
            section aria-labelledby="parts" { h2 id="parts" { "What it hands out" } (parts(&rows)) }
            section aria-labelledby="versions" { h2 id="versions" { "Versions" } (versions(data)) }
            section aria-labelledby="drift" {
                h2 id="drift" { "Drift" }
                @if heads.is_empty() { p class="note" { "Nothing of it has changed since it was first seen." } }
                @else { (drift::listed(site, heads.iter().copied().take(EVENTS), ROOT)) (layout::more(heads.len(), EVENTS)) }
            }
            section aria-labelledby="listed" {
                h2 id="listed" { "Directories that list it" }
                (relations::listed(&data.key, data.listing.as_ref(), &data.listed))
            }
        },
    )
}

/// `3 capabilities`; `no capability` where only files are left that none claims.
fn parts_of(rows: &[&CapabilitySummary]) -> String {
    match rows.iter().filter(|row| row.kind != Kind::Package).count() {
        0 => "no capability".to_owned(),
        count => counted(count as u64, "capability"),
    }
}

fn lead(worst: &CapabilitySummary, rows: &[&CapabilitySummary]) -> Markup {
    html! {
        (layout::band(worst.band)) @if let Some(mark) = worst.mark { " (" (mark) ")" } " " (term("package")) " "
        @if let Some(version) = &worst.version { (quoted(version, 60)) " " }
        "with " (parts_of(rows))
    }
}

/// The sentence behind the verdict, and whose it is.
fn reason(worst: &CapabilitySummary, rows: &[&CapabilitySummary]) -> Markup {
    html! {
        p class="reason" {
            (layout::band(worst.band)) " because: " (quoted(&worst.reason, TEXT)) ". "
            @if rows.len() > 1 { "This is the strictest verdict of what it holds, that of " (to(worst)) "." }
            @else { "The evidence: " (to(worst)) "." }
        }
    }
}

fn to(row: &CapabilitySummary) -> Markup {
    html! { a href={ (ROOT) (paths::capability(&row.id)) } { (name(row)) } }
}

/// The name of a part. What no capability claims has none of its own.
fn name(row: &CapabilitySummary) -> Markup {
    html! { @if row.kind == Kind::Package { "the other files" } @else { (quoted(&shown_name(row), NAME)) } }
}

fn contents() -> Markup {
    let parts =
        [("parts", "What it hands out"), ("versions", "Versions"), ("drift", "Drift"), ("listed", "Directories")];
    html! { nav class="contents" aria-label="On this page" { ul { @for (id, name) in parts { li { a href={ "#" (id) } { (name) } } } } } }
}

fn summary(site: &Site, identity: &str, rows: &[&CapabilitySummary]) -> Markup {
    let raised: Vec<_> = rows.iter().flat_map(|row| site.watch.alerts_of(&row.id)).collect();
    let mut bands = BandCounts::default();
    rows.iter().for_each(|row| bands.add(row.band));
    let bands = bands.to_string();
    // Bands that hold nothing say nothing of one package.
    let bands: Vec<&str> = bands.split(" · ").filter(|part| !part.starts_with("0 ")).collect();
    let found = |severity: Severity| rows.iter().map(|row| row.findings.count(severity)).sum::<u64>();
    let found: Vec<String> = Severity::ALL
        .into_iter()
        .rev()
        .filter(|severity| *severity > Severity::Info && found(*severity) > 0)
        .map(|severity| format!("{} {}", number(found(severity)), severity.as_str()))
        .collect();
    let first = rows.iter().map(|row| row.first_seen).min();
    let revised = rows.iter().map(|row| row.revised).max();
    html! {
        @if !raised.is_empty() { section aria-label="Alerts" class="alerts" { (alerts::listed(site, raised.iter().copied().take(ALERTS), ROOT)) (layout::more(raised.len(), ALERTS)) } }
        dl class="facts" {
            div { dt { (term("verdict")) "s" } dd { (bands.join(" · ")) } }
            div { dt { (term("finding")) "s" } dd { @if found.is_empty() { "none" } @else { (found.join(", ")) } } }
            @if let Some(users) = rows.iter().filter_map(|row| row.users).max() { div { dt { "users" } dd { (number(users)) } } }
            @if let Some(first) = first { div { dt { "first seen" } dd { (when(first)) } } }
            @if let Some(revised) = revised { div { dt { "this content since" } dd { (when(revised)) } } }
            div { dt { "analysed" } dd { (rows.iter().filter(|row| row.completeness == "analysed").count()) " of " (rows.len()) } }
            @if let Some(purl) = Purl::of_identity(identity, None) { div class="long" { dt { "package URL" } dd { code { (quoted(&purl.to_string(), TEXT)) } } } }
        }
    }
}

/// The capabilities, worst first.
fn parts(rows: &[&CapabilitySummary]) -> Markup {
    html! {
        (layout::wide("What it hands out", &html! {
            table {
                thead { tr { th scope="col" { (term("verdict")) } th scope="col" { (term("capability")) } th scope="col" { (term("kind")) } th scope="col" { (term("finding")) "s" } th scope="col" { "because" } } }
                tbody {
                    @for row in rows.iter().take(PARTS) {
                        tr {
                            td { (layout::band(row.band)) @if let Some(mark) = row.mark { " " (mark) } }
                            th scope="row" { (to(row)) @if !row.path.is_empty() { span class="under" { (quoted(&row.path, NAME)) } } }
                            td { (row.kind.as_str()) }
                            td { (row.findings.above_info()) }
                            td { (quoted(&row.reason, SENTENCE)) }
                        }
                    }
                }
            }
        }))
        (layout::more(rows.len(), PARTS))
    }
}

fn versions(data: &PackagePageData) -> Markup {
    html! {
        @if data.versions.is_empty() { p class="note" { "Its source gives no versions: whoever installed it gets changed content without notice." } }
        @else {
            (layout::wide("Versions", &html! {
                table class="slim" {
                    thead { tr { th scope="col" { "version" } th scope="col" { "first looked at" } } }
                    tbody { @for (version, at) in data.versions.iter().take(VERSIONS) { tr { th scope="row" { (quoted(version, 60)) } td { (when(*at)) } } } }
                }
            }))
            (layout::more(data.versions.len(), VERSIONS))
        }
    }
}
