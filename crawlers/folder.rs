//! Placeholder.

use std::collections::BTreeMap;
use std::path::Path;

use capdex_core::bundle::BundleFile;
use capdex_core::snapshot::Gap;

use crate::{CrawlError, unpack};

/// Placeholder.
pub struct Input {
    /// Placeholder.
    pub name: String,
    /// Placeholder.
    pub files: BTreeMap<String, BundleFile>,
    /// Placeholder.
    pub gaps: Vec<Gap>,
}

/// Placeholder.
pub fn read(path: &Path, _limits: &unpack::Limits) -> Result<Input, CrawlError> {
    Err(CrawlError::Gone { subject: path.display().to_string() })
}
