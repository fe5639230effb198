//! Corpus signals: what passes see of packages, for as long as it holds.
//!
//! Rules read them among the claims of a listing (`claims.rs`).

use std::collections::BTreeSet;

use capdex_model::corpus_signal::CorpusSignal;

use crate::sql::{Cells, canonical, execute, rows};
use crate::{StoreError, Writer, claims};

impl Writer<'_> {
    /// Takes what a pass sees now, by identity or listing, in the place of what it saw before. Returns the number of listings
    /// of which something else is claimed now. Those are unscanned until they are scanned again.
    pub fn replace_corpus_signals(
        &self,
        pass: &str,
        now: &BTreeSet<(String, CorpusSignal)>,
    ) -> Result<u64, StoreError> {
        const WHAT: &str = "replace the sightings of a pass";
        let conn = self.connection();
        let sql = "SELECT subject, body FROM corpus_signals WHERE pass = ?1";
        let before: BTreeSet<(String, String)> =
            rows(conn, WHAT, sql, (pass,), |row| Ok((row.cell(0)?, row.cell(1)?)))?.into_iter().collect();
        let mut after = BTreeSet::new();
        for (subject, sighting) in now {
            after.insert((subject.clone(), canonical(sighting)?));
        }
        // Only the difference is written, so that what is still seen makes no package unscanned.
        let sql = "DELETE FROM corpus_signals WHERE pass = ?1 AND subject = ?2 AND body = ?3";
        for (subject, body) in before.difference(&after) {
            execute(conn, WHAT, sql, (pass, subject, body))?;
        }
        let sql = "INSERT INTO corpus_signals (pass, subject, body) VALUES (?1, ?2, ?3)";
        for (subject, body) in after.difference(&before) {
            execute(conn, WHAT, sql, (pass, subject, body))?;
        }
        let subjects = before.symmetric_difference(&after).map(|(subject, _)| subject.clone()).collect();
        let mut changed = 0;
        for listing in claims::listings_of(conn, &subjects)? {
            changed += u64::from(claims::renew(conn, listing)?);
        }
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, list, listing, scan_of, scan_unscanned};
    use capdex_model::fact::Severity;
    use capdex_model::listing::Claim;

    fn sighting(class: &str) -> CorpusSignal {
        CorpusSignal {
            pass: "drift".into(),
            class: class.into(),
            severity: Severity::High,
            capability: None,
            content: None,
            detail: "it changed".into(),
        }
    }

    #[test]
    fn what_is_seen_makes_those_unscanned_of_whom_it_is_seen_and_goes_with_it() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        list(&store, &listing("b", "1"), 1);
        let (a, b) = (scan_of(&store, "a", "1", 1), scan_of(&store, "b", "1", 1));
        let scan_all = || scan_unscanned(&store, &[(a, "a"), (b, "b")]);
        let see = |seen: &[(&str, &str)]| {
            let seen = seen.iter().map(|(subject, class)| ((*subject).to_owned(), sighting(class))).collect();
            store.write(move |writer| writer.replace_corpus_signals("drift", &seen)).expect("stored")
        };
        let seen_of_a =
            || store.reader().expect("opens").bundle(a).expect("reads").claims.repository_signals.corpus_signals;
        scan_all();
        assert_eq!(see(&[("npm:a", "D5")]), 1);
        assert_eq!(scan_all(), vec![a]);
        assert_eq!(scan_all(), vec![]);
        assert_eq!(seen_of_a(), Claim::Known(vec![sighting("D5")]));
        assert_eq!(see(&[("npm:a", "D5")]), 0);
        assert_eq!(scan_all(), vec![]);
        assert_eq!(see(&[("npm:a", "D4"), ("npm:b", "D4")]), 2);
        assert_eq!(scan_all(), vec![a, b]);
        assert_eq!(see(&[]), 2, "the scans of before count again");
        assert_eq!(scan_all(), vec![], "the scans of before count again");
        assert_eq!(seen_of_a(), Claim::Unknown, "the scans of before count again");
    }
}
