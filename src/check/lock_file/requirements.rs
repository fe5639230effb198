//! pip's files of requirements.

use super::super::target::{self, CheckTarget};

/// The pins of a file of requirements.
pub(super) fn read(text: &str) -> Vec<CheckTarget> {
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
