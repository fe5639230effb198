//! The whole reference to an image, put together from the parts that a row of a directory has. Rows differ in where
//! they write them: a scheme before it, the registry's address, the version or the digest beside it.
//!
//! A reference is put together from text alone; no registry is asked.

use capdex_model::image::ImageReference;

/// The whole reference, and whether it says what `version` says.
pub(crate) fn reference(base: Option<&str>, identifier: &str, version: Option<&str>) -> (String, bool) {
    // A migration joined digests to names as if they were tags.
    let identifier = without_scheme(identifier).replacen(":sha256:", "@sha256:", 1);
    // Only the host of the registry's address belongs in a reference.
    let base = base.and_then(|base| without_scheme(base).split('/').next()).unwrap_or_default();
    let mut image = ImageReference::read_at(base, &identifier);
    let Some(version) = version else { return (image.to_string(), false) };
    let tells_version = match (&image.digest, &image.tag) {
        (Some(digest), _) => digest == version,
        (None, Some(tag)) => tag == version,
        (None, None) if version.starts_with("sha256:") => {
            image.digest = Some(version.to_owned());
            true
        }
        (None, None) if is_tag(version) => {
            image.tag = Some(version.to_owned());
            true
        }
        (None, None) => false,
    };
    (image.to_string(), tells_version)
}

fn without_scheme(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, rest)| rest)
}

/// Returns true if a text can be a tag, as the distribution specification has it.
fn is_tag(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    text.len() <= 128 && !text.starts_with(['.', '-']) && text.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::reference;

    #[test]
    fn every_way_to_name_an_image_is_one_reference() {
        let of = |base: &str, identifier: &str, version: &str| {
            reference(Some(base).filter(|base| !base.is_empty()), identifier, Some(version).filter(|v| !v.is_empty()))
        };
        let whole = |text: &str, tells_version| (text.to_owned(), tells_version);
        assert_eq!(of("", "ghcr.io/a/b:1", ""), whole("ghcr.io/a/b:1", false));
        assert_eq!(of("https://ghcr.io", "a/b", "1"), whole("ghcr.io/a/b:1", true));
        assert_eq!(of("https://ghcr.io/", "ghcr.io/a/b:1", "1"), whole("ghcr.io/a/b:1", true));
        assert_eq!(of("https://docker.io", "a/b:1", "2"), whole("docker.io/a/b:1", false));
        assert_eq!(of("", "index.docker.io/a/b", "1"), whole("docker.io/a/b:1", true));
        assert_eq!(of("", "redis", "7"), whole("docker.io/library/redis:7", true));
        assert_eq!(of("", "localhost:5000/a", "1"), whole("localhost:5000/a:1", true));
        assert_eq!(of("", "ghcr.io/a/b@sha256:00", "1"), whole("ghcr.io/a/b@sha256:00", false));
        assert_eq!(of("", "ghcr.io/a/b:sha256:00", ""), whole("ghcr.io/a/b@sha256:00", false));
        assert_eq!(of("", "ghcr.io/a/b", "sha256:00"), whole("ghcr.io/a/b@sha256:00", true));
        assert_eq!(of("", "docker://ghcr.io/a/b", "1+2"), whole("ghcr.io/a/b", false));
    }
}
