//! The one form of an image's name: `host/repository:tag` or `host/repository@digest`, whichever of its parts a listing
//! writes where.
//!
//! Must not ask a registry.

/// Hosts that lead to the same images.
const DOCKER_HOSTS: [&str; 4] =
    ["index.docker.io", "registry-1.docker.io", "hub.docker.com", "registry.hub.docker.com"];

/// The whole reference, and whether it says what `version` says.
pub(crate) fn reference(base: Option<&str>, identifier: &str, version: Option<&str>) -> (String, bool) {
    let identifier = without_scheme(identifier);
    let (host, path) = match identifier.split_once('/') {
        Some((host, path)) if host.contains(['.', ':']) || host == "localhost" => (host, path),
        _ => (base.map_or("docker.io", |base| without_scheme(base).split('/').next().unwrap_or_default()), identifier),
    };
    let host = if host.is_empty() || DOCKER_HOSTS.contains(&host) { "docker.io" } else { host };
    let library = if host == "docker.io" && !path.contains('/') { "library/" } else { "" };
    // A migration joined digests to names as if they were tags.
    let whole = format!("{host}/{library}{}", path.replacen(":sha256:", "@sha256:", 1));
    if let Some((_, digest)) = whole.split_once('@') {
        let tells_version = version == Some(digest);
        return (whole, tells_version);
    }
    let tag = path.rsplit('/').next().and_then(|last| last.split_once(':')).map(|(_, tag)| tag);
    match (tag, version) {
        (None, Some(digest)) if digest.starts_with("sha256:") => (format!("{whole}@{digest}"), true),
        (None, Some(version)) if is_tag(version) => (format!("{whole}:{version}"), true),
        (Some(tag), Some(version)) => (whole, tag == version),
        _ => (whole, false),
    }
}

fn without_scheme(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, rest)| rest)
}

/// Whether a text can be a tag, as the distribution specification has it.
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
