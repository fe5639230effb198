//! Reach: the hosts and permissions of a capability, which lie in the pins of its scan.
//!
//! Pins of before hold none: that is told apart from an empty list.

use capdex_corpus::drift::Reach;
use serde::Deserialize;

use crate::StoreError;
use crate::packed::unpack;

/// Pins as they are stored, so that another thread can read the reach in them.
#[derive(Clone, Debug)]
pub(crate) struct PackedReach(pub(crate) Vec<u8>);

/// The one part of pins that is read here.
#[derive(Deserialize)]
struct OnlyReach {
    reach: Option<Reach>,
}

impl PackedReach {
    /// The reach; none where the scan is of before it was kept. [`StoreError::Corrupt`] where the pins are damaged.
    pub(crate) fn unpack(&self) -> Result<Option<Reach>, StoreError> {
        unpack::<OnlyReach>(&self.0, "pins").map(|pins| pins.reach)
    }
}

#[cfg(test)]
mod tests {
    use capdex_corpus::drift::{HostDeed, HostUse, Pins, Reach};

    use crate::fixtures::{Folder, claims_digest, record, scan, scanned, snapshot};

    #[test]
    fn reach_is_read_from_the_pins_of_a_scan_and_pins_of_before_have_none() {
        let host = HostUse { host: "api.acme.test".into(), does: HostDeed::Sends, file: "a.js".into(), line: 3 };
        let reach = Reach { hosts: vec![host], ..Reach::default() };
        for kept in [None, Some(Reach::default()), Some(reach)] {
            let folder = Folder::new();
            let store = folder.store();
            let id = record(&store, "a", &snapshot("a", "1", &[("a.md", "1")]), 1);
            let pins = Pins { reach: kept.clone(), ..Pins::default() };
            let one = crate::Scanned { pins, ..scanned("a", "", "1", "a") };
            scan(&store, id, "rules", &claims_digest("a", "1"), &[one], 1);
            let reader = store.reader().expect("opens");
            let place = reader.current_places().expect("reads").remove(0);
            let packed = reader.packed_capability(&place).expect("reads");
            assert_eq!(packed.reach().expect("unpacks"), kept);
        }
    }
}
