//! The progress of writing a site, shown by whoever asked for it.

/// Shows one stage at a time.
pub trait Progress: Sync {
    /// A stage begins, with the number of its items where that is known.
    fn begin(&self, stage: &'static str, items: Option<u64>);
    /// The number of items that are done since the last call.
    fn advance(&self, items: u64);
    /// The bytes that are written so far, and the last item. The subject is untrusted.
    fn show(&self, bytes: u64, subject: &str);
    /// The stage is over.
    fn end(&self);
}
