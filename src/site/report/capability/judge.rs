//! What a language model says of a capability, beside the findings and apart from them: whose word it is stands with every line.

use capdex_model::score::Score;
use maud::{Markup, html};

use super::data::CapabilityPageData;
use crate::report::layout;
use crate::report::page_text::{NAME, TEXT, quoted, when};

/// The section; nothing where no model was ever asked.
pub(super) fn section(data: &CapabilityPageData) -> Markup {
    let Some(word) = &data.judge else { return html! {} };
    let score = word.score(data.current.capability.kind, &data.facts);
    let value = |score: &Score| score.value.map_or_else(|| "n/a".to_owned(), |value| value.to_string());
    html! {
        section aria-labelledby="judge" {
            h2 id="judge" { "What a language model adds" }
            p { code { "llm_judge_used: " (word.llm_judge_used) } " (" (quoted(&word.note(), NAME)) "). "
                @if let Some(score) = &score { code { (score.rubric.id) } " " (value(score)) " " (score.grade) ". " }
                "No finding, verdict or rank above reads it, and what it does not say clears nothing." }
            @for finding in &word.findings {
                article class="finding" {
                    h3 { (layout::severity(finding.severity)) " judge says " code { (finding.finding) } " (" (finding.code) ")" }
                    div class="under" {
                        "tool " (quoted(&finding.tool, NAME)) ", " code { (quoted(&finding.field, NAME)) }
                        @if !finding.file.is_empty() { ", " code { (quoted(&finding.file, NAME)) } @if finding.line > 0 { " line " (finding.line) } }
                    }
                    blockquote { (quoted(&finding.quote, TEXT)) }
                    @if let Some(asked) = word.asked { p class="note" { "Said by " (quoted(&word.model, NAME)) " on " (when(asked)) ", in its own words." } }
                }
            }
        }
    }
}
