//! The pages of the site by their paths, as the files of a written site lie.
//!
//! Paths are compared with what there is and never lead to a file: nothing can be climbed out of.

use capdex_db::Reader;

use super::query::decoded;
use super::reply::{ATOM, CSS, HTML, PLAIN, RouteReply, SCRIPT, SVG, XML};
use crate::report::{self, capability, directory, names, night, package, paths, site::Site, sitemap};

/// The page at a path, without its leading slash.
pub(super) fn page(site: &Site, reader: &Reader, path: &str) -> anyhow::Result<RouteReply> {
    let path = if path.is_empty() { "index.html" } else { path };
    let html = |text: Option<String>| text.map_or_else(nothing, |text| RouteReply::text(HTML, text));
    if path == "drift.atom" {
        return Ok(RouteReply::text(ATOM, report::drift_feed(site, reader)?));
    }
    if let Some(text) = report::single(site, path) {
        return Ok(RouteReply::text(media_of(path), text));
    }
    if let Some(key) = inside(path, "names/", ".html") {
        return Ok(html(names::page(site, key)));
    }
    if let Some(shard) = inside(path, "data/ranks-", ".js") {
        let is_there = night::shards(site).any(|known| known == shard);
        return Ok(if is_there { RouteReply::text(SCRIPT, night::ranks(site, shard)) } else { nothing() });
    }
    if let Some(rule) = inside(path, "data/found-", ".js") {
        return Ok(directory::found(site, rule).map_or_else(nothing, |text| RouteReply::text(SCRIPT, text)));
    }
    if let Some(text) = sitemap::text(site, path) {
        return Ok(RouteReply::text(XML, text));
    }
    if let Some(page) = report::of_night(site, path) {
        return Ok(html(Some(page)));
    }
    if let Some(id) = inside(path, "rule/", ".html") {
        return Ok(html(report::rule(site, id)));
    }
    if let Some(name) = inside(path, "rubric/", ".html") {
        return Ok(html(report::rubric(site, name)));
    }
    if let Some(id) = inside(path, "appeal/", ".html") {
        let page = id.parse().ok().map(|id| report::appeals::of_appeal(site, reader, &id)).transpose()?;
        return Ok(html(page.flatten()));
    }
    // Only numbers as the site writes them, so that one page has one address and one place in the cache.
    if let Some(number) = inside(path, "data/rows-", ".js").and_then(number_of) {
        let is_there = number < directory::chunks(site);
        return Ok(if is_there { RouteReply::text(SCRIPT, directory::rows(site, number)) } else { nothing() });
    }
    if let Some(number) = inside(path, "data/packages-", ".js").and_then(number_of) {
        let is_there = number < package::list::chunks(site);
        return Ok(if is_there { RouteReply::text(SCRIPT, package::list::rows(site, number)) } else { nothing() });
    }
    if let Some(short) = inside(path, "p/", ".html").and_then(|rest| rest.split_once('/')) {
        return of_package(site, reader, path, short.1);
    }
    if let Some(id) = inside(path, "c/", ".html").and_then(|rest| rest.split_once('/')) {
        // The folder of two digits is checked against the id below.
        return of_capability(site, reader, path, id.1);
    }
    if let Some(slug) = inside(path, "items/", "") {
        return Ok(of_slug(site, slug));
    }
    let stem = path.strip_suffix(".html").unwrap_or_default();
    for (name, pages, page) in report::PAGED_LISTS {
        let number = match stem.strip_prefix(name) {
            Some("") => Some(1),
            // The first page has the bare name; `-1` would be a second address of it.
            Some(rest) => rest.strip_prefix('-').and_then(number_of).filter(|number| *number > 1),
            None => None,
        };
        if let Some(number) = number.filter(|number| *number <= pages(site)) {
            return Ok(html(Some(page(site, number))));
        }
    }
    Ok(nothing())
}

fn of_capability(site: &Site, reader: &Reader, path: &str, short: &str) -> anyhow::Result<RouteReply> {
    let is_id = short.len() == paths::ID_DIGITS && short.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let row = if is_id { site.rows_with_prefix(short).next() } else { None };
    // The whole path must be the page's own, or the folder could be anything.
    let Some(row) = row.filter(|row| paths::capability(&row.id) == path) else { return Ok(nothing()) };
    let data = capability::read(reader, site, row)?;
    Ok(data.map_or_else(nothing, |data| RouteReply::text(HTML, capability::page(site, row, &data))))
}

fn of_package(site: &Site, reader: &Reader, path: &str, short: &str) -> anyhow::Result<RouteReply> {
    // As for capabilities, the whole path must be the page's own.
    let identity = site.package_of_page(short).filter(|identity| paths::package(identity) == path);
    let Some(identity) = identity else { return Ok(nothing()) };
    let data = package::read(reader, site, identity)?;
    Ok(data.map_or_else(nothing, |data| RouteReply::text(HTML, package::page(site, identity, &data))))
}

/// The report of a capability by its slug, as SaferSkills addresses it. It leads to the page, which has one address.
fn of_slug(site: &Site, slug: &str) -> RouteReply {
    let slug = decoded(slug).unwrap_or_default();
    let mut rows = site.rows.iter().filter(|row| row.slug == slug);
    match (rows.next(), rows.next()) {
        // Told from here and not from the root, which a proxy may have put elsewhere.
        (Some(row), None) => RouteReply::Elsewhere(format!("../{}", paths::capability(&row.id))),
        _ => nothing(),
    }
}

fn nothing() -> RouteReply {
    RouteReply::Missing("there is no such page".to_owned())
}

fn inside<'a>(path: &'a str, before: &str, after: &str) -> Option<&'a str> {
    path.strip_prefix(before)?.strip_suffix(after)
}

/// A number as we write them: no sign, no leading zero.
fn number_of(text: &str) -> Option<usize> {
    text.parse().ok().filter(|number: &usize| number.to_string() == text)
}

fn media_of(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("css") => CSS,
        Some("js") => SCRIPT,
        Some("svg") => SVG,
        Some("atom") => ATOM,
        Some("txt") => PLAIN,
        _ => HTML,
    }
}
