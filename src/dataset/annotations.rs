//! What appeals come to beside a capability: of its findings, and of its verdict as a whole.

use capdex_db::{CurrentCapability, Reader, StoreError};
use capdex_model::appeal::Annotation;
use capdex_model::ruling::RulingScope;

/// The annotations of a capability with the content that stands now, in the order in which the appeals were filed.
///
/// # Errors
/// Errors of the store.
pub fn of(reader: &Reader, current: &CurrentCapability) -> Result<Vec<Annotation>, StoreError> {
    let appeals = reader.appeals_about(&current.identity)?;
    let about = appeals.iter().filter(|appeal| appeal.is_about(&current.capability));
    Ok(about.filter_map(|appeal| appeal.annotation()).collect())
}

/// Those of the verdict as a whole.
pub fn of_whole(annotations: &[Annotation]) -> impl Iterator<Item = &Annotation> {
    annotations.iter().filter(|annotation| annotation.scope == RulingScope::Whole)
}
