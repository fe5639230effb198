//! Install scripts that stay within the package.
//!
//! Those that reach outside are `package-install-script-network`. The well-known build steps are only worth knowing.
//! Source: AgentScore's finding type `install_script` in its mild form.

use crate::FactSink;
use capdex_evidence::signals::install_scripts;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::package_install_script_network::danger_of;

/// Programs that build native parts, check the package manager or apply patches that the package ships.
const KNOWN: [&str; 16] = [
    "node-gyp",
    "node-gyp-build",
    "node-pre-gyp",
    "prebuild-install",
    "cmake-js",
    "electron-rebuild",
    "husky",
    "simple-git-hooks",
    "lefthook",
    "patch-package",
    "only-allow",
    "is-ci",
    "opencollective",
    "opencollective-postinstall",
    "ngcc",
    "napi-postinstall",
];

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for script in install_scripts(subject) {
        // What reaches outside is told by the other rule: no script is told twice.
        if danger_of(subject, &script).is_none() {
            let severity = if is_known(&script.command) { Severity::Info } else { Severity::Low };
            let evidence = format!("{}: {}", script.name, script.command);
            facts.found_as(severity, Confidence::High, script.place, &evidence);
        }
    }
}

/// True where every command of a command line is a well-known step or does nothing.
fn is_known(command: &str) -> bool {
    let steps = command.split(['&', '|', ';']).map(str::trim).filter(|step| !step.is_empty());
    // Every step must be known: a harmless one in front is the plainest way to hide another.
    steps.map(program_of).all(|program| KNOWN.contains(&program) || ["echo", "exit", "true", ":"].contains(&program))
}

/// The program that a command starts, without what only starts programs.
fn program_of(command: &str) -> &str {
    let starts = ["npx", "pnpm", "yarn", "exec", "dlx", "bunx", "--no-install", "--no", "-y", "--"];
    // `npx --no-install husky` runs `husky`: what only starts programs is passed over.
    command.split_whitespace().find(|word| !starts.contains(word)).unwrap_or_default()
}
