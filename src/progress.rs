//! Progress of long work: items, bytes, rate and time left, on a terminal and nowhere else.
//!
//! Must not decide anything.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use capdex_dataset::escape::{bytes, escape, shorten};

/// The progress of one stage. Says nothing in a pipe or under `--quiet`.
#[derive(Clone, Debug)]
pub struct StageProgress {
    bar: ProgressBar,
}

impl StageProgress {
    /// A stage of so many items; none known gives a counter without an end.
    pub fn stage(name: &'static str, items: Option<u64>, quiet: bool) -> Self {
        let bar = items.map_or_else(ProgressBar::no_length, ProgressBar::new);
        // Eight times a second is smooth, and does not slow the work by drawing.
        bar.set_draw_target(if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(8) });
        let template = if items.is_some() {
            "{prefix:>7} [{bar:24}] {pos}/{len}  {msg}  {per_sec}, {eta} left"
        } else {
            "{prefix:>7} {spinner} {pos}  {msg}  {per_sec}"
        };
        bar.set_style(ProgressStyle::with_template(template).expect("the template is ours").progress_chars("=> "));
        bar.set_prefix(name);
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar }
    }

    /// More items are to come than was known.
    pub fn expect(&self, items: u64) {
        self.bar.set_length(items);
    }

    /// An item is done.
    pub fn advance(&self, items: u64) {
        self.bar.inc(items);
    }

    /// Shows the number of bytes so far, and the subject that is worked on. The subject is untrusted.
    pub fn show(&self, count: u64, subject: &str) {
        // Names of strangers must not move the cursor.
        let subject = shorten(&escape(subject), 40);
        self.bar.set_message(if count > 0 { format!("{}  {subject}", bytes(count)) } else { subject });
    }

    /// The stage is over.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The stages of a site, one after the other.
pub struct SiteProgress {
    quiet: bool,
    stage: Mutex<Option<StageProgress>>,
}

impl SiteProgress {
    /// Shows nothing where `quiet`.
    pub const fn new(quiet: bool) -> Self {
        Self { quiet, stage: Mutex::new(None) }
    }

    /// The stage now; a thread that panicked while it showed something harms nothing here.
    fn stage(&self) -> MutexGuard<'_, Option<StageProgress>> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl capdex_site::progress::Progress for SiteProgress {
    fn begin(&self, stage: &'static str, items: Option<u64>) {
        *self.stage() = Some(StageProgress::stage(stage, items, self.quiet));
    }

    fn advance(&self, items: u64) {
        self.stage().iter().for_each(|stage| stage.advance(items));
    }

    fn show(&self, bytes: u64, subject: &str) {
        self.stage().iter().for_each(|stage| stage.show(bytes, subject));
    }

    fn end(&self) {
        self.stage().take().iter().for_each(StageProgress::finish);
    }
}
