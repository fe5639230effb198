//! The source `skillsmp`: what SkillsMP finds for the queries of the schedule.
//!
//! Source: the API's own page as seen in 2026.

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing};
use capdex_model::source_role::{FilledBy, Rows, SourceRole};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::{HttpRequest, RateLimit};
use crate::{
    CrawlError, KeyMeta, ListFuture, ListPage, ListRequest, NextPage, Source, SourceMeta, WalkKind, claims, page,
    references,
};

/// The source.
pub const SOURCE: &dyn Source = &SkillsMp;

/// The most bytes of a page.
const MAX_PAGE_BYTES: u64 = 8 << 20;

struct SkillsMp;

const META: SourceMeta = SourceMeta {
    id: "skillsmp",
    title: "SkillsMP",
    about: "\
The site lists more than a million skills of GitHub and gives no list of them through its API, so that capdex asks for the
`queries` of the schedule and nothing else, each page by page to its end. Each skill found is a listing under the site's
`id`, with a reference to its repository, where its files are read; one that two queries find is listed by each. What is no
longer found is not gone: it may only rank lower.

A skill is unchanged where the digest of its entry without `stars` and `updatedAt` is the one of the last visit.",
    endpoints: "`GET /api/v1/skills/search?q=<query>&page=<number>&limit=100&sortBy=recent`.",
    limits: "About 50 requests a day without a key and 500 with one, 10 to 30 a minute (seen in 2026). capdex asks 10 times a \
             minute at most; how many queries a night are worth it is the schedule's choice.",
    stored: "Description and repository. No stars: they are those of the whole repository, shared by all skills in it.",
    terms: "Not stated; each skill is under its author's own licence.",
    base_url: Some("https://skillsmp.com"),
    rate_limits: &[("https://skillsmp.com", RateLimit { per_minute: 10, burst: 2, in_flight: 1 })],
    keys: &[KeyMeta {
        variable: "CAPDEX_SKILLSMP_KEY",
        header: "authorization",
        prefix: "Bearer ",
        is_required: false,
    }],
    walk: WalkKind::Names,
    role: SourceRole {
        filled_by: FilledBy::Others,
        rows: Rows::Skills,
        ..SourceRole::UNKNOWN
    },
};

/// The place of a walk: the query, its page, and of which list of queries.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SkillsmpCursorState {
    query: usize,
    page: u64,
    of: String,
}

impl Source for SkillsMp {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(step(request))
    }
}

async fn step(request: ListRequest<'_>) -> Result<ListPage, CrawlError> {
    let queries = &request.settings.queries;
    let of = Digest::of_fields(queries.iter().map(String::as_bytes)).hex();
    let state = page::state(request.cursor).filter(|state: &SkillsmpCursorState| state.of == of);
    let state = state.unwrap_or(SkillsmpCursorState { query: 0, page: 1, of });
    let Some(query) = queries.get(state.query) else { return Ok(ListPage { listed: Vec::new(), next: NextPage::END }) };
    let number = state.page.to_string();
    let params = [("q", query.as_str()), ("page", number.as_str()), ("limit", "100"), ("sortBy", "recent")];
    let url = page::address(&request.settings.base_url, "/api/v1/skills/search", &params)?;
    let asked = HttpRequest {
        url: &url,
        accept: Some("application/json"),
        max_bytes: MAX_PAGE_BYTES,
        ..HttpRequest::default()
    };
    let mut whole = page::json(request.http, asked).await?;
    let malformed = |detail: String| CrawlError::bad_answer(&url, &detail);
    let is_success = whole.get("success") == Some(&Value::Bool(true));
    let data = whole.get_mut("data").filter(|_| is_success);
    let data = data.ok_or_else(|| malformed("it does not say that it succeeded, with data".to_owned()))?;
    let skills = page::objects(data, "skills").map_err(malformed)?;
    let pagination = data.get("pagination");
    let said = |member: &str| pagination.and_then(|of| of.get(member));
    // A server that ignores the number would give the first page without end.
    if said("page").and_then(Value::as_u64) != Some(state.page) {
        return Err(malformed(format!("page {number} was asked for and another came")));
    }
    let has_next = said("hasNext").and_then(Value::as_bool);
    let has_next = has_next.ok_or_else(|| malformed("it does not say whether there is more".to_owned()))?;
    if has_next && skills.is_empty() {
        return Err(malformed("a page without skills that leads on".to_owned()));
    }
    let name = |skill: &Map<String, Value>| page::text(skill, "id").map(str::to_owned);
    let listed = page::entries(request.id, skills, name, read).map_err(malformed)?;
    Ok(ListPage { listed, next: after(state, has_next, queries.len()) })
}

fn after(state: SkillsmpCursorState, has_next: bool, queries: usize) -> NextPage {
    let next = match has_next {
        true => SkillsmpCursorState { page: state.page.saturating_add(1), ..state },
        false => SkillsmpCursorState { query: state.query.saturating_add(1), page: 1, ..state },
    };
    if next.query < queries { NextPage::More(page::cursor(&next)) } else { NextPage::END }
}

fn read(skill: &Map<String, Value>, key: &ListingKey) -> Result<(Listing, Value), String> {
    let claims = Claims {
        description: claims::text(skill.get("description"), &Claim::Unknown),
        repository: claims::text(skill.get("githubUrl"), &Claim::Unknown),
        ..Claims::default()
    };
    let references = references::sorted([references::repository(&claims.repository)]);
    let listing = Listing { key: key.clone(), locators: Vec::new(), claims, references };
    Ok((listing, Value::Object(page::without(skill, &["stars", "updatedAt"]))))
}

#[cfg(test)]
mod tests;
