//! Plots as inline SVG, each with a title, a description and the table of its numbers beside it.
//!
//! Pure: the same numbers give the same bytes. Colours and letters come from the style sheet, by class.

use capdex_model::score::Band;
use maud::{Markup, html};

use super::page_text::{number, percent};

/// One bar.
pub(crate) struct Bar {
    /// The label of the count; ours, or through the gate.
    pub(crate) label: String,
    /// The count.
    pub(crate) count: u64,
    /// The class that colours it.
    pub(crate) class: &'static str,
    /// Where its things are listed; none where no list shows them alone.
    pub(crate) href: Option<String>,
}

/// The texts around a plot.
pub(crate) struct About<'a> {
    /// A name for the plot on its page, of letters and hyphens.
    pub(crate) id: &'a str,
    /// The title.
    pub(crate) title: &'a str,
    /// The meaning of the bars, for readers who do not see them.
    pub(crate) desc: &'a str,
    /// The head of the table's first column.
    pub(crate) of: &'a str,
}

const ROW: usize = 26;
const LABEL: usize = 90;
const LENGTH: usize = 230;
const HEIGHT: usize = 90;
const COLUMN: usize = 30;

/// Lying bars, for a few named counts.
pub(crate) fn bars(about: &About<'_>, bars: &[Bar]) -> Markup {
    // At least 1, because an empty store has nothing to scale by.
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    let (width, height) = (LABEL + LENGTH + 60, ROW * bars.len() + 4);
    let svg = html! {
        svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-labelledby={ (about.id) "-t " (about.id) "-d" } {
            title id={ (about.id) "-t" } { (about.title) }
            desc id={ (about.id) "-d" } { (about.desc) }
            @for (at, bar) in bars.iter().enumerate() {
                // Whole units, so that the same numbers give the same bytes.
                @let length = scaled(bar.count, most, LENGTH);
                text x=(LABEL - 8) y=(at * ROW + 18) class="label end" { (bar.label) }
                // No link here: what is in a picture is none for a screen reader. The table below has it.
                rect x=(LABEL) y=(at * ROW + 5) width=(length) height=(ROW - 8) rx="2" class={ "bar " (bar.class) } {}
                text x=(LABEL + length + 6) y=(at * ROW + 18) class="label" { (number(bar.count)) }
            }
        }
    };
    figure(about, bars, &svg)
}

/// Standing bars, for a distribution.
pub(crate) fn columns(about: &About<'_>, bars: &[Bar]) -> Markup {
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    let (width, height) = (COLUMN * bars.len() + 8, HEIGHT + 34);
    let svg = html! {
        svg viewBox={ "0 0 " (width) " " (height) } role="img" aria-labelledby={ (about.id) "-t " (about.id) "-d" } {
            title id={ (about.id) "-t" } { (about.title) }
            desc id={ (about.id) "-d" } { (about.desc) }
            line x1="4" x2=(width - 4) y1=(HEIGHT + 16) y2=(HEIGHT + 16) class="axis" {}
            @for (at, bar) in bars.iter().enumerate() {
                @let length = scaled(bar.count, most, HEIGHT);
                @let middle = at * COLUMN + COLUMN / 2 + 4;
                rect x=(at * COLUMN + 7) y=(HEIGHT + 16 - length) width=(COLUMN - 6) height=(length) rx="2" class={ "bar " (bar.class) } {}
                @if bar.count > 0 { text x=(middle) y=(HEIGHT + 12 - length) class="label small mid" { (short(bar.count)) } }
                text x=(middle) y=(HEIGHT + 29) class="label small mid" { (bar.label) }
            }
        }
    };
    figure(about, bars, &svg)
}

/// Verdicts one after the other: the worse, the higher. Unknown stands between watch and caution, as in the order of capabilities.
pub(crate) fn spark(id: &str, title: &str, steps: &[Band]) -> Markup {
    const STEP: usize = 12;
    const LEVEL: usize = 9;
    const ORDER: [Band; 5] = [Band::Ok, Band::Watch, Band::Unknown, Band::Caution, Band::Block];
    let level = |band: Band| ORDER.iter().position(|known| *known == band).unwrap_or(0) + 1;
    let told: Vec<&str> = steps.iter().map(|band| band.as_str()).collect();
    let (width, height) = (STEP * steps.len() + 2, LEVEL * ORDER.len() + 2);
    html! {
        figure class="plot spark" {
            figcaption { (title) }
            svg viewBox={ "0 0 " (width) " " (height) } width=(width * 2) height=(height * 2) role="img" aria-labelledby={ (id) "-t " (id) "-d" } {
                title id={ (id) "-t" } { (title) }
                desc id={ (id) "-d" } { (told.join(", ")) }
                @for (at, band) in steps.iter().enumerate() {
                    @let tall = level(*band) * LEVEL;
                    rect x=(at * STEP + 1) y=(height - 1 - tall) width=(STEP - 2) height=(tall) rx="1" class={ "bar band-" (band.as_str()) } {}
                }
            }
        }
    }
}

/// The plot with its numbers.
fn figure(about: &About<'_>, bars: &[Bar], svg: &Markup) -> Markup {
    let all: u64 = bars.iter().map(|bar| bar.count).sum();
    html! {
        figure class="plot" {
            figcaption { (about.title) }
            (svg)
            // The numbers as a table too: a plot alone tells a screen reader nothing.
            details {
                summary { "Numbers" }
                table {
                    caption class="unseen" { (about.title) }
                    thead { tr { th scope="col" { (about.of) } th scope="col" class="num" { "count" } th scope="col" class="num" { "share" } } }
                    tbody {
                        @for bar in bars {
                            tr { th scope="row" { @match &bar.href { Some(href) => { a href=(href) { (bar.label) } } None => { (bar.label) } } } td class="num" { (number(bar.count)) } td class="num" { (percent(bar.count, all)) } }
                        }
                    }
                }
            }
        }
    }
}

/// A length for a count: at least a sliver for whatever is there.
fn scaled(count: u64, most: u64, length: usize) -> usize {
    let length = length as u64;
    // In 128 bits, since the product of two large counts would not fit into 64.
    let scaled = u128::from(count) * u128::from(length) / u128::from(most.max(1));
    let scaled = u64::try_from(scaled).unwrap_or(length).min(length);
    // Two units are the least that can be seen.
    usize::try_from(if count > 0 { scaled.max(2) } else { 0 }).unwrap_or(0)
}

/// A count in little room: `950`, `1.2k`, `50k`.
fn short(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..10_000 => format!("{:.1}k", count as f64 / 1_000.0),
        10_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{:.1}M", count as f64 / 1_000_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_names_itself_and_shows_its_numbers() {
        let of = |label: &str, count| Bar {
            label: label.to_owned(),
            count,
            class: "band-ok",
            href: (label == "ok").then(|| "list.html".to_owned()),
        };
        let about = About { id: "bands", title: "Bands", desc: "How many", of: "band" };
        for plot in [bars, columns] {
            let text = plot(&about, &[of("ok", 1_500), of("block", 1)]).into_string();
            assert!(text.contains("aria-labelledby=\"bands-t bands-d\""));
            assert!(text.contains("<title id=\"bands-t\">Bands"));
            assert!(text.contains("<td class=\"num\">1,500</td>"), "{text}");
            assert!(text.contains("&gt; 99 %"), "{text}");
            assert!(text.contains("<th scope=\"row\"><a href=\"list.html\">ok</a></th>"), "{text}");
            assert!(!text.contains("style="), "the policy allows no style in attributes");
        }
    }

    #[test]
    fn whatever_is_there_is_seen() {
        assert_eq!(scaled(0, 0, 90), 0);
        assert_eq!(scaled(1, 1_000_000, 90), 2);
        assert_eq!(scaled(u64::MAX, u64::MAX, 90), 90);
        assert_eq!([999, 1_200, 50_000, 2_500_000].map(short), ["999", "1.2k", "50k", "2.5M"]);
    }
}
