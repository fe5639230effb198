//! Vocabularies: lists of words and hosts that rules share, as data in `vocab/`.

/// The entries of a vocabulary: one a line, blank lines and comments left out.
pub(crate) fn entries(text: &'static str) -> Vec<&'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}
