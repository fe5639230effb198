//! What a model reads of a capability: tools, prompts, resources, instructions, and how much of each was read.
//!
//! Names and places alone. Texts stand beside the findings in them.

use capdex_model::surface::SurfaceRecord;
use maud::{Markup, html};

use super::data::CapabilityPageData;
use crate::report::layout;
use crate::report::page_text::{NAME, quoted};
use capdex_dataset::surface_counts::surface_counts;

/// Surfaces of one page; the dataset has all.
const MOST: usize = 200;

pub(super) fn section(data: &CapabilityPageData) -> Markup {
    let Some(inventory) = &data.surfaces else {
        return html! { p class="note" { "Not recorded: it was scanned before surfaces were listed." } };
    };
    let Some(counts) = surface_counts(inventory) else {
        return html! { p class="note" { "No tool, prompt, resource or instructions of a server." } };
    };
    html! {
        p { (counts) "." }
        (layout::wide("Surfaces", &html! {
            table class="slim" {
                thead { tr { th scope="col" { "kind" } th scope="col" { "name" } th scope="col" { "place" } th scope="col" { "description" } th scope="col" { "schema" } th scope="col" { "read to its end" } } }
                tbody { @for record in inventory.records.iter().take(MOST) { (row(record)) } }
            }
        }))
        (layout::more(inventory.records.len(), MOST))
    }
}

fn row(record: &SurfaceRecord) -> Markup {
    html! {
        tr {
            td { (record.kind.as_str()) } th scope="row" { (quoted(&record.name, NAME)) }
            td { code { (quoted(&record.file, NAME)) } @if record.line > 0 { " line " (record.line) } }
            td { (word(record.description)) } td { (word(record.schema)) } td { (word(record.complete)) }
        }
    }
}

const fn word(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}
