//! The source `github`: repositories that other directories refer to, that the operator lists, and that searches find.
//!
//! Sources: GitHub REST API documentation, "Repositories", "Search", "Rate limits", "Best practices"; exchanges
//! recorded by octokit.

mod cursor_state;
mod interface;
mod overview;
mod page;
mod queries;
mod repository;
mod sender;
mod shard;
mod signals;
mod steps;
#[cfg(test)]
mod tests;
mod visit;

use capdex_model::source_role::{Ecosystem, NameProof, SourceRole, Speaker};

use crate::collect::Collector;
use crate::http::RateLimit;
use crate::{KeyMeta, ListFuture, ListRequest, Source, SourceMeta, WalkKind};

/// The source.
pub const SOURCE: &dyn Source = &GitHub;

struct GitHub;

const META: SourceMeta = SourceMeta {
    id: "github",
    title: "GitHub repositories",
    about: "\
Visits the repositories that other directories refer to and those of the watchlist, by name; then what the `queries` of
the schedule find:

- a search for repositories in GitHub's own words (`topic:mcp-server`). A search gives a thousand results at most: one
  that has more, or that GitHub did not finish, is split by stars and then by the date of creation until each part fits;
- a search of code, which is one with `filename:`, `path:` or `extension:` (`filename:SKILL.md`), split by file size. It
  needs a token;
- `org:NAME` or `user:NAME` alone: all public repositories of an owner;
- `ids:FROM..TO`: all public repositories with these numbers.

An unchanged repository costs one conditional request (304), or none where the page of a search or an owner says of it
what it said before. A changed one costs two, its document and the commit of its default branch, and a third with its
archive where that commit is new. One that was renamed or transferred answers with a redirect to its number: it is listed
as moved and under its new name, for one request more. The number is kept: another one under the same name is another
repository.

With `signals` in the schedule so many repositories a night are asked for what their document does not say, each once a
week: contributors, workflows, releases, commits of the last year and of its last quarter, and age, repositories and
followers of the account. With a token one GraphQL query has most of that in one request, and besides issues of the year,
hours to a first answer, branch protection, how many of the last finished workflow runs on the main branch failed, and the
organisations in which the account is a public member: six requests for a repository at most, the last one once for an
account. Without a token these five stay unknown, and counts that GitHub still makes (202) are asked for again the next
night. Watchers are counted when something else changed, too.

Private repositories are not listed, whatever the token may see. A repository without a commit has no bytes. What a
search finds again under another query is visited once for each; what no search finds any more is no longer visited, and
not taken for gone.",
    endpoints: "\
`GET /repos/<owner>/<name>`, `GET /repos/<owner>/<name>/commits/<branch>`, `GET /repos/<owner>/<name>/tarball/<commit>`
`GET /repositories/<number>` after a redirect
`GET /search/repositories`, `GET /search/code`, `GET /orgs/<name>/repos`, `GET /users/<name>/repos`, `GET /repositories`
with `signals` `POST /graphql`, `GET /repos/<owner>/<name>/contributors`, `…/actions/workflows`, `…/branches/<branch>`, and
without a token `…/stats/participation`, `…/releases`, `GET /users/<name>`",
    limits: "60 requests an hour without a token, 5,000 with one; searches 10 and 30 a minute, searches of code 10; at \
             most 100 at once and 900 points a minute (docs.github.com, \"Rate limits for the REST API\"). An answer of 304 \
             is free with a token. capdex asks 600 times a minute, 28 in searches and 9 in searches of code, and obeys \
             `X-RateLimit-*` and `Retry-After`. Of several tokens each request takes the one with the most left.",
    stored: "The number of the repository in both forms, stars, forks, watchers, time of the last push, whether it is \
             archived, licence, description, topics, address, owner's login, time of creation, the commit of the default \
             branch. No mail addresses.",
    terms: "GitHub's Acceptable Use Policies allow research and archiving of public data; not spam, nor selling personal \
            data. Each repository has its own licence.",
    base_url: Some("https://api.github.com"),
    rate_limits: &[
        ("https://api.github.com", RateLimit { per_minute: 600, burst: 20, in_flight: 8 }),
        ("https://api.github.com/graphql", RateLimit { per_minute: 80, burst: 8, in_flight: 2 }),
        ("https://api.github.com/search", RateLimit { per_minute: 28, burst: 2, in_flight: 1 }),
        ("https://api.github.com/search/code", RateLimit { per_minute: 9, burst: 1, in_flight: 1 }),
    ],
    keys: &[KeyMeta {
        variable: "CAPDEX_GITHUB_TOKEN",
        header: "authorization",
        prefix: "Bearer ",
        is_required: false,
    }],
    walk: WalkKind::Names,
    role: SourceRole {
        speaker: Speaker::Artifact(Ecosystem::GitHub),
        proof: NameProof::Account,
        precedence: 2,
        ..SourceRole::UNKNOWN
    },
};

impl Source for GitHub {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(steps::step(request))
    }

    fn collector(&self) -> Option<&'static dyn Collector> {
        Some(signals::COLLECTOR)
    }
}
