//! What every night changes on pages whose own subject did not: the instant, ranks, how often a rule found something.
//!
//! None of it stands in those pages, so that a night changes the pages of what it changed and no others. The figures are scripts
//! beside the pages (a page from a file may load nothing else), and `site.js` puts them in place. Without it the page says where
//! they stand.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde::Serialize;

use super::page_text::number;
use super::paths;
use super::site::{CapabilitySummary, Site};

/// The script of the night.
pub(crate) const NIGHT: &str = "data/night.js";
/// Capabilities of one file of ranks at most, roughly.
const EACH: usize = 2_048;
/// Digits of an id by which a file of ranks names a capability: too many to make two that are alike.
const DIGITS: usize = 16;

/// The figures of a night.
#[derive(Serialize)]
struct NightFigures<'a> {
    as_of: String,
    /// Capabilities that have a rank.
    ranked: u64,
    /// Hex digits by which files of ranks are named.
    digits: usize,
    /// Capabilities in which each rule found something; a rule without any is left out.
    found: BTreeMap<&'a str, u64>,
}

/// The script of the night.
pub(super) fn script(site: &Site) -> String {
    let figures = NightFigures {
        as_of: site.as_of.to_string(),
        ranked: site.ranked,
        digits: shard_digits(site),
        found: site.figures.rules.iter().map(|(rule, (count, _))| (rule.as_str(), *count)).collect(),
    };
    let text = serde_json::to_string(&figures).expect("figures of our own are JSON");
    format!("capdexNight({text});\n")
}

/// The hex digits that share out the capabilities of a site over files of some two thousand each.
pub(crate) fn shard_digits(site: &Site) -> usize {
    let (mut digits, mut shards) = (1, 16);
    while site.rows.len() / shards > EACH {
        digits += 1;
        shards *= 16;
    }
    digits
}

/// The names of all files of ranks: every prefix of so many hex digits.
pub(crate) fn shards(site: &Site) -> impl Iterator<Item = String> {
    let digits = shard_digits(site);
    (0..1_usize << (4 * digits)).map(move |at| format!("{at:0digits$x}"))
}

/// The script with the ranks of all capabilities whose ids begin with these digits.
pub(crate) fn ranks(site: &Site, shard: &str) -> String {
    let short = |row: &CapabilitySummary| row.id.0.hex().chars().take(DIGITS).collect::<String>();
    let ranked =
        site.rows_with_prefix(shard).filter_map(|row| Some((short(row), (row.rank?, row.rank_kind?, row.trust))));
    let ranks: BTreeMap<_, _> = ranked.collect();
    let text = serde_json::to_string(&ranks).expect("numbers are JSON");
    format!("capdexRanks({text});\n")
}

/// The instant of the night, as it stands at the foot of a page. Pages about the whole corpus say it themselves, since they change
/// with it anyway.
pub(crate) fn instant(site: &Site, path: &str, root: &str) -> Markup {
    html! {
        "As of "
        @if site.is_selection || path == "index.html" { time datetime=(site.as_of) { (site.as_of) } }
        @else { span data-night="as_of" { "the night that " a href={ (root) "index.html" } { "the overview" } " names" } }
        ". "
    }
}

/// The place of a capability among all, in its list of facts.
pub(super) fn standing(site: &Site, row: &CapabilitySummary, root: &str) -> Markup {
    let (Some(rank), Some(rank_kind)) = (row.rank, row.rank_kind) else { return html! {} };
    html! {
        // A selection has no files beside it, and no next night.
        @if site.is_selection {
            div { dt { "rank" } dd { (number(rank)) " of " (number(site.ranked)) } }
            div { dt { "among its kind" } dd { (number(rank_kind)) } }
            @if let Some(trust) = row.trust { div { dt { "trust" } dd { (trust) " of 100" } } }
        } @else {
            div { dt { "rank" } dd data-night="rank" data-id=(paths::short(&row.id).chars().take(DIGITS).collect::<String>()) { a href={ (root) "directory.html" } { "in the directory" } } }
            div hidden { dt { "among its kind" } dd data-night="rank_kind" {} }
            div hidden { dt { "trust" } dd data-night="trust" {} }
        }
    }
}

/// In how many capabilities a rule found something.
pub(super) fn found(site: &Site, rule: &str) -> Markup {
    html! {
        @if site.is_selection { (number(site.figures.rules.get(rule).map_or(0, |(count, _)| *count))) }
        // The link stands, and the script puts the count of the night into it.
        @else { a data-night="found" data-rule=(rule) href={ "../" (paths::directory_of_rule(rule)) } { "those in the directory" } }
    }
}
