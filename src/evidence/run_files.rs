//! Files that a command of the bundle runs although their names promise data, tests or documents. They are read again
//! as programs.
//!
//! Only files of the bundle are found. The path as written is relative to the folder of the file that names them or to
//! a folder around it.

use std::sync::LazyLock;

use capdex_model::bundle::Bundle;
use regex::Regex;

use super::Evidence;
use super::code;
use super::document::Document;
use super::file_role::FileRole;
use super::language::Language;
use super::manifest::{around, folder_of, join};
use super::shape::Shape;
use super::shell::{self, Event, ShellAction};

/// The most files that may be read again for one bundle.
const MOST: usize = 2_000;

/// Reads again what is run, and what that runs in turn.
pub(super) fn read(bundle: &Bundle, evidence: &mut Evidence) {
    let mut open: Vec<String> = evidence.documents.keys().cloned().collect();
    let mut count = 0;
    // A program that is found may run the next, however long the chain.
    while let Some(path) = open.pop() {
        for (target, language, place) in named_by(evidence, &path) {
            let Some(file) = bundle.files.get(&target) else { continue };
            count += 1;
            // A bundle whose files run each other must not be read over and over.
            if count > MOST {
                return;
            }
            if let Some(program) = evidence.documents.get_mut(&target)
                && matches!(program.shape, Shape::Program(_) | Shape::Bytecode(_))
            {
                // Machine code stays what it is; that a command runs it is what rules ask.
                program.run_by = Some(place);
                continue;
            }
            let document = Document::read_as_run(&target, &file.bytes, language, place);
            if let Some(view) = code::read(&document, &mut evidence.gaps) {
                evidence.sources.insert(target.clone(), view);
            }
            evidence.documents.insert(target.clone(), document);
            open.push(target);
        }
    }
}

/// The files that the commands of one file run and that are not read as programs yet.
fn named_by(evidence: &Evidence, path: &str) -> Vec<(String, Language, capdex_model::fact::Place)> {
    let Some(document) = evidence.documents.get(path) else { return Vec::new() };
    // Commands in documents and tests are shown or tried and not run for a user.
    if matches!(document.role, FileRole::Binary | FileRole::Lock | FileRole::Docs | FileRole::Test) {
        return Vec::new();
    }
    let mut named = Vec::new();
    for event in &shell::of(document).events {
        let Event { action: ShellAction::RunsFile { path: written, runner, .. }, .. } = event else { continue };
        let Some(target) = resolve(evidence, path, written) else { continue };
        let Some(run) = evidence.documents.get(&target) else { continue };
        // Once is enough, and a file that names itself would never end.
        if run.run_by.is_some() || !is_other_than_program(run) || target == path {
            continue;
        }
        let own = matches!(
            run.language,
            Language::Shell | Language::PowerShell | Language::Python | Language::JavaScript | Language::TypeScript
        );
        let language = if own { run.language } else { runner.language() };
        named.push((target, language, document.place(event.start)));
    }
    // What is appended to a shell's own file runs whenever a shell starts.
    for found in APPENDED.captures_iter(&document.text).take(MOST) {
        let Some(written) = found.get(1) else { continue };
        let target = resolve(evidence, path, written.as_str()).filter(|target| target != path);
        let is_other = |target: &String| {
            evidence.documents.get(target).is_some_and(|run| run.run_by.is_none() && is_other_than_program(run))
        };
        if let Some(target) = target.filter(is_other) {
            named.push((target, Language::Shell, document.place(written.start())));
        }
    }
    named
}

/// A file that is appended to what a shell reads when it starts.
static APPENDED: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r#"\bcat[ \t]+["']?([\w./-]{2,})["']?[ \t]*>>[ \t]*["']?(?:~|\$HOME|\$\{HOME\})/\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv)\b"#,
    )
});

/// True where a file is not read as a program already. Text that agents load stays what it is.
const fn is_other_than_program(document: &Document) -> bool {
    matches!(
        document.role,
        FileRole::Data | FileRole::Docs | FileRole::Test | FileRole::Manifest | FileRole::Binary | FileRole::Lock
    )
}

/// The file of the bundle that a path in a command names.
fn resolve(evidence: &Evidence, from: &str, written: &str) -> Option<String> {
    let mut relative = written.trim().trim_matches(['"', '\'']);
    // `$ROOT/x`, `$(dirname "$0")/x`: the folder that a variable names is one around the file.
    if relative.starts_with('$') {
        relative = relative.split_once('/').map(|(_, rest)| rest)?;
    }
    // Home folders and options name no file of the bundle.
    if relative.is_empty() || relative.len() > 300 || relative.starts_with(['~', '-']) {
        return None;
    }
    let relative = relative.trim_start_matches("./").trim_start_matches("../");
    let folders = around(folder_of(from));
    folders.filter_map(|folder| join(folder, relative)).find(|path| evidence.documents.contains_key(path))
}
