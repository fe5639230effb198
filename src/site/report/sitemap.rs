//! `robots.txt`, and `sitemap.xml` for a site whose address is known: every page, with the day on which it last had other content.
//!
//! Source: <https://www.sitemaps.org/protocol.html>, which allows 50,000 addresses a file. A larger site has an index, and a file
//! for each beginning of an id, so that files stay as they are where nothing is new.

use std::fmt::Write as _;

use capdex_dataset::escape::xml;
use capdex_rubrics::RUBRICS;

use super::page_text::day;
use super::{PAGED_LISTS, SINGLE, dated::DatedPart, names, night, paths, site::Site};

/// The first file.
pub(crate) const INDEX: &str = "sitemap.xml";
/// The file of what is no page of a package or capability, in a site of several files.
const LISTS: &str = "sitemap-lists.xml";
/// Addresses of one file.
const MOST: usize = 50_000;

/// The file for robots: everything may be read, and where the list of pages is.
pub(super) fn robots(site: &Site) -> String {
    let mut text = "User-agent: *\nAllow: /\n".to_owned();
    if let Some(url) = site.url_of(INDEX) {
        writeln!(text, "\nSitemap: {url}").expect("writing to a string cannot fail");
    }
    text
}

/// The paths of all files; none where the address of the site is unknown, since a sitemap holds whole addresses.
pub(crate) fn files(site: &Site) -> Vec<String> {
    if site.base_url.is_none() {
        return Vec::new();
    }
    files_of(site.rows.len() + site.packages().count() + lists(site).len(), night::shards(site))
}

/// The paths of the files for so many addresses, where packages and capabilities are shared out by these beginnings of their short names.
fn files_of(addresses: usize, shards: impl Iterator<Item = String>) -> Vec<String> {
    if addresses <= MOST {
        return vec![INDEX.to_owned()];
    }
    let shards = shards.map(|shard| format!("sitemap-{shard}.xml"));
    [INDEX.to_owned(), LISTS.to_owned()].into_iter().chain(shards).collect()
}

/// One of the files; none where there is no such.
pub(crate) fn text(site: &Site, path: &str) -> Option<String> {
    let files = files(site);
    if !files.iter().any(|file| file == path) {
        return None;
    }
    let shard = path.strip_prefix("sitemap-").and_then(|rest| rest.strip_suffix(".xml"));
    let mut entries = Vec::new();
    match shard {
        None if files.len() > 1 => {
            let parts = files
                .iter()
                .skip(1)
                .filter_map(|file| Some(format!("<sitemap><loc>{}</loc></sitemap>", xml(&site.url_of(file)?))));
            return Some(document("sitemapindex", parts.collect()));
        }
        // The lists end a file of all, and have one of their own else.
        None => entries.extend(items(site, "")),
        Some("lists") => {}
        Some(shard) => return Some(document("urlset", items(site, shard))),
    }
    entries.extend(lists(site).iter().filter_map(|path| entry(site, path, None)));
    Some(document("urlset", entries))
}

/// The pages that are no page of a package or capability.
fn lists(site: &Site) -> Vec<String> {
    let single = SINGLE.iter().filter(|path| path.ends_with(".html")).map(|path| (*path).to_owned());
    let of = |list: &'static str, parts: &[DatedPart]| parts.iter().map(|part| part.path(list)).collect::<Vec<_>>();
    let names = site.names.iter().map(|part| paths::names(&part.key));
    let rules = site.rules.all().iter().map(|meta| paths::rule(meta.id.as_str()));
    let rubrics = RUBRICS.iter().map(|rubric| paths::rubric(&rubric.meta().rubric.id));
    let paged =
        PAGED_LISTS.iter().flat_map(|(name, pages, _)| (1..=pages(site)).map(|number| paths::part(name, number)));
    let appeals = site.appeals.iter().map(|head| paths::appeal(&head.id));
    let dated = of("drift", &site.watch.drift_pages).into_iter().chain(of("alerts", &site.watch.alert_pages));
    debug_assert!(SINGLE.contains(&names::INDEX), "the list of names is one of the single pages");
    single.chain(paged).chain(names).chain(dated).chain(rules).chain(rubrics).chain(appeals).collect()
}

/// The pages of the packages and capabilities whose short names begin so.
fn items(site: &Site, shard: &str) -> Vec<String> {
    let revised = |identity: &str| site.of_package(identity).map(|row| row.revised).max().map(day);
    let packages = site
        .packages_with_prefix(shard)
        .filter_map(|identity| entry(site, &paths::package(identity), revised(identity)));
    let rows = site.rows_with_prefix(shard);
    let capabilities = rows.filter_map(|row| entry(site, &paths::capability(&row.id), Some(day(row.revised))));
    packages.chain(capabilities).collect()
}

fn entry(site: &Site, path: &str, changed: Option<String>) -> Option<String> {
    let changed = changed.map_or_else(String::new, |day| format!("<lastmod>{day}</lastmod>"));
    Some(format!("<url><loc>{}</loc>{changed}</url>", xml(&site.url_of(path)?)))
}

fn document(root: &str, entries: Vec<String>) -> String {
    let entries = entries.join("\n");
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<{root} xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}\n</{root}>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_holds_fifty_thousand_addresses_and_more_are_shared_out() {
        let files = |addresses| files_of(addresses, ["0", "1"].map(str::to_owned).into_iter());
        assert_eq!(files(50_000), ["sitemap.xml"]);
        assert_eq!(files(50_001), ["sitemap.xml", "sitemap-lists.xml", "sitemap-0.xml", "sitemap-1.xml"]);
    }
}
