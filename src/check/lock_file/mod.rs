//! Lock files: the packages that an installer fetches, each at its version.
//!
//! Files are given as text; nothing is resolved. A package that a lock file has from elsewhere than a registry cannot be judged, and
//! says so; the project itself and folders of its workspace are no packages.

mod javascript;
mod npm;
mod python;
mod requirements;
mod yarn;

use std::collections::BTreeMap;

use capdex_dataset::scan_record::TargetOrigin;
use capdex_model::source_role::Ecosystem;
use serde_json::Value;

use super::target::{self, CheckTarget};

/// The format of a lock file, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockFormat {
    /// `package-lock.json`, `npm-shrinkwrap.json` (lockfileVersion 1 to 3).
    Npm,
    /// `pnpm-lock.yaml` (lockfileVersion 5 to 9).
    Pnpm,
    /// `yarn.lock`, of Yarn 1 and of later ones.
    Yarn,
    /// `bun.lock`, the text.
    Bun,
    /// `uv.lock` (version 1).
    Uv,
    /// `poetry.lock`.
    Poetry,
    /// `pdm.lock`.
    Pdm,
    /// `Pipfile.lock`.
    Pipfile,
    /// `requirements.txt` and its kin.
    Requirements,
    /// A known name whose format is not read.
    Unread,
}

impl LockFormat {
    /// The format of a file with this name; none for any other file.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "package-lock.json" | "npm-shrinkwrap.json" => Some(Self::Npm),
            "pnpm-lock.yaml" => Some(Self::Pnpm),
            "yarn.lock" => Some(Self::Yarn),
            "bun.lock" => Some(Self::Bun),
            "uv.lock" => Some(Self::Uv),
            "poetry.lock" => Some(Self::Poetry),
            "pdm.lock" => Some(Self::Pdm),
            "Pipfile.lock" => Some(Self::Pipfile),
            "bun.lockb" | "deno.lock" => Some(Self::Unread),
            _ if name.starts_with("requirements") && name.ends_with(".txt") => Some(Self::Requirements),
            _ => None,
        }
    }
}

/// The packages that a lock file names, sorted by name, each version once.
///
/// # Errors
/// Why it cannot be read.
pub fn read(format: LockFormat, text: &str, file: &str) -> Result<Vec<CheckTarget>, String> {
    let found = match format {
        LockFormat::Npm => npm::read(text)?,
        LockFormat::Pnpm => javascript::pnpm(text)?,
        LockFormat::Yarn => yarn::read(text)?,
        LockFormat::Bun => javascript::bun(text)?,
        LockFormat::Uv => python::uv(text)?,
        LockFormat::Poetry => python::poetry(text)?,
        LockFormat::Pdm => python::pdm(text)?,
        LockFormat::Pipfile => python::pipfile(text)?,
        LockFormat::Requirements => requirements::read(text),
        LockFormat::Unread => {
            return Err(
                "this kind of lock file is not read: those of npm, pnpm, Yarn, Bun (bun.lock), uv, Poetry, PDM, \
                        Pipenv and pip (requirements.txt) are"
                    .to_owned(),
            );
        }
    };
    // A tree installs one version in many places.
    let found: BTreeMap<String, CheckTarget> = found.into_iter().map(|target| (target.name.clone(), target)).collect();
    let origin = TargetOrigin { file: file.to_owned(), server: None, started_as: None };
    Ok(found.into_values().map(|target| CheckTarget { found_in: Some(origin.clone()), ..target }).collect())
}

/// A package of npm at a version; what is no version of a registry is an address or a folder.
fn npm_at(name: &str, version: &str) -> CheckTarget {
    if !version.starts_with(|first: char| first.is_ascii_digit()) {
        return elsewhere(Ecosystem::Npm, name);
    }
    let package = target::npm(&format!("{name}@{version}"));
    package.unwrap_or_else(|| target::unjudgeable(format!("npm:{name}"), "this is no name of an npm package"))
}

/// A project of Python at a version.
fn pypi_at(name: &str, version: &str) -> CheckTarget {
    let package = target::pypi(&format!("{name}=={version}"));
    package.unwrap_or_else(|| target::unjudgeable(format!("pypi:{name}"), "this is no name of a Python project"))
}

/// A package that no registry was asked for.
fn elsewhere(ecosystem: Ecosystem, name: &str) -> CheckTarget {
    target::unjudgeable(format!("{}:{name}", ecosystem.as_str()), "the lock file has it from elsewhere than a registry")
}

/// The name and the rest of `name@rest`; a scope begins with `@` too.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let at = text.get(1..)?.find('@')? + 1;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The most nodes that a lock file in YAML may have. The largest have a tenth of it.
const MAX_NODES: usize = 4_000_000;

/// YAML, of which JSON with a comma too many is a part, as the equal JSON. Lock files are written by programs: aliases are refused.
fn yaml(text: &str) -> Result<Value, String> {
    let budget = serde_saphyr::budget! {
        max_depth: 32,
        flow_nesting_limit: 32,
        max_nodes: MAX_NODES,
        max_events: MAX_NODES * 2,
        max_aliases: 0,
        max_anchors: 0,
        max_documents: 1,
        max_inclusion_depth: 0,
        max_total_scalar_bytes: 64 << 20,
        max_merge_keys: 0,
    };
    let options = serde_saphyr::options! { budget: budget, with_snippet: false, strict_booleans: true };
    let value = serde_saphyr::from_str_with_options::<Value>(text, options);
    value.map_err(|error| format!("it does not parse: {error}"))
}

#[cfg(test)]
mod tests;
