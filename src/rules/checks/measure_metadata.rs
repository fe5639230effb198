//! `measure-metadata`: what sources and manifests state about a package: licence, repository, owner, times, counts.
//!
//! A rubric weighs and ages them: times go into the fact as they are, so that a fact does not depend on the day. A
//! field that nobody states is null.

use serde::Serialize;
use serde_json::{Value, json};

use crate::FactSink;
use capdex_evidence::manifest::{Manifest, ManifestKind};
use capdex_evidence::subject::Subject;
use capdex_model::listing::{Claim, Claims};
use capdex_model::time::Timestamp;

/// The names of files that hold a licence, as the public engine of SpiderRating looks for them.
const LICENCE_FILES: [&str; 5] = ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "COPYING"];
/// The longest licence name that is kept, in code points: an expression, not a text.
const LICENCE_NAME: usize = 64;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let manifest = package_manifest(subject);
    let stated = StatedField::of(subject.claims, manifest);
    // Nobody stated anything: a value of nothing but nulls would look like a measurement.
    if stated == StatedField::default() {
        return facts.unavailable("no source and no package manifest states anything");
    }
    let own = |name: &str| subject.evidence.documents.contains_key(name);
    let mut value = json!(stated);
    value["license_file"] = json!(LICENCE_FILES.iter().any(|name| own(name)));
    facts.measured(value);
}

/// The package's manifest nearest to the root: one of the capability's own files before any other.
fn package_manifest<'a>(subject: &Subject<'a>) -> Option<&'a Manifest> {
    let files = &subject.capability.files;
    let of_package = |manifest: &&Manifest| {
        matches!(manifest.kind, ManifestKind::PackageJson | ManifestKind::PythonProject)
            && (files.binary_search(&manifest.path).is_ok() || !manifest.path.contains('/'))
    };
    let rank =
        |manifest: &&Manifest| (files.binary_search(&manifest.path).is_err(), manifest.path.matches('/').count());
    subject.evidence.manifests.values().filter(of_package).min_by_key(rank)
}

/// The stated value; none where nobody states it.
#[derive(Default, PartialEq, Serialize)]
struct StatedField<'a> {
    repository: Option<bool>,
    license: Option<bool>,
    license_name: Option<String>,
    owner: Option<bool>,
    deprecated: Option<bool>,
    description_length: Option<usize>,
    maintainers: Option<usize>,
    created: Option<&'a Timestamp>,
    published: Option<&'a Timestamp>,
    version_count: Option<&'a u64>,
    downloads_monthly: Option<&'a u64>,
    dependencies: Option<usize>,
    provenance: Option<&'a bool>,
    stars: Option<&'a u64>,
    forks: Option<&'a u64>,
    watchers: Option<&'a u64>,
    contributors: Option<&'a u64>,
    pushed: Option<&'a Timestamp>,
    commits_quarter: Option<&'a u64>,
    commits_year: Option<&'a u64>,
    archived: Option<&'a bool>,
    releases: Option<&'a u64>,
    account_created: Option<&'a Timestamp>,
    account_repositories: Option<&'a u64>,
    account_followers: Option<&'a u64>,
    // Left out where nobody states them, so that facts of before are the same facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    account_organizations: Option<&'a u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_runs: Option<&'a u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    installs: Option<&'a u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trusted_publisher: Option<&'a bool>,
}

impl<'a> StatedField<'a> {
    fn of(claims: &'a Claims, manifest: Option<&'a Manifest>) -> Self {
        let stated = |key: &str| manifest.and_then(|manifest| field(manifest, key));
        let present = |claim: &Claim<String>, key: &str| match claim {
            Claim::Known(text) => Some(!text.trim().is_empty()),
            Claim::Absent => Some(false),
            // A registry that says "none" is believed before the manifest; only one that says nothing is filled in.
            Claim::Unknown => stated(key).map(|_| true),
        };
        let described = match &claims.description {
            Claim::Known(text) => Some(text.chars().count()),
            Claim::Absent => Some(0),
            Claim::Unknown => stated("description").and_then(Value::as_str).map(|text| text.chars().count()),
        };
        let maintainers = match &claims.maintainers {
            Claim::Known(names) => Some(names.len()),
            Claim::Absent => Some(0),
            Claim::Unknown => None,
        };
        let owner =
            maintainers.map(|count| count > 0).or_else(|| stated("author").or_else(|| stated("authors")).map(|_| true));
        let deprecated = match &claims.deprecated {
            Claim::Known(_) => Some(true),
            Claim::Absent => Some(false),
            Claim::Unknown => None,
        };
        // Some manifests hold a whole licence text here, so that it is cut below.
        let license_name = match &claims.license {
            Claim::Known(text) => Some(text.as_str()),
            Claim::Absent => None,
            Claim::Unknown => stated("license").and_then(Value::as_str),
        };
        let signals = &claims.repository_signals;
        Self {
            repository: present(&claims.repository, "repository"),
            license: present(&claims.license, "license"),
            license_name: license_name.map(|name| name.chars().take(LICENCE_NAME).collect()),
            owner,
            deprecated,
            description_length: described,
            // A forge's listing names the account that owns the repository, which says nothing of how many work on it.
            maintainers: maintainers.filter(|_| signals.repository_id.is_unknown()),
            created: claims.created.known(),
            published: claims.published.known(),
            version_count: claims.version_count.known(),
            downloads_monthly: claims.downloads_monthly.known(),
            dependencies: claims.dependencies.known().map(Vec::len),
            provenance: claims.provenance.known(),
            stars: signals.stars.known(),
            forks: signals.forks.known(),
            watchers: signals.watchers.known(),
            contributors: signals.contributors.known(),
            pushed: signals.pushed.known(),
            commits_quarter: signals.commits_quarter.known(),
            commits_year: signals.commits_year.known(),
            archived: signals.archived.known(),
            releases: signals.releases.known(),
            account_created: signals.account_created.known(),
            account_repositories: signals.account_repositories.known(),
            account_followers: signals.account_followers.known(),
            account_organizations: signals.account_organizations.known(),
            failing_runs: signals.failing_runs.known(),
            installs: signals.installs.known(),
            trusted_publisher: signals.trusted_publisher.known(),
        }
    }
}

/// A field of a package manifest that says something: of the manifest itself, or of `project` in pyproject.toml, where
/// the repository is an address of any name that means one.
fn field<'a>(manifest: &'a Manifest, key: &str) -> Option<&'a Value> {
    let value = manifest.value.get("project").unwrap_or(&manifest.value);
    let direct = value.get(key).filter(|found| says_something(found));
    direct.or_else(|| {
        let addresses = value.get("urls").filter(|_| key == "repository")?.as_object()?;
        let means_source = |name: &str| ["repository", "source", "source code", "github"].contains(&name);
        addresses.iter().find(|(name, _)| means_source(&name.to_lowercase())).map(|(_, address)| address)
    })
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure_fixtures::Scene;
    use super::*;
    use capdex_model::capability::Kind;
    use capdex_model::fact::Outcome;

    #[test]
    fn unknown_is_null_and_absent_is_false() {
        let mut scene = Scene::of(Kind::McpServer, &[]);
        scene.claims = Claims {
            repository: Claim::Absent,
            maintainers: Claim::Known(vec!["ann".into()]),
            published: Claim::Known(Timestamp::from_unix_seconds(0)),
            ..Claims::default()
        };
        let value = scene.value("measure-metadata");
        assert_eq!(&value["repository"], &json!(false));
        assert_eq!(&value["license"], &Value::Null);
        assert_eq!(&value["owner"], &json!(true));
        assert_eq!(&value["published"], &json!("1970-01-01T00:00:00Z"));
    }

    #[test]
    fn a_manifest_fills_in_what_no_source_says() {
        let project =
            json!({"project": {"license": {"text": "MIT"}, "urls": {"Source": "https://git.example.test/a"}}});
        let scene = Scene::of(Kind::Skill, &[]).with_manifest("pyproject.toml", ManifestKind::PythonProject, project);
        let value = scene.value("measure-metadata");
        assert_eq!(&value["repository"], &json!(true));
        assert_eq!(&value["license"], &json!(true));
        assert_eq!(&value["owner"], &Value::Null);
    }

    #[test]
    fn a_manifest_that_is_silent_does_not_make_the_repository_absent() {
        let scene = Scene::of(Kind::Skill, &[]).with_manifest(
            "package.json",
            ManifestKind::PackageJson,
            json!({"license": "MIT"}),
        );
        assert_eq!(scene.value("measure-metadata")["repository"], Value::Null);
    }

    #[test]
    fn what_a_repository_states_stands_beside_what_a_registry_does() {
        let mut scene = Scene::of(Kind::McpServer, &[("LICENSE", "words")]);
        scene.claims.license = Claim::Known("AGPL-3.0".into());
        scene.claims.repository_signals.stars = Claim::Known(7);
        scene.claims.repository_signals.pushed = Claim::Known(Timestamp::from_unix_seconds(0));
        let value = scene.value("measure-metadata");
        assert_eq!(&value["license_name"], &json!("AGPL-3.0"));
        assert_eq!(&value["license_file"], &json!(true));
        let repository = (&value["stars"], &value["forks"], &value["pushed"]);
        assert_eq!(repository, (&json!(7), &Value::Null, &json!("1970-01-01T00:00:00Z")));
    }

    #[test]
    fn the_owner_of_a_repository_is_no_count_of_maintainers() {
        let mut scene = Scene::of(Kind::McpServer, &[]);
        scene.claims.maintainers = Claim::Known(vec!["acme".into()]);
        scene.claims.repository_signals.account_created = Claim::Known(Timestamp::from_unix_seconds(0));
        assert_eq!(scene.value("measure-metadata")["maintainers"], json!(1));
        scene.claims.repository_signals.repository_id = Claim::Known(7);
        let value = scene.value("measure-metadata");
        assert_eq!((&value["maintainers"], &value["owner"]), (&Value::Null, &json!(true)));
        assert_eq!(value["account_created"], json!("1970-01-01T00:00:00Z"));
    }

    #[test]
    fn nothing_stated_is_unavailable() {
        let facts = Scene::of(Kind::Skill, &[]).facts("measure-metadata");
        assert_eq!(facts.first().map(|fact| fact.outcome), Some(Outcome::Unavailable));
    }
}
