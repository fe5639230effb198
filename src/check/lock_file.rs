//! Lock files: the packages that an installer fetches, each at its version.
//!
//! Files are given as text; nothing is resolved. Formats: npm's `package-lock.json` (lockfileVersion 1 to 3), uv's `uv.lock`
//! (version 1), pip's requirements files.

use std::collections::BTreeMap;

use capdex_dataset::scan_record::TargetOrigin;
use serde_json::Value;

use super::target::{self, CheckTarget};

/// The format of a lock file, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockFormat {
    /// `package-lock.json`, `npm-shrinkwrap.json`.
    Npm,
    /// `uv.lock`.
    Uv,
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
            "uv.lock" => Some(Self::Uv),
            "pnpm-lock.yaml" | "yarn.lock" | "bun.lock" | "bun.lockb" | "poetry.lock" | "pdm.lock" | "Pipfile.lock"
            | "deno.lock" => Some(Self::Unread),
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
        LockFormat::Npm => of_npm(text)?,
        LockFormat::Uv => of_uv(text)?,
        LockFormat::Requirements => of_requirements(text),
        LockFormat::Unread => {
            return Err(
                "this kind of lock file is not read: package-lock.json, uv.lock and requirements.txt are".to_owned()
            );
        }
    };
    // A tree installs one version in many places.
    let found: BTreeMap<String, CheckTarget> = found.into_iter().map(|target| (target.name.clone(), target)).collect();
    let origin = TargetOrigin { file: file.to_owned(), server: None, started_as: None };
    Ok(found.into_values().map(|target| CheckTarget { found_in: Some(origin.clone()), ..target }).collect())
}

fn of_npm(text: &str) -> Result<Vec<CheckTarget>, String> {
    let lock: Value = serde_json::from_str(text).map_err(|error| format!("it does not parse: {error}"))?;
    let mut found = Vec::new();
    if let Some(packages) = lock.get("packages").and_then(Value::as_object) {
        for (path, entry) in packages {
            // The project itself and the folders of its workspace are files here, and no package.
            let Some((_, name)) = path.rsplit_once("node_modules/") else { continue };
            if entry.get("link").and_then(Value::as_bool) != Some(true) {
                found.push(npm_entry(entry.get("name").and_then(Value::as_str).unwrap_or(name), entry));
            }
        }
        return Ok(found);
    }
    let mut waiting = vec![lock.get("dependencies")];
    while let Some(dependencies) = waiting.pop() {
        for (name, entry) in dependencies.and_then(Value::as_object).into_iter().flatten() {
            found.push(npm_entry(name, entry));
            waiting.push(entry.get("dependencies"));
        }
    }
    match lock.get("lockfileVersion") {
        Some(_) => Ok(found),
        None => Err("it has no lockfileVersion".to_owned()),
    }
}

fn npm_entry(name: &str, entry: &Value) -> CheckTarget {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let (version, resolved) = (text("version"), text("resolved"));
    let is_elsewhere = |address: &str| ["git", "file:", "github:"].iter().any(|start| address.starts_with(start));
    if is_elsewhere(resolved) || is_elsewhere(version) || version.is_empty() {
        return target::unjudgeable(format!("npm:{name}"), "the lock file has it from elsewhere than a registry");
    }
    let package = target::npm(&format!("{name}@{version}"));
    package.unwrap_or_else(|| target::unjudgeable(format!("npm:{name}"), "this is no name of an npm package"))
}

fn of_uv(text: &str) -> Result<Vec<CheckTarget>, String> {
    let lock: toml::Table = toml::from_str(text).map_err(|error| format!("it does not parse: {}", error.message()))?;
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    Ok(packages.filter_map(uv_entry).collect())
}

/// None for the project itself.
fn uv_entry(entry: &toml::Value) -> Option<CheckTarget> {
    let text = |key: &str| entry.get(key).and_then(toml::Value::as_str).unwrap_or_default();
    let (name, source) = (text("name"), entry.get("source"));
    let has = |key: &str| source.and_then(|source| source.get(key)).is_some();
    if has("editable") || has("virtual") || has("directory") {
        return None;
    }
    if !has("registry") {
        return Some(target::unjudgeable(
            format!("pypi:{name}"),
            "the lock file has it from elsewhere than a registry",
        ));
    }
    let package = target::pypi(&format!("{name}=={}", text("version")));
    Some(package.unwrap_or_else(|| target::unjudgeable(format!("pypi:{name}"), "this is no name of a Python project")))
}

fn of_requirements(text: &str) -> Vec<CheckTarget> {
    let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let lines = joined.lines().map(|line| {
        let line = line.trim();
        if line.starts_with('#') { "" } else { line.split_once(" #").map_or(line, |(line, _)| line).trim() }
    });
    lines.filter(|line| !line.is_empty()).filter_map(requirement).collect()
}

/// None for an option that changes nothing of what is fetched.
fn requirement(line: &str) -> Option<CheckTarget> {
    let option = line.split([' ', '=']).next().unwrap_or_default();
    if option.starts_with('-') {
        let why = match option {
            "-r" | "--requirement" => "it names another file of requirements, which is not followed",
            "-e" | "--editable" => "it lies on this machine; `capdex scan` reads it",
            "-i" | "--index-url" | "--extra-index-url" | "-f" | "--find-links" => "it sends pip to another registry",
            _ => return None,
        };
        return Some(target::unjudgeable(option, why));
    }
    // Hashes follow a pin.
    let line = line.split_once(" --").map_or(line, |(line, _)| line).trim();
    if line.contains("://") || line.starts_with(['.', '/']) {
        return Some(target::unjudgeable(
            "an address",
            "it is fetched from an address, and from no registry that can be asked",
        ));
    }
    let package = target::pypi(line);
    Some(package.unwrap_or_else(|| target::unjudgeable(format!("pypi:{line}"), "this is no name of a Python project")))
}

#[cfg(test)]
mod tests {
    use super::super::target::CheckSubject;
    use super::*;

    fn names(format: LockFormat, text: &str) -> Vec<String> {
        let shown = |target: CheckTarget| match target.subject {
            CheckSubject::Package { key, .. } => key.to_string(),
            CheckSubject::Unjudgeable(_) => format!("! {}", target.name),
            other => format!("{other:?}"),
        };
        read(format, text, "lock").expect("reads").into_iter().map(shown).collect()
    }

    #[test]
    fn every_form_of_npms_lock_names_its_packages_once() {
        let now = r#"{"lockfileVersion":3,"packages":{"":{"name":"own"},"packages/a":{"version":"1.0.0"},
            "node_modules/a":{"resolved":"packages/a","link":true},
            "node_modules/@s/b":{"version":"2.0.0","resolved":"https://registry.example/b.tgz"},
            "node_modules/c":{"version":"1.0.0"},"node_modules/@s/b/node_modules/c":{"version":"1.0.0"},
            "node_modules/d/node_modules/c":{"version":"0.9.0"},"node_modules/alias":{"name":"real","version":"3.0.0"},
            "node_modules/g":{"version":"1.0.0","resolved":"git+ssh://git@host.test/g.git#1"}}}"#;
        let expected = ["npm:@s/b@2.0.0", "npm:c@0.9.0", "npm:c@1.0.0", "! npm:g", "npm:real@3.0.0"];
        assert_eq!(names(LockFormat::Npm, now), expected);
        let then = r#"{"lockfileVersion":1,"dependencies":{"a":{"version":"1.0.0","dependencies":{"b":{"version":"2.0.0"}}}}}"#;
        assert_eq!(names(LockFormat::Npm, then), ["npm:a@1.0.0", "npm:b@2.0.0"]);
        assert!(read(LockFormat::Npm, "{}", "lock").is_err());
        assert!(read(LockFormat::Npm, "{", "lock").is_err());
    }

    #[test]
    fn locks_of_python_name_their_pins() {
        let uv = "version = 1\n[[package]]\nname = \"own\"\nversion = \"0.1\"\nsource = { editable = \".\" }\n\
                  [[package]]\nname = \"mcp\"\nversion = \"1.2.0\"\nsource = { registry = \"https://index.example/simple\" }\n\
                  [[package]]\nname = \"g\"\nversion = \"1\"\nsource = { git = \"https://host.test/g\" }\n";
        assert_eq!(names(LockFormat::Uv, uv), ["! pypi:g", "pypi:mcp@1.2.0"]);
        let pip =
            "# comment\nmcp==1.2.0 \\\n  --hash=sha256:00\nhttpx>=0.27 # range\nanyio\n-r more.txt\n--no-binary x\n";
        assert_eq!(
            names(LockFormat::Requirements, pip),
            ["! -r", "pypi:anyio", "! pypi:httpx>=0.27", "pypi:mcp@1.2.0"]
        );
    }

    #[test]
    fn a_lock_that_is_not_read_says_which_are() {
        let error = read(LockFormat::of_name("yarn.lock").expect("known"), "", "yarn.lock").expect_err("not read");
        assert!(error.contains("package-lock.json"), "{error}");
        assert_eq!(LockFormat::of_name("package.json"), None);
        assert_eq!(LockFormat::of_name("requirements-dev.txt"), Some(LockFormat::Requirements));
    }
}
