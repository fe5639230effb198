//! Names and contents that resemble others: candidates, shared names, families of copies, campaigns.
//!
//! Candidates are candidates: nothing here is a verdict, and the page says so.

use capdex_model::fact::Severity;
use maud::{Markup, html};

use super::layout::{self, PageFrame, heading};
use super::page_text::when;
use super::page_text::{NAME, TEXT, counted, escaped_text, quoted};
use super::paths;
use super::site::{Copied, Site};

/// Entries of one table; the dataset has all.
const MOST: usize = 400;
/// Copies of one family.
const COPIES: usize = 12;
/// Marks and members of one campaign.
const SHARED: usize = 8;

/// The page.
pub(crate) fn page(site: &Site) -> String {
    let frame = PageFrame {
        title: "Look-alikes",
        part: "lookalikes.html",
        path: "lookalikes.html",
        description: "Names that look like established ones, names that unlike things share, copies with changes, and campaigns over many packages.",
    };
    let lead = html! { "Names that are almost the name of something established, names that unlike things share, texts that are one text with changes. Leads, never verdicts: a name alone is low at most." };
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Look-alikes", &lead))
            section aria-labelledby="leads-h" { h2 id="leads-h" { "Names almost like others" } (typosquat_table(site)) }
            section aria-labelledby="collisions-h" { h2 id="collisions-h" { "Names that unlike things share" } (collisions(site)) }
            section aria-labelledby="families-h" { h2 id="families-h" { "Families of near-equal content" } (families(site)) }
            section aria-labelledby="campaigns-h" { h2 id="campaigns-h" { "Campaigns" } (campaigns(site)) }
        },
    )
}

/// That a table was cut.
fn beyond(all: usize) -> Markup {
    html! { @if all > MOST { p class="note" { "… and " (all - MOST) " more, in the dataset." } } }
}

fn typosquat_table(site: &Site) -> Markup {
    let leads = &site.watch.typosquats;
    html! {
        @if leads.is_empty() { p class="note" { "None." } } @else {
            (layout::wide("Look-alikes", &html! {
                table {
                    thead { tr { th scope="col" { "severity" } th scope="col" { "name" } th scope="col" { "looks like" } th scope="col" { "kind" } th scope="col" class="num" { "edits" } th scope="col" { "what is known" } } }
                    tbody {
                        @for (lead, _) in leads.iter().take(MOST) {
                            tr {
                                td { (layout::severity(lead.severity)) }
                                th scope="row" { (quoted(&lead.name, NAME)) @if let Some(listing) = &lead.listing { span class="under" { (quoted(listing, NAME)) } } }
                                td { (quoted(&lead.target, NAME)) @if let Some(listing) = &lead.target_listing { span class="under" { (quoted(listing, NAME)) } } }
                                td { (lead.kind.as_str()) }
                                td class="num" { (lead.distance) }
                                td { @for reason in lead.reasons.iter().take(SHARED) { div { (quoted(reason, TEXT)) } } (layout::more(lead.reasons.len(), SHARED)) }
                            }
                        }
                    }
                }
            }))
            (beyond(leads.len()))
        }
    }
}

fn collisions(site: &Site) -> Markup {
    let collisions = &site.watch.collisions;
    html! {
        @if collisions.is_empty() { p class="note" { "No suspicious name is shared." } } @else {
            (layout::wide("Shared names", &html! {
                table {
                    thead { tr { th scope="col" { "severity" } th scope="col" { "name" } th scope="col" { "of" } th scope="col" { "class" } th scope="col" { "holder" } th scope="col" { "established" } th scope="col" { "why" } } }
                    tbody {
                        @for (collision, _) in collisions.iter().take(MOST) {
                            tr {
                                td { (layout::severity(collision.severity)) }
                                th scope="row" { (quoted(&collision.name, NAME)) }
                                td { (escaped_text(&collision.of, NAME)) } td { (collision.class.as_str()) }
                                td { (quoted(collision.holder.as_deref().unwrap_or("–"), NAME)) }
                                td { (quoted(collision.target.as_deref().unwrap_or("–"), NAME)) }
                                td { @for reason in collision.reasons.iter().take(SHARED) { div { (quoted(reason, TEXT)) } } (layout::more(collision.reasons.len(), SHARED)) }
                            }
                        }
                    }
                }
            }))
            (beyond(collisions.len()))
        }
    }
}

fn families(site: &Site) -> Markup {
    let copies = &site.watch.copies;
    let families: Vec<&[Copied]> = copies.chunk_by(|one, other| one.original == other.original).collect();
    let all = families.len();
    html! {
        @if families.is_empty() { p class="note" { "No two things of different origin have nearly the same content." } }
        @for family in families.into_iter().take(MOST) {
            @let head = family.first();
            // A few families can stand open; among many the summaries are what a reader needs.
            details open[all <= 3] {
                summary {
                    @if let Some(head) = head { (quoted(&head.original_slug, NAME)) ", " (counted(family.iter().filter(|of| !of.is_original()).count() as u64, "copy")) }
                    @if let Some(worst) = family.iter().filter_map(|of| of.severity).max() { " " (layout::severity(worst)) }
                }
                ul class="list" {
                    @for of in family.iter().take(COPIES) { li { (copied(site, of, "")) } }
                    (layout::more_items(family.len(), COPIES))
                }
            }
        }
        (beyond(all))
    }
}

/// One member of a family in a line, on a page so far from the root.
pub(crate) fn copied(site: &Site, of: &Copied, root: &str) -> Markup {
    html! {
        @if let Some(severity) = of.severity { (layout::severity(severity)) " " }
        (named(site, &of.capability, &of.slug, root))
        span class="quiet" {
            @if of.is_original() { " the original" } @else {
                " " (format!("{:.1}", f64::from(of.likeness) / 10.0)) " % alike, "
                @if of.same_publisher { "same publisher" } @else { "another publisher" }
                ", order: " (of.basis)
            }
        }
    }
}

/// A capability by its name, linked where it stands.
pub(crate) fn named(site: &Site, id: &capdex_model::ids::CapabilityId, slug: &str, root: &str) -> Markup {
    html! {
        @if site.row(id).is_some() { a href={ (root) (paths::capability(id)) } { (quoted(slug, NAME)) } } @else { (quoted(slug, NAME)) }
    }
}

fn campaigns(site: &Site) -> Markup {
    let campaigns = &site.watch.campaigns;
    html! {
        @if campaigns.is_empty() { p class="note" { "No items ask for the same thing without a reason to." } }
        @for (row, at) in campaigns.iter().take(MOST) {
            article class="event" {
                h3 { (layout::severity(row.campaign.severity.max(Severity::Info))) " " (counted(row.campaign.members.len() as u64, "item")) " of " (counted(row.campaign.publishers, "publisher")) }
                p class="note" { (when(*at)) @for reason in row.campaign.reasons.iter().take(SHARED) { " · " (quoted(reason, TEXT)) } }
                ul class="list" {
                    @for shared in row.campaign.shared.iter().take(SHARED) { li { (escaped_text(&shared.what, NAME)) " " code { (quoted(&shared.value, NAME)) } ": " (quoted(&shared.quote, TEXT)) } }
                    (layout::more_items(row.campaign.shared.len(), SHARED))
                }
                details {
                    summary { "Items" }
                    ul class="list" {
                        @for (id, slug) in row.campaign.members.iter().zip(&row.slugs).take(MOST) { li { (named(site, id, slug, "")) } }
                        (layout::more_items(row.campaign.members.len(), MOST))
                    }
                }
            }
        }
        (beyond(campaigns.len()))
    }
}
