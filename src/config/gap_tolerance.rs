//! `GapTolerance`: how many gaps a run may have and still count as complete.

/// The percentage of a source's items that may have gaps, unless the schedule says otherwise.
pub(super) const MAX_GAP_PERCENT: u32 = 2;

/// How many gaps a run may have and still count as complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapTolerance {
    /// The percentage of a source's items that may have gaps, 0 to 100.
    pub max_percent: u32,
    /// True where no item at all may have one, in the whole store.
    pub is_strict: bool,
}

impl GapTolerance {
    /// The tolerance that the key `max_gap_percent` says, or its default.
    pub(super) fn of_key(max_gap_percent: Option<u32>) -> Result<Self, String> {
        match max_gap_percent.unwrap_or(MAX_GAP_PERCENT) {
            max_percent @ 0..=100 => Ok(Self { max_percent, is_strict: false }),
            more => Err(format!("max_gap_percent: {more} is no percentage; 0 to 100 are")),
        }
    }
}
