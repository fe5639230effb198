//! The word that a mistyped one may have meant, for errors that list what there is.

/// The one of some words that a mistyped one may be: with a third of its letters wrong at most.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |other: &str| strsim::damerau_levenshtein(word, other);
    let nearest = known.into_iter().map(|other| (distance(other), other)).min()?;
    (nearest.0 <= (word.chars().count() / 3).max(1)).then_some(nearest.1)
}

/// A phrase that names it, for the text behind a word that is none of those; empty where no word is near.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!(" (did you mean {near}?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_far_from_all_is_near_none() {
        assert_eq!(nearest("npn", ["npm", "pypi"]), Some("npm"));
        assert_eq!(nearest("watchlits", ["watchlist", "packages"]), Some("watchlist"));
        assert_eq!(nearest("xyz", ["npm", "pypi"]), None);
        assert_eq!(nearest("x", std::iter::empty()), None);
        assert_eq!(did_you_mean("npmm", ["npm", "pypi"]), " (did you mean npm?)");
        assert_eq!(did_you_mean("xyz", ["npm", "pypi"]), "");
    }
}
