//! Files: what kind of change each file's change is, before anybody looks for effects: words, layout, code.
//!
//! Effects are looked for elsewhere; no more than text and layout is read here.

use super::effect::{Effect, EffectKind};
use super::package_version::{CapabilityVersion, PackageVersion, is_live};
use super::volatile;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;

/// An effect for each kind of change among the files of a capability, with the first file that has it.
pub(super) fn effects(
    before: Option<(&PackageVersion<'_>, &CapabilityVersion<'_>)>,
    after: (&PackageVersion<'_>, &CapabilityVersion<'_>),
) -> Vec<Effect> {
    let mut effects: Vec<Effect> = Vec::new();
    let mut push = |kind, path: &str| {
        // One effect for each kind: a release that touches a thousand files is still one change of code.
        if !effects.iter().any(|known: &Effect| known.kind == kind) {
            effects.push(Effect::info(kind, path, ""));
        }
    };
    for (path, digest) in &after.1.pins.files {
        // By the whole package: a file that another capability held is not new to its users.
        let old = before.filter(|(package, _)| package.inventory.paths.contains(path));
        if before.and_then(|(_, version)| version.pins.files.get(path)) == Some(digest) {
            continue;
        }
        let documents =
            (old.and_then(|(package, _)| package.evidence.documents.get(path)), after.0.evidence.documents.get(path));
        if let (was, Some(is)) = documents {
            push(kind_of(was, is), path);
        }
    }
    let gone =
        before.into_iter().flat_map(|(package, version)| version.pins.files.keys().map(move |path| (package, path)));
    for (package, path) in gone.filter(|(_, path)| !after.0.inventory.paths.contains(*path)) {
        if let Some(was) = package.evidence.documents.get(path) {
            push(if is_for_people(was) { EffectKind::Text } else { EffectKind::Code }, path);
        }
    }
    effects
}

fn is_for_people(document: &Document) -> bool {
    matches!(document.role, FileRole::Docs | FileRole::Lock | FileRole::Instruction) || !is_live(Some(document))
}

fn kind_of(was: Option<&Document>, is: &Document) -> EffectKind {
    let Some(was) = was else {
        return if is_for_people(is) { EffectKind::Text } else { EffectKind::Code };
    };
    // Two binary files have no text to compare.
    let is_text = is.role != FileRole::Binary && was.role != FileRole::Binary;
    // A changed number in source may be a port, a key or a limit: only texts are volatile.
    if is_text && volatile::is_volatile(&was.text, &is.text) && is.role != FileRole::Source {
        EffectKind::Volatile
    } else if is_for_people(is) {
        EffectKind::Text
    } else if is_text && skeleton(&was.text) == skeleton(&is.text) && has_same_blocks(was, is) {
        EffectKind::Layout
    } else {
        EffectKind::Code
    }
}

/// A text without what formatters change: white space, the kind of quotation marks, commas and semicolons at ends.
fn skeleton(text: &str) -> String {
    let mut skeleton = String::with_capacity(text.len());
    for letter in text.chars().filter(|letter| !letter.is_whitespace() && *letter != ';') {
        if matches!(letter, ')' | ']' | '}') && skeleton.ends_with(',') {
            skeleton.pop();
        }
        skeleton.push(if matches!(letter, '\'' | '`') { '"' } else { letter });
    }
    skeleton
}

/// True where what white space means is the same: in Python and YAML a line belongs to the block by which it is indented.
fn has_same_blocks(was: &Document, is: &Document) -> bool {
    let means_blocks = |document: &Document| matches!(document.language, Language::Python | Language::Yaml);
    let depths =
        |document: &Document| lines_in_blocks(&document.text).into_iter().map(|(.., depth)| depth).collect::<Vec<_>>();
    !means_blocks(is) || depths(was) == depths(is)
}

/// Each line that is not blank, from 0, with its text and its depth, however wide a step is. A line within brackets continues
/// the one before it, and is not among them.
pub(super) fn lines_in_blocks(text: &str) -> Vec<(usize, &str, usize)> {
    let (mut lines, mut widths, mut open) = (Vec::new(), Vec::new(), 0_usize);
    for (number, line) in text.lines().enumerate() {
        let plain = line.trim_start();
        if plain.is_empty() || plain.starts_with('#') {
            continue;
        }
        if open == 0 {
            let width = line.len() - plain.len();
            while widths.last().is_some_and(|last| *last > width) {
                widths.pop();
            }
            if width > widths.last().copied().unwrap_or(0) {
                widths.push(width);
            }
            lines.push((number, plain.trim_end(), widths.len()));
        }
        for letter in plain.chars() {
            match letter {
                '(' | '[' | '{' => open += 1,
                ')' | ']' | '}' => open = open.saturating_sub(1),
                _ => {}
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: &str, before: &str, after: &str) -> EffectKind {
        let read = |text: &str| Document::read(path, text.as_bytes(), &mut Vec::new());
        kind_of(Some(&read(before)), &read(after))
    }

    #[test]
    fn words_dates_layout_and_code_are_told_apart() {
        assert_eq!(kind("README.md", "# One\n", "# Two\n"), EffectKind::Text);
        assert_eq!(kind("README.md", "As of 2026-01-01.\n", "As of 2026-02-02.\n"), EffectKind::Volatile);
        assert_eq!(kind("a.js", "f({a: 'x', b});\n", "f({\n  a: \"x\",\n  b,\n})\n"), EffectKind::Layout);
        assert_eq!(kind("a.js", "f(1)\n", "f(2)\n"), EffectKind::Code);
    }

    #[test]
    fn a_block_of_python_is_no_layout() {
        let dead = "def f(x):\n    return x\n    send(x)\n\n\nf(1)\n";
        assert_eq!(kind("a.py", dead, "def f(x):\n    return x\nsend(x)\n\n\nf(1)\n"), EffectKind::Code);
        assert_eq!(kind("a.py", dead, &dead.replace("    ", "  ")), EffectKind::Layout);
        assert_eq!(kind("a.py", "f(1, 2)\ng()\n", "f(\n    1,\n    2\n)\ng()\n"), EffectKind::Layout);
    }
}
