//! Claims as rules read them: what a source said, with what lists of abuse report and what passes saw.
//!
//! The source's own words are never touched: the rest is added when claims are read, and to the digest by which scans
//! are keyed. So news about a package makes exactly that package unscanned. What the other listings of its entity lend
//! it is joined in here too (`entity_signals.rs`).

use std::collections::BTreeSet;

use capdex_model::abuse::Report;
use capdex_model::corpus_signal::CorpusSignal;
use capdex_model::digest::Digest;
use capdex_model::ids::split_registry;
use capdex_model::listing::{Claim, Claims, Listing, Locator};
use capdex_model::release_line;
use rusqlite::Connection;

use crate::identities::settle_listing;
use crate::sql::{Cells, execute, first, id_of, rows};
use crate::{StoreError, entity_signals};

/// The claims of a listing, with what else is known of it and of the packages that it names.
pub(crate) fn of(conn: &Connection, mut listing: Listing) -> Result<Claims, StoreError> {
    entity_signals::add(conn, &mut listing)?;
    let mut subjects: BTreeSet<String> = listing.locators.iter().map(|locator| locator.identity()).collect();
    // What is said of a package is said of each of its release lines.
    let packages: Vec<String> =
        subjects.iter().map(|subject| release_line::package_of_identity(subject).into_owned()).collect();
    subjects.extend(packages);
    // Lists and passes may name a listing where they know no package behind it.
    subjects.insert(listing.key.to_string());
    let mut reports = reports_of(conn, &subjects)?;
    if let Claim::Known(reports) = &mut reports {
        reports.retain(|report| report.is_about(listing.locators.iter().filter_map(Locator::version)));
    }
    let mut claims = listing.claims;
    claims.repository_signals.reports = reports;
    claims.repository_signals.corpus_signals = sightings_of(conn, &subjects)?;
    Ok(claims)
}

/// The reports of the newest lists about these subjects, sorted; unknown while no list was imported.
fn reports_of(conn: &Connection, subjects: &BTreeSet<String>) -> Result<Claim<Vec<Report>>, StoreError> {
    if !has_abuse_lists(conn)? {
        // "Nobody looked" is no clean record: rules must be able to tell the two.
        return Ok(Claim::Unknown);
    }
    let sql = "SELECT report FROM abuse_reports WHERE subject = ?1";
    let mut reports: BTreeSet<Report> = BTreeSet::new();
    for subject in subjects {
        reports.extend(rows(conn, "look up reports", sql, (subject,), |row| row.json::<Report>(0, "report"))?);
    }
    Ok(Claim::Known(reports.into_iter().collect()))
}

/// The corpus signals of these subjects, sorted. Unknown where passes see nothing, so that such claims have the digest that
/// they had before anything was compared.
fn sightings_of(conn: &Connection, subjects: &BTreeSet<String>) -> Result<Claim<Vec<CorpusSignal>>, StoreError> {
    let sql = "SELECT body FROM corpus_signals WHERE subject = ?1";
    let mut seen: BTreeSet<CorpusSignal> = BTreeSet::new();
    for subject in subjects {
        seen.extend(rows(conn, "look up sightings", sql, (subject,), |row| row.json::<CorpusSignal>(0, "sighting"))?);
    }
    Ok(if seen.is_empty() { Claim::Unknown } else { Claim::Known(seen.into_iter().collect()) })
}

/// True where any list of abuse was imported.
pub(crate) fn has_abuse_lists(conn: &Connection) -> Result<bool, StoreError> {
    Ok(id_of(conn, "look for lists of abuse", "SELECT id FROM abuse_lists ORDER BY id DESC LIMIT 1", ())?.is_some())
}

/// Brings the digest of a listing's claims up to date; true where it was not.
pub(crate) fn renew(conn: &Connection, id: i64) -> Result<bool, StoreError> {
    let sql = "SELECT d.body FROM listings l JOIN json_documents d ON d.id = l.body WHERE l.id = ?1";
    let said = first(conn, "read a listing", sql, (id,), |row| row.packed::<Listing>(0, "listing"))?;
    let Some(listing) = said else { return Ok(false) };
    let claims = Digest::of_json(&of(conn, listing)?);
    // Only a digest that differs is written: a listing of which nothing new is known stays scanned.
    let sql = "UPDATE listings SET claims = ?2 WHERE id = ?1 AND claims <> ?2";
    let changed = execute(conn, "renew the claims of a listing", sql, (id, claims.as_bytes()))? == 1;
    if changed {
        // Which scan counts depends on the listing's claims, so it is chosen anew.
        settle_listing(conn, id)?;
    }
    Ok(changed)
}

/// The listings that have one of these names, or name a package of one or a release line of it.
pub(crate) fn listings_of(conn: &Connection, subjects: &BTreeSet<String>) -> Result<BTreeSet<i64>, StoreError> {
    let sql = "SELECT id FROM listings WHERE source = ?2 AND name = ?3
               UNION SELECT n.listing FROM identities i JOIN listing_identities n ON n.identity = i.id
                     WHERE i.name = ?1 OR (?2 IN ('npm', 'pypi') AND i.name >= ?4 || '@' AND i.name < ?4 || 'A')";
    let mut listings = BTreeSet::new();
    for subject in subjects {
        // A subject is an identity or a listing's key, and both are written with the first colon as divider.
        let (source, name) = subject.split_once(':').unwrap_or_default();
        listings.extend(rows(
            conn,
            "look up whom something concerns",
            sql,
            (subject, source, name, split_registry(subject).0),
            |row| row.cell::<i64>(0),
        )?);
    }
    Ok(listings)
}
