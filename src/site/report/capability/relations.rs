//! The listings of a capability, and what resembles it.
//!
//! Nothing is joined or compared here: the passes did that.

use capdex_model::ids::ListingKey;
use capdex_model::listing::Listing;
use maud::{Markup, html};

use super::ROOT;
use super::data::RelatedListing;
use crate::report::layout;
use crate::report::page_text::{NAME, TEXT, counted, escaped_text, number, quoted};
use crate::report::site::{CapabilitySummary, Site};
use crate::report::typosquats::{copied, named};

/// Entries of one list.
const MOST: usize = 40;
/// Reasons of one of them.
const REASONS: usize = 6;

/// The claims of the listing that speaks for a package, and the listings of the same.
pub(crate) fn listed(key: &ListingKey, listing: Option<&Listing>, listed: &[RelatedListing]) -> Markup {
    html! {
        (claims(key, listing))
        (layout::wide("Listings", &html! {
            table class="slim" {
                thead { tr { th scope="col" { "source" } th scope="col" { "name there" } th scope="col" { "state" } th scope="col" { "why it is the same" } } }
                tbody {
                    @for of in listed.iter().take(MOST) {
                        tr {
                            td { (escaped_text(&of.key.source, NAME)) } th scope="row" { (quoted(&of.key.name, NAME)) }
                            td { (of.state.map_or("–", |state| state.as_str())) }
                            td { @for reason in of.reasons.iter().take(REASONS) { div { (quoted(reason, TEXT)) } } (layout::more(of.reasons.len(), REASONS)) }
                        }
                    }
                }
            }
        }))
        (layout::more(listed.len(), MOST))
    }
}

/// The claims of the listing that speaks for it: words of strangers, shown as such.
fn claims(key: &ListingKey, listing: Option<&Listing>) -> Markup {
    let Some(listing) = listing else { return html! {} };
    let claims = &listing.claims;
    let texts = [
        ("description", claims.description.known()),
        ("licence", claims.license.known()),
        ("repository", claims.repository.known()),
        ("deprecated", claims.deprecated.known()),
    ];
    html! {
        p class="note" { "What " (quoted(&key.to_string(), NAME)) " claims, unchecked:" }
        dl class="facts" {
            @for (name, text) in texts { @if let Some(text) = text { div class="long" { dt { (name) } dd { (quoted(text, TEXT)) } } } }
            @if let Some(users) = claims.popularity { div { dt { "users" } dd { (number(users)) } } }
            @if let Some(published) = claims.published.known() { div { dt { "published" } dd { (published) } } }
        }
    }
}

pub(super) fn resembling(site: &Site, row: &CapabilitySummary) -> Markup {
    let mut leads: Vec<_> = site.watch.typosquats_of(&row.listing.to_string()).collect();
    // Worst first, since the list is cut.
    leads.sort_by(|(one, _), (other, _)| one.order(other));
    let family: Vec<_> = site.watch.family_of(&row.id).collect();
    let shows_all = family.iter().any(|of| of.is_original() && of.capability == row.id);
    let campaigns: Vec<_> = site.watch.campaigns_of(&row.id).collect();
    let listing = row.listing.to_string();
    // A collision names its holder by slug or by listing, depending on what it is about.
    let collisions: Vec<_> = site.watch.collisions_of(&row.slug).chain(site.watch.collisions_of(&listing)).collect();
    html! {
        @if leads.is_empty() && family.is_empty() && campaigns.is_empty() && collisions.is_empty() { p class="note" { "Nothing that was seen." } }
        @if !leads.is_empty() {
            h3 { "Names" }
            ul class="list" {
                @for (lead, _) in leads.iter().take(MOST) {
                    li {
                        (layout::severity(lead.severity)) " " (quoted(&lead.name, NAME)) " looks like " (quoted(&lead.target, NAME))
                        div class="under" { @for (at, reason) in lead.reasons.iter().take(REASONS).enumerate() { @if at > 0 { "; " } (quoted(reason, TEXT)) } }
                        (layout::more(lead.reasons.len(), REASONS))
                    }
                }
                (layout::more_items(leads.len(), MOST))
            }
        }
        @if !collisions.is_empty() {
            h3 { "Shared names" }
            ul class="list" {
                @for (collision, _) in collisions.iter().take(MOST) {
                    li {
                        (layout::severity(collision.severity)) " " (escaped_text(&collision.of, NAME)) " " (quoted(&collision.name, NAME))
                        @if let Some(target) = &collision.target { " of " (quoted(target, NAME)) }
                        div class="under" { @for (at, reason) in collision.reasons.iter().take(REASONS).enumerate() { @if at > 0 { "; " } (quoted(reason, TEXT)) } }
                        (layout::more(collision.reasons.len(), REASONS))
                    }
                }
                (layout::more_items(collisions.len(), MOST))
            }
        }
        @if !family.is_empty() {
            h3 { "Contents" }
            ul class="list" {
                // All copies stand on the page of the original alone: in a large family each would else change the pages of all.
                @for of in family.iter().filter(|of| shows_all || of.is_original()).take(MOST) { @if of.capability == row.id { li { (quoted(&of.slug, NAME)) " " span class="quiet" { "(this one)" } } } @else { li { (copied(site, of, ROOT)) } } }
                @if shows_all { (layout::more_items(family.len(), MOST)) }
                @for of in family.iter().filter(|of| !shows_all && of.capability == row.id) { li { (copied(site, of, ROOT)) " " span class="quiet" { "(this one; other copies stand on the page of the original)" } } }
            }
        }
        @for (row, _) in campaigns.iter().take(MOST) {
            h3 { "Campaign " (layout::severity(row.campaign.severity)) }
            p { (counted(row.campaign.members.len() as u64, "item")) " ask for the same: " @for (at, shared) in row.campaign.shared.iter().take(REASONS).enumerate() { @if at > 0 { ", " } (escaped_text(&shared.what, NAME)) " " code { (quoted(&shared.value, NAME)) } } }
            (layout::more(row.campaign.shared.len(), REASONS))
            ul class="list" { @for (id, slug) in row.campaign.members.iter().zip(&row.slugs).take(MOST) { li { (named(site, id, slug, ROOT)) } } (layout::more_items(row.campaign.members.len(), MOST)) }
        }
        (layout::more(campaigns.len(), MOST))
    }
}
