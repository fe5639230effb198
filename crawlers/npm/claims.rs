//! The claims of a packument about a package.
//!
//! A claim is taken as stated; the rules decide which are worth believing. A packument that is abbreviated or put
//! together by a proxy lacks members; those are unknown instead of absent.

use capdex_model::listing::{Claim, Claims};
use capdex_model::repository_signals::RepositorySignals;
use serde_json::Value;

use super::listing::PUBLISHED_BY;
use super::packument::Packument;
use crate::claims::{instant, list, of_text, text};

/// Scripts that npm runs when a package is installed or removed, in the order in which it runs them.
const INSTALL_SCRIPTS: [&str; 6] =
    ["preinstall", "install", "postinstall", "preuninstall", "uninstall", "postuninstall"];

/// Every claim that the packument makes about its listed version, and about the package where the version is silent.
pub(super) fn of(packument: &Packument<'_>) -> Claims {
    let missing = if packument.is_whole() { Claim::Absent } else { Claim::Unknown };
    let either = |key: &str| packument.manifest.get(key).or_else(|| packument.whole.get(key));
    Claims {
        description: text(either("description"), &missing),
        license: license(either("license"), either("licenses"), &missing),
        repository: repository(either("repository"), &missing),
        keywords: keywords(either("keywords"), &missing),
        maintainers: maintainers(packument),
        created: instant(packument.time("created")),
        published: instant(packument.time(packument.version)),
        version_count: version_count(packument),
        deprecated: deprecated(packument.manifest.get("deprecated")),
        refused_versions: super::status::refused_versions(packument.whole),
        popularity: None,
        downloads_monthly: Claim::Unknown,
        provenance: match packument.manifest.get("dist").and_then(|dist| dist.get("attestations")) {
            Some(Value::Object(_)) => Claim::Known(true),
            // A registry that signs says all of a version. Proxies leave out both, and nothing is said by that.
            None if signed(packument) == Claim::Known(true) => Claim::Known(false),
            _ => Claim::Unknown,
        },
        install_scripts: install_scripts(packument),
        dependencies: dependencies(packument),
        repository_signals: RepositorySignals {
            signed: signed(packument),
            trusted_publisher: trusted_publisher(packument),
            ..RepositorySignals::default()
        },
        history: Claim::Unknown,
        ..Claims::default()
    }
}

/// True where the registry lists a signature over the version. Proxies leave the list out, so that nothing is said by
/// its absence.
fn signed(packument: &Packument<'_>) -> Claim<bool> {
    match packument.manifest.get("dist").and_then(|dist| dist.get("signatures")) {
        Some(Value::Array(signatures)) if !signatures.is_empty() => Claim::Known(true),
        _ => Claim::Unknown,
    }
}

/// Whether a workflow that the registry trusts published the version, as its `_npmUser` says. A proxy may leave the member out
/// of what it says of a person, so that its absence proves nothing there.
fn trusted_publisher(packument: &Packument<'_>) -> Claim<bool> {
    match packument.manifest.get(PUBLISHED_BY).and_then(Value::as_object) {
        Some(user) if user.get("trustedPublisher").is_some_and(Value::is_object) => Claim::Known(true),
        Some(_) if packument.is_whole() => Claim::Known(false),
        _ => Claim::Unknown,
    }
}

/// The text of `license`, or of the forms that npm took before it was a text: `{type}`, `licenses: [{type}, …]`.
fn license(license: Option<&Value>, licenses: Option<&Value>, missing: &Claim<String>) -> Claim<String> {
    let name = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) => ["type", "name"].iter().find_map(|key| value.get(key)?.as_str().map(str::to_owned)),
        _ => None,
    };
    match license.or(licenses) {
        Some(Value::Array(all)) => {
            let names: Vec<_> = all.iter().filter_map(name).collect();
            // The old list of licences means a choice, which SPDX writes with `OR`.
            of_text(&names.join(" OR "))
        }
        Some(value @ Value::Object(_)) => name(value).map_or(Claim::Unknown, |text| of_text(&text)),
        value => text(value, missing),
    }
}

/// The address as written: a text (also a shorthand such as `owner/name`), or the `url` of an object.
fn repository(value: Option<&Value>, missing: &Claim<String>) -> Claim<String> {
    match value {
        Some(Value::Object(parts)) => text(parts.get("url"), &Claim::Absent),
        value => text(value, missing),
    }
}

/// A list of texts; old packages have one text with commas or spaces.
fn keywords(value: Option<&Value>, missing: &Claim<String>) -> Claim<Vec<String>> {
    match value {
        Some(Value::Array(words)) => list(words.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        value => match text(value, missing) {
            Claim::Known(text) => list(
                text.split([',', ' ', '\n'])
                    .map(str::trim)
                    .filter(|word| !word.is_empty())
                    .map(str::to_owned)
                    .collect(),
            ),
            Claim::Absent => Claim::Absent,
            Claim::Unknown => Claim::Unknown,
        },
    }
}

/// The account names, never their mail addresses. Unknown where the packument has no list: proxies leave it out.
fn maintainers(packument: &Packument<'_>) -> Claim<Vec<String>> {
    let Some(Value::Array(people)) = packument.whole.get("maintainers") else { return Claim::Unknown };
    let name = |person: &Value| match person {
        // The text form is `Name <mail>`, and mail addresses are not kept.
        Value::String(text) => Some(text.split('<').next().unwrap_or_default().trim().to_owned()),
        _ => person.get("name").and_then(Value::as_str).map(str::to_owned),
    };
    let mut names: Vec<_> = people.iter().filter_map(name).filter(|name| !name.is_empty()).collect();
    names.sort();
    names.dedup();
    list(names)
}

/// All versions that `time` has, those taken back too, or those that are there where it has fewer.
fn version_count(packument: &Packument<'_>) -> Claim<u64> {
    let is_version = |key: &&String| !matches!(key.as_str(), "created" | "modified" | "unpublished");
    let timed = packument.whole.get("time").and_then(Value::as_object);
    let timed = timed.map_or(0, |time| time.keys().filter(is_version).count());
    let there = packument.whole.get("versions").and_then(Value::as_object).map_or(0, serde_json::Map::len);
    u64::try_from(timed.max(there)).map_or(Claim::Unknown, Claim::Known)
}

/// The message; a version that is deprecated without one has `true`.
fn deprecated(value: Option<&Value>) -> Claim<String> {
    match value {
        Some(Value::Bool(true)) => Claim::Known("true".to_owned()),
        Some(Value::Bool(false)) => Claim::Absent,
        value => text(value, &Claim::Absent),
    }
}

fn install_scripts(packument: &Packument<'_>) -> Claim<Vec<(String, String)>> {
    let Some(scripts) = packument.manifest.get("scripts") else {
        // An abbreviated packument says only that there are scripts, not which.
        let has_some = packument.manifest.get("hasInstallScript") == Some(&Value::Bool(true));
        return if has_some || !packument.is_whole() { Claim::Unknown } else { Claim::Absent };
    };
    let script = |name: &&str| {
        let command = scripts.get(name)?.as_str()?;
        Some(((*name).to_owned(), command.to_owned()))
    };
    list(INSTALL_SCRIPTS.iter().filter_map(script).collect())
}

/// Names of packages that are installed along at run time, optional ones too. Even an abbreviated packument has these.
fn dependencies(packument: &Packument<'_>) -> Claim<Vec<String>> {
    let mut names: Vec<String> = ["dependencies", "optionalDependencies"]
        .iter()
        .filter_map(|key| packument.manifest.get(*key)?.as_object())
        .flat_map(|names| names.keys().cloned())
        .collect();
    names.sort();
    names.dedup();
    list(names)
}
