//! Listings: what sources say now, and everything that they ever said.
//!
//! All of it is a claim by strangers; nothing here is checked.

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claims, Listing, Locator, Validators};
use capdex_model::snapshot::Gap;
use capdex_model::time::AsOf;
use rusqlite::Connection;
use serde::Deserialize;

use crate::identities::{
    assessed_snapshot, name_identity, put_identity, settle, settle_listing, succeed, unname_identities,
};
use crate::sql::{Cells, canonical, execute, first, insert, rows, seconds};
use crate::{Reader, StoreError, Writer, claims, json_documents, packed, release_lines};

/// The presence of a listing at its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ListingState {
    /// The source lists it.
    Active,
    /// The source says that it does not exist, or stopped listing it.
    Gone,
    /// It could not be read; what was known of it stands.
    Failed,
}

impl ListingState {
    const ALL: [Self; 3] = [Self::Active, Self::Gone, Self::Failed];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Gone => "gone",
            Self::Failed => "failed",
        }
    }

    pub(crate) fn of_word(word: &str) -> Result<Self, StoreError> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == word)
            .ok_or_else(|| StoreError::Corrupt { what: "listing", detail: format!("{word} is no state") })
    }
}

/// The news in a listing that was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upserted {
    /// It was never met before.
    New,
    /// It says something else than before.
    Changed,
    /// It says what it said.
    Same,
}

/// A listing as the store knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredListing {
    /// The source and the name there.
    pub key: ListingKey,
    /// The source's last word; none where the listing was only ever marked.
    pub listing: Option<Listing>,
    /// Its presence at the source.
    pub state: ListingState,
    /// Why it is not there or could not be read, where that was said.
    pub gap: Option<Gap>,
    /// When its source first said anything of it; before that, when it was first asked for.
    pub first_seen: AsOf,
    /// When what the source says, or the state, last changed.
    pub changed: AsOf,
}

/// A row as far as writing needs it.
struct KnownListingRow {
    id: i64,
    state: String,
    gap: Option<String>,
    body: Option<i64>,
    validators: Validators,
}

impl Writer<'_> {
    /// Stores what a source says now. A first word, or one that differs from the last, is appended to the history. The
    /// validators are always replaced, and the state becomes active.
    pub fn upsert_listing(&self, listing: &Listing, validators: &Validators, at: AsOf) -> Result<Upserted, StoreError> {
        let conn = self.connection();
        // Equal listings have one document, so that ids tell whether anything else is said.
        let body = json_documents::put(conn, listing)?;
        let (known, is_new) = match known(conn, &listing.key)? {
            Some(known) => (known, false),
            None => (insert_listing(conn, &listing.key, ListingState::Active, None, at)?, true),
        };
        // A source that names a listing again ends its being gone, whatever it says.
        let revived = set_state(conn, &known, ListingState::Active, None, at)?;
        if known.validators != *validators {
            set_validators(conn, known.id, validators)?;
        }
        // Beside the claims: a count that moves every day would make a new version every day.
        set_popularity(conn, known.id, listing.claims.popularity)?;
        let changed = known.body != Some(body);
        if changed {
            release_lines::follow(conn, listing)?;
            append_version(conn, known.id, body, &claims::of(conn, listing.clone())?, at)?;
            follow_locators(conn, known.id, listing, at)?;
        } else if revived {
            // Its state decides among the listings which one speaks for a package.
            settle_listing(conn, known.id)?;
        }
        Ok(match (is_new, changed) {
            (true, _) => Upserted::New,
            (false, true) => Upserted::Changed,
            (false, false) => Upserted::Same,
        })
    }

    /// Notes that a listing is there and as it was, how popular it is now, and what to ask with next time. Nothing is
    /// written where nothing changes.
    pub fn keep_listing(
        &self,
        key: &ListingKey,
        validators: &Validators,
        popularity: Option<u64>,
        at: AsOf,
    ) -> Result<(), StoreError> {
        let conn = self.connection();
        // First, so that a listing that was never met has a row below.
        self.mark_listing(key, ListingState::Active, None, at)?;
        let Some(known) = known(conn, key)? else { return Ok(()) };
        if known.validators != *validators {
            set_validators(conn, known.id, validators)?;
        }
        set_popularity(conn, known.id, popularity)
    }

    /// Notes whether a listing is there, and why not. Its earlier versions stay. An unknown listing is entered with no
    /// more than its key. Nothing is written where nothing changes.
    pub fn mark_listing(
        &self,
        key: &ListingKey,
        state: ListingState,
        gap: Option<&Gap>,
        at: AsOf,
    ) -> Result<(), StoreError> {
        let conn = self.connection();
        let gap = gap.map(canonical).transpose()?;
        match known(conn, key)? {
            None => insert_listing(conn, key, state, gap.as_deref(), at).map(drop),
            Some(known) if set_state(conn, &known, state, gap.as_deref(), at)? => settle_listing(conn, known.id),
            Some(_) => Ok(()),
        }
    }
}

/// Keeps how popular a source says a listing is now; what was known stays where it says nothing.
fn set_popularity(conn: &Connection, id: i64, popularity: Option<u64>) -> Result<(), StoreError> {
    // A page that leaves the count out must not make a popular listing look unknown.
    let Some(popularity) = popularity else { return Ok(()) };
    let sql = "UPDATE listings SET popularity = ?2 WHERE id = ?1 AND popularity IS NOT ?2";
    let count = i64::try_from(popularity).unwrap_or(i64::MAX);
    execute(conn, "store how popular a listing is", sql, (id, count)).map(drop)
}

/// The id of a listing, entered as active with no more than its key if it is unknown.
pub(crate) fn put_listing(conn: &Connection, key: &ListingKey, at: AsOf) -> Result<i64, StoreError> {
    match known(conn, key)? {
        Some(known) => Ok(known.id),
        None => Ok(insert_listing(conn, key, ListingState::Active, None, at)?.id),
    }
}

fn known(conn: &Connection, key: &ListingKey) -> Result<Option<KnownListingRow>, StoreError> {
    let sql = "SELECT id, state, gap, body, etag, last_modified, digest FROM listings WHERE source = ?1 AND name = ?2";
    first(conn, "look up a listing", sql, (&key.source, &key.name), |row| {
        Ok(KnownListingRow {
            id: row.cell(0)?,
            state: row.cell(1)?,
            gap: row.cell(2)?,
            body: row.cell(3)?,
            validators: validators_at(row, 4)?,
        })
    })
}

fn validators_at(row: &rusqlite::Row<'_>, column: usize) -> Result<Validators, StoreError> {
    Ok(Validators {
        etag: row.cell(column)?,
        last_modified: row.cell(column + 1)?,
        digest: row.cell::<Option<[u8; 32]>>(column + 2)?.map(Digest::from_bytes),
    })
}

fn insert_listing(
    conn: &Connection,
    key: &ListingKey,
    state: ListingState,
    gap: Option<&str>,
    at: AsOf,
) -> Result<KnownListingRow, StoreError> {
    let sql = "INSERT INTO listings (source, name, state, gap, claims, first_seen, changed)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)";
    // The digest of no claims, so that comparing claims needs no case for a listing that never spoke.
    let claims = Digest::of_json(&Claims::default());
    let params = (&key.source, &key.name, state.as_str(), gap, claims.as_bytes(), seconds(at));
    let id = insert(conn, "enter a listing", sql, params)?;
    append_state(conn, id, state, gap, at)?;
    let (state, gap) = (state.as_str().to_owned(), gap.map(str::to_owned));
    Ok(KnownListingRow { id, state, gap, body: None, validators: Validators::default() })
}

/// Sets state and gap where they differ; true where they did.
fn set_state(
    conn: &Connection,
    known: &KnownListingRow,
    state: ListingState,
    gap: Option<&str>,
    at: AsOf,
) -> Result<bool, StoreError> {
    // What stays as it is adds nothing to the history.
    if known.state == state.as_str() && known.gap.as_deref() == gap {
        return Ok(false);
    }
    let sql = "UPDATE listings SET state = ?2, gap = ?3, changed = ?4 WHERE id = ?1";
    execute(conn, "mark a listing", sql, (known.id, state.as_str(), gap, seconds(at)))?;
    append_state(conn, known.id, state, gap, at)?;
    Ok(true)
}

fn append_state(
    conn: &Connection,
    listing: i64,
    state: ListingState,
    gap: Option<&str>,
    at: AsOf,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO listing_states (listing, state, gap, at) VALUES (?1, ?2, ?3, ?4)";
    execute(conn, "append a listing's state", sql, (listing, state.as_str(), gap, seconds(at))).map(drop)
}

fn set_validators(conn: &Connection, listing: i64, validators: &Validators) -> Result<(), StoreError> {
    let sql = "UPDATE listings SET etag = ?2, last_modified = ?3, digest = ?4 WHERE id = ?1";
    let digest = validators.digest.as_ref().map(Digest::as_bytes);
    let params = (listing, &validators.etag, &validators.last_modified, digest);
    execute(conn, "store validators", sql, params).map(drop)
}

fn append_version(conn: &Connection, listing: i64, body: i64, claims: &Claims, at: AsOf) -> Result<(), StoreError> {
    const WHAT: &str = "append a listing's version";
    // A name that was only asked for has no age: it is as old as the first thing that its source said.
    let sql = "UPDATE listings SET first_seen = CASE WHEN body IS NULL THEN ?4 ELSE first_seen END,
                                   body = ?2, claims = ?3, changed = ?4 WHERE id = ?1";
    execute(conn, WHAT, sql, (listing, body, Digest::of_json(claims).as_bytes(), seconds(at)))?;
    let sql = "INSERT INTO listing_versions (listing, body, at) VALUES (?1, ?2, ?3)";
    execute(conn, WHAT, sql, (listing, body, seconds(at))).map(drop)
}

/// Links a listing to the identities that it names now. After a rollback to an earlier version, whose bytes are stored,
/// that snapshot becomes the newest again without being fetched.
fn follow_locators(conn: &Connection, id: i64, listing: &Listing, at: AsOf) -> Result<(), StoreError> {
    // All at first; those that it still names are named again below.
    unname_identities(conn, id)?;
    refer(conn, id, &listing.references)?;
    for locator in &listing.locators {
        let identity = put_identity(conn, &locator.identity())?;
        name_identity(conn, identity, id)?;
        if let Some(snapshot) = assessed_snapshot(conn, identity, &locator.artifact())? {
            succeed(conn, identity, snapshot, seconds(at))?;
        }
        settle(conn, identity)?;
    }
    // Also those that it named before and does not any more.
    settle_listing(conn, id)
}

/// Replaces what a listing names under other sources' keys.
fn refer(conn: &Connection, listing: i64, references: &[ListingKey]) -> Result<(), StoreError> {
    const WHAT: &str = "store a listing's references";
    // References are followed by the latest version alone; those of earlier ones stand in their texts.
    execute(conn, WHAT, "DELETE FROM listing_references WHERE listing = ?1", (listing,))?;
    let sql = "INSERT INTO listing_references (source, name, listing) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    references.iter().try_for_each(|key| execute(conn, WHAT, sql, (&key.source, &key.name, listing)).map(drop))
}

impl Reader {
    /// The validators that the last visit to a listing left to ask with. Only of an active one: one that comes back must be
    /// read in full, not be found unchanged.
    pub fn validators(&self, key: &ListingKey) -> Result<Option<Validators>, StoreError> {
        let sql = "SELECT etag, last_modified, digest FROM listings
                   WHERE source = ?1 AND name = ?2 AND state = 'active' AND body IS NOT NULL";
        first(self.connection(), "read the validators", sql, (&key.source, &key.name), |row| validators_at(row, 0))
    }

    /// The state of a listing; none for one that the store never met.
    pub fn listing_state(&self, key: &ListingKey) -> Result<Option<ListingState>, StoreError> {
        let sql = "SELECT state FROM listings WHERE source = ?1 AND name = ?2";
        first(self.connection(), "read a listing's state", sql, (&key.source, &key.name), |row| {
            ListingState::of_word(&row.cell::<String>(0)?)
        })
    }

    /// The listings of one source, or of all, sorted by key.
    pub fn listings(&self, source: Option<&str>) -> Result<Vec<StoredListing>, StoreError> {
        let sql = "SELECT l.source, l.name, d.body, l.state, l.gap, l.first_seen, l.changed
                   FROM listings l LEFT JOIN json_documents d ON d.id = l.body
                   WHERE ?1 IS NULL OR l.source = ?1 ORDER BY l.source, l.name";
        rows(self.connection(), "read the listings", sql, (source,), stored)
    }

    /// The listings as they were at an instant: of each the last version that was met by then, sorted by key. Those that
    /// were gone by then are left out.
    pub fn listings_at(&self, at: AsOf) -> Result<Vec<Listing>, StoreError> {
        let sql = "SELECT d.body FROM listings l
                   JOIN listing_versions v
                     ON v.id = (SELECT max(id) FROM listing_versions WHERE listing = l.id AND at <= ?1)
                   JOIN json_documents d ON d.id = v.body
                   WHERE ifnull((SELECT state FROM listing_states WHERE listing = l.id AND at <= ?1
                                 ORDER BY id DESC LIMIT 1), 'active') <> 'gone'
                   ORDER BY l.source, l.name";
        rows(self.connection(), "read the listings of a time", sql, (seconds(at),), |row| row.packed(0, "listing"))
    }

    /// One listing; none where the store never met it.
    pub fn listing(&self, key: &ListingKey) -> Result<Option<StoredListing>, StoreError> {
        let sql = "SELECT l.source, l.name, d.body, l.state, l.gap, l.first_seen, l.changed
                   FROM listings l LEFT JOIN json_documents d ON d.id = l.body
                   WHERE l.source = ?1 AND l.name = ?2";
        first(self.connection(), "read a listing", sql, (&key.source, &key.name), stored)
    }

    /// The artifacts that a listing names; none where the store never met it, or where it says nothing any more.
    pub fn locators(&self, key: &ListingKey) -> Result<Option<Vec<Locator>>, StoreError> {
        let sql = "SELECT d.body FROM listings l JOIN json_documents d ON d.id = l.body
                   WHERE l.source = ?1 AND l.name = ?2";
        let found = first(self.connection(), "read the locators of a listing", sql, (&key.source, &key.name), |row| {
            row.packed::<OnlyLocators>(0, "listing")
        })?;
        Ok(found.map(|only| only.locators))
    }

    /// Everything that a source ever said in one listing, oldest first: each version with the instant at which it was
    /// first met. Empty for a listing that is unknown or was only ever marked.
    pub fn listing_versions(&self, key: &ListingKey) -> Result<Vec<(AsOf, Listing)>, StoreError> {
        let sql = "SELECT v.at, d.body FROM listings l JOIN listing_versions v ON v.listing = l.id
                   JOIN json_documents d ON d.id = v.body WHERE l.source = ?1 AND l.name = ?2 ORDER BY v.id";
        rows(self.connection(), "read a listing's versions", sql, (&key.source, &key.name), |row| {
            Ok((row.as_of(0)?, row.packed(1, "listing")?))
        })
    }

    /// When a listing was there, gone or failed, oldest first.
    pub fn listing_states(&self, key: &ListingKey) -> Result<Vec<(AsOf, ListingState, Option<Gap>)>, StoreError> {
        let sql = "SELECT s.at, s.state, s.gap FROM listings l JOIN listing_states s ON s.listing = l.id
                   WHERE l.source = ?1 AND l.name = ?2 ORDER BY s.id";
        rows(self.connection(), "read a listing's states", sql, (&key.source, &key.name), |row| {
            Ok((row.as_of(0)?, ListingState::of_word(&row.cell::<String>(1)?)?, row.json_if_any(2, "gap")?))
        })
    }
}

/// The one part of a listing that is asked for every night.
#[derive(Deserialize)]
struct OnlyLocators {
    locators: Vec<Locator>,
}

pub(crate) fn stored(row: &rusqlite::Row<'_>) -> Result<StoredListing, StoreError> {
    let body: Option<Vec<u8>> = row.cell(2)?;
    Ok(StoredListing {
        key: ListingKey { source: row.cell(0)?, name: row.cell(1)? },
        listing: body.map(|body| packed::unpack(&body, "listing")).transpose()?,
        state: ListingState::of_word(&row.cell::<String>(3)?)?,
        gap: row.json_if_any(4, "gap")?,
        first_seen: row.as_of(5)?,
        changed: row.as_of(6)?,
    })
}

#[cfg(test)]
mod tests;
