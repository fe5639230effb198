//! The corpus: all listings as the passes see them, and over which state of the store each pass ran last.
//!
//! A pass whose state is that of its last run has nothing new to read.

use crate::sql::{Cells, execute, first, rows, seconds};
use crate::{Reader, StoreError, Writer};
use capdex_corpus::corpus::{Corpus, CorpusMember};
use capdex_model::listing::Listing;
use capdex_model::source_role::SourceRoles;
use capdex_model::time::AsOf;

impl Writer<'_> {
    /// Notes that a pass ran over this state of the store.
    pub fn pass_ran(&self, pass: &str, input: &str, at: AsOf) -> Result<(), StoreError> {
        let sql = "INSERT INTO passes (name, input, at) VALUES (?1, ?2, ?3)
                   ON CONFLICT DO UPDATE SET input = excluded.input, at = excluded.at";
        execute(self.connection(), "note that a pass ran", sql, (pass, input, seconds(at))).map(drop)
    }
}

impl Reader {
    /// Every listing of which a source ever said anything but those of release lines, with what it says now and the entity that it is of. `roles` are
    /// those of the kinds of sources; which source is of which kind, the store knows.
    pub fn corpus(&self, roles: &SourceRoles) -> Result<Corpus, StoreError> {
        let roles = roles.clone().with_kinds(self.source_kinds()?);
        let sql = "SELECT d.body, l.popularity, l.first_seen, l.state = 'active', e.name
                   FROM listings l JOIN json_documents d ON d.id = l.body
                   LEFT JOIN entity_members m ON m.listing = l.id LEFT JOIN entities e ON e.id = m.entity
                   ORDER BY l.source, l.name";
        let members = rows(self.connection(), "read the corpus", sql, (), |row| {
            let listing: Listing = row.packed(0, "listing")?;
            // A release line is its package, which stands here by itself.
            if listing.release_line().is_some() {
                return Ok(None);
            }
            let popularity: Option<i64> = row.cell(1)?;
            let popularity = popularity.and_then(|count| u64::try_from(count).ok());
            let member = CorpusMember::of(&listing, &roles, popularity, row.as_of(2)?.0, row.cell(3)?);
            let entity: Option<String> = row.cell(4)?;
            // Until the pass `identity` has seen it, a listing is an entity of its own.
            Ok(Some(CorpusMember { entity: entity.unwrap_or_else(|| listing.key.to_string()), ..member }))
        })?;
        Ok(Corpus::new(members.into_iter().flatten().collect()))
    }

    /// The state over which a pass ran last; none before the first time.
    pub fn pass_input(&self, pass: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT input FROM passes WHERE name = ?1";
        first(self.connection(), "read over what a pass ran", sql, (pass,), |row| row.cell(0))
    }

    /// The state of everything that passes read. It changes whenever a listing, its state, a snapshot or a scan is added. It
    /// changes with every visit to a listing of which something waits to be seen a second time. It changes with the kind of
    /// a source that has a name of its own.
    pub fn watched_state(&self) -> Result<String, StoreError> {
        // The greatest ids of append-only tables stand for their content: nothing is counted or hashed.
        // A source that is called like its kind adds nothing, so that stores of before kinds keep their state.
        let sql = "SELECT (SELECT ifnull(max(id), 0) FROM listing_versions) || '.'
                       || (SELECT ifnull(max(id), 0) FROM listing_states) || '.'
                       || (SELECT ifnull(max(id), 0) FROM succession) || '.'
                       || (SELECT ifnull(max(turn), 0) FROM scans)
                       || ifnull('.' || (SELECT max(l.visited) FROM removals r
                                         JOIN capabilities k ON k.id = r.capability
                                         JOIN identities i ON i.id = k.identity
                                         JOIN listings l ON l.id = i.listing), '')
                       || ifnull('.' || (SELECT group_concat(id || '=' || kind ORDER BY id) FROM sources
                                         WHERE kind <> id), '')
                       || ifnull('.answers ' || (SELECT max(asked) FROM source_answers), '')";
        let state = first(self.connection(), "read the watched state", sql, (), |row| row.cell(0))?;
        Ok(state.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day};
    use capdex_model::ids::ListingKey;
    use capdex_model::listing::{Claims, Validators};

    #[test]
    fn what_changes_the_corpus_changes_the_watched_state() {
        let folder = Folder::new();
        let store = folder.store();
        let state = || store.reader().expect("opens").watched_state().expect("reads");
        let empty = state();
        let listing = Listing {
            key: ListingKey::new("npm", "@a/b"),
            locators: Vec::new(),
            claims: Claims::default(),
            references: Vec::new(),
        };
        let upsert = |night| {
            let listing = listing.clone();
            store
                .write(move |writer| writer.upsert_listing(&listing, &Validators::default(), day(night)))
                .expect("stored")
        };
        upsert(1);
        let one = state();
        upsert(2);
        assert!(one != empty);
        assert_eq!(state(), one);
        let corpus = store.reader().expect("opens").corpus(&SourceRoles::default()).expect("reads");
        assert_eq!(corpus.members().iter().map(|member| member.entity.as_str()).collect::<Vec<_>>(), ["npm:@a/b"]);
    }

    #[test]
    fn a_pass_remembers_over_what_it_ran() {
        let folder = Folder::new();
        let store = folder.store();
        store.write(|writer| writer.pass_ran("drift", "1.2", day(1))).expect("noted");
        store.write(|writer| writer.pass_ran("drift", "1.3", day(2))).expect("noted");
        let reader = store.reader().expect("opens");
        assert_eq!(reader.pass_input("drift").expect("reads").as_deref(), Some("1.3"));
        assert_eq!(reader.pass_input("identity").expect("reads"), None);
    }
}
