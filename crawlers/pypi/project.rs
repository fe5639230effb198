//! The project JSON: files, and everything that the index knows of a project.
//!
//! Sources: the index's documentation of its JSON interface; core metadata 2.4.

use std::collections::BTreeSet;

use capdex_model::digest::Digest;
use capdex_model::ids::pypi_name;
use capdex_model::listing::{Claim, Claims};
use capdex_model::snapshot::GapReason;
use serde_json::{Map, Value};
use url::Url;

use super::file::{FilesByVersion, IndexFile, choose, digest_of, refused_versions};
use super::lines::{self, NamedLines};
use super::status;
use crate::claims::{list, of_text, text};
use crate::http::redact;
use crate::{CrawlError, json};

/// Labels of `project_urls` that name the source repository, in lower case and without all but letters; in the order
/// in which they are believed.
const REPOSITORY_LABELS: [&str; 9] =
    ["source", "sourcecode", "repository", "code", "github", "gitlab", "sources", "repo", "git"];

/// Hosts where a home page is a repository.
const FORGES: [&str; 4] = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"];

/// The facts that are read of a project: the file to fetch, its claims, and the digest that decides "unchanged".
pub(crate) struct PypiProjectDetails {
    /// The file to fetch.
    pub(crate) locator: capdex_model::listing::Locator,
    /// The claims.
    pub(crate) claims: Claims,
    /// The versions that somebody names.
    pub(crate) lines: NamedLines,
    /// The digest of the canonical form.
    pub(crate) digest: Digest,
}

/// Reads the JSON of `project` (normalised), answered by `page_url`, and the versions in it that are `named`. Proxies give the
/// addresses of files relative to the page.
///
/// # Errors
/// `TakenDown` where it is quarantined, `Gone` where it has no files at all. `Malformed` for what is not the JSON of this project, and for a project without
/// a file of a kind that is read.
pub(crate) fn read(
    project: &str,
    named: &BTreeSet<String>,
    page_url: &str,
    bytes: &[u8],
) -> Result<PypiProjectDetails, CrawlError> {
    let subject = redact(page_url);
    let malformed = |reason: GapReason, detail: &str| CrawlError::Malformed {
        subject: subject.clone(),
        reason,
        detail: detail.to_owned(),
    };
    let bad = |detail: &str| malformed(GapReason::BadAnswer, detail);
    let value = json::parse(bytes, is_left_out).map_err(|error| bad(&error))?;
    let info = value.get("info").and_then(Value::as_object).ok_or_else(|| bad("it has no info"))?;
    let name = info.get("name").and_then(Value::as_str).unwrap_or_default();
    // An index that answers for another name would list that project's bytes under this one.
    if pypi_name(name) != project {
        return Err(bad("the name in it is not the one asked for"));
    }
    status::refuse_quarantined(&value, &subject)?;
    let stated = info.get("version").and_then(Value::as_str);
    let files = files_of(&value, stated);
    if files.values().all(Vec::is_empty) {
        return Err(CrawlError::Gone { subject });
    }
    let chosen = choose(&files, stated)
        .ok_or_else(|| malformed(GapReason::Unsupported, "no file is a .tar.gz, a .zip or a wheel"))?;
    let claims = Claims {
        version_count: version_count(&value),
        refused_versions: refused_versions(&files),
        maintainers: maintainers(&value),
        ..claims_of(info, &files, chosen.version, chosen.main)
    };
    let absolute = |file: &IndexFile| {
        let url = Url::parse(page_url).and_then(|base| base.join(&file.url));
        let wrong = |error| bad(&format!("the address of {} does not parse: {error}", file.filename));
        url.map(Into::into).map_err(wrong)
    };
    let locator = chosen.locator(project, absolute)?;
    let lines = lines::of(project, &files, named, (&locator, &claims), absolute)?;
    let digest = canonical_digest(info, &files, &claims.maintainers);
    Ok(PypiProjectDetails { locator, claims, lines, digest })
}

/// Members on which neither a listing nor "unchanged" depends.
fn is_left_out(depth: usize, key: &str) -> bool {
    match depth {
        0 => matches!(key, "last_serial" | "vulnerabilities"),
        1 => matches!(key, "downloads" | "description"),
        _ => false,
    }
}

/// The files of all versions. `releases` is deprecated, so the files of the stated version may stand in `urls` alone.
fn files_of(value: &Value, stated: Option<&str>) -> FilesByVersion {
    let read =
        |files: &Value| -> Vec<IndexFile> { files.as_array().into_iter().flatten().filter_map(of_json).collect() };
    let releases = value.get("releases").and_then(Value::as_object);
    let mut files: FilesByVersion =
        releases.into_iter().flatten().map(|(version, files)| (version.clone(), read(files))).collect();
    if let (Some(stated), Some(urls)) = (stated, value.get("urls")) {
        let urls = read(urls);
        // An empty list says nothing where `releases` has the files.
        if !urls.is_empty() {
            files.insert(stated.to_owned(), urls);
        }
    }
    files
}

fn of_json(file: &Value) -> Option<IndexFile> {
    let text = |key: &str| file.get(key).and_then(Value::as_str);
    Some(IndexFile {
        filename: text("filename")?.to_owned(),
        url: text("url")?.to_owned(),
        sha256: file.pointer("/digests/sha256").and_then(Value::as_str).map(str::to_owned),
        yanked: (file.get("yanked") == Some(&Value::Bool(true)))
            .then(|| text("yanked_reason").unwrap_or_default().to_owned()),
        uploaded: text("upload_time_iso_8601").and_then(|time| time.parse().ok()),
        has_provenance: None,
    })
}

/// The claims of `info` and of the chosen file. The dependencies in `info` hold for its own version only.
fn claims_of(info: &Map<String, Value>, files: &FilesByVersion, version: &str, file: &IndexFile) -> Claims {
    let is_stated = info.get("version").and_then(Value::as_str) == Some(version);
    let created = files.values().flatten().filter_map(|file| file.uploaded).min();
    Claims {
        description: text(info.get("summary"), &Claim::Unknown),
        license: license(info),
        repository: repository(info),
        keywords: keywords(info),
        created: created.map_or(Claim::Unknown, Claim::Known),
        dependencies: if is_stated { dependencies(info) } else { Claim::Unknown },
        ..claims_of_file(file)
    }
}

/// The claims about any chosen file, whichever form of the index it came from.
pub(crate) fn claims_of_file(file: &IndexFile) -> Claims {
    Claims {
        published: file.uploaded.map_or(Claim::Unknown, Claim::Known),
        // A file may be yanked without a reason; that it was is still the claim.
        deprecated: match file.yanked.as_deref() {
            Some("") => Claim::Known("yanked".to_owned()),
            Some(reason) => of_text(reason),
            None => Claim::Absent,
        },
        provenance: file.has_provenance.map_or(Claim::Unknown, Claim::Known),
        ..Claims::default()
    }
}

/// The expression, else the free text, else the classifiers.
fn license(info: &Map<String, Value>) -> Claim<String> {
    let stated = ["license_expression", "license"].iter().map(|key| text(info.get(*key), &Claim::Unknown));
    let mut best = Claim::Unknown;
    for claim in stated {
        match claim {
            Claim::Known(_) => return claim,
            Claim::Absent => best = Claim::Absent,
            Claim::Unknown => {}
        }
    }
    let classifiers = info.get("classifiers").and_then(Value::as_array).into_iter().flatten();
    let names = classifiers.filter_map(|classifier| classifier.as_str()?.strip_prefix("License :: "));
    let names: Vec<_> = names.filter_map(|name| name.rsplit(" :: ").next()).collect();
    if names.is_empty() { best } else { of_text(&names.join(" OR ")) }
}

fn repository(info: &Map<String, Value>) -> Claim<String> {
    let urls = info.get("project_urls").and_then(Value::as_object);
    let plain = |label: &str| -> String {
        label.chars().filter(char::is_ascii_alphabetic).map(|letter| letter.to_ascii_lowercase()).collect()
    };
    // In the order of the labels and not of the document, so that the most explicit one wins.
    for wanted in REPOSITORY_LABELS {
        let found = urls.into_iter().flatten().find(|(label, _)| plain(label) == wanted);
        if let Some(address) = found.and_then(|(_, address)| address.as_str()) {
            return of_text(address);
        }
    }
    let is_on_forge = |address: &&str| {
        let host = Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned));
        host.is_some_and(|host| FORGES.contains(&host.trim_start_matches("www.")))
    };
    let is_home = |label: &str| matches!(plain(label).as_str(), "homepage" | "home");
    let pages = urls.into_iter().flatten().filter(|(label, _)| is_home(label)).map(|(_, address)| address);
    let mut pages = pages.chain(info.get("home_page")).filter_map(Value::as_str).filter(is_on_forge);
    match pages.next() {
        Some(page) => of_text(page),
        None if info.contains_key("project_urls") => Claim::Absent,
        None => Claim::Unknown,
    }
}

/// The accounts that may publish: those with a role in the project, and the organisation that owns it as `org:NAME`. Unknown
/// where an index says nothing of ownership, as mirrors do.
fn maintainers(value: &Value) -> Claim<Vec<String>> {
    let Some(ownership) = value.get("ownership").and_then(Value::as_object) else { return Claim::Unknown };
    let roles = ownership.get("roles").and_then(Value::as_array).into_iter().flatten();
    let users = roles.filter_map(|role| role.get("user")?.as_str()).map(str::to_owned);
    let organization = ownership.get("organization").and_then(Value::as_str).map(|name| format!("org:{name}"));
    let all: BTreeSet<String> = users.chain(organization).filter(|name| !name.trim().is_empty()).collect();
    list(all.into_iter().collect())
}

/// One text, separated by commas, or by spaces where it has none.
fn keywords(info: &Map<String, Value>) -> Claim<Vec<String>> {
    match text(info.get("keywords"), &Claim::Unknown) {
        Claim::Known(text) => {
            let separator = if text.contains(',') { ',' } else { ' ' };
            let words = text.split(separator).map(str::trim).filter(|word| !word.is_empty());
            list(words.map(str::to_owned).collect())
        }
        Claim::Absent => Claim::Absent,
        Claim::Unknown => Claim::Unknown,
    }
}

/// The names in `requires_dist` that are installed without any extra. Null says that the uploaded metadata had none to
/// give, which is not the same as none.
fn dependencies(info: &Map<String, Value>) -> Claim<Vec<String>> {
    let Some(Value::Array(requirements)) = info.get("requires_dist") else { return Claim::Unknown };
    let name = |requirement: &str| {
        let (requirement, marker) = requirement.split_once(';').unwrap_or((requirement, ""));
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let requirement = requirement.trim();
        let end = requirement.find(|letter| !is_letter(letter)).unwrap_or(requirement.len());
        let name = pypi_name(requirement.get(..end)?);
        (!name.is_empty() && !marker.contains("extra")).then_some(name)
    };
    let names: BTreeSet<_> = requirements.iter().filter_map(Value::as_str).filter_map(name).collect();
    list(names.into_iter().collect())
}

fn version_count(value: &Value) -> Claim<u64> {
    let releases = value.get("releases").and_then(Value::as_object);
    releases.and_then(|releases| u64::try_from(releases.len()).ok()).map_or(Claim::Unknown, Claim::Known)
}

/// Over `info` without addresses of the index itself, over the files as both forms of the index describe them, and over the
/// owners where the index names them.
fn canonical_digest(info: &Map<String, Value>, files: &FilesByVersion, owners: &Claim<Vec<String>>) -> Digest {
    // Mirrors put their own addresses here.
    const INDEX_ADDRESSES: [&str; 4] = ["package_url", "project_url", "release_url", "docs_url"];
    let kept: Map<String, Value> = info
        .iter()
        .filter(|(key, _)| !INDEX_ADDRESSES.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let (info, files) = (Value::Object(kept).to_string(), digest_of(files));
    match owners {
        Claim::Known(names) => Digest::of_fields([info.as_bytes(), files.as_bytes(), names.join("\n").as_bytes()]),
        Claim::Absent | Claim::Unknown => Digest::of_fields([info.as_bytes(), files.as_bytes()]),
    }
}
