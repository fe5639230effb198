//! Progress of long work: items, bytes, rate and time left, on a terminal and nowhere else.
//!
//! Must not decide anything.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output;

/// The progress of one stage. Says nothing in a pipe or under `--quiet`.
#[derive(Clone, Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
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
    pub fn show(&self, bytes: u64, subject: &str) {
        // Names of strangers must not move the cursor.
        let subject = output::shorten(&output::escape(subject), 40);
        self.bar.set_message(if bytes > 0 { format!("{}  {subject}", output::bytes(bytes)) } else { subject });
    }

    /// The stage is over.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
