//! The origin of a plugin, in every form that a marketplace may write it.
//!
//! An exact commit decides: without one, the code can change while the entry stays.

use capdex_model::ids::ListingKey;
use capdex_model::release_line;
use serde_json::{Map, Value, json};
use url::Url;

use crate::{page, references};

/// Hosts at which the first two parts of a path are an owner and a repository of GitHub.
const GITHUB_HOSTS: [&str; 3] = ["github.com", "www.github.com", "raw.githubusercontent.com"];

/// The origin of a plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PluginOrigin {
    /// The form: `path`, `github`, `url`, `git-subdir`, `npm`, `pip`, or what comes later.
    pub(super) form: String,
    /// The repository's address, as written.
    pub(super) address: Option<String>,
    /// The repository.
    pub(super) repository: Option<ListingKey>,
    /// The package, where it is one.
    pub(super) package: Option<ListingKey>,
    /// The path inside the repository.
    pub(super) path: Option<String>,
    /// The branch or tag.
    pub(super) at: Option<String>,
    /// The commit, in full hex.
    pub(super) commit: Option<String>,
    /// True where the entry names one exact version of one exact thing.
    pub(super) is_pinned: bool,
}

impl PluginOrigin {
    /// Reads the `source` of a plugin. `own` is the marketplace's own repository.
    ///
    /// # Errors
    /// The fault in it, if it is neither a path nor an object that says its form.
    pub(super) fn read(source: &Value, own: Option<&ListingKey>) -> Result<Self, String> {
        match source {
            Value::String(path) => Ok(Self {
                form: "path".to_owned(),
                repository: own.cloned(),
                path: Some(path.clone()),
                ..Self::default()
            }),
            Value::Object(source) => {
                let form = page::text(source, "source").ok_or("a source that does not say its form")?;
                Ok(if matches!(form, "npm" | "pip") { package(form, source) } else { repository(form, source) })
            }
            _ => Err("a source that is neither a path nor an object".to_owned()),
        }
    }

    /// The part of it that a listing keeps, beside the entry as it was published.
    pub(super) fn text(&self) -> Value {
        let key = |key: &Option<ListingKey>| key.as_ref().map(ToString::to_string);
        // Without the version, which stands in the entry: the text of a row is to change with its entry alone.
        let package = key(&self.package);
        let package = package.as_deref().map(release_line::package_of_identity);
        json!({
            "form": self.form, "repository": key(&self.repository), "package": package, "path": self.path,
            "ref": self.at, "commit": self.commit, "floating": !self.is_pinned,
        })
    }
}

fn package(form: &str, source: &Map<String, Value>) -> PluginOrigin {
    let name = page::text(source, "package").unwrap_or_default();
    let version = page::text(source, "version");
    let package = if form == "npm" { references::npm_at(name, version) } else { references::pypi_at(name, version) };
    // A range is no version.
    let is_exact = |version: &str| version.starts_with(|first: char| first.is_ascii_digit()) && !version.contains(' ');
    PluginOrigin {
        form: form.to_owned(),
        package,
        at: version.map(str::to_owned),
        is_pinned: version.is_some_and(is_exact),
        ..PluginOrigin::default()
    }
}

fn repository(form: &str, source: &Map<String, Value>) -> PluginOrigin {
    let text = |member: &str| page::text(source, member).map(str::to_owned);
    let address = text("url").or_else(|| text("repo"));
    // Another commit can be made to have the same short id, so only a full one pins.
    let is_commit = |text: &String| text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let commit = text("sha").or_else(|| text("commit")).filter(is_commit).map(|commit| commit.to_ascii_lowercase());
    PluginOrigin {
        form: form.to_owned(),
        repository: address.as_deref().and_then(references::of_repository),
        address,
        package: None,
        path: text("path"),
        at: text("ref"),
        is_pinned: commit.is_some(),
        commit,
    }
}

/// The repository that a document's own address lies in.
pub(super) fn of_document(url: &str) -> Option<ListingKey> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?.to_ascii_lowercase();
    let is_github = GITHUB_HOSTS.contains(&host.as_str());
    let path = url.path().trim_start_matches('/');
    if is_github {
        // Raw files lie on a host of their own, with the same first two parts in their paths.
        references::of_repository(&format!("github:{path}"))
    } else {
        references::of_repository(url.as_str())
    }
}
