//! The place of a walk: first the names, in steps, then the queries, page by page.
//!
//! It is the source's cursor, as JSON.

use capdex_model::digest::Digest;
use serde::{Deserialize, Serialize};

use super::queries::{GithubQuery, Queries};
use super::shard::Shard;
use crate::{NextPage, WalkCursor};

/// The place of a walk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GithubCursorState {
    /// The digest of the queries: those of another list are walked from their beginning.
    of: String,
    /// The place itself.
    pub(super) at: At,
}

/// The place of a walk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum At {
    /// Among the names: a cursor of their own; none at their beginning.
    Names { at: Option<String> },
    /// In a search: the parts of it that are left, the one that is walked last, and the page.
    Search { index: usize, shards: Vec<Shard>, page: u64 },
    /// In a list, at a page.
    List { index: usize, page: u64 },
    /// Among all repositories, behind this number.
    Ids { index: usize, since: u64 },
}

impl GithubCursorState {
    /// Reads a cursor; the beginning where there is none that fits the queries, which is the first query where no names
    /// are given.
    pub(super) fn read(cursor: Option<&WalkCursor>, queries: &Queries, has_names: bool) -> Self {
        let of = digest(queries);
        let read = cursor.and_then(|cursor| serde_json::from_str::<Self>(&cursor.0).ok());
        let fits = |place: &Self| place.of == of && place.at.fits(queries);
        if let Some(place) = read.filter(fits) {
            return place;
        }
        let first = queries.all.first().filter(|_| !has_names).map(|query| At::beginning(0, query));
        Self { of, at: first.unwrap_or(At::Names { at: None }) }
    }

    /// The place at which the walk goes on from here. `at` is `None` at the end of what was walked, and the next
    /// query's turn comes.
    pub(super) fn next(&self, at: Option<At>, queries: &Queries) -> NextPage {
        let index = match self.at {
            At::Names { .. } => 0,
            At::Search { index, .. } | At::List { index, .. } | At::Ids { index, .. } => index + 1,
        };
        let at = at.or_else(|| queries.all.get(index).map(|query| At::beginning(index, query)));
        let Some(at) = at else { return NextPage::END };
        let place = Self { of: self.of.clone(), at };
        // Numbers and short texts: it can always be written.
        serde_json::to_string(&place).map_or(NextPage::END, |text| NextPage::More(WalkCursor(text)))
    }
}

impl At {
    fn beginning(index: usize, query: &GithubQuery) -> Self {
        match query {
            GithubQuery::Repositories(_) | GithubQuery::Code(_) => {
                Self::Search { index, shards: vec![Shard::default()], page: 1 }
            }
            GithubQuery::Owner { .. } => Self::List { index, page: 1 },
            // The interface gives what comes after a number.
            GithubQuery::Ids { from, .. } => Self::Ids { index, since: from.saturating_sub(1) },
        }
    }

    /// The query that is walked here.
    pub(super) fn query<'a>(&self, queries: &'a Queries) -> Option<&'a GithubQuery> {
        match self {
            Self::Names { .. } => None,
            Self::Search { index, .. } | Self::List { index, .. } | Self::Ids { index, .. } => queries.all.get(*index),
        }
    }

    fn fits(&self, queries: &Queries) -> bool {
        match (self, self.query(queries)) {
            (Self::Names { .. }, _)
            | (Self::List { .. }, Some(GithubQuery::Owner { .. }))
            | (Self::Ids { .. }, Some(GithubQuery::Ids { .. })) => true,
            // A search takes the last of its shards, so one without any could not go on.
            (Self::Search { shards, .. }, Some(GithubQuery::Repositories(_) | GithubQuery::Code(_))) => {
                !shards.is_empty()
            }
            _ => false,
        }
    }
}

fn digest(queries: &Queries) -> String {
    let text = format!("{queries:?}");
    Digest::of(text.as_bytes()).hex()
}
