//! What an npm registry's own security team says in a packument: a placeholder in the place of a package, and versions
//! that are deprecated as malicious.
//!
//! Source: the placeholders of the registry (`npm/security-holder`, versions `0.0.1-security` and `0.0.1-security.<n>`).

use capdex_model::listing::RefusedVersion;
use serde_json::{Map, Value};

use crate::CrawlError;

/// The repository that the registry's placeholders name.
const HOLDER: &str = "npm/security-holder";
/// The description that they have.
const HOLDING: &str = "security holding package";

/// Refuses a package whose listed version is the registry's placeholder: it is no release of a publisher.
///
/// # Errors
/// `TakenDown` where it is.
pub(super) fn refuse_placeholder(
    whole: &Map<String, Value>,
    manifest: &Map<String, Value>,
    version: &str,
    subject: &str,
) -> Result<(), CrawlError> {
    if !is_placeholder_version(version) || ![manifest, whole].iter().any(|of| is_of_the_holder(of)) {
        return Ok(());
    }
    let detail = format!("the registry put a security holding package in its place ({version})");
    Err(CrawlError::TakenDown { subject: subject.to_owned(), detail })
}

/// Returns true for `0.0.1-security`, `0.0.1-security.0` and their like.
fn is_placeholder_version(version: &str) -> bool {
    let Some((core, mark)) = version.split_once('-') else { return false };
    let number = mark.strip_prefix("security").map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    let is_core = core.split('.').count() == 3 && core.split('.').all(is_number);
    is_core && number.is_some_and(|number| number.is_empty() || number.split('.').all(is_number))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// True where a description or a repository is that of the registry's placeholders.
fn is_of_the_holder(of: &Map<String, Value>) -> bool {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().trim().to_ascii_lowercase();
    let repository = of.get("repository");
    let address = text(repository.and_then(|repository| repository.get("url")).or(repository));
    let address = address.trim_end_matches('/').trim_end_matches(".git");
    let is_holder =
        address.strip_suffix(HOLDER).is_some_and(|before| before.is_empty() || before.ends_with(['/', ':']));
    is_holder || text(of.get("description")).trim_end_matches('.') == HOLDING
}

/// The versions whose deprecation speaks of malice.
pub(super) fn refused_versions(whole: &Map<String, Value>) -> Vec<RefusedVersion> {
    let versions = whole.get("versions").and_then(Value::as_object);
    let of_version = |(version, manifest): (&String, &Value)| {
        RefusedVersion::of(version, manifest.get("deprecated").and_then(Value::as_str)?)
    };
    RefusedVersion::sorted(versions.into_iter().flatten().filter_map(of_version))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn is_placeholder(version: &str, manifest: &Value) -> bool {
        let manifest = manifest.as_object().expect("an object");
        let refused = refuse_placeholder(&Map::new(), manifest, version, "a");
        matches!(refused, Err(CrawlError::TakenDown { detail, .. }) if detail.contains(version))
    }

    #[test]
    fn a_placeholder_is_told_by_version_and_holder_together() {
        let holder = json!({"repository": "npm/security-holder"});
        for version in ["0.0.1-security", "0.0.1-security.0", "0.0.1-security.12", "1.0.1-security"] {
            assert!(is_placeholder(version, &holder), "{version}");
        }
        for repository in
            ["git+https://forge.test/npm/security-holder.git", "github:npm/security-holder", "npm/security-holder/"]
        {
            assert!(is_placeholder("0.0.1-security", &json!({"repository": {"url": repository}})), "{repository}");
        }
        assert!(is_placeholder("0.0.1-security", &json!({"description": "Security holding package."})));
        for version in ["0.0.1", "1.0.0-security-fix", "0.0.1-security.x", "1-security", "0.0.1-securityx"] {
            assert!(!is_placeholder(version, &holder), "{version}");
        }
        for own in [
            json!({}),
            json!({"repository": "acme/security-holder"}),
            json!({"repository": "evil-npm/security-holder"}),
            json!({"description": "finds every security holding package"}),
        ] {
            assert!(!is_placeholder("0.0.1-security", &own), "{own}");
        }
    }

    #[test]
    fn deprecations_that_speak_of_malice_name_their_version() {
        let versions = json!({"versions": {
            "1.0.0": {"deprecated": "use 2"},
            "1.0.1": {"deprecated": "This version was compromised, use 1.0.2"},
            "1.0.2": {},
            "1.0.3": {"deprecated": true},
        }});
        let refused = refused_versions(versions.as_object().expect("an object"));
        assert_eq!(refused.iter().map(|one| one.version.as_str()).collect::<Vec<_>>(), ["1.0.1"]);
    }
}
