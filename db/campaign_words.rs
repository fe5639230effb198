//! What facts say that a campaign may share, kept with them: the pass `campaigns` reads no facts twice.
//!
//! Picking is the pass's; nothing here is judged.

use std::collections::BTreeMap;

use capdex_corpus::campaign::{CampaignWords, WORDS_VERSION};
use capdex_model::digest::Digest;

use crate::facts::facts_id;
use crate::sql::{Cells, canonical, execute, rows};
use crate::{Reader, StoreError, Writer};

impl Writer<'_> {
    /// Keeps what was picked out of facts, in place of what another version picked.
    ///
    /// [`StoreError::Unknown`] for facts that are not stored.
    pub fn keep_campaign_words(&self, facts: &Digest, words: &CampaignWords) -> Result<(), StoreError> {
        let id = facts_id(self.connection(), facts)?
            .ok_or_else(|| StoreError::Unknown { what: "facts", key: facts.to_string() })?;
        let sql = "INSERT OR REPLACE INTO campaign_words (facts, version, body) VALUES (?1, ?2, ?3)";
        execute(self.connection(), "keep the words of facts", sql, (id, WORDS_VERSION, canonical(words)?)).map(drop)
    }
}

impl Reader {
    /// What was picked out of the facts of the capabilities that stand now, by facts. Facts that nobody has read are not in it.
    pub fn campaign_words(&self) -> Result<BTreeMap<Digest, CampaignWords>, StoreError> {
        let sql = "SELECT f.digest, w.body FROM campaign_words w JOIN facts f ON f.id = w.facts
                   WHERE w.version = ?1
                     AND w.facts IN (SELECT r.facts FROM identities i JOIN scan_results r ON r.scan = i.scan)";
        let found = rows(self.connection(), "read the words of facts", sql, (WORDS_VERSION,), |row| {
            Ok((row.digest(0)?, row.json(1, "words of facts")?))
        })?;
        Ok(found.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, facts, scan_of};
    use capdex_model::fact::Severity;

    #[test]
    fn words_are_kept_with_their_facts_and_those_of_another_version_are_not_read() {
        let folder = Folder::new();
        let store = folder.store();
        scan_of(&store, "a", "1", 1);
        let digest = facts("a").digest();
        let words = CampaignWords { worst: Severity::High, ..CampaignWords::of(&facts("a")) };
        let kept = words.clone();
        store.write(move |writer| writer.keep_campaign_words(&digest, &kept)).expect("kept");
        let read = || store.reader().expect("opens").campaign_words().expect("reads");
        assert_eq!(read(), [(digest, words.clone())].into());
        let unknown = store.write(move |writer| writer.keep_campaign_words(&facts("none").digest(), &words));
        assert!(matches!(unknown, Err(StoreError::Unknown { .. })));
        store
            .write(|writer| execute(writer.connection(), "age", "UPDATE campaign_words SET version = 0", ()))
            .expect("aged");
        assert_eq!(read(), BTreeMap::new());
    }
}
