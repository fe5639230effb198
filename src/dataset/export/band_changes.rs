//! `BandChanges`: the capabilities whose verdict is another than in the earlier dataset, as a terminal shows them.

use capdex_model::score::Band;
use serde::{Deserialize, Serialize};

/// Changes that are kept, the worst; the table `changes` of the dataset holds them all.
const LINES: usize = 20;

/// One capability that is new, or has another band than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BandChange {
    /// Its readable name; untrusted.
    pub slug: String,
    /// The band before; none for one that is new. A word of the earlier dataset.
    pub before: Option<String>,
    /// The band now.
    pub now: Band,
}

/// The worst of them, and the number of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BandChanges {
    /// Those that now rank last, first.
    pub lines: Vec<BandChange>,
    /// Further ones.
    pub beyond: u64,
    /// Capabilities that are not there any more.
    pub gone: u64,
}

impl BandChanges {
    /// Adds the next one of the order, which goes from the best to the worst.
    pub(super) fn add(&mut self, change: BandChange) {
        self.lines.insert(0, change);
        if self.lines.len() > LINES {
            self.lines.truncate(LINES);
            self.beyond += 1;
        }
    }
}
