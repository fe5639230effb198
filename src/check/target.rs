//! `CheckTarget`: one thing that somebody may be about to install, read from what a person or a configuration writes.
//!
//! Nothing is asked of a network or a disk here.

use std::str::FromStr as _;

use capdex_crawlers::{endpoint, http, npm_at, of_repository, pypi_at};
use capdex_dataset::scan_record::TargetOrigin;
use capdex_model::ids::ListingKey;
use capdex_model::purl::Purl;
use capdex_model::source_role::Ecosystem;

/// One thing that is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckTarget {
    /// The name under which it is shown.
    pub name: String,
    /// What is to be judged.
    pub subject: CheckSubject,
    /// Where it was found; none where a person named it.
    pub found_in: Option<TargetOrigin>,
}

/// What is to be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckSubject {
    /// A package of npm or PyPI, with the version, range or tag that is asked for behind its name.
    Package {
        /// The package, under the id of its ecosystem's own source.
        key: ListingKey,
        /// The registry that was named; none for the ecosystem's own.
        registry: Option<String>,
    },
    /// A repository on GitHub.
    Repository {
        /// `owner/name`, lower case.
        name: String,
        /// The commit in full; none for the latest of the default branch.
        commit: Option<String>,
    },
    /// A live MCP server.
    Endpoint {
        /// Its address.
        url: String,
        /// True where a person wrote it: only then it may lie on this machine or a private network.
        is_own: bool,
    },
    /// Something that cannot be looked at, and why.
    Unjudgeable(String),
    /// Files of this machine that an agent loads. Nobody is asked for them.
    Loaded,
}

impl CheckTarget {
    /// A target that a person named.
    fn named(name: impl Into<String>, subject: CheckSubject) -> Self {
        Self { name: name.into(), subject, found_in: None }
    }
}

/// Reads a target as a person writes it: a package URL, `npm:…`, `pypi:…`, `github:…` or an address. None for any other
/// text, which may be a path.
///
/// # Errors
/// What is wrong with a text that begins like a target.
pub fn read(text: &str) -> Result<Option<CheckTarget>, String> {
    let text = text.trim();
    if text.starts_with("pkg:") {
        return of_purl(text).map(Some);
    }
    if let Some(name) = text.strip_prefix("npm:") {
        return npm(name)
            .map(Some)
            .ok_or_else(|| format!("{text:?} names no npm package; write npm:NAME or npm:NAME@VERSION"));
    }
    if let Some(name) = text.strip_prefix("pypi:") {
        return pypi(name)
            .map(Some)
            .ok_or_else(|| format!("{text:?} names no Python project; write pypi:NAME or pypi:NAME@VERSION"));
    }
    if text.starts_with("github:") {
        return github(text).map(Some).ok_or_else(|| format!("{text:?} names no repository; write github:OWNER/NAME"));
    }
    if text.contains("://") {
        return address(text, true).map(Some).ok_or_else(|| {
            // What does not parse holds no user that could be a secret, unless it has an `@`.
            let shown = if text.contains('@') { http::redact(text) } else { text.to_owned() };
            format!("{shown:?} is no address that can be asked; write https://HOST/PATH without a user")
        });
    }
    Ok(None)
}

/// True for a text that is a target and no path.
pub fn is_target(text: &str) -> bool {
    ["pkg:", "npm:", "pypi:", "github:"].iter().any(|start| text.starts_with(start)) || text.contains("://")
}

fn of_purl(text: &str) -> Result<CheckTarget, String> {
    let purl = Purl::from_str(text)
        .map_err(|error| format!("{error}; write pkg:npm/NAME@VERSION or pkg:pypi/NAME@VERSION"))?;
    let (name, version) = (purl.key().name.as_str(), purl.version());
    let registry = purl.registry().map(str::to_owned);
    let of_registry = |target: CheckTarget| match (target.subject, registry.clone()) {
        (CheckSubject::Package { key, .. }, registry) => CheckSubject::Package { key, registry },
        (subject, _) => subject,
    };
    let subject = match purl.key().source.as_str() {
        "npm" => npm_at(name, version).map(|key| CheckSubject::Package { key, registry }),
        "pypi" => {
            pypi(&version.map_or_else(|| name.to_owned(), |version| format!("{name}=={version}"))).map(of_registry)
        }
        "github" => github(&match version {
            Some(commit) => format!("github:{name}@{commit}"),
            None => format!("github:{name}"),
        })
        .map(|target| target.subject),
        "oci" => Some(image(name).subject),
        _ => Some(CheckSubject::Unjudgeable("repositories of other forges than GitHub are not asked for".to_owned())),
    };
    subject
        .map(|subject| CheckTarget::named(purl.to_string(), subject))
        .ok_or_else(|| format!("{text:?} names no package"))
}

/// An npm package as `npx` and `npm install` take it: `name`, `name@version`, `name@range`, `name@tag`, an alias.
pub fn npm(text: &str) -> Option<CheckTarget> {
    // An alias has another package behind it.
    let text = text.split_once("@npm:").map_or(text, |(_, behind)| behind);
    let key = npm_at(text, None)?;
    Some(CheckTarget::named(format!("npm:{text}"), CheckSubject::Package { key, registry: None }))
}

/// A Python project as `uvx` and pip take it: `name`, `name==1.0`, `name@1.0`, `name[extra]`. A range is not looked at: the
/// version that it leads to depends on the installer.
pub fn pypi(text: &str) -> Option<CheckTarget> {
    let (requirement, _) = text.split_once(';').unwrap_or((text, ""));
    let requirement: String = requirement.split_whitespace().collect();
    let end = requirement.find(['[', '=', '<', '>', '!', '~', '@']).unwrap_or(requirement.len());
    let (name, rest) = requirement.split_at_checked(end)?;
    // Extras add dependencies, and leave the project what it is.
    let rest = rest.strip_prefix('[').map_or(Some(rest), |extras| extras.split_once(']').map(|(_, rest)| rest))?;
    let version = ["===", "==", "@"].iter().find_map(|mark| rest.strip_prefix(mark));
    let shown = if rest.is_empty() { format!("pypi:{name}") } else { format!("pypi:{name}{rest}") };
    let key = pypi_at(name, version)?;
    let names_latest = matches!(version, None | Some("" | "latest"));
    let is_line = capdex_model::release_line::of_name(&key.name).is_some();
    if (version.is_none() && !rest.is_empty()) || (!names_latest && !is_line) {
        let why = format!("{rest:?} is no single version; which one it leads to, only the installer says");
        return Some(CheckTarget::named(shown, CheckSubject::Unjudgeable(why)));
    }
    let shown =
        version.filter(|_| is_line).map_or_else(|| format!("pypi:{name}"), |version| format!("pypi:{name}@{version}"));
    Some(CheckTarget::named(shown, CheckSubject::Package { key, registry: None }))
}

/// A repository in any spelling, with a commit behind `@` or `#`.
pub fn github(text: &str) -> Option<CheckTarget> {
    let (place, reference) = text.split_once('#').map_or((text, None), |(place, reference)| (place, Some(reference)));
    // An `@` before the last slash belongs to `git@host:` or to a user.
    let behind = place.rfind('@').filter(|at| place.rfind('/').is_some_and(|slash| slash < *at));
    let (place, reference) = match behind.and_then(|at| place.split_at_checked(at)) {
        Some((place, behind)) => (place, behind.get(1..)),
        None => (place, reference),
    };
    let key = of_repository(place).filter(|key| key.source == Ecosystem::GitHub.as_str())?;
    let reference = reference.filter(|reference| !reference.is_empty());
    let shown = reference.map_or_else(|| key.to_string(), |reference| format!("{key}@{reference}"));
    let is_commit = |text: &str| text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let subject = match reference {
        Some(reference) if !is_commit(reference) => CheckSubject::Unjudgeable(format!(
            "{reference:?} is a branch or a tag, which moves; name a commit in full, or none"
        )),
        commit => CheckSubject::Repository { name: key.name, commit: commit.map(str::to_ascii_lowercase) },
    };
    Some(CheckTarget::named(shown, subject))
}

/// A repository on GitHub or a live MCP server by its address; none for what is no address.
pub fn address(text: &str, is_own: bool) -> Option<CheckTarget> {
    if let Some(repository) = github(text) {
        return Some(repository);
    }
    if text.contains(['{', '}', '$']) {
        let why = "the address has places to fill in".to_owned();
        return Some(CheckTarget::named("an address", CheckSubject::Unjudgeable(why)));
    }
    let key = endpoint(text)?;
    if !is_own && key.name.contains('?') {
        let why =
            "its address has a query, which may hold a key; name the address yourself to have it asked".to_owned();
        return Some(CheckTarget::named(http::redact(&key.name), CheckSubject::Unjudgeable(why)));
    }
    Some(CheckTarget::named(http::redact(&key.name), CheckSubject::Endpoint { url: key.name, is_own }))
}

/// A container image. Its layers are not read, so that it is never judged.
pub fn image(reference: &str) -> CheckTarget {
    let why = "a container image: its layers are not read";
    CheckTarget::named(format!("oci:{reference}"), CheckSubject::Unjudgeable(why.to_owned()))
}

/// Something that is started and comes from no registry.
pub fn unjudgeable(name: impl Into<String>, why: impl Into<String>) -> CheckTarget {
    CheckTarget::named(name, CheckSubject::Unjudgeable(why.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(text: &str) -> String {
        match read(text).expect("reads").expect("a target").subject {
            CheckSubject::Package { key, registry } => {
                format!("{key}{}", registry.map(|registry| format!(" at {registry}")).unwrap_or_default())
            }
            CheckSubject::Repository { name, commit } => format!("{name} {}", commit.unwrap_or_default()),
            CheckSubject::Endpoint { url, is_own } => format!("{url} {is_own}"),
            CheckSubject::Unjudgeable(why) => format!("unjudgeable: {why}"),
            CheckSubject::Loaded => "loaded".to_owned(),
        }
    }

    #[test]
    fn what_people_write_is_one_target() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        for (text, expected) in [
            ("npm:@acme/kit", "npm:@acme/kit"),
            ("npm:@acme/kit@1.2.0", "npm:@acme/kit@1.2.0"),
            ("npm:kit@^1", "npm:kit@^1"),
            ("npm:kit@latest", "npm:kit"),
            ("npm:mine@npm:kit@1.0.0", "npm:kit@1.0.0"),
            ("pkg:npm/%40acme/kit@1.2.0", "npm:@acme/kit@1.2.0"),
            ("pkg:npm/kit@1.0.0?repository_url=https://corp.test/npm", "npm:kit@1.0.0 at corp.test/npm"),
            ("pypi:Fetch_Server", "pypi:fetch-server"),
            ("pypi:fetch-server@0.3.0", "pypi:fetch-server@0.3.0"),
            ("pypi:fetch-server[all]==0.3.0", "pypi:fetch-server@0.3.0"),
            ("pypi:fetch-server@latest", "pypi:fetch-server"),
            ("pkg:pypi/fetch-server@0.3.0", "pypi:fetch-server@0.3.0"),
            ("github:Acme/Kit", "acme/kit "),
            ("https://github.com/acme/kit/tree/main/x", "acme/kit "),
            ("http://127.0.0.1:9/mcp", "http://127.0.0.1:9/mcp true"),
        ] {
            assert_eq!(package(text), expected, "{text}");
        }
        assert_eq!(package(&format!("github:acme/kit@{commit}")), format!("acme/kit {commit}"));
        assert_eq!(package(&format!("pkg:github/acme/kit@{commit}")), format!("acme/kit {commit}"));
    }

    #[test]
    fn what_leads_to_nobody_knows_which_bytes_is_not_judged() {
        for text in
            ["pypi:kit>=1.0", "pypi:kit==1.*", "github:acme/kit@main", "pkg:docker/acme/kit@1", "https://{host}/mcp"]
        {
            assert!(package(text).starts_with("unjudgeable: "), "{text}: {}", package(text));
        }
    }

    #[test]
    fn a_text_that_is_wrong_says_what_to_write_and_a_path_is_none() {
        for (text, part) in [
            ("npm:", "npm:NAME"),
            ("npm:a b", "npm:NAME"),
            ("pypi:-x", "pypi:NAME"),
            ("github:acme", "github:OWNER/NAME"),
            ("ftp://a.test/x", "https://HOST/PATH"),
            ("https://me:key@a.test/mcp", "without a user"),
            ("pkg:cargo/x", "name no listing"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains("key@"), "no secret is repeated: {error}");
        }
        for path in ["left-pad", "./mcp.json", "/etc/x", "acme/kit"] {
            assert_eq!(read(path), Ok(None), "{path}");
        }
    }
}
