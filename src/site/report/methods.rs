//! The rubrics: one page of methodology each, from the text whose digest every score carries, and the band that each grade stands for.
//!
//! Our own Markdown is written as HTML here; raw markup in it would be shown as text.

use capdex_rubrics::verdict::VERDICT;
use capdex_rubrics::{RUBRICS, RubricMeta, band_table};
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser};

use super::layout::{self, PageFrame, heading};
use super::page_text::number;
use super::paths;
use super::site::{Site, median};

/// What a rubric is among the others.
fn voice(meta: &RubricMeta) -> &'static str {
    match &*meta.rubric.id {
        VERDICT => "the verdict",
        _ if meta.rubric.is_seed() => "a published method",
        _ => "a variant of a method",
    }
}

/// All rubrics, and the bands of their grades.
pub(crate) fn page(site: &Site) -> String {
    let frame = PageFrame {
        title: "Rubrics",
        part: "rubrics.html",
        path: "rubrics.html",
        description: "How capdex's verdict and four published methods score agent capabilities, and the band that each of their grades stands for.",
    };
    let lead = html! { "What to do is capdex's own verdict. Four published methods stand beside it, computed from the same facts; none is averaged into another." };
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Rubrics", &lead))
            (layout::wide("Rubrics", &html! {
                table {
                    thead { tr { th scope="col" { "rubric" } th scope="col" { "what it is" } th scope="col" { "scale" } th scope="col" { "part" } th scope="col" class="num" { "with a value" } th scope="col" class="num" { "median" } } }
                    tbody {
                        @for (place, meta) in RUBRICS.iter().map(|rubric| rubric.meta()).enumerate() {
                            @let values = site.figures.values.get(&place);
                            tr {
                                th scope="row" { a href=(paths::rubric(&meta.rubric.id)) { (meta.rubric.id) } } td { (meta.title) }
                                td { (meta.scale.0) " to " (meta.scale.1) } td { (voice(meta)) }
                                td class="num" { (number(values.map_or(0, |values| values.values().sum()))) }
                                td class="num" { (super::directory::value(values.and_then(median))) }
                            }
                        }
                    }
                }
            }))
            section aria-labelledby="mapping" {
                h2 id="mapping" { "The bands of their grades" }
                (layout::wide("The bands of their grades", &html! {
                    table class="slim" {
                        thead { tr { th scope="col" { "method" } th scope="col" { "grade, or constraint that took hold" } th scope="col" { "band" } } }
                        tbody { @for (method, said, band) in band_table() { tr { th scope="row" { (method) } td { (said) } td { (layout::band(band)) } } } }
                    }
                }))
            }
        },
    )
}

/// The methodology of one rubric.
pub(crate) fn rubric(site: &Site, meta: &RubricMeta) -> String {
    let path = paths::rubric(&meta.rubric.id);
    let description = format!("How {} is computed from facts, to the last term: {}.", meta.rubric.id, meta.title);
    let frame = PageFrame { title: &meta.rubric.id, part: "rubrics.html", path: &path, description: &description };
    let kinds: Vec<&str> = meta.kinds.iter().map(|kind| kind.as_str()).collect();
    layout::page(
        site,
        &frame,
        &html! {
            (heading(&meta.rubric.id, &html! { (meta.title) }))
            dl class="facts" {
                div { dt { "version" } dd { (meta.rubric.version) } }
                div { dt { "scale" } dd { (meta.scale.0) " to " (meta.scale.1) } }
                div { dt { "depends on the day" } dd { @if meta.by_day { "yes: ages" } @else { "no" } } }
                div class="long" { dt { "scores" } dd { (kinds.join(", ")) } }
                div class="long" { dt { "text" } dd { code { (meta.rubric.text) } } }
                div class="long" { dt { "published" } dd { (meta.published_at) ", read " (meta.published_read) } }
                div class="long" { dt { "as read" } dd { code { "sha256:" (meta.published_sha256) } } }
            }
            div class="prose" { (markdown(meta.page)) }
        },
    )
}

/// Our Markdown as HTML, without its own title.
fn markdown(text: &str) -> Markup {
    // The frame has the title already.
    let body =
        text.trim_start().strip_prefix("# ").and_then(|rest| rest.split_once('\n')).map_or(text, |(_, body)| body);
    // Raw markup is shown as text, so that a page of a rubric cannot bring a script or a style of its own.
    let events = Parser::new_ext(body, Options::ENABLE_TABLES).map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        other => other,
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    PreEscaped(
        // The policy of the site forbids styles in elements, so alignment becomes a class.
        html.replace(" style=\"text-align: right\"", " class=\"num\"").replace(" style=\"text-align: left\"", ""),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_markdown_is_text_and_nothing_is_styled_in_place() {
        let text = "# Title\n\nA *b* <script>x</script>\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n";
        let html = markdown(text).into_string();
        assert!(!html.contains("<script"), "{html}");
        assert!(!html.contains("Title"), "{html}");
        assert!(!html.contains("style="), "{html}");
        assert!(html.contains("<em>b</em>"), "{html}");
        assert!(html.contains("<td class=\"num\">2</td>"), "{html}");
        for rubric in RUBRICS {
            assert!(!markdown(rubric.meta().page).into_string().contains("style="));
        }
    }
}
