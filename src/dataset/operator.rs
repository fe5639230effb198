//! The operator's word over a capability as the store or a dataset holds it.
//!
//! What it comes to is decided by `capdex_rubrics::operator`; here fingerprints find their findings.

use capdex_model::ruling::OperatorPolicy;
use capdex_model::time::AsOf;
use capdex_rubrics::operator::{self, BeforeOperator, OperatorVerdict};

use crate::finding::findings;

/// The verdict by the operator's word; none where he has nothing to say of it.
pub fn heard(policy: &OperatorPolicy, of: BeforeOperator<'_>, now: AsOf) -> Option<OperatorVerdict> {
    // Fingerprints are digests, and most capabilities have nobody's word.
    if policy.votes.is_empty() && policy.holding(of.capability, now).next().is_none() {
        return None;
    }
    let found = findings(of.facts);
    let is_named = |at: usize, fingerprint: &str| found.get(at).is_some_and(|one| one.fingerprint == fingerprint);
    operator::heard(policy, of, is_named, now)
}
