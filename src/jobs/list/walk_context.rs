//! `WalkContext`: everything that a walk of one source needs.

use capdex_crawlers::Source;

use crate::config::SourceRun;
use crate::jobs::JobContext;
use crate::progress::StageProgress;

/// Everything that a walk needs.
pub(super) struct WalkContext<'a> {
    pub context: &'a JobContext,
    pub id: &'a str,
    pub run: &'a SourceRun,
    pub source: &'static dyn Source,
    pub progress: &'a StageProgress,
}
