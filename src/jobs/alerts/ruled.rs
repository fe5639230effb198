//! Which alerts the operator has answered already, by his rulings.
//!
//! He is not told again of content that he looked at and lets stand. Other content of the same subject is another matter.

use std::collections::BTreeSet;

use capdex_dataset::export::ranked_capability;
use capdex_db::Reader;
use capdex_model::alert::Raised;
use capdex_model::score::Band;
use capdex_model::time::AsOf;
use capdex_rubrics::rank::place;

/// The keys of alerts about content that stands, which by the operator's word is no worse than `watch`.
///
/// # Errors
/// Errors of the store.
pub fn ruled(reader: &Reader, alerts: &[Raised], as_of: AsOf) -> anyhow::Result<BTreeSet<String>> {
    let policy = reader.operator_policy()?;
    let mut ruled = BTreeSet::new();
    // Votes only make verdicts stricter.
    if policy.rulings.is_empty() {
        return Ok(ruled);
    }
    for Raised { alert, .. } in alerts {
        let Some(id) = &alert.capability else { continue };
        let Some(current) = reader.current_of(id)? else { continue };
        // An alert about no content, such as a report of abuse, says something that nobody could have ruled on.
        let is_of_it = alert.content == Some(current.capability.content);
        if !is_of_it || policy.holding(&current.capability, as_of).all(|ruling| !ruling.status.sets_aside()) {
            continue;
        }
        let facts = ranked_capability::facts(reader, &current)?;
        let (scores, verdict) = ranked_capability::scores(reader, &current, as_of)?;
        let said = ranked_capability::operator(reader, &current, &facts, (&scores, &verdict), as_of)?;
        if said.is_some_and(|said| place(said.band) < place(Band::Caution)) {
            ruled.insert(alert.key.clone());
        }
    }
    Ok(ruled)
}
