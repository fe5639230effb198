//! A site of a few items alone, to be handed on: a list of them, their pages, and nothing else.
//!
//! A page is the same as in the whole site, but for links to pages that are not there, which become text.

use std::collections::BTreeSet;

use capdex_model::ids::CapabilityId;
use maud::html;

use super::directory::shown_name;
use super::layout::{self, PageFrame, SELECTION, heading};
use super::page_text::{NAME, TEXT, counted, quoted};
use super::paths;
use super::site::{CapabilitySummary, Site};

/// The files that are there beside the pages of the items.
pub(super) const BESIDE: [&str; 4] = ["index.html", "icon.svg", "site.css", "site.js"];

/// The rows of some items, in the order of the site.
pub(super) fn rows(site: &Site, only: &BTreeSet<CapabilityId>) -> Vec<CapabilitySummary> {
    site.rows.iter().filter(|row| only.contains(&row.id)).cloned().collect()
}

/// The paths of everything that is written about them.
pub(super) fn written(rows: &[CapabilitySummary]) -> BTreeSet<String> {
    let pages = rows.iter().map(|row| paths::capability(&row.id));
    BESIDE.iter().map(|path| (*path).to_owned()).chain(pages).collect()
}

/// The list of them.
pub(super) fn index(site: &Site, rows: &[CapabilitySummary]) -> String {
    let frame = PageFrame {
        title: "Items",
        part: SELECTION,
        path: "index.html",
        description: "Verdicts and findings about a few agent capabilities.",
    };
    let lead = html! { (counted(rows.len() as u64, "capability")) ", taken out of a larger store to be shown alone." };
    layout::page(
        site,
        &frame,
        &html! {
            (heading("Items", &lead))
            ul class="list" {
                @for row in rows {
                    li {
                        (layout::band(row.band)) " " (row.kind.as_str()) " "
                        a href=(paths::capability(&row.id)) { (quoted(&shown_name(row), NAME)) }
                        " in " (quoted(&row.package, NAME))
                        div class="under" { (quoted(&row.reason, TEXT)) }
                    }
                }
            }
        },
    )
}

/// A page of ours without its links to pages that are not among those `written`; their words stay.
pub(super) fn unlinked(page: &str, depth: usize, written: &BTreeSet<String>) -> String {
    let root = layout::root(depth);
    let mut text = String::with_capacity(page.len());
    let (mut rest, mut is_dropped) = (page, false);
    // Templates escape the letters of markup in all that they are given, so that each tag here is one of ours.
    while let Some((before, after)) = rest.split_once('<') {
        let (tag, behind) = after.split_once('>').unwrap_or((after, ""));
        text.push_str(before);
        rest = behind;
        // Links hold no other link.
        match tag {
            "/a" if is_dropped => is_dropped = false,
            _ if tag.starts_with("a ") && !leads_somewhere(tag, &root, written) => is_dropped = true,
            _ => {
                text.push('<');
                text.push_str(tag);
                text.push('>');
            }
        }
    }
    text.push_str(rest);
    text
}

/// True for a link inside its page, or to one that is written.
fn leads_somewhere(tag: &str, root: &str, written: &BTreeSet<String>) -> bool {
    let href = tag.split_once("href=\"").and_then(|(_, rest)| rest.split_once('"')).map_or("", |(href, _)| href);
    let path = href.split('#').next().unwrap_or_default();
    href.starts_with('#') || path.strip_prefix(root).is_some_and(|path| written.contains(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_what_is_not_there_become_text() {
        let written: BTreeSet<String> = ["index.html", "c/ab/ab.html"].map(str::to_owned).into();
        let page = "<p><a class=\"x\" href=\"../../rule/a.html\">a <b>rule</b></a> <a href=\"#top\">up</a> \
                    <a href=\"../../index.html#x\">all</a> &lt;a <a href=\"../../c/cd/cd.html\">gone</a> 1 &gt; 0</p>\n";
        assert_eq!(
            unlinked(page, 2, &written),
            "<p>a <b>rule</b> <a href=\"#top\">up</a> <a href=\"../../index.html#x\">all</a> &lt;a gone 1 &gt; 0</p>\n"
        );
    }
}
