//! npm's own configuration: which registry it asks, for which scope another, and with which token.
//!
//! Sources: npm's documentation of `config`, `npmrc` and `scope` (versions 7 to 11).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::Url;

use super::{BaseUrl, Environment, FoundAddress, ReadFile, basic, read_base_url};
use crate::CrawlError;
use crate::http::{Credential, Secret};
use capdex_model::registries;

/// The registry for names without a scope of their own. It is `configured`, else `npm_config_registry`, else `registry`
/// of the first `.npmrc` that has it, else the well-known one. The files are those of the working folder, of the home
/// folder and the global one, in this order.
///
/// # Errors
/// `Malformed` or `Refused` where the first of these that is there is no http or https address. To pass it over would
/// send the names of a private registry to a public one.
pub fn npm_base_url(
    environment: Environment<'_>,
    read_file: ReadFile<'_>,
    configured: Option<&str>,
) -> Result<BaseUrl, CrawlError> {
    let layers = NpmrcFiles::read(environment, read_file);
    let found = match configured {
        Some(address) => FoundAddress { address: address.to_owned(), origin: "configuration".to_owned() },
        None => of_environment(environment)
            .or_else(|| layers.find("registry"))
            .unwrap_or_else(|| FoundAddress { address: registries::npm(), origin: "built in".to_owned() }),
    };
    layers.base_url(found)
}

/// The registries for single scopes (`@scope:registry` in any `.npmrc`), by scope.
///
/// # Errors
/// The errors of [`npm_base_url`].
pub fn npm_scopes(
    environment: Environment<'_>,
    read_file: ReadFile<'_>,
) -> Result<BTreeMap<String, BaseUrl>, CrawlError> {
    let layers = NpmrcFiles::read(environment, read_file);
    let keys = layers.0.iter().flat_map(|layer| layer.values.keys());
    let scopes = keys.filter_map(|key| key.strip_suffix(":registry")).filter(|scope| scope.starts_with('@'));
    let found = scopes.filter_map(|scope| Some((scope.to_owned(), layers.find(&format!("{scope}:registry"))?)));
    let found: BTreeMap<_, _> = found.collect();
    found.into_iter().map(|(scope, found)| Ok((scope, layers.base_url(found)?))).collect()
}

fn of_environment(environment: Environment<'_>) -> Option<FoundAddress> {
    variable(environment, "npm_config_registry")
        .map(|address| FoundAddress { address, origin: "npm_config_registry".to_owned() })
}

/// A variable as npm reads it: in lower or upper case, and not at all where it is empty.
pub(super) fn variable(environment: Environment<'_>, name: &str) -> Option<String> {
    [name.to_owned(), name.to_ascii_uppercase()]
        .iter()
        .find_map(|name| environment(name).filter(|text| !text.is_empty()))
}

/// The files that npm reads, the one that wins first.
pub(super) struct NpmrcFiles(Vec<NpmrcFile>);

struct NpmrcFile {
    path: PathBuf,
    values: BTreeMap<String, String>,
}

impl NpmrcFiles {
    /// Reads those that are there.
    pub(super) fn read(environment: Environment<'_>, read_file: ReadFile<'_>) -> Self {
        let home = environment("HOME").or_else(|| environment("USERPROFILE"));
        let user = variable(environment, "npm_config_userconfig").map(PathBuf::from);
        let global = variable(environment, "npm_config_globalconfig").map(PathBuf::from);
        let prefix = variable(environment, "npm_config_prefix").or_else(|| environment("PREFIX"));
        // npm's own order: the project's file wins over the user's, and that over the global one.
        let mut paths = vec![PathBuf::from(".npmrc")];
        paths.extend(user.or_else(|| home.map(|home| Path::new(&home).join(".npmrc"))));
        match global.or_else(|| prefix.map(|prefix| Path::new(&prefix).join("etc/npmrc"))) {
            Some(global) => paths.push(global),
            // Where npm is installed is not known; these are the usual prefixes.
            None => paths.extend(["/usr/local/etc/npmrc", "/usr/etc/npmrc", "/etc/npmrc"].map(PathBuf::from)),
        }
        let layer = |path: PathBuf| {
            let values = parse(&read_file(&path)?, environment);
            Some(NpmrcFile { path, values })
        };
        Self(paths.into_iter().filter_map(layer).collect())
    }

    /// The value of a key that is not empty, with the file that it stands in.
    pub(super) fn find(&self, key: &str) -> Option<FoundAddress> {
        self.0.iter().find_map(|layer| {
            let address = layer.values.get(key).filter(|address| !address.is_empty())?.clone();
            Some(FoundAddress { address, origin: layer.path.display().to_string() })
        })
    }

    fn base_url(&self, found: FoundAddress) -> Result<BaseUrl, CrawlError> {
        let mut base_url = read_base_url(found, None)?;
        if let Some(credential) = self.credential(&base_url.url) {
            base_url.credentials = Some(credential);
        }
        Ok(base_url)
    }

    /// The credential whose key is nearest to the address: `//host/path/:_authToken`, then each path above it.
    fn credential(&self, address: &str) -> Option<Credential> {
        let url = Url::parse(address).ok()?;
        let host = url.host_str()?;
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let mut path = format!("{}/", url.path().trim_end_matches('/'));
        loop {
            if let Some(authorization) = self.authorization(&format!("//{host}{path}")) {
                return Some(Credential::authorization(address, authorization));
            }
            let shorter = path.trim_end_matches('/').rfind('/')?;
            path.truncate(shorter + 1);
        }
    }

    fn authorization(&self, place: &str) -> Option<Secret> {
        let value = |key: &str| self.find(&format!("{place}:{key}")).map(|found| found.address);
        if let Some(token) = value("_authToken") {
            return Some(Secret::new(format!("Bearer {token}")));
        }
        if let Some(encoded) = value("_auth") {
            return Some(Secret::new(format!("Basic {encoded}")));
        }
        // npm keeps the password in base64, unlike the user name.
        let password = STANDARD.decode(value("_password")?).ok()?;
        Some(basic(&value("username")?, &String::from_utf8_lossy(&password)))
    }
}

/// Reads the text of an `.npmrc`: one `key = value` a line, comments with `;` and `#`, values in quotes or bare, and
/// `${VARIABLE}` for variables. A repeated key keeps its last value; of lists only `ca[]` is
/// read, and sections are passed over.
fn parse(text: &str, environment: Environment<'_>) -> BTreeMap<String, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with([';', '#', '[']));
    let pairs = lines.filter_map(|line| line.split_once('='));
    let pairs = pairs.map(|(key, value)| (expand(unquoted(key), environment), expand(unquoted(value), environment)));
    let mut values = BTreeMap::<String, String>::new();
    for (key, value) in pairs.filter(|(key, _)| !key.is_empty()) {
        match key.strip_suffix("[]") {
            None => drop(values.insert(key, value)),
            // Several authorities are one list, one on each line.
            Some("ca") => {
                let all = values.entry("ca".to_owned()).or_default();
                all.push_str(&value);
                all.push('\n');
            }
            Some(_) => {}
        }
    }
    values
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

/// Puts variables in. One that is not set stays as it is written, and `${VARIABLE?}` becomes empty, as npm has it.
fn expand(text: &str, environment: Environment<'_>) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        expanded.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            expanded.push_str("${");
            rest = after;
            continue;
        };
        match (environment(name.trim_end_matches('?')), name.ends_with('?')) {
            (Some(value), _) => expanded.push_str(&value),
            (None, true) => {}
            (None, false) => {
                expanded.push_str("${");
                expanded.push_str(name);
                expanded.push('}');
            }
        }
        rest = behind;
    }
    expanded.push_str(rest);
    expanded
}
