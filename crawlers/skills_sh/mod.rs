//! The source `skills-sh`: the skills of skills.sh, found by searching for every beginning of a name.
//!
//! Source: the search that the site's own command line uses, as seen in 2026.

mod prefixes;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claims, Listing, Locator};
use capdex_model::source_role::{FilledBy, Rows, SourceRole};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::prefixes::Prefixes;
use crate::http::{HttpRequest, RateLimit};
use crate::{CrawlError, ListFuture, ListPage, ListRequest, NextPage, Source, SourceMeta, WalkKind, page, references};

/// The source.
pub const SOURCE: &dyn Source = &SkillsSh { limit: 100_000 };

/// The most bytes of an answer: 100,000 skills of about 250 bytes, twice.
const MAX_PAGE_BYTES: u64 = 64 << 20;

struct SkillsSh {
    /// The number of skills that are asked for at once.
    limit: usize,
}

const META: SourceMeta = SourceMeta {
    id: "skills-sh",
    title: "skills.sh",
    about: "\
The site has no list without a login, but a search. capdex searches for every pair of letters and digits, 1,296 steps, and
takes from each answer the skills whose name begins with that pair, so that each is listed once. What a name begins with is
its first two letters or digits side by side; a name without such is taken by its owner's. Where an answer is as long as
was asked for, it may be cut, and the search goes on with one letter more, four at most. With `queries` in the schedule
only those beginnings are searched for.

A search can miss a skill: about 99 in 100 were found by such pairs in 2026-03. A skill is unchanged where the digest of id,
name and source is the one of the last visit: the search says nothing of its files, so a change of those is seen through
the repository, which is referred to.",
    endpoints: "`GET /api/search?q=<beginning>&limit=100000`; the files of a skill at \
                `GET /api/download/<owner>/<repo>/<skill>`.",
    limits: "None published. capdex asks 30 times a minute at most, one after the other.",
    stored: "Id, name and repository. Installs, which come from telemetry that anybody can send, cut to one digit.",
    terms: "Not stated for the listing; each skill is under its author's own licence.",
    base_url: Some("https://skills.sh"),
    rate_limits: &[
        ("https://skills.sh", RateLimit { per_minute: 30, burst: 3, in_flight: 1 }),
        ("https://www.skills.sh", RateLimit { per_minute: 30, burst: 3, in_flight: 1 }),
    ],
    keys: &[],
    walk: WalkKind::Directory { is_incremental: false },
    role: SourceRole {
        filled_by: FilledBy::Others,
        rows: Rows::Skills,
        ..SourceRole::UNKNOWN
    },
};

/// The place of a walk: the beginning that is searched for next, and of which list of beginnings.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SkillsShCursorState {
    place: usize,
    prefix: String,
    of: String,
}

impl Source for SkillsSh {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(self.step(request))
    }
}

impl SkillsSh {
    async fn step(&self, request: ListRequest<'_>) -> Result<ListPage, CrawlError> {
        let prefixes = Prefixes::new(&request.settings.queries);
        // A place counts in its own list of beginnings only.
        let state = page::state(request.cursor).filter(|state: &SkillsShCursorState| state.of == prefixes.digest());
        let Some((place, prefix)) = state.map(|state| (state.place, state.prefix)).or_else(|| prefixes.first()) else {
            return Ok(ListPage { listed: Vec::new(), next: NextPage::END });
        };
        let limit = self.limit.to_string();
        let query = [("q", prefix.as_str()), ("limit", limit.as_str())];
        let url = page::address(&request.settings.base_url, "/api/search", &query)?;
        let asked = HttpRequest {
            url: &url,
            accept: Some("application/json"),
            max_bytes: MAX_PAGE_BYTES,
            ..HttpRequest::default()
        };
        let mut whole = page::json(request.http, asked).await?;
        let malformed = |detail: String| CrawlError::bad_answer(&url, &detail);
        let skills = page::objects(&mut whole, "skills").map_err(malformed)?;
        // As many as were asked for may be all, or the first of more.
        let is_cut = skills.len() >= self.limit;
        if is_cut && !prefixes::is_divisible(&prefix) {
            let detail = format!("more than {} skills begin with {prefix}", self.limit);
            return Err(CrawlError::TooLarge { subject: crate::http::redact(&url), detail });
        }
        // Checked for all, also for those that another beginning takes: an answer of another form is no empty one.
        let ids: Result<Vec<_>, _> = skills.iter().map(|skill| id(skill).ok_or("a skill without an id")).collect();
        ids.map_err(|error| malformed(error.to_owned()))?;
        let own = skills.into_iter().filter(|skill| prefixes::is_of(&prefix, is_cut, &beginning(skill)));
        let base_url = &request.settings.base_url;
        let listed = page::entries(
            request.id,
            own.collect(),
            |skill| id(skill).map(str::to_owned),
            |skill, key| read(skill, key, base_url),
        );
        let next = match prefixes.after(place, &prefix, is_cut) {
            Some((place, prefix)) => {
                NextPage::More(page::cursor(&SkillsShCursorState { place, prefix, of: prefixes.digest() }))
            }
            None => NextPage::END,
        };
        Ok(ListPage { listed: listed.map_err(malformed)?, next })
    }
}

fn id(skill: &Map<String, Value>) -> Option<&str> {
    page::text(skill, "id")
}

/// The beginning of a skill's name, as far as it can be searched for.
fn beginning(skill: &Map<String, Value>) -> String {
    let of = |member: &str| page::text(skill, member).and_then(prefixes::beginning);
    of("skillId").or_else(|| of("id")).unwrap_or_default()
}

fn read(skill: &Map<String, Value>, key: &ListingKey, base_url: &str) -> Result<(Listing, Value), String> {
    // Names of skills were seen to have slashes of their own.
    let parts: Vec<&str> = key.name.splitn(3, '/').collect();
    let [owner, repository, slug] = parts.as_slice() else {
        return Err("its id is not an owner, a repository and a skill".to_owned());
    };
    let url = page::below(base_url, &["api", "download", owner, repository, slug])?;
    let locator = Locator::FileList { identity: key.to_string(), version: None, url };
    let references = references::sorted([references::of_repository(&format!("{owner}/{repository}"))]);
    let claims = Claims { popularity: skill.get("installs").and_then(Value::as_u64), ..Claims::default() };
    let listing = Listing { key: key.clone(), locators: vec![locator], claims, references };
    let kept = skill.iter().filter(|(member, _)| ["id", "skillId", "name", "source"].contains(&member.as_str()));
    Ok((listing, kept.map(|(member, value)| (member.clone(), value.clone())).collect()))
}

#[cfg(test)]
mod tests;
