//! The frame of every page: its head with the content security policy, the navigation, and the origin of the numbers.
//!
//! Pages are given as finished markup.

use capdex_dataset::program::{Program, program};
use capdex_model::fact::Severity;
use capdex_model::score::Band;
use maud::{DOCTYPE, Markup, html};

use super::page_text::number;
use super::site::Site;
use super::{glossary, night, paths};

/// The resources that a page may load: its own style, script and pictures, and nothing from anywhere else. In the pages because
/// they work from `file://`, where `'self'` means the files themselves; the service sends it as a header too. Our script fetches
/// nothing; connections to the site itself are allowed for tools that judge a page and read `robots.txt` in its name.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                                 base-uri 'none'; form-action 'none'";

/// The style and the script, as the site holds them.
pub(crate) const ASSETS: [(&str, &str); 2] =
    [("site.css", include_str!("assets/site.css")), ("site.js", include_str!("assets/site.js"))];

/// The parts of the site, in the order of the navigation: file and name.
pub(crate) const PARTS: [(&str, &str); 9] = [
    ("index.html", "Overview"),
    ("directory.html", "Directory"),
    ("drift.html", "Drift"),
    ("alerts.html", "Alerts"),
    ("appeals.html", "Appeals"),
    ("lookalikes.html", "Look-alikes"),
    ("rules.html", "Rules"),
    ("rubrics.html", "Rubrics"),
    ("coverage.html", "Coverage"),
];

/// The part of every page of a site that shows a few items alone, whose one other page is the list of them.
pub(crate) const SELECTION: &str = "selection";

/// The data of a page's frame.
pub(crate) struct PageFrame<'a> {
    /// The title; already through the gate.
    pub(crate) title: &'a str,
    /// The part of the site that it belongs to: a file of [`PARTS`], or [`SELECTION`].
    pub(crate) part: &'a str,
    /// Its path from the root of the site.
    pub(crate) path: &'a str,
    /// What it holds, in a sentence for search engines and for links in chats; already through the gate.
    pub(crate) description: &'a str,
}

impl PageFrame<'_> {
    /// The way from here to the root: ``, `../`, `../../`.
    pub(crate) fn root(&self) -> String {
        root(self.path.matches('/').count())
    }
}

/// The way to the root from a page below so many folders.
pub(crate) fn root(depth: usize) -> String {
    "../".repeat(depth)
}

/// A whole page.
pub(crate) fn page(site: &Site, frame: &PageFrame<'_>, body: &Markup) -> String {
    // Relative addresses only: the same files work from a folder and below any path of a server.
    let root = frame.root();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // A followed link would otherwise tell the other site where this one is kept.
                meta name="referrer" content="no-referrer";
                title { (frame.title) " · capdex" }
                (about(site, frame))
                link rel="stylesheet" href={ (root) "site.css" };
                link rel="icon" href={ (root) "icon.svg" } type="image/svg+xml";
                @if frame.part == "alerts.html" {
                    link rel="alternate" type="application/atom+xml" title="Alerts" href={ (root) "alerts.atom" };
                }
                @if frame.part == "appeals.html" {
                    link rel="alternate" type="application/atom+xml" title="Appeals" href={ (root) "appeals.atom" };
                }
                @if frame.part == "drift.html" {
                    link rel="alternate" type="application/atom+xml" title="Drift" href={ (root) "drift.atom" };
                }
                script src={ (root) "site.js" } defer {}
            }
            body {
                a class="skip" href="#main" { "To the content" }
                header class="top" {
                    a class="brand" href={ (root) "index.html" } { "capdex" }
                    nav aria-label="Parts of the site" {
                        ul {
                            @if frame.part == SELECTION {
                                li { a href={ (root) "index.html" } { "Items" } }
                            } @else { @for (file, name) in PARTS {
                                li {
                                    @if file == frame.part {
                                        a href={ (root) (file) } aria-current="page" { (name) }
                                    } @else {
                                        a href={ (root) (file) } { (name) }
                                    }
                                }
                            } }
                        }
                    }
                }
                main id="main" tabindex="-1" { (body) }
                (footer(&html! {
                    (night::instant(site, frame.path, &root))
                    // A selection holds its items and nothing beside them.
                    @if !site.is_selection { a href={ (root) (glossary::PATH) } { "What the words mean" } ". " }
                }))
            }
        }
    };
    let mut text = markup.into_string();
    text.push('\n');
    text
}

/// What search engines and chats show of a page. Its address is told where it is known.
fn about(site: &Site, frame: &PageFrame<'_>) -> Markup {
    html! {
        meta name="description" content=(frame.description);
        meta property="og:type" content="website";
        meta property="og:site_name" content="capdex";
        meta property="og:title" content=(frame.title);
        meta property="og:description" content=(frame.description);
        @if let Some(url) = site.url_of(frame.path) {
            meta property="og:url" content=(url);
            link rel="canonical" href=(url);
        }
    }
}

/// The end of every page: of when it is, the program by version and digest, and what the page is not.
pub(crate) fn footer(when: &Markup) -> Markup {
    let Program { engine_version, program_sha256 } = program();
    html! {
        footer {
            p {
                (when)
                "Written by capdex " (engine_version)
                @if let Some(digest) = program_sha256 { ", program " code { "sha256:" (digest) } }
                ". A static look at published bytes is a screening, not a verdict on intent; "
                "what could not be looked at is unknown, never clean."
            }
        }
    }
}

/// The picture of the tab: four bars, one for each rubric.
pub(crate) const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><rect width=\"16\" height=\"16\" rx=\"3\" fill=\"#1f2a3a\"/><path d=\"M3 12V8h2v4zM6 12V4h2v8zM9 12V6h2v6zM12 12V9h1.5v3z\" fill=\"#9ecbff\"/></svg>\n";

/// A band as a mark.
pub fn band(band: Band) -> Markup {
    html! { span class={ "mark band-" (band.as_str()) } { (band.as_str()) } }
}

/// A severity as a mark.
pub fn severity(severity: Severity) -> Markup {
    html! { span class={ "mark sev-" (severity.as_str()) } { (severity.as_str()) } }
}

/// The title, with what stands under it.
pub fn heading(title: &str, lead: &Markup) -> Markup {
    html! { div class="heading" { h1 { (title) } div class="lead" { (lead) } } }
}

/// The number of entries that a list leaves out, as its last entry.
pub(crate) fn more_items(all: usize, shown: usize) -> Markup {
    html! { @if all > shown { li class="quiet" { "… and " (number((all - shown) as u64)) " more" } } }
}

/// The same below anything else.
pub(crate) fn more(all: usize, shown: usize) -> Markup {
    html! { @if all > shown { div class="quiet" { "… and " (number((all - shown) as u64)) " more" } } }
}

/// The way through the pages of a list.
pub(crate) fn pager(name: &str, number: usize, pages: usize) -> Markup {
    // The neighbours, the ends, and no more of a list of hundreds.
    let near = |page: &usize| *page == 1 || *page == pages || page.abs_diff(number) <= 2;
    html! {
        @if pages > 1 {
            nav class="pager" aria-label="Pages" {
                @if number > 1 { a rel="prev" href=(paths::part(name, number - 1)) { "Previous" } }
                ol {
                    @for page in (1..=pages).filter(near) {
                        li {
                            @if page == number {
                                a href=(paths::part(name, page)) aria-current="page" aria-label={ "Page " (page) } { (page) }
                            } @else {
                                a href=(paths::part(name, page)) aria-label={ "Page " (page) } { (page) }
                            }
                        }
                    }
                }
                @if number < pages { a rel="next" href=(paths::part(name, number + 1)) { "Next" } }
            }
        }
    }
}

/// The way from a page to those beside it, each with its word; none where there is none.
pub(crate) fn neighbours((before, earlier): (Option<String>, &str), (after, later): (Option<String>, &str)) -> Markup {
    html! {
        @if before.is_some() || after.is_some() {
            nav class="pager" aria-label="Pages" {
                @if let Some(path) = before { a rel="prev" href=(path) { (earlier) } }
                @if let Some(path) = after { a rel="next" href=(path) { (later) } }
            }
        }
    }
}

/// The number of pages of a list of so many entries; an empty one has one.
pub(crate) fn pages_of(entries: usize, each: usize) -> usize {
    // At least one, because the first page is linked even where there is nothing to show.
    entries.div_ceil(each.max(1)).max(1)
}

/// A table that may be wider than the screen: it scrolls by itself, also by keyboard. Its name is not that of the section around it,
/// which is a region as well.
pub fn wide(label: &str, table: &Markup) -> Markup {
    html! { div class="wide" role="region" aria-label={ (label) " (table)" } tabindex="0" { (table) } }
}
