//! `Capped`: a reader that fails at its cap instead of ending there, and `UnpackBudget`, the one account that all readers of an
//! input share.
//!
//! A reader that merely ended at its cap would make a bomb look like a small file.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use capdex_model::snapshot::GapReason;

use super::UnpackLimits;

/// The account of one input: what it has used of its limits so far.
#[derive(Debug)]
pub(crate) struct UnpackBudget {
    limits: UnpackLimits,
    compressed: Cell<u64>,
    expanded: Cell<u64>,
    members: Cell<usize>,
}

impl UnpackBudget {
    /// Opens the account of an input of so many compressed bytes; a folder starts at none and adds its files.
    pub(crate) fn new(limits: UnpackLimits, compressed_bytes: u64) -> Self {
        Self { limits, compressed: Cell::new(compressed_bytes), expanded: Cell::new(0), members: Cell::new(0) }
    }

    /// Adds bytes that were read as they are, against which expansion may be measured.
    pub(crate) fn add_compressed(&self, bytes: u64) {
        self.compressed.set(self.compressed.get().saturating_add(bytes));
    }

    /// Counts one member.
    pub(crate) fn count_member(&self) -> Result<(), Refusal> {
        if self.members.get() >= self.limits.members {
            return Err(Refusal::too_many_members(self.limits.members));
        }
        self.members.set(self.members.get() + 1);
        Ok(())
    }

    /// The number of members that may still come.
    pub(crate) fn members_left(&self) -> usize {
        self.limits.members.saturating_sub(self.members.get())
    }

    /// The expanded bytes that the ratio allows in all.
    fn ratio_bound(&self) -> u64 {
        self.limits.ratio.saturating_mul(self.compressed.get()).max(UnpackLimits::RATIO_FLOOR_BYTES)
    }

    /// The expanded bytes that may still come, whatever the ratio says.
    pub(crate) fn unspent(&self) -> u64 {
        self.limits.expanded_bytes.saturating_sub(self.expanded.get())
    }

    fn room(&self) -> u64 {
        self.limits.expanded_bytes.min(self.ratio_bound()).saturating_sub(self.expanded.get())
    }

    fn spend(&self, bytes: u64) {
        self.expanded.set(self.expanded.get().saturating_add(bytes));
    }

    /// Counts a file that is there already and gets one more name.
    pub(super) fn take(&self, bytes: u64) -> Result<(), Refusal> {
        self.count_member()?;
        if bytes > self.unspent() {
            return Err(self.expanded_refusal());
        }
        self.spend(bytes);
        Ok(())
    }

    fn expanded_refusal(&self) -> Refusal {
        let detail = format!("more than {} expanded bytes", self.limits.expanded_bytes);
        Refusal { reason: GapReason::ExpandedTooLarge, detail }
    }

    /// The refusal when there is no room left, by the cap that binds.
    fn refusal(&self) -> Refusal {
        if self.ratio_bound() < self.limits.expanded_bytes {
            let detail = format!(
                "more than {} times its size and more than {} bytes",
                self.limits.ratio,
                UnpackLimits::RATIO_FLOOR_BYTES
            );
            Refusal { reason: GapReason::RatioTooHigh, detail }
        } else {
            self.expanded_refusal()
        }
    }
}

/// A cap was met. Travels inside an [`io::Error`] through decoders that know nothing of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub(crate) struct Refusal {
    pub(crate) reason: GapReason,
    pub(crate) detail: String,
}

impl Refusal {
    /// The refusal of the member after the last that is allowed.
    pub(crate) fn too_many_members(limit: usize) -> Self {
        Self { reason: GapReason::TooManyMembers, detail: format!("more than {limit} members") }
    }

    /// Finds out why a decoder failed: our own refusal, an early end, or bytes that are not in the format.
    pub(crate) fn of(error: &io::Error, ended: bool) -> Self {
        if let Some(refusal) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return refusal.clone();
        }
        let early = ended || error.kind() == io::ErrorKind::UnexpectedEof;
        let reason = if early { GapReason::Truncated } else { GapReason::Malformed };
        Self { reason, detail: error.to_string() }
    }

    /// True where a budget is spent, so that nothing more may be read.
    pub(crate) const fn is_cap(&self) -> bool {
        matches!(self.reason, GapReason::ExpandedTooLarge | GapReason::RatioTooHigh | GapReason::TooManyMembers)
    }
}

/// The progress of a [`Capped`] reader, readable while a decoder owns the reader.
#[derive(Debug, Default)]
pub(crate) struct ReadProgress {
    delivered: Cell<u64>,
    ended: Cell<bool>,
}

impl ReadProgress {
    /// Bytes given out.
    pub(crate) fn delivered(&self) -> u64 {
        self.delivered.get()
    }

    /// True where the source said that there is no more.
    pub(crate) fn ended(&self) -> bool {
        self.ended.get()
    }
}

/// Counts what passes against a [`UnpackBudget`] and fails with a [`Refusal`] on the first byte above it.
pub(crate) struct Capped<R> {
    inner: R,
    budget: Rc<UnpackBudget>,
    progress: Rc<ReadProgress>,
}

impl<R: Read> Capped<R> {
    pub(crate) fn new(inner: R, budget: Rc<UnpackBudget>) -> Self {
        Self { inner, budget, progress: Rc::default() }
    }

    pub(crate) fn progress(&self) -> Rc<ReadProgress> {
        Rc::clone(&self.progress)
    }
}

impl<R: Read> Read for Capped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // An empty buffer reads nothing and says nothing about the end.
        if buffer.is_empty() {
            return Ok(0);
        }
        let room = self.budget.room();
        if room == 0 {
            // Exactly at the cap is allowed, so only the byte after it decides.
            return match self.inner.read(&mut [0])? {
                0 => {
                    self.progress.ended.set(true);
                    Ok(0)
                }
                _ => Err(io::Error::other(self.budget.refusal())),
            };
        }
        let wanted = usize::try_from(room).map_or(buffer.len(), |room| room.min(buffer.len()));
        let (wanted, _) = buffer.split_at_mut(wanted);
        let read = self.inner.read(wanted)?;
        if read == 0 {
            self.progress.ended.set(true);
        }
        self.budget.spend(read as u64);
        self.progress.delivered.set(self.progress.delivered.get() + read as u64);
        Ok(read)
    }
}

/// Reads everything, or gives `None` once there are more than `limit` bytes. The buffer grows with what arrives, never
/// with what is declared.
pub(crate) fn read_at_most(reader: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    // One byte more tells a file at the cap from one above it.
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(length: u64, limits: UnpackLimits, compressed: u64) -> Result<usize, GapReason> {
        let mut reader = Capped::new(io::repeat(7).take(length), Rc::new(UnpackBudget::new(limits, compressed)));
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(|error| Refusal::of(&error, false).reason)
    }

    #[test]
    fn the_cap_on_expanded_bytes_is_met_exactly_and_then_fails() {
        let limits = UnpackLimits { expanded_bytes: 100, ..UnpackLimits::default() };
        assert_eq!(read(99, limits, 1), Ok(99));
        assert_eq!(read(100, limits, 1), Ok(100));
        assert_eq!(read(101, limits, 1), Err(GapReason::ExpandedTooLarge));
    }

    #[test]
    fn the_ratio_counts_only_beyond_the_floor() {
        let floor = UnpackLimits::RATIO_FLOOR_BYTES;
        let limits = UnpackLimits { ratio: 2, ..UnpackLimits::default() };
        let at_floor = usize::try_from(floor).expect("fits");
        assert_eq!(read(floor, limits, 1), Ok(at_floor));
        assert_eq!(read(floor + 1, limits, 1), Err(GapReason::RatioTooHigh));
        assert_eq!(read(floor + 1, limits, floor / 2), Err(GapReason::RatioTooHigh));
        assert_eq!(read(floor + 1, limits, floor / 2 + 1), Ok(at_floor + 1));
        assert_eq!(read(floor + 2, limits, floor / 2 + 1), Ok(at_floor + 2));
        assert_eq!(read(floor + 3, limits, floor / 2 + 1), Err(GapReason::RatioTooHigh));
    }

    #[test]
    fn readers_share_one_budget() {
        let budget = Rc::new(UnpackBudget::new(UnpackLimits { expanded_bytes: 10, ..UnpackLimits::default() }, 1));
        let mut bytes = Vec::new();
        Capped::new(io::repeat(7).take(6), Rc::clone(&budget)).read_to_end(&mut bytes).expect("fits");
        assert!(Capped::new(io::repeat(7).take(5), budget).read_to_end(&mut bytes).is_err());
    }

    #[test]
    fn reading_at_most_tells_exactly_from_more() {
        assert_eq!(read_at_most(&b"abc"[..], 3).expect("reads"), Some(b"abc".to_vec()));
        assert_eq!(read_at_most(&b"abc"[..], 4).expect("reads"), Some(b"abc".to_vec()));
        assert_eq!(read_at_most(&b"abc"[..], 2).expect("reads"), None);
    }
}
