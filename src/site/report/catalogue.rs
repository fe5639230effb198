//! The rule catalogue: every rule in a table, and a page for each with its examples and measured rates.
//!
//! From the data that the engine runs, as the manual is.

use capdex_model::rule::measured::Rate;
use capdex_model::rule::{Example, RuleMeta};
use maud::{Markup, html};

use super::glossary::term;
use super::layout::{self, PageFrame, heading};
use super::page_text::{TEXT, counted, escaped_text, number};
use super::site::Site;
use super::{coverage, night, paths};

/// Examples of each sort on a rule's page.
const EXAMPLES: usize = 6;
/// Lines of one example's file.
const LINES: usize = 30;

/// The table of all rules.
pub(crate) fn page(site: &Site) -> String {
    let frame = PageFrame {
        title: "Rules",
        part: "rules.html",
        path: "rules.html",
        description: "Every rule that skills, MCP servers and other agent capabilities are held against, with its severity and how often it found something.",
    };
    let metas = site.rules.all();
    let lead = html! { (counted(metas.len() as u64, "rule")) ", each with firing and silent examples that a test runs. Rule set " code { (site.rules.digest()) } "." };
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Rules", &lead))
            (layout::wide("Rules", &html! {
                table data-filter="rules" {
                    thead { tr { th scope="col" { (term("rule")) } th scope="col" data-choice="severity" { (term("severity")) } th scope="col" data-choice="confidence" { (term("confidence")) } th scope="col" { "what it finds" } th scope="col" class="num" { "found in" } } }
                    tbody {
                        @for meta in metas {
                            tr {
                                th scope="row" { a href=(paths::rule(meta.id.as_str())) { (meta.id) } }
                                td { (layout::severity(meta.severity)) } td { (meta.confidence.as_str()) } td { (meta.title) }
                                td class="num" { @match found(site, meta) { 0 => "0", found => a href=(paths::directory_of_rule(meta.id.as_str())) { (number(found)) } } }
                            }
                        }
                    }
                }
            }))
        },
    )
}

fn found(site: &Site, meta: &RuleMeta) -> u64 {
    site.figures.rules.get(meta.id.as_str()).map_or(0, |(count, _)| *count)
}

/// The page of one rule.
pub(crate) fn rule(site: &Site, meta: &RuleMeta) -> String {
    let path = paths::rule(meta.id.as_str());
    let description =
        format!("{}: {}. What it finds, why it matters, what it cannot see, and examples.", meta.id, meta.title);
    let frame = PageFrame { title: meta.id.as_str(), part: "rules.html", path: &path, description: &description };
    let kinds: Vec<&str> = meta.kinds.iter().map(|kind| kind.as_str()).collect();
    let lead = html! { (layout::severity(meta.severity)) " " (meta.title) };
    layout::page(
        site,
        &frame,
        &html! {
            (heading(meta.id.as_str(), &lead))
            dl class="facts" {
                div { dt { "confidence" } dd { (meta.confidence.as_str()) } }
                div { dt { "version" } dd { (meta.version) } }
                div { dt { "found in" } dd { (night::found(site, meta.id.as_str())) } }
                div class="long" { dt { "looks at" } dd { (kinds.join(", ")) } }
                div class="long" { dt { "cites" } dd { (coverage::cites(&meta.cites, "../")) } }
                @for (family, codes) in &meta.codes { div class="long" { dt { "in " (family) } dd { (coverage::codes_of(family, codes, "../")) } } }
            }
            h2 { "Why it matters" } p { (meta.why) }
            h2 { "What to do" } p { (meta.fix) }
            h2 { "What it cannot see" } p { (meta.cannot_see) }
            @for known in &meta.known_false_positive {
                p class="note" { "Known to be wrong: " a href={ "../" (paths::appeal(&known.appeal)) } { (known.appeal) } ". " (known.reason) }
            }
            h2 { "Measured" } (rates(site, meta)) (appealed(site, meta))
            h2 { "Examples that fire" } @for (at, example) in meta.examples.fires.iter().take(EXAMPLES).enumerate() { (shown(example, ("Firing", at + 1))) }
            h2 { "Examples that stay silent" } @for (at, example) in meta.examples.silent.iter().take(EXAMPLES).enumerate() { (shown(example, ("Silent", at + 1))) }
        },
    )
}

/// How the appeals against a rule ended that were decided here; nothing where none was.
fn appealed(site: &Site, meta: &RuleMeta) -> Markup {
    let rate = site.appealed(meta.id.as_str());
    html! {
        @if rate.of > 0 {
            p {
                "Appeals: " (number(rate.of)) " decided, " a href="../appeals.html" { (number(rate.hits)) " overturned" } " (" (rate)
                " % by Wilson's interval)."
            }
        }
    }
}

fn rates(site: &Site, meta: &RuleMeta) -> Markup {
    layout::wide(
        "Measured rates",
        &html! {
            table class="slim" {
                caption { "On labelled development sets; the rules were written with them at hand, so expect more elsewhere" }
                thead { tr { th scope="col" { "set" } th scope="col" { "benign, high or critical" } th scope="col" { "benign, any severity" } th scope="col" class="num" { "malicious" } } }
                tbody {
                    @for (name, set) in site.rules.measured() {
                        @let hits = set.rules.get(meta.id.as_str()).copied().unwrap_or_default();
                        tr {
                            th scope="row" { (name) }
                            td { (Rate { hits: hits.benign_high, of: set.benign }) " %" } td { (Rate { hits: hits.benign, of: set.benign }) " %" }
                            td class="num" { (number(hits.malicious)) " of " (number(set.malicious)) }
                        }
                    }
                }
            }
        },
    )
}

/// One example; its texts hide letters on purpose and go through the gate like those of strangers.
fn shown(example: &Example, (sort, number): (&str, usize)) -> Markup {
    html! {
        div class="example" {
            @if !example.note.is_empty() { p class="note" { (escaped_text(&example.note, TEXT)) } }
            @for (path, text) in &example.files {
                div class="under" { code { (escaped_text(path, TEXT)) } }
                div class="source" role="region" aria-label={ (sort) " example " (number) ": " (escaped_text(path, TEXT)) } tabindex="0" {
                    @for line in text.lines().take(LINES) { div class="line" { (escaped_text(line, TEXT)) } }
                    @if text.lines().count() > LINES { div class="line quiet" { "…" } }
                }
            }
            @if example.files.is_empty() { p class="note" { "About what a listing claims; no file is needed." } }
        }
    }
}
