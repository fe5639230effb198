//! `ScanRow`: what the scan of one snapshot found. Worked out by whoever has the bytes, recorded by whoever has the store.

use std::collections::BTreeSet;

use capdex_dataset::bulk;
use capdex_db::{Scanned, StoreError, scanned_of_text, scanned_text};
use capdex_model::bundle::Bundle;
use capdex_model::listing::Claims;
use capdex_model::snapshot::{Gap, GapReason};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::analysis;

/// What was found in one snapshot, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanRow {
    /// The gaps that the scan met. What was refused on the way in stands in the ledger already.
    pub gaps: BTreeSet<Gap>,
    /// The capabilities.
    pub rows: Vec<Scanned>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowText<'a> {
    gaps: BTreeSet<Gap>,
    #[serde(borrow)]
    rows: &'a RawValue,
}

impl ScanRow {
    fn of(bundle: &Bundle, scanned: Vec<Scanned>) -> Self {
        let found = scanned.iter().flat_map(|one| one.completeness.gaps()).filter(|gap| !bundle.gaps.contains(gap));
        Self { gaps: found.cloned().collect(), rows: analysis::rows(scanned) }
    }

    /// The row of a snapshot that no process could work on to its end. It is known by nothing but the gap, and never as clean.
    pub fn unread(identity: String, claims: Claims) -> Self {
        let detail =
            "each process that scanned it alone was ended, by a limit or by itself; nothing of it was looked at";
        let gap = Gap::new(".", GapReason::BudgetExhausted, detail);
        let told = Bundle { gaps: vec![gap.clone()], claims, ..Bundle::local(identity, [].into()) };
        Self { gaps: BTreeSet::from([gap]), rows: analysis::rows(analysis::scan(&told)) }
    }

    /// As text, the same for the same row.
    ///
    /// # Errors
    /// A row that no JSON can hold.
    pub fn to_text(&self) -> Result<String, StoreError> {
        let refused = |error: serde_json::Error| StoreError::Refused { what: "result", detail: error.to_string() };
        let rows = RawValue::from_string(scanned_text(&self.rows)?).map_err(refused)?;
        serde_json::to_string(&RowText { gaps: self.gaps.clone(), rows: &rows }).map_err(refused)
    }

    /// What [`Self::to_text`] was called on.
    ///
    /// # Errors
    /// Any other text.
    pub fn of_text(text: &[u8]) -> Result<Self, StoreError> {
        let corrupt = |error: serde_json::Error| StoreError::Corrupt { what: "result", detail: error.to_string() };
        let RowText { gaps, rows } = serde_json::from_slice(text).map_err(corrupt)?;
        Ok(Self { gaps, rows: scanned_of_text(rows.get(), &capdex_rules::INDEX)? })
    }
}

/// Scans some bundles on the pool; the rows in their order, which makes them the same whatever the threads do.
pub fn scan(pool: &rayon::ThreadPool, bundles: &[&Bundle]) -> Vec<ScanRow> {
    let steps = analysis::steps(bundles, pool.current_num_threads(), |bundle| bundle);
    let work = |step: &[&Bundle]| {
        let scanned = analysis::scan_all(step);
        step.iter().zip(scanned).map(|(bundle, scanned)| ScanRow::of(bundle, scanned)).collect::<Vec<_>>()
    };
    bulk::mapped(pool, steps, work).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use capdex_model::bundle::BundleFile;
    use capdex_model::score::Band;
    use capdex_model::time::AsOf;

    use super::*;

    /// The bundles of every example of every rule, and some of which not all can be read.
    fn bundles() -> Vec<Bundle> {
        let of = |name: String, files: Vec<(String, String)>| {
            let files = files.into_iter().map(|(path, text)| (path, BundleFile::new(text.into_bytes())));
            Bundle::local(name, files.collect())
        };
        let rules = capdex_rules::INDEX.all();
        let examples = rules.iter().flat_map(|meta| meta.examples.fires.iter().chain(&meta.examples.silent));
        let mut bundles: Vec<Bundle> = examples
            .enumerate()
            .map(|(number, example)| {
                let files = example.files.iter().map(|(path, text)| (path.to_string(), text.to_string())).collect();
                Bundle { claims: example.claims.clone(), ..of(format!("npm:example-{number}"), files) }
            })
            .collect();
        bundles.push(of("npm:broken".into(), vec![("package.json".into(), "{".into())]));
        bundles.push(of("npm:empty".into(), Vec::new()));
        bundles
    }

    #[test]
    fn a_row_that_went_through_text_is_the_same_row() {
        let pool = bulk::pool(Some(2)).expect("threads");
        let bundles = bundles();
        assert!(bundles.len() > 200);
        let rows = scan(&pool, &bundles.iter().collect::<Vec<_>>());
        for (bundle, row) in bundles.iter().zip(&rows) {
            let text = row.to_text().expect("a text");
            let read = ScanRow::of_text(text.as_bytes()).expect("reads");
            assert_eq!(&read, row, "{}", bundle.identity);
            assert_eq!(read.to_text().expect("a text"), text, "{}", bundle.identity);
            // What is stored goes by digest.
            let digests = |row: &ScanRow| row.rows.iter().map(|one| one.facts.digest()).collect::<Vec<_>>();
            assert_eq!(digests(&read), digests(row));
        }
        assert!(ScanRow::of_text(b"{}").is_err());
    }

    #[test]
    fn what_could_not_be_scanned_is_unknown_and_never_clean() {
        let row = ScanRow::unread("npm:poison".into(), Claims::default());
        let [only] = row.rows.as_slice() else { panic!("one row: {row:?}") };
        assert_eq!(only.completeness.as_str(), "not_assessable");
        assert_eq!(row.gaps.len(), 1);
        let at: AsOf = "2026-11-22T00:00:00Z".parse().expect("an instant");
        let verdict = analysis::judge(&analysis::score(&only.facts, None, at), &only.completeness);
        assert_eq!(verdict.band, Band::Unknown);
    }
}
