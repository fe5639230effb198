//! The source `mcp-so`: the servers of mcp.so, by its sitemaps.
//!
//! Source: the site as described in notes of 2025 and 2026.

use capdex_model::source_role::{FilledBy, SourceRole};

use crate::http::RateLimit;
use crate::sitemaps::{self, SitemapSite};
use crate::{ListFuture, ListRequest, Source, SourceMeta, WalkKind};

/// The source.
pub const SOURCE: &dyn Source = &McpSo;

struct McpSo;

const META: SourceMeta = SourceMeta {
    id: "mcp-so",
    title: "mcp.so",
    about: "\
The site has no documented API. Its sitemap names further ones, of which those with `projects` in their names list the pages
of servers, `/server/<name>/<author>`; each is a listing, `author/name`. All of them are read, from where the last step
stopped. A page is asked for when it is new, when its `lastmod` is not the one of the last visit, and in every walk where it
has none; otherwise it is unchanged and not asked for. The page refers to the first repository of GitHub that it links to
and that is not the site's own.

`robots.txt` is asked for in every step and kept to as RFC 9309 says, with `Crawl-delay`; where it cannot be read nothing is
crawled, and a page that it forbids is listed as refused. A page that does not have name and author in it, such as a
challenge, is no page of the server.",
    endpoints: "`GET /robots.txt`, `GET /sitemap.xml` and the sitemaps that it names, `GET /server/<name>/<author>`.",
    limits: "None published. capdex asks 30 times a minute at most, one after the other, or less often where `robots.txt` \
             says so.",
    stored: "The repository that the page links to, and the `lastmod` of its sitemap.",
    terms: "Not stated; nothing of a page's text is kept.",
    base_url: Some("https://mcp.so"),
    rate_limits: &[("https://mcp.so", RateLimit { per_minute: 30, burst: 2, in_flight: 1 })],
    keys: &[],
    walk: WalkKind::Directory { is_incremental: false },
    role: SourceRole { filled_by: FilledBy::Others, ..SourceRole::UNKNOWN },
};

const SITE: SitemapSite = SitemapSite {
    sitemap: "/sitemap.xml",
    is_wanted: |path| path.contains("projects"),
    name: |path| {
        let (name, author) = path.strip_prefix("/server/")?.split_once('/')?;
        let decoded = |text: &str| {
            // The decoder is one of queries and would turn a `+` of the path into a space.
            let pairs = format!("x={}", text.replace('+', "%2B"));
            url::form_urlencoded::parse(pairs.as_bytes()).next().map(|(_, text)| text.into_owned())
        };
        let is_whole = !name.is_empty() && !author.is_empty() && !author.contains('/');
        is_whole.then(|| Some(format!("{}/{}", decoded(author)?, decoded(name)?)))?
    },
    not_its_own: &["chatmcp/mcpso", "chatmcp/mcp-directory"],
};

impl Source for McpSo {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(async move { sitemaps::step(&request, &SITE).await })
    }
}

#[cfg(test)]
mod tests {
    use super::SITE;

    #[test]
    fn a_page_is_named_by_its_author_and_name() {
        let name = |path: &str| (SITE.name)(path);
        assert_eq!(name("/server/fetch/modelcontextprotocol").as_deref(), Some("modelcontextprotocol/fetch"));
        assert_eq!(name("/server/a%20b/c+d").as_deref(), Some("c+d/a b"));
        for path in ["/", "/server/fetch", "/server//a", "/server/a/", "/server/a/b/c", "/client/a/b"] {
            assert_eq!(name(path), None, "{path}");
        }
        assert!((SITE.is_wanted)("/sitemap_projects_1.xml"));
        assert!(!(SITE.is_wanted)("/sitemap_posts.xml"));
    }
}
