//! The claims of one manifest about its package: `Absent` where the format has a place and it is empty.
//!
//! Sources: npm's package.json, PEP 621, core metadata 2.4, Poetry, server.json 2025-12-11, MCPB 0.3, Claude Code
//! plugins, agentskills.io.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::manifest::{Manifest, ManifestKind};
use capdex_model::listing::Claim;

/// The life-cycle scripts that npm runs when a package from a registry is installed or removed. `prepare` and
/// `prepublish` run only for packages from git.
pub(super) const LIFE_CYCLE: [&str; 6] =
    ["preinstall", "install", "postinstall", "preuninstall", "uninstall", "postuninstall"];

/// The claims of one manifest.
#[derive(Debug, Default)]
pub(super) struct Stated {
    pub(super) name: Claim<String>,
    pub(super) version: Claim<String>,
    pub(super) description: Claim<String>,
    pub(super) license: Claim<String>,
    pub(super) repository: Claim<String>,
    pub(super) keywords: Claim<Vec<String>>,
    pub(super) dependencies: Claim<Vec<String>>,
    pub(super) install_scripts: Vec<(String, String)>,
    pub(super) deprecated: Claim<String>,
}

impl Stated {
    /// Reads what a manifest states; formats that describe no package state nothing.
    pub(super) fn of(manifest: &Manifest) -> Self {
        let value = &manifest.value;
        match manifest.kind {
            ManifestKind::PackageJson => Self::of_npm(value),
            ManifestKind::PythonProject if value.get("metadata-version").is_some() => Self::of_core_metadata(value),
            ManifestKind::PythonProject => Self::of_pyproject(value),
            ManifestKind::ServerJson => {
                Self { repository: claim(value.pointer("/repository/url").and_then(text)), ..Self::identity(value) }
            }
            ManifestKind::Mcpb | ManifestKind::PluginJson => Self {
                license: claim(value.get("license").and_then(text)),
                repository: claim(value.get("repository").and_then(address)),
                keywords: claim(value.get("keywords").and_then(words)),
                ..Self::identity(value)
            },
            ManifestKind::Frontmatter => Self::of_frontmatter(value),
            ManifestKind::ToolsList => Self::of_tools_list(value),
            _ => Self::default(),
        }
    }

    fn identity(value: &Value) -> Self {
        Self {
            name: claim(value.get("name").and_then(text)),
            version: claim(value.get("version").and_then(text)),
            description: claim(value.get("description").and_then(text)),
            ..Self::default()
        }
    }

    fn of_npm(value: &Value) -> Self {
        // The old plural form, which npm still shows.
        let licenses = value.pointer("/licenses/0").or_else(|| value.get("licenses"));
        let scripts = value.get("scripts");
        let script = |name: &&str| Some(((*name).to_owned(), scripts?.get(*name).and_then(text)?));
        Self {
            license: claim(value.get("license").or(licenses).and_then(license)),
            repository: claim(value.get("repository").and_then(address)),
            keywords: claim(value.get("keywords").and_then(words)),
            dependencies: Claim::Known(keys(value.get("dependencies"))),
            install_scripts: LIFE_CYCLE.iter().filter_map(script).collect(),
            // A manifest has no place for it: silence there says nothing.
            deprecated: value.get("deprecated").and_then(text).map_or(Claim::Unknown, Claim::Known),
            ..Self::identity(value)
        }
    }

    fn of_pyproject(value: &Value) -> Self {
        if let Some(project) = value.get("project").filter(|project| project.is_object()) {
            return Self::of_pep621(project);
        }
        let Some(poetry) = value.pointer("/tool/poetry").filter(|poetry| poetry.is_object()) else {
            return Self::default();
        };
        let mut dependencies = keys(poetry.get("dependencies"));
        // Poetry lists the interpreter among the dependencies.
        dependencies.retain(|name| name != "python");
        let urls = poetry.get("urls");
        Self {
            license: claim(poetry.get("license").and_then(license)),
            repository: claim(poetry.get("repository").and_then(text).or_else(|| urls.and_then(repository_among))),
            keywords: claim(poetry.get("keywords").and_then(words)),
            dependencies: Claim::Known(dependencies),
            ..Self::identity(poetry)
        }
    }

    fn of_pep621(project: &Value) -> Self {
        let dynamic: Vec<&str> =
            project.get("dynamic").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let found = |key: &str| project.get(key).filter(|_| !dynamic.contains(&key));
        let licensed = found("license").and_then(license).or_else(|| classified(found("classifiers"), LICENSE_CLASS));
        let mut stated = Self {
            license: claim(licensed),
            repository: claim(found("urls").and_then(repository_among)),
            keywords: claim(found("keywords").and_then(words)),
            dependencies: Claim::Known(requirements(found("dependencies"))),
            deprecated: inactive(found("classifiers")),
            ..Self::identity(project)
        };
        stated.forget_dynamic(&dynamic);
        stated
    }

    /// A value that a build computes is not absent, only unknown here.
    fn forget_dynamic(&mut self, dynamic: &[&str]) {
        for (key, claim) in [
            ("version", &mut self.version),
            ("description", &mut self.description),
            ("license", &mut self.license),
            ("urls", &mut self.repository),
        ] {
            if dynamic.contains(&key) && *claim == Claim::Absent {
                *claim = Claim::Unknown;
            }
        }
        // An empty list would say that there are none.
        if dynamic.contains(&"dependencies") {
            self.dependencies = Claim::Unknown;
        }
    }

    fn of_core_metadata(value: &Value) -> Self {
        let header = |key: &str| value.get(key).and_then(text);
        let classifiers = value.get("classifier");
        let licensed = header("license-expression")
            .or_else(|| header("license"))
            .or_else(|| classified(classifiers, LICENSE_CLASS));
        let links = value.get("project-url").and_then(Value::as_array).into_iter().flatten();
        let links = links.filter_map(Value::as_str).filter_map(|link| link.split_once(','));
        // A home page is the repository only where it leads to a forge.
        let homepage = header("home-page").filter(|page| is_forge(page));
        let repository = choose_repository(links.map(|(label, link)| (label, link.trim())));
        Self {
            // `UNKNOWN` is what old build tools write for a missing value.
            name: claim(header("name")),
            version: claim(header("version")),
            description: claim(header("summary").filter(|summary| summary != "UNKNOWN")),
            license: claim(licensed.filter(|license| license != "UNKNOWN")),
            repository: claim(repository.or(homepage)),
            keywords: claim(value.get("keywords").and_then(words)),
            dependencies: Claim::Known(requirements(value.get("requires-dist"))),
            deprecated: inactive(classifiers),
            ..Self::default()
        }
    }

    /// Front matter has a place for name and description only; the rest is there or is not.
    fn of_frontmatter(value: &Value) -> Self {
        let stated = |key: &str| value.get(key).and_then(text);
        let version = stated("version").or_else(|| value.pointer("/metadata/version").and_then(text));
        let known = |found: Option<String>| found.map_or(Claim::Unknown, Claim::Known);
        Self {
            version: known(version),
            license: known(stated("license")),
            repository: known(value.get("repository").and_then(address)),
            keywords: value
                .get("keywords")
                .or_else(|| value.get("tags"))
                .and_then(words)
                .map_or(Claim::Unknown, Claim::Known),
            name: claim(stated("name")),
            description: claim(stated("description")),
            ..Self::default()
        }
    }

    fn of_tools_list(value: &Value) -> Self {
        let within = |outer: &str| value.get(outer).and_then(|outer| outer.get("serverInfo"));
        let server = value.get("server").or_else(|| value.get("serverInfo"));
        let server = server.or_else(|| within("initialize")).or_else(|| within("result"));
        let known = |key: &str| server.and_then(|server| server.get(key)).and_then(text);
        // Some recordings give the server as its name alone.
        let name = known("name").or_else(|| server.and_then(text));
        Self {
            name: name.map_or(Claim::Unknown, Claim::Known),
            version: known("version").map_or(Claim::Unknown, Claim::Known),
            description: known("description").map_or(Claim::Unknown, Claim::Known),
            ..Self::default()
        }
    }
}

const LICENSE_CLASS: &str = "License :: ";

fn claim<T>(found: Option<T>) -> Claim<T> {
    Claim::known_or_absent(found)
}

/// A text that is not blank; numbers count, since versions are often written as such in YAML.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// A licence as a text, or as a table with its type, its text or its file. npm's word for none is none.
fn license(value: &Value) -> Option<String> {
    let named =
        text(value).or_else(|| ["type", "name", "text", "file"].iter().find_map(|key| value.get(*key).and_then(text)));
    named.filter(|name| !name.eq_ignore_ascii_case("unlicensed") && !name.eq_ignore_ascii_case("none"))
}

fn address(value: &Value) -> Option<String> {
    text(value).or_else(|| value.get("url").and_then(text))
}

/// Words as an array of texts or as one text with commas or spaces between; none where there is not one.
fn words(value: &Value) -> Option<Vec<String>> {
    let words: Vec<String> = match value {
        Value::Array(values) => values.iter().filter_map(text).collect(),
        Value::String(text) => {
            // Commas first: a keyword may have blanks in it.
            let comma = text.contains(',');
            let parts = text.split(|letter: char| if comma { letter == ',' } else { letter.is_whitespace() });
            parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
        }
        _ => return None,
    };
    (!words.is_empty()).then_some(words)
}

fn keys(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_object).into_iter().flat_map(|object| object.keys().cloned()).collect()
}

/// The names of requirements as PEP 508 writes them, sorted, without those that only an extra brings.
fn requirements(value: Option<&Value>) -> Vec<String> {
    let texts = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    // An extra is installed only where it is asked for.
    let always = texts.filter(|text| !text.split_once(';').is_some_and(|(_, marker)| marker.contains("extra")));
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let name = |text: &str| text.trim().split(|letter: char| !is_name(letter)).next().map(str::to_ascii_lowercase);
    let names: BTreeSet<String> = always.filter_map(name).filter(|name| !name.is_empty()).collect();
    names.into_iter().collect()
}

fn classified(value: Option<&Value>, class: &str) -> Option<String> {
    let classifiers = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let of_class = classifiers.filter_map(|classifier| classifier.strip_prefix(class));
    of_class.filter_map(|rest| rest.rsplit(" :: ").next()).map(str::to_owned).next()
}

fn inactive(classifiers: Option<&Value>) -> Claim<String> {
    let status = classified(classifiers, "Development Status :: ");
    // `7 - Inactive` is the last of the classifiers for the state of development.
    status.filter(|status| status.starts_with('7')).map_or(Claim::Unknown, Claim::Known)
}

fn repository_among(urls: &Value) -> Option<String> {
    let urls = urls.as_object().into_iter().flatten();
    choose_repository(urls.filter_map(|(label, url)| url.as_str().map(|url| (label.as_str(), url))))
}

/// The link that is labelled as the repository, else the first that leads to a forge.
fn choose_repository<'a>(links: impl Iterator<Item = (&'a str, &'a str)>) -> Option<String> {
    const LABELS: [&str; 7] = ["repository", "sourcecode", "source", "github", "gitlab", "code", "repo"];
    let links: Vec<(String, &str)> = links
        .map(|(label, link)| (label.chars().filter(char::is_ascii_alphanumeric).collect(), link))
        .map(|(label, link): (String, &str)| (label.to_ascii_lowercase(), link))
        .collect();
    // By label before link, in the order in which labels are telling: a documentation link may lead to a forge.
    let labelled = LABELS.iter().find_map(|wanted| links.iter().find(|(label, _)| label == wanted));
    labelled.or_else(|| links.iter().find(|(_, link)| is_forge(link))).map(|(_, link)| (*link).to_owned())
}

fn is_forge(link: &str) -> bool {
    ["github.com/", "gitlab.com/", "bitbucket.org/", "codeberg.org/", "git.sr.ht/"]
        .iter()
        .any(|host| link.contains(host))
}
