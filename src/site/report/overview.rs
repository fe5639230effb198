//! The first page: how much there is, how it is spread, where the methods disagree, and what is worst now.
//!
//! Nothing is counted here: the figures are.

use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::score::Band;
use capdex_rubrics::RUBRICS;
use capdex_rubrics::verdict::VERDICT;
use maud::{Markup, html};
use serde_json::json;

use super::glossary::term;
use super::layout::{self, PageFrame, heading};
use super::page_text::{NAME, counted, number, percent, quoted, when};
use super::plots::{About, Bar, bars, columns};
use super::site::{Site, median, seeds};
use super::{alerts, drift, names, package, paths};

/// Bands in the order in which they are shown.
pub(crate) const BANDS: [Band; 5] = [Band::Ok, Band::Watch, Band::Caution, Band::Block, Band::Unknown];
/// Rules of the table of frequent findings.
const FREQUENT: usize = 15;
/// Alerts and events shown here; their own pages have all.
const NEWEST: usize = 8;

/// The page.
pub(crate) fn page(site: &Site) -> String {
    let frame = PageFrame {
        title: "Overview",
        part: "index.html",
        path: "index.html",
        description: "Which skills, MCP servers and other AI agent capabilities can be trusted: verdicts of capdex and four published scores, with every finding and its evidence, night by night.",
    };
    let lead = html! {
        (counted(site.packages().count() as u64, "package")) " with "
        (counted(site.rows.len() as u64, "capability")) ", found by "
        (counted(site.sources.len() as u64, "source")) " and scored with four published methods side by side, as of " (when(site.as_of)) "."
    };
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Overview", &lead))
            // The script puts the search there; without it the directory is a link above and below.
            div class="find" data-told=(json!({ "packages": package::list::chunks(site), "bands": BANDS.map(Band::as_str) })) {}
            (key_figures(site))
            section aria-labelledby="bands-h" {
                h2 id="bands-h" { "Verdicts" }
                p { "The " (term("band")) " is by what capdex itself found; " em { "unknown" } " says that nothing of weight was found and not everything was looked at. "
                    a href=(paths::rubric(VERDICT)) { "How it is made" } "." }
                (kinds(site))
            }
            section aria-labelledby="spread-h" {
                h2 id="spread-h" { "How each method spreads its values" }
                div class="plots" { @for (place, _) in seeds() { (spread(site, place)) } }
            }
            section aria-labelledby="differ-h" {
                h2 id="differ-h" { "Where the methods disagree" }
                div class="plots two" { (disagreement(site)) (agreement(site)) }
            }
            div class="plots two" {
                section aria-labelledby="alerts-h" {
                    h2 id="alerts-h" { "Alerts, the gravest" }
                    (alerts::short_list(site, NEWEST))
                    p { a href="alerts.html" { "All alerts" } }
                }
                section aria-labelledby="drift-h" {
                    h2 id="drift-h" { "Drift, the newest" }
                    (drift::short_list(site, NEWEST))
                    p { a href="drift.html" { "All drift" } }
                }
            }
            section aria-labelledby="found-h" {
                h2 id="found-h" { "What rules find most often" }
                (frequent(site))
            }
        },
    )
}

fn key_figures(site: &Site) -> Markup {
    let open_gaps: u64 = site.gaps.iter().map(|gap| gap.count).sum();
    // High and above, as a count of everything would hide what matters.
    let grave = site.watch.alerts.iter().filter(|raised| raised.alert.severity >= Severity::High).count();
    let figures: [(&str, u64, &str); 6] = [
        ("packages", site.packages().count() as u64, names::INDEX),
        ("capabilities", site.rows.len() as u64, "directory.html"),
        ("listings", site.totals.listings, "coverage.html"),
        ("alerts at high or critical", grave as u64, "alerts.html"),
        ("events of drift", site.watch.drift.len() as u64, "drift.html"),
        ("open gaps", open_gaps, "coverage.html"),
    ];
    html! {
        ul class="figures" {
            @for (name, count, file) in figures { li { a href=(file) { strong { (number(count)) } " " span { (name) } } } }
        }
    }
}

/// Bands as a plot, and by kind as a table.
fn kinds(site: &Site) -> Markup {
    let figures = &site.figures;
    let of = |band: Band| Bar {
        label: band.as_str().into(),
        count: figures.in_band(None, band),
        class: class_of(band),
        href: Some(format!("directory.html#band={}", band.as_str())),
    };
    let packages = site.package_bands();
    let about = About {
        id: "bands",
        title: "Capabilities by band",
        desc: "One bar for each band, with how many capabilities it holds.",
        of: "band",
    };
    // Kinds without a capability would be rows of zeros.
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| figures.of_kind(*kind) > 0).collect();
    html! {
        div class="plots two" {
            (bars(&about, &BANDS.map(of)))
            (layout::wide("Bands by kind", &html! {
                table {
                    caption { "Bands by kind; a package has the strictest band of what it holds" }
                    thead { tr { th scope="col" { "kind" } @for band in BANDS { th scope="col" class="num" { (band.as_str()) } } th scope="col" class="num" { "all" } } }
                    tbody {
                        tr {
                            th scope="row" { a href=(names::INDEX) { "whole packages" } }
                            @for band in BANDS { td class="num" { (number(packages.get(&band).copied().unwrap_or_default())) } }
                            td class="num" { (number(packages.values().sum())) }
                        }
                        @for kind in kinds {
                            tr {
                                th scope="row" { a href={ "directory.html#kind=" (kind.as_str()) } { (kind.as_str()) } }
                                @for band in BANDS {
                                    @let count = figures.in_band(Some(kind), band);
                                    td class="num" { @if count > 0 { a href={ "directory.html#kind=" (kind.as_str()) "&band=" (band.as_str()) } { (number(count)) } } @else { "0" } }
                                }
                                td class="num" { (number(figures.of_kind(kind))) }
                            }
                        }
                    }
                }
            }))
        }
    }
}

const fn class_of(band: Band) -> &'static str {
    match band {
        Band::Ok => "band-ok",
        Band::Watch => "band-watch",
        Band::Caution => "band-caution",
        Band::Block => "band-block",
        Band::Unknown => "band-unknown",
    }
}

/// The distribution of one rubric's values.
fn spread(site: &Site, place: usize) -> Markup {
    let Some(meta) = RUBRICS.get(place).map(|rubric| rubric.meta()) else { return html! {} };
    let counts = site.figures.spread.get(&place).copied().unwrap_or_default();
    let (low, high) = meta.scale;
    let bars: Vec<Bar> = (0_i64..)
        // Labels are the lower ends of the tenths.
        .zip(counts)
        .map(|(step, count)| Bar {
            label: (low + (high - low) * step / 10).to_string(),
            count,
            class: "plain",
            href: None,
        })
        .collect();
    let valued: u64 = counts.iter().sum();
    let middle = site.figures.values.get(&place).and_then(median);
    let id = meta.rubric.id.replace('/', "-");
    let title = format!("{}, {low} to {high}", meta.rubric.id);
    let desc = format!(
        "Ten columns from {low} to {high}, each with how many capabilities have a value in that tenth of the scale."
    );
    html! {
        div {
            (columns(&About { id: &id, title: &title, desc: &desc, of: "from" }, &bars))
            p class="note" {
                a href=(paths::rubric(&meta.rubric.id)) { "The method" } ". "
                @if let Some(middle) = middle { "Median " (middle) "; " }
                (number(valued)) " with a value, " (number(site.rows.len() as u64 - valued.min(site.rows.len() as u64))) " without."
            }
        }
    }
}

fn disagreement(site: &Site) -> Markup {
    let label = |share: Option<u16>| match share {
        None => "one method".to_owned(),
        Some(0) => "none".to_owned(),
        Some(share) => format!("{:.2}", f64::from(share) / 1000.0),
    };
    let mut shares: Vec<(Option<u16>, u64)> =
        site.figures.disagreement.iter().map(|(share, count)| (*share, *count)).collect();
    // The ones about which fewer than two methods say anything come last.
    shares.sort_by_key(|(share, _)| (share.is_none(), *share));
    let bars_of: Vec<Bar> = shares
        .into_iter()
        .map(|(share, count)| Bar {
            label: label(share),
            count,
            class: "plain",
            href: Some("directory.html#sort=differ".to_owned()),
        })
        .collect();
    bars(
        &About {
            id: "disagreement",
            title: "Disagreement: strictest band less mildest, by thirds",
            desc: "One bar for each degree of disagreement between the four methods, from none to 1.00, where one method says ok and another block.",
            of: "disagreement",
        },
        &bars_of,
    )
}

/// The share of equal bands for each two methods.
fn agreement(site: &Site) -> Markup {
    let names: Vec<(usize, &str)> =
        seeds().map(|(place, rubric)| (place, rubric.meta().rubric.id.split('/').next().unwrap_or_default())).collect();
    let share = |one: usize, other: usize| {
        // Pairs are kept once, with the smaller place first.
        let (both, same) = site.figures.pairs.get(&(one.min(other), one.max(other))).copied().unwrap_or_default();
        (both, percent(same, both))
    };
    layout::wide(
        "How often two methods agree",
        &html! {
            table {
                caption { "Share of capabilities for which two methods give the same band, of those that both give one" }
                thead { tr { th scope="col" { "method" } @for (_, name) in &names { th scope="col" class="num" { (name) } } } }
                tbody {
                    @for (one, name) in &names {
                        tr {
                            th scope="row" { (name) }
                            @for (other, _) in &names {
                                @let (both, share) = share(*one, *other);
                                @if one == other { td class="num quiet" { "·" } } @else { td class="num" { (share) " " span class="quiet" { "of " (number(both)) } } }
                            }
                        }
                    }
                }
            }
        },
    )
}

fn frequent(site: &Site) -> Markup {
    let mut rules: Vec<_> = site.figures.rules.iter().filter(|(_, (_, severity))| *severity > Severity::Info).collect();
    // The id decides between equals, so that the same store gives the same page.
    rules.sort_by_key(|(rule, (count, _))| (std::cmp::Reverse(*count), (*rule).clone()));
    let all = site.rows.len() as u64;
    layout::wide(
        "What rules find most often",
        &html! {
            table {
                thead { tr { th scope="col" { "rule" } th scope="col" { "worst" } th scope="col" { "what it finds" } th scope="col" class="num" { "capabilities" } th scope="col" class="num" { "share" } } }
                tbody {
                    @for (rule, (count, severity)) in rules.into_iter().take(FREQUENT) {
                        tr {
                            @match site.rules.find(rule) {
                                Some(meta) => { th scope="row" { a href=(paths::rule(rule)) { (rule) } } td { (layout::severity(*severity)) } td { (meta.title) } }
                                None => { th scope="row" { (quoted(rule, NAME)) } td { (layout::severity(*severity)) } td { "a rule of another version of capdex" } }
                            }
                            td class="num" { (number(*count)) } td class="num" { (percent(*count, all)) }
                        }
                    }
                }
            }
        },
    )
}
