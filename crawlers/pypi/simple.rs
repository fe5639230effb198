//! The simple index in both its forms: JSON (PEP 691) and HTML (PEP 503).
//!
//! It says of files what the project JSON says, and nothing else of the project.

use capdex_model::snapshot::GapReason;
use html5gum::{Token, Tokenizer};
use serde_json::Value;
use url::Url;

use super::file::{FilesByVersion, IndexFile, version_of};
use super::status;
use crate::{CrawlError, json};

/// Ask for JSON, take HTML where the index has no other.
pub(crate) const ACCEPT: &str = "application/vnd.pypi.simple.v1+json, text/html;q=0.1";

/// A project as the simple index describes it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PypiSimpleProject {
    /// Files of kinds that are known, by version.
    pub(crate) files: FilesByVersion,
    /// The number of versions that the index names; none where it names none.
    pub(crate) version_count: Option<u64>,
    /// The words for it where the index has put the project in quarantine.
    pub(crate) quarantined: Option<String>,
}

/// Reads a page of the index for `project` (normalised), answered by `page_url`.
///
/// # Errors
/// `Malformed` for what is neither form.
pub(crate) fn read(
    project: &str,
    page_url: &str,
    content_type: Option<&str>,
    bytes: &[u8],
) -> Result<PypiSimpleProject, CrawlError> {
    let malformed = |detail: String| CrawlError::Malformed {
        subject: crate::http::redact(page_url),
        reason: GapReason::BadAnswer,
        detail,
    };
    let base = Url::parse(page_url).map_err(|error| malformed(error.to_string()))?;
    // The header decides: an index may ignore what was asked for.
    let is_html = content_type.is_some_and(|content_type| content_type.to_ascii_lowercase().contains("html"));
    if is_html {
        return Ok(read_html(project, base, bytes));
    }
    let value = json::parse(bytes, |_, _| false).map_err(malformed)?;
    let files = value.get("files").and_then(Value::as_array);
    let files = files.ok_or_else(|| malformed("it has no list of files".to_owned()))?;
    let mut read = PypiSimpleProject {
        version_count: value.get("versions").and_then(Value::as_array).and_then(|all| u64::try_from(all.len()).ok()),
        quarantined: status::quarantined(&value),
        ..PypiSimpleProject::default()
    };
    for file in files.iter().filter_map(|file| of_json(&base, file)) {
        read.add(project, file);
    }
    Ok(read)
}

impl PypiSimpleProject {
    fn add(&mut self, project: &str, file: IndexFile) {
        if let Some(version) = version_of(project, &file.filename) {
            self.files.entry(version).or_default().push(file);
        }
    }
}

fn of_json(base: &Url, file: &Value) -> Option<IndexFile> {
    let url = base.join(file.get("url")?.as_str()?).ok()?;
    Some(IndexFile {
        filename: file.get("filename")?.as_str()?.to_owned(),
        url: url.into(),
        sha256: file.pointer("/hashes/sha256").and_then(Value::as_str).map(str::to_owned),
        yanked: match file.get("yanked") {
            Some(Value::String(reason)) => Some(reason.clone()),
            Some(Value::Bool(true)) => Some(String::new()),
            _ => None,
        },
        uploaded: file.get("upload-time").and_then(Value::as_str).and_then(|time| time.parse().ok()),
        has_provenance: file.get("provenance").map(Value::is_string),
    })
}

/// Each anchor is a file: its text is the name, the fragment of its address the digest.
fn read_html(project: &str, mut base: Url, bytes: &[u8]) -> PypiSimpleProject {
    let mut read = PypiSimpleProject::default();
    let mut open: Option<(IndexFile, String)> = None;
    for token in Tokenizer::new(bytes) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let attribute = |name: &str| {
                    let value = tag.attributes.get(name.as_bytes())?;
                    Some(String::from_utf8_lossy(value).into_owned())
                };
                match tag.name.as_slice() {
                    b"a" => open = of_anchor(&base, &attribute).map(|file| (file, String::new())),
                    b"base" => base = attribute("href").and_then(|to| base.join(&to).ok()).unwrap_or(base),
                    b"meta" if attribute("name").as_deref() == Some("pypi:project-status") => {
                        read.quarantined = status::of(attribute("content").as_deref(), None);
                    }
                    _ => {}
                }
            }
            Token::String(text) => {
                if let Some((_, name)) = &mut open {
                    name.push_str(&String::from_utf8_lossy(&text));
                }
            }
            Token::EndTag(tag) if tag.name.as_slice() == b"a" => {
                if let Some((file, name)) = open.take() {
                    read.add(project, IndexFile { filename: name.trim().to_owned(), ..file });
                }
            }
            _ => {}
        }
    }
    read
}

fn of_anchor(base: &Url, attribute: &dyn Fn(&str) -> Option<String>) -> Option<IndexFile> {
    let mut url = base.join(&attribute("href")?).ok()?;
    let sha256 = url.fragment().and_then(|fragment| {
        let mut parts = fragment.split('&');
        parts.find_map(|part| part.strip_prefix("sha256=")).map(str::to_owned)
    });
    // The digest is no part of the address that is asked and recorded.
    url.set_fragment(None);
    Some(IndexFile {
        filename: String::new(),
        url: url.into(),
        sha256,
        yanked: attribute("data-yanked"),
        uploaded: None,
        has_provenance: attribute("data-provenance").map(|_| true),
    })
}
