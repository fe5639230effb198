//! The parts that the interfaces of all forges have in common: names of repositories, addresses, commits.

pub(crate) mod archive;
pub(crate) mod path;

use serde_json::Value;
use url::Url;

use crate::CrawlError;

/// The longest name of an owner or a repository that a forge takes.
const MAX_NAME_BYTES: usize = 100;

/// The most bytes that the document of a repository or a commit may have; a commit lists the files that it changes.
pub(crate) const MAX_DOCUMENT_BYTES: u64 = 8 << 20;

/// Returns true if a text can be the name of an owner or a repository.
pub(crate) fn is_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    // `.` and `..` would climb out of the path of the interface.
    let is_path = matches!(text, "." | "..");
    !text.is_empty() && text.len() <= MAX_NAME_BYTES && !is_path && text.bytes().all(is_letter)
}

/// The address below `base_url` with these segments, each encoded.
///
/// # Errors
/// `Malformed` where the base address can have nothing below it.
pub(crate) fn address<'a>(
    base_url: &str,
    segments: impl IntoIterator<Item = &'a str>,
    query: &[(&str, &str)],
) -> Result<String, CrawlError> {
    let mut url = Url::parse(base_url).map_err(|_| CrawlError::bad_answer(base_url, "the base address is none"))?;
    // A base address with a slash at its end would else give an empty segment.
    url.path_segments_mut()
        .map_err(|()| CrawlError::bad_answer(base_url, "nothing can lie below the base address"))?
        .pop_if_empty()
        .extend(segments);
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    Ok(url.into())
}

/// A commit as the member of a document.
pub(crate) fn of_member(value: &Value) -> Option<String> {
    value.as_str().filter(|text| is_commit(text)).map(str::to_owned)
}

/// Returns true if a text is a whole commit id: SHA-1, or SHA-256.
pub(crate) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_and_queries_are_encoded() {
        let of = |base: &str, segments: &[&str]| address(base, segments.iter().copied(), &[("q", "a b&c")]);
        let expected = "https://host.test/api/v3/commits/a%2Fb%20c?q=a+b%26c";
        for base in ["https://host.test/api/v3", "https://host.test/api/v3/"] {
            assert_eq!(of(base, &["commits", "a/b c"]).as_deref(), Ok(expected));
        }
        assert!(of("mailto:x@host.test", &["a"]).is_err());
        assert!(of("nonsense", &["a"]).is_err());
    }

    #[test]
    fn only_a_whole_id_is_a_commit() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        assert!(is_commit(id));
        assert!(is_commit(&"0".repeat(64)));
        for wrong in ["", "0123", &id.to_uppercase(), "main", &"g".repeat(40)] {
            assert!(!is_commit(wrong), "{wrong}");
        }
    }
}
