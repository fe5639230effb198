//! Slugs, one-to-one: of two capabilities whose names fold to one text, the one that came later gets digits of its id.
//!
//! Badges, pages and suppressions name a capability by its slug, so a newcomer must never take or blur one that is there.

use capdex_model::capability::Capability;
use capdex_model::digest::Digest;
use capdex_model::ids::{CapabilityId, SLUG_DIGITS, longer_slug};
use capdex_model::time::AsOf;
use rusqlite::Connection;

use crate::StoreError;
use crate::sql::{Cells, execute, first, seconds};

/// The slug under which a capability that is new at `at` is stored.
pub(super) fn choose(conn: &Connection, capability: &Capability, at: AsOf) -> Result<String, StoreError> {
    let plain = &capability.slug;
    let Some(holder) = holder(conn, plain)? else { return Ok(plain.clone()) };
    // Of two that came in one night the smaller id keeps it, whichever was written first: same night, same bytes.
    if holder.first_seen == seconds(at) && capability.id.0 < holder.id {
        let moved = free(conn, plain, &CapabilityId(holder.id))?;
        let sql = "UPDATE capabilities SET slug = ?2 WHERE digest = ?1";
        execute(conn, "tell two slugs apart", sql, (holder.id.as_bytes(), moved))?;
        return Ok(plain.clone());
    }
    free(conn, plain, &capability.id)
}

/// The capability that has a slug.
struct SlugHolder {
    id: Digest,
    first_seen: i64,
}

fn holder(conn: &Connection, slug: &str) -> Result<Option<SlugHolder>, StoreError> {
    let sql = "SELECT digest, first_seen FROM capabilities WHERE slug = ?1";
    first(conn, "look up a slug", sql, (slug,), |row| Ok(SlugHolder { id: row.digest(0)?, first_seen: row.cell(1)? }))
}

/// The shortest longer form that nobody has.
fn free(conn: &Connection, plain: &str, id: &CapabilityId) -> Result<String, StoreError> {
    let mut digits = SLUG_DIGITS;
    loop {
        let slug = longer_slug(plain, id, digits);
        // The whole id is nobody else's, so this ends.
        if digits >= id.0.hex().len() || holder(conn, &slug)?.is_none() {
            return Ok(slug);
        }
        digits *= 2;
    }
}
