//! Searches that the schedule may ask for, in GitHub's own words.
//!
//! A query that GitHub would refuse is an error before anything is sent.

use capdex_model::snapshot::GapReason;

use crate::CrawlError;
use crate::forge::is_name;

/// The longest search that GitHub takes, with what is added to split it.
const MAX_SEARCH_CHARS: usize = 256 - 60;

/// Qualifiers that only a search of code has.
const OF_CODE: [&str; 3] = ["filename:", "path:", "extension:"];

/// One thing to walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GithubQuery {
    /// A search for repositories.
    Repositories(String),
    /// A search of code, for the repositories that hold it.
    Code(String),
    /// The public repositories of an organisation or a user.
    Owner {
        /// `orgs` or `users`.
        kind: &'static str,
        /// The login.
        name: String,
    },
    /// All public repositories whose number is in a range, both ends included.
    Ids {
        /// The first.
        from: u64,
        /// The last.
        to: u64,
    },
}

/// The `queries` of a schedule, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Queries {
    /// Everything that is walked after the watchlist, in order.
    pub(super) all: Vec<GithubQuery>,
}

/// Reads the queries of a schedule.
///
/// # Errors
/// `Malformed` for one that GitHub would not take.
pub(super) fn read(queries: &[String]) -> Result<Queries, CrawlError> {
    let mut read = Queries::default();
    for query in queries {
        let query = query.trim();
        let wrong = |detail: &str| CrawlError::Malformed {
            subject: format!("the query `{query}`"),
            reason: GapReason::Malformed,
            detail: detail.to_owned(),
        };
        if let Some(range) = query.strip_prefix("ids:") {
            let ends = range.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
            let (from, to) = ends.filter(|(from, to)| from <= to).ok_or_else(|| wrong("`ids:` has a range `1..9`"))?;
            read.all.push(GithubQuery::Ids { from, to });
        } else if let Some((kind, name)) = owner(query) {
            read.all.push(GithubQuery::Owner { kind, name: name.to_owned() });
        } else if query.is_empty() || query.chars().count() > MAX_SEARCH_CHARS {
            // Refused before the walk begins: GitHub would refuse it only when its turn comes.
            return Err(wrong("a search has 1 to 196 letters"));
        } else if query.split_whitespace().any(|word| OF_CODE.iter().any(|qualifier| word.starts_with(qualifier))) {
            read.all.push(GithubQuery::Code(query.to_owned()));
        } else {
            read.all.push(GithubQuery::Repositories(query.to_owned()));
        }
    }
    Ok(read)
}

/// `org:NAME` or `user:NAME` and nothing else: a list, which has no end at a thousand as a search has.
fn owner(query: &str) -> Option<(&'static str, &str)> {
    let (kind, name) = match query.split_once(':')? {
        ("org", name) => ("orgs", name),
        ("user", name) => ("users", name),
        _ => return None,
    };
    is_name(name).then_some((kind, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(query: &str) -> Result<Queries, CrawlError> {
        read(&[query.to_owned()])
    }

    #[test]
    fn every_kind_of_query_is_read() {
        let owner = |kind, name: &str| GithubQuery::Owner { kind, name: name.into() };
        for (query, expected) in [
            ("topic:mcp-server stars:>3", GithubQuery::Repositories("topic:mcp-server stars:>3".into())),
            ("org:acme topic:mcp", GithubQuery::Repositories("org:acme topic:mcp".into())),
            ("filename:SKILL.md", GithubQuery::Code("filename:SKILL.md".into())),
            ("name path:skills", GithubQuery::Code("name path:skills".into())),
            ("org:acme", owner("orgs", "acme")),
            ("user:octo-cat", owner("users", "octo-cat")),
            ("ids:10..20", GithubQuery::Ids { from: 10, to: 20 }),
        ] {
            assert_eq!(one(query).expect(query).all, [expected]);
        }
    }

    #[test]
    fn what_cannot_be_asked_is_an_error() {
        for query in ["", " ", "ids:9..1", "ids:9", &"x".repeat(197)] {
            assert!(matches!(one(query), Err(CrawlError::Malformed { .. })), "{query}");
        }
        assert!(one(&"x".repeat(196)).is_ok());
    }
}
