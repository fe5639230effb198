//! The chains of appeals: each event has the digest that it says, and names the one before it.

use std::collections::BTreeMap;

use capdex_model::digest::Digest;

use super::{Dataset, Verified};
use crate::export::tables::appeals::{ReadAppealEventRow, written};

/// Walks every chain.
pub(super) fn check(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<()> {
    let file = dataset.file::<ReadAppealEventRow>();
    // By appeal, since a format may order rows by their key.
    let mut chains: BTreeMap<String, BTreeMap<u32, (Option<Digest>, Digest)>> = BTreeMap::new();
    dataset.each(|row: ReadAppealEventRow| {
        match written(&row) {
            Ok(event) => {
                let chain = chains.entry(event.appeal.to_string()).or_default();
                chain.insert(event.seq, (event.previous, event.digest()));
            }
            Err(fault) => verified.differs(format!("{file}: {fault}")),
        }
        Ok(())
    })?;
    for (appeal, chain) in &chains {
        let mut before = None;
        for (place, (seq, (previous, digest))) in (0..).zip(chain) {
            if *seq != place || *previous != before {
                verified.differs(format!("{file}: the chain of {appeal} is broken at event {seq}"));
                break;
            }
            before = Some(*digest);
        }
    }
    Ok(())
}
