//! Scores side by side, and below each the arithmetic to its last term.
//!
//! Nothing is computed here: the arithmetic was stored with the score.

use capdex_model::rule::RuleIndex;
use capdex_model::score::{Band, Score};
use capdex_rubrics::verdict::VERDICT;
use capdex_rubrics::{RUBRICS, RubricMeta, answers, cannot_answer, find};
use maud::{Markup, html};

use super::ROOT;
use super::data::CapabilityPageData;
use crate::report::directory::value;
use crate::report::page_text::{NAME, TEXT, escaped_text, quoted};
use crate::report::{layout, paths};

/// Terms and parts of one score that are shown; the dataset has all.
const MOST: usize = 200;

pub(super) fn section(data: &CapabilityPageData) -> Markup {
    // A rubric without a score is shown as such, and not left out.
    let of = |meta: &RubricMeta| data.scores.iter().find(|score| score.rubric.id == meta.rubric.id);
    let metas = || RUBRICS.iter().map(|rubric| rubric.meta());
    html! {
        div class="cards" {
            @for meta in metas().filter(|meta| meta.rubric.is_seed()) { (card(meta, of(meta))) }
        }
        @for meta in metas() { @if let Some(score) = of(meta) { (arithmetic(meta, score, data.facts.rules())) } }
    }
}

/// One method's number, large.
fn card(meta: &RubricMeta, score: Option<&Score>) -> Markup {
    // Without a score the band is unknown, which is not the same as good.
    let band = score.and_then(|score| find(&meta.rubric.id).map(|rubric| rubric.band(score))).unwrap_or(Band::Unknown);
    // Values mean nothing without the end of their scale.
    let (_, high) = meta.scale;
    let answer = score.filter(|score| answers(score)).and_then(|score| score.value);
    html! {
        div class="card" {
            h3 { a href={ (ROOT) (paths::rubric(&meta.rubric.id)) } { (meta.rubric.id) } }
            p class="big" { (value(answer)) " " span class="quiet" { "of " (high) } }
            p {
                (layout::band(band)) " "
                @if let Some(score) = score { (escaped_text(&score.grade, NAME)) }
            }
            @match score {
                Some(score) => {
                    p class="note" { "coverage " (coverage(score)) " %" }
                    @if !score.reason.is_empty() { p class="note" { (quoted(&score.reason, TEXT)) } }
                    @if let Some(why) = cannot_answer(score) { p class="note" { "It cannot answer: " (quoted(&why, TEXT)) "." } }
                }
                None => { p class="note" { "not scored yet" } }
            }
        }
    }
}

fn coverage(score: &Score) -> String {
    (f64::from(score.coverage.as_thousandths()) / 10.0).to_string()
}

fn arithmetic(meta: &RubricMeta, score: &Score, rules: &RuleIndex) -> Markup {
    html! {
        details class="arithmetic" {
            summary {
                @if answers(score) { "How " (meta.rubric.id) " got to " strong { (value(score.value)) } }
                @else { "What " (meta.rubric.id) " could work out" }
                @if !meta.rubric.is_seed() && meta.rubric.id != VERDICT { " " span class="quiet" { "(a variant)" } }
            }
            p class="note" { "Version " (score.rubric.version) ", text " code { (score.rubric.text) } ", coverage " (coverage(score)) " %." }
            @if !score.reason.is_empty() { p { (quoted(&score.reason, TEXT)) } }
            @if !score.parts.is_empty() { (parts(score)) }
            @if !score.terms.is_empty() { (terms(score, rules)) }
            @if !score.caps.is_empty() { p { "Constraints that took hold:" } ul { @for cap in &score.caps { li { (quoted(cap, TEXT)) } } } }
        }
    }
}

fn parts(score: &Score) -> Markup {
    layout::wide(
        &format!("Parts of {}", score.rubric.id),
        &html! {
            table class="slim" {
                caption { "Parts, each on its own scale" }
                thead { tr { th scope="col" { "part" } th scope="col" class="num" { "value" } th scope="col" { "what was determined" } } }
                tbody {
                    @for part in score.parts.iter().take(MOST) {
                        tr { th scope="row" { (quoted(&part.name, NAME)) } td class="num" { (value(part.value)) } td { (quoted(&part.note, TEXT)) } }
                    }
                }
            }
        },
    )
}

fn terms(score: &Score, rules: &RuleIndex) -> Markup {
    // A term for every finding: a large package has thousands.
    let more = score.terms.len().saturating_sub(MOST);
    layout::wide(
        &format!("Arithmetic of {}", score.rubric.id),
        &html! {
            table class="slim sum" {
                caption { "The arithmetic: what the value is the sum of" }
                thead { tr { th scope="col" class="num" { "points" } th scope="col" { "what" } th scope="col" { "how" } th scope="col" { "from" } } }
                tbody {
                    @for term in score.terms.iter().take(MOST) {
                        tr {
                            td class="num" { (term.points) } th scope="row" { (quoted(&term.label, NAME)) } td { (quoted(&term.note, TEXT)) }
                            td { @for (at, rule) in term.rules.iter().enumerate() { @if at > 0 { ", " } (rule_link(rule, rules)) } }
                        }
                    }
                    @if more > 0 { tr { td {} td colspan="3" { "… and " (more) " more terms, in the dataset" } } }
                }
                tfoot { tr { td class="num" { (value(score.value)) } th scope="row" { "the value" } td {} td {} } }
            }
        },
    )
}

fn rule_link(rule: &str, rules: &RuleIndex) -> Markup {
    html! {
        // Rules of an older version have no page to link to.
        @if rules.find(rule).is_some() { a href={ (ROOT) (paths::rule(rule)) } { (rule) } } @else { (quoted(rule, NAME)) }
    }
}
