//! pip's own configuration: which index it asks.
//!
//! Source: pip's documentation of its configuration (`topics/configuration`).

use std::path::{Path, PathBuf};

use super::{BaseUrl, Environment, FoundAddress, ReadFile, read_base_url};
use crate::CrawlError;
use capdex_model::registries;

/// The index: `configured`, else `PIP_INDEX_URL`, else `index-url` in the section `global` of a file, else the
/// well-known one. The files are the one that `PIP_CONFIG_FILE` names, the user's and the machine's, in this order. The
/// address is the one that people write, usually with `/simple` at its end. A credential in it is for all of its host,
/// because files and project JSON stand beside the simple index.
///
/// # Errors
/// `Malformed` or `Refused` where the first of these that is there is no http or https address. To pass it over would
/// send the names of a private index to a public one.
pub fn pypi_base_url(
    environment: Environment<'_>,
    read_file: ReadFile<'_>,
    configured: Option<&str>,
) -> Result<BaseUrl, CrawlError> {
    let found = match configured {
        Some(address) => FoundAddress { address: address.to_owned(), origin: "configuration".to_owned() },
        None => of_environment(environment)
            .or_else(|| of_files(environment, read_file))
            .unwrap_or_else(|| FoundAddress { address: registries::pypi(), origin: "built in".to_owned() }),
    };
    read_base_url(found, Some("/"))
}

fn of_environment(environment: Environment<'_>) -> Option<FoundAddress> {
    let address = environment("PIP_INDEX_URL").filter(|address| !address.is_empty())?;
    Some(FoundAddress { address, origin: "PIP_INDEX_URL".to_owned() })
}

fn of_files(environment: Environment<'_>, read_file: ReadFile<'_>) -> Option<FoundAddress> {
    setting(environment, read_file, &["index-url", "index_url"])
}

/// The value of a key in the section `global` of the first file that has it. `keys` are its spellings.
pub(super) fn setting(environment: Environment<'_>, read_file: ReadFile<'_>, keys: &[&str]) -> Option<FoundAddress> {
    let named = environment("PIP_CONFIG_FILE").filter(|path| !path.is_empty());
    // pip takes the null device as "read no file at all".
    if named.as_deref() == Some("/dev/null") {
        return None;
    }
    let home = environment("HOME").or_else(|| environment("USERPROFILE")).map(PathBuf::from);
    let config = environment("XDG_CONFIG_HOME").filter(|path| !path.is_empty()).map(PathBuf::from);
    let config = config.or_else(|| home.as_ref().map(|home| home.join(".config")));
    let mut paths: Vec<PathBuf> = named.map(PathBuf::from).into_iter().collect();
    paths.extend(config.map(|config| config.join("pip/pip.conf")));
    paths.extend(home.map(|home| home.join(".pip/pip.conf")));
    paths.push(Path::new("/etc/pip.conf").to_owned());
    paths.into_iter().find_map(|path| {
        let address = value_of(&read_file(&path)?, keys)?;
        Some(FoundAddress { address, origin: path.display().to_string() })
    })
}

/// The value of a key in the section `global` of an INI file; the last one where it stands there twice.
fn value_of(text: &str, keys: &[&str]) -> Option<String> {
    let mut is_global = false;
    let mut found = None;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with([';', '#'])) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            // Sections of single commands, such as `install`, are for those alone.
            is_global = section.trim() == "global";
        } else if let Some((key, value)) = line.split_once(['=', ':'])
            && is_global
            && keys.contains(&key.trim().to_ascii_lowercase().as_str())
        {
            found = Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        }
    }
    found
}
