//! `Walker`: everything that a walk of one source needs.

use capdex_crawlers::Source;

use crate::config::SourceRun;
use crate::jobs::Context;
use crate::progress::Progress;

/// Everything that a walk needs.
pub(super) struct Walker<'a> {
    pub context: &'a Context,
    pub id: &'a str,
    pub run: &'a SourceRun,
    pub source: &'static dyn Source,
    pub progress: &'a Progress,
}
