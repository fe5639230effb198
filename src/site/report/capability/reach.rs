//! What a capability reaches: hosts with what is done there, and permissions that it declares or takes.
//!
//! As the scan kept it; nothing is read or judged here.

use std::collections::BTreeMap;

use capdex_corpus::drift::{HostDeed, PermissionKind, Reach};
use maud::{Markup, html};

use super::data::CapabilityPageData;
use crate::report::layout;
use crate::report::page_text::{NAME, counted, quoted};

/// Rows of one list; the dataset has all.
const MOST: usize = 60;

pub(super) fn section(data: &CapabilityPageData) -> Markup {
    let Some(reach) = &data.reach else {
        return html! { p class="note" { "Not recorded: it was scanned before hosts and permissions were listed." } };
    };
    html! {
        @if reach.is_empty() { p class="note" { "No host is named, and no permission is declared or taken, as far as could be read." } }
        @if !reach.hosts.is_empty() { (hosts(reach)) }
        @if !reach.permissions.is_empty() { (permissions(reach)) }
    }
}

/// Each host once, with the most that is done there and the first place of that.
fn hosts(reach: &Reach) -> Markup {
    let mut first = BTreeMap::new();
    for of in &reach.hosts {
        let known = first.entry(of.host.as_str()).or_insert((of, 0_usize));
        known.1 += 1;
        if of.does < known.0.does {
            known.0 = of;
        }
    }
    let mut hosts: Vec<_> = first.into_values().collect();
    hosts.sort_by_key(|(of, _)| (of.does, of.host.as_str()));
    let words = |does: HostDeed| match does {
        HostDeed::Sends => "sends to",
        HostDeed::Fetches => "asks",
        HostDeed::Connects => "is reached at",
        HostDeed::Named => "names",
    };
    html! {
        (layout::wide("Hosts", &html! {
            table class="slim" {
                caption { (counted(hosts.len() as u64, "host")) ", with the most that is done there" }
                thead { tr { th scope="col" { "it" } th scope="col" { "host" } th scope="col" { "place" } } }
                tbody {
                    @for (of, places) in hosts.iter().take(MOST) {
                        tr {
                            td { (words(of.does)) } th scope="row" { (quoted(&of.host, NAME)) }
                            td { (place(&of.file, of.line)) @if *places > 1 { " " span class="quiet" { "and " (places - 1) " more" } } }
                        }
                    }
                }
            }
        }))
        (layout::more(hosts.len(), MOST))
    }
}

fn permissions(reach: &Reach) -> Markup {
    let words = |kind: PermissionKind| match kind {
        PermissionKind::Tool => "tool allowed",
        PermissionKind::Variable => "variable or header wanted",
        PermissionKind::Hook => "command on an event",
        PermissionKind::InstallScript => "script at installation",
        PermissionKind::Run => "runs programs or text",
        PermissionKind::Write => "writes files",
        PermissionKind::Delete => "deletes files",
    };
    html! {
        (layout::wide("Permissions", &html! {
            table class="slim" {
                caption { (counted(reach.permissions.len() as u64, "permission")) ", declared or taken by code" }
                thead { tr { th scope="col" { "what" } th scope="col" { "which" } th scope="col" { "place" } } }
                tbody {
                    @for of in reach.permissions.iter().take(MOST) {
                        tr { td { (words(of.kind)) } th scope="row" { (quoted(&of.value, NAME)) } td { (place(&of.file, of.line)) } }
                    }
                }
            }
        }))
        (layout::more(reach.permissions.len(), MOST))
    }
}

fn place(file: &str, line: u32) -> Markup {
    html! {
        @if file.is_empty() { "declared" } @else { code { (quoted(file, NAME)) } @if line > 0 { " line " (line) } }
    }
}
