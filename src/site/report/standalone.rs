//! A page that is one file: its style stands in it, it has no script, and it asks nobody for anything.
//!
//! For reports that are handed on. What stands on it is the caller's, through the same gate as on the site.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::layout::{self, ASSETS};

pub use super::layout::{band, heading, severity, wide};
pub use super::page_text::{NAME, TEXT, counted, escaped_text, found_at, number, quoted};

/// What every page of ours names as its maker, so that it can be told from a file of the user's.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"capdex\">";

/// A whole page. The title is through the gate already.
pub fn page(title: &str, as_of: AsOf, body: &Markup) -> String {
    let [(_, style), _] = ASSETS;
    // By its digest, so that no other style counts, whoever's text gets onto the page.
    let digest = STANDARD.encode(Digest::of(style.as_bytes()).as_bytes());
    let policy = format!("default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'");
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                (PreEscaped(GENERATOR))
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) " · capdex" }
                style { (PreEscaped(style)) }
            }
            body {
                a class="skip" href="#main" { "To the content" }
                header class="top" { span class="brand" { "capdex" } }
                main id="main" tabindex="-1" { (body) }
                (layout::footer(&html! { "As of " time datetime=(as_of) { (as_of) } ". " }))
            }
        }
    };
    let mut text = markup.into_string();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_loaded_and_only_its_own_style_counts() {
        let text = page("<b>", "2026-11-21T00:00:00Z".parse().expect("an instant"), &html! { p { "a" } });
        for loading in ["src=", "<link", "<script", "url(", "@import", "http:", "https:"] {
            assert!(!text.contains(loading), "{loading}");
        }
        let style = text.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next()).expect("a style");
        let digest = STANDARD.encode(Digest::of(style.as_bytes()).as_bytes());
        assert!(
            text.contains(&format!("style-src &#39;sha256-{digest}&#39;"))
                || text.contains(&format!("style-src 'sha256-{digest}'"))
        );
        assert!(text.contains("<title>&lt;b&gt; · capdex</title>") && text.contains(GENERATOR));
    }
}
