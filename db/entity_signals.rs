//! Entity signals: what the other listings of an entity lend a listing, with origin and proof.
//!
//! Rules read them joined into the claims of the listing (`claims.rs`). Who lends whom what, corpus decides.

use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::identity::Statement;
use capdex_corpus::signals::StatedSignals;
use capdex_model::entity_signals::EntitySignals;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Listing;
use capdex_model::source_role::SourceRoles;
use rusqlite::Connection;

use crate::packed::{pack, unpack};
use crate::sql::{Cells, canonical, execute, first, id_of, rows};
use crate::{Reader, StoreError, Writer, claims, source_answers};

impl Writer<'_> {
    /// Takes what every entity adds now in the place of what it added before. Returns the number of listings of which
    /// something else is claimed now. Those are unscanned until they are scanned again.
    pub fn replace_entity_signals(&self, now: &BTreeMap<ListingKey, EntitySignals>) -> Result<u64, StoreError> {
        const WHAT: &str = "replace the signals of entities";
        let conn = self.connection();
        let mut before: BTreeMap<ListingKey, (i64, Vec<u8>)> = stored(conn)?;
        let mut subjects = BTreeSet::new();
        for (key, signals) in now {
            let body = pack(canonical(signals)?)?;
            match before.remove(key) {
                // Only the difference is written, so that what stays makes nothing unscanned.
                Some((_, known)) if known == body => {}
                _ => {
                    let sql = "SELECT id FROM listings WHERE source = ?1 AND name = ?2";
                    let Some(id) = id_of(conn, WHAT, sql, (&key.source, &key.name))? else { continue };
                    let sql = "INSERT INTO entity_signals (listing, body) VALUES (?1, ?2)
                               ON CONFLICT DO UPDATE SET body = excluded.body";
                    execute(conn, WHAT, sql, (id, body))?;
                    subjects.insert(key.to_string());
                }
            }
        }
        for (key, (id, _)) in before {
            execute(conn, WHAT, "DELETE FROM entity_signals WHERE listing = ?1", (id,))?;
            subjects.insert(key.to_string());
        }
        let mut changed = 0;
        for listing in claims::listings_of(conn, &subjects)? {
            changed += u64::from(claims::renew(conn, listing)?);
        }
        Ok(changed)
    }
}

fn stored(conn: &Connection) -> Result<BTreeMap<ListingKey, (i64, Vec<u8>)>, StoreError> {
    let sql = "SELECT l.source, l.name, e.listing, e.body FROM entity_signals e JOIN listings l ON l.id = e.listing";
    let all = rows(conn, "read the signals of entities", sql, (), |row| {
        Ok((ListingKey { source: row.cell(0)?, name: row.cell(1)? }, (row.cell(2)?, row.cell(3)?)))
    })?;
    Ok(all.into_iter().collect())
}

/// What the entity of a listing adds to its claims; none where it adds nothing.
pub(crate) fn of(conn: &Connection, key: &ListingKey) -> Result<Option<EntitySignals>, StoreError> {
    let sql = "SELECT e.body FROM entity_signals e JOIN listings l ON l.id = e.listing
               WHERE l.source = ?1 AND l.name = ?2";
    first(conn, "read the signals of an entity", sql, (&key.source, &key.name), |row| row.packed(0, "entity signals"))
}

impl Reader {
    /// The statement of every listing but those of release lines, and the signals that it states itself, sorted by key.
    /// `roles` are those of the kinds of sources.
    pub fn stated_signals(&self, roles: &SourceRoles) -> Result<Vec<(Statement, StatedSignals)>, StoreError> {
        let roles = roles.clone().with_kinds(self.source_kinds()?);
        let sql = "SELECT d.body, l.popularity, l.first_seen, l.state <> 'gone', l.changed, a.body, a.asked
                   FROM listings l JOIN json_documents d ON d.id = l.body
                   LEFT JOIN source_answers a ON a.listing = l.id ORDER BY l.source, l.name";
        let all = rows(self.connection(), "read what listings state", sql, (), |row| {
            let mut listing: Listing = row.packed(0, "listing")?;
            // A release line is its package, which makes the statement.
            if listing.release_line().is_some() {
                return Ok(None);
            }
            let mut since = row.as_of(4)?.0;
            if let Some(body) = row.cell::<Option<Vec<u8>>>(5)? {
                listing.claims.fill(&unpack(&body, "answer of a source")?);
                since = since.max(row.as_of(6)?.0);
            }
            let popularity: Option<i64> = row.cell(1)?;
            let popularity = popularity.and_then(|count| u64::try_from(count).ok());
            let stated = StatedSignals::of(&listing.claims, popularity, since);
            Ok(Some((Statement::of(&listing, &roles, popularity, row.as_of(2)?.0, row.cell(3)?), stated)))
        })?;
        Ok(all.into_iter().flatten().collect())
    }

    /// Everything on which the join of signals depends, as a text: listings, answers, snapshots.
    pub fn signals_state(&self) -> Result<String, StoreError> {
        // Scans change nothing of it: the join comes before them.
        let sql = "SELECT (SELECT ifnull(max(id), 0) FROM listing_versions) || '.'
                       || (SELECT ifnull(max(id), 0) FROM listing_states) || '.'
                       || (SELECT ifnull(max(id), 0) FROM succession) || '.'
                       || (SELECT ifnull(max(asked), 0) || '.' || count(*) FROM source_answers) || '.'
                       || (SELECT count(whole_at) FROM sources) || '.'
                       || (SELECT total(popularity) FROM listings)";
        let state = first(self.connection(), "read the state of signals", sql, (), |row| row.cell(0))?;
        Ok(state.unwrap_or_default())
    }

    /// What the entity of a listing adds to its claims; none where it adds nothing.
    pub fn entity_signals(&self, key: &ListingKey) -> Result<Option<EntitySignals>, StoreError> {
        of(self.connection(), key)
    }
}

/// Joins the claims of a listing with what its source answered beside it and with what its entity adds.
pub(crate) fn add(conn: &Connection, listing: &mut Listing) -> Result<(), StoreError> {
    let line = listing.release_line().map(|(package, _)| ListingKey::new(listing.key.source.as_str(), package));
    let key = line.as_ref().unwrap_or(&listing.key);
    if let Some(mut answer) = source_answers::of(conn, key)? {
        if line.is_some() {
            // Of the package's listed version, and a line is another one.
            (answer.provenance, answer.attested) = Default::default();
            answer.repository_signals.signed = Default::default();
        }
        listing.claims.fill(&answer);
    }
    if let Some(signals) = of(conn, key)? {
        signals.apply(&mut listing.claims);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, list, listing, scan_of, scan_unscanned};
    use capdex_model::entity_signals::{LentSignal, LinkProof, SignalKind, SignalValue};
    use capdex_model::listing::Claim;
    use capdex_model::time::Timestamp;

    fn stars(count: u64, proof: LinkProof) -> EntitySignals {
        let lent = LentSignal {
            kind: SignalKind::Stars,
            value: SignalValue::Count(count),
            from: ListingKey::new("github", "acme/a"),
            at: Timestamp::from_unix_seconds(0),
            proof,
            reason: "manifest".into(),
        };
        EntitySignals { lent: vec![lent], ..EntitySignals::default() }
    }

    #[test]
    fn what_an_entity_lends_makes_those_unscanned_whom_it_changes() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        list(&store, &listing("b", "1"), 1);
        let (a, b) = (scan_of(&store, "a", "1", 1), scan_of(&store, "b", "1", 1));
        let scan_all = || scan_unscanned(&store, &[(a, "a"), (b, "b")]);
        let lend = |signals: Option<EntitySignals>| {
            let now = signals.into_iter().map(|signals| (ListingKey::new("npm", "a"), signals)).collect();
            store.write(move |writer| writer.replace_entity_signals(&now)).expect("stored")
        };
        let seen = || store.reader().expect("opens").bundle(a).expect("reads").claims.repository_signals.stars;
        scan_all();
        assert_eq!(lend(Some(stars(9, LinkProof::BothSides))), 1);
        assert_eq!(scan_all(), vec![a]);
        assert_eq!(seen(), Claim::Known(9));
        assert_eq!(lend(Some(stars(9, LinkProof::BothSides))), 0);
        assert_eq!(scan_all(), vec![], "the same again");
        // Kept to be shown, and counted for nothing.
        assert_eq!(lend(Some(stars(9, LinkProof::OneSide))), 1);
        assert_eq!(seen(), Claim::Unknown);
        let reader = store.reader().expect("opens");
        let kept = reader.entity_signals(&ListingKey::new("npm", "a")).expect("reads");
        assert_eq!(kept, Some(stars(9, LinkProof::OneSide)));
        assert_eq!(lend(None), 0, "what did not count changes nothing by going");
        assert_eq!(reader.unscanned(&crate::fixtures::digest("rules")).expect("reads").len(), 0);
        let _ = day(1);
    }
}
