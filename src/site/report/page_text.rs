//! The gate of the site: nothing that strangers wrote gets onto a page except through here.
//!
//! Text is cut to a length first, then whatever hides or reorders letters is made visible ([`capdex_dataset::escape::escape`]);
//! markup is escaped by the templates. Addresses that strangers wrote are shown as text and are never links.

use maud::{Markup, html};

use capdex_dataset::escape::{self, escape, shorten};
use capdex_dataset::finding::Finding;

/// Letters of a name in a list.
pub const NAME: usize = 120;
/// Letters of a sentence or a quotation.
pub const TEXT: usize = 600;

/// Untrusted text as it may stand on a page: at most so many letters, nothing hidden.
pub fn escaped_text(text: &str, letters: usize) -> String {
    // Cut first, so that the cost does not grow with what a stranger wrote.
    escape(&shorten(text, letters)).into_owned()
}

/// The same in an element of its own, so that its direction of writing stays inside.
pub fn quoted(text: &str, letters: usize) -> Markup {
    html! { bdi { (escaped_text(text, letters)) } }
}

/// Where a finding stands, what it rests on, and the operator's word on it.
pub fn found_at(finding: &Finding<'_>) -> Markup {
    html! {
        @if !finding.file.is_empty() {
            div class="under" {
                code { (quoted(finding.file, NAME)) }
                @if finding.line > 0 { " line " (finding.line) ", column " (finding.column) }
                @if !finding.pointer.is_empty() { " " code { (quoted(finding.pointer, NAME)) } }
            }
        }
        @if !finding.evidence.is_empty() { blockquote { (quoted(finding.evidence, TEXT)) } }
        @if let Some(ruling) = finding.ruling { p class="note" { "Set aside by the operator: " (quoted(&ruling.words(), TEXT)) } }
    }
}

/// A whole number for people: `50,000`.
pub fn number(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 capability`, `50,000 capabilities`.
pub fn counted(count: u64, noun: &str) -> String {
    escape::count(count, noun).replacen(&count.to_string(), &number(count), 1)
}

/// A share in percent: whole, but never 0 or 100 where it is neither.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    match (part, whole) {
        (_, 0) => "–".to_owned(),
        (0, _) => "0 %".to_owned(),
        (part, whole) if part == whole => "100 %".to_owned(),
        (part, whole) => {
            let share = part as f64 * 100.0 / whole as f64;
            // Rounded to 0 % it would read as none.
            if share < 1.0 {
                "< 1 %".to_owned()
            } else if share > 99.0 {
                "> 99 %".to_owned()
            } else {
                format!("{share:.0} %")
            }
        }
    }
}

/// The day of an instant: `2026-11-22`.
pub(crate) fn day(at: capdex_model::time::AsOf) -> String {
    at.to_string().chars().take(10).collect()
}

/// The instant of something, as it stands in lists.
pub(crate) fn when(at: capdex_model::time::AsOf) -> Markup {
    html! { time datetime=(at) { (day(at)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_shown_and_what_is_long_is_cut() {
        assert_eq!(escaped_text("a\u{202e}b\n", 9), "a\\u{202e}b\\u{a}");
        assert_eq!(escaped_text(&"x".repeat(10_000), 5), "xxxx…");
        assert_eq!(quoted("<script>&\"'", 99).into_string(), "<bdi>&lt;script&gt;&amp;&quot;'</bdi>");
    }

    #[test]
    fn numbers_read_well() {
        let numbers = [0, 7, 999, 1_000, 50_000, 1_234_567].map(number);
        assert_eq!(numbers, ["0", "7", "999", "1,000", "50,000", "1,234,567"]);
        assert_eq!(counted(50_000, "capability"), "50,000 capabilities");
        assert_eq!(counted(1, "night"), "1 night");
        let shares = [(0, 0), (0, 9), (1, 1_000), (1, 3), (999, 1_000), (9, 9)].map(|(part, of)| percent(part, of));
        assert_eq!(shares, ["–", "0 %", "< 1 %", "33 %", "> 99 %", "100 %"]);
    }
}
