//! `diff`: the lines of a change that a person is shown: few, short, without secrets.
//!
//! Nothing is escaped here; whoever shows the lines escapes them for the place.

use similar::{ChangeTag, TextDiff};

use crate::MaskSecrets;

use super::package_version::{CapabilityVersion, PackageVersion};

/// Lines of one event at most.
const MAX_LINES: usize = 80;
/// Lines of one file at most.
const MAX_FILE_LINES: usize = 30;
/// Code points of one line at most.
const MAX_WIDTH: usize = 200;
/// Changed lines of a file that are compared at most; beyond, only their number is told.
const MAX_COMPARED: usize = 4_000;
/// Characters of a long line that are kept before what changed in it.
const LEAD: usize = 60;

/// The lines that changed, file by file, those named in `first` before the others. Each file has `  path` as a heading,
/// then each line with its sign before it.
pub(super) fn diff(
    before: Option<CapabilityInPackage<'_>>,
    after: Option<CapabilityInPackage<'_>>,
    first: &[String],
    mask: MaskSecrets,
) -> Vec<String> {
    let paths_of = |of: Option<CapabilityInPackage<'_>>| {
        of.map(|(_, version)| version.capability.files.clone()).unwrap_or_default()
    };
    let mut paths: Vec<String> = paths_of(before).into_iter().chain(paths_of(after)).collect();
    paths.sort_by_key(|path| (!first.iter().any(|named| named == path), path.clone()));
    paths.dedup();
    let mut lines = Vec::new();
    for path in paths {
        let (old_text, new_text) = (text_of(before, &path), text_of(after, &path));
        if old_text == new_text {
            continue;
        }
        let room = MAX_FILE_LINES.min(MAX_LINES.saturating_sub(lines.len() + 1));
        if room == 0 {
            lines.push("  … more files changed".to_owned());
            break;
        }
        lines.push(format!("  {path}"));
        lines.extend(of_text(old_text, new_text, room, mask));
    }
    lines
}

/// A capability with its package.
type CapabilityInPackage<'a> = (&'a PackageVersion<'a>, &'a CapabilityVersion<'a>);

fn text_of<'a>(of: Option<CapabilityInPackage<'a>>, path: &str) -> &'a str {
    let document = of.and_then(|(package, _)| package.evidence.documents.get(path));
    document.map_or("", |document| document.text.as_str())
}

/// The changed lines of one text, `room` at most.
pub(super) fn of_text(old: &str, new: &str, room: usize, mask: MaskSecrets) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    // Equal lines at both ends are cut off first: most changes touch the middle of a long file.
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (old.get(same..).unwrap_or_default(), new.get(same..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let old = old.get(..old.len() - tail).unwrap_or_default();
    let new = new.get(..new.len() - tail).unwrap_or_default();
    // A rewritten bundle would take long to compare, and its lines tell a person nothing.
    if old.len().max(new.len()) > MAX_COMPARED {
        return vec![format!("  {} lines became {}", old.len(), new.len())];
    }
    let mut lines = Vec::new();
    let found = TextDiff::from_slices(old, new);
    let changed: Vec<(ChangeTag, &str)> = found
        .iter_all_changes()
        .filter(|change| change.tag() != ChangeTag::Equal)
        .map(|change| (change.tag(), change.value()))
        .collect();
    for (at, (tag, line)) in changed.iter().enumerate() {
        if lines.len() + 1 >= room && at + 1 < changed.len() {
            lines.push(format!("  … {} more lines", changed.len() - at));
            break;
        }
        let sign = if *tag == ChangeTag::Delete { '-' } else { '+' };
        let other = changed.get(if *tag == ChangeTag::Delete { at + 1 } else { at.wrapping_sub(1) });
        // Both lines are masked before they are compared, so that the cut never depends on a secret.
        let counterpart = other.filter(|(other, _)| other != tag).map(|(_, line)| mask(line)).unwrap_or_default();
        lines.push(format!("{sign}{}", shown(&mask(line), &counterpart)));
    }
    lines
}

/// A masked line as it is shown: a long one is cut to the part where it differs from its counterpart.
fn shown(masked: &str, other: &str) -> String {
    if masked.chars().count() <= MAX_WIDTH {
        return masked.to_owned();
    }
    let same = if other.is_empty() { 0 } else { masked.chars().zip(other.chars()).take_while(|(a, b)| a == b).count() };
    let from = same.saturating_sub(LEAD);
    let part: String = masked.chars().skip(from).take(MAX_WIDTH).collect();
    let is_cut = masked.chars().count() > from + MAX_WIDTH;
    format!("{}{part}{}", if from > 0 { "…" } else { "" }, if is_cut { "…" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_rules::mask_line as mask;

    #[test]
    fn changed_lines_are_shown_with_their_sign() {
        assert_eq!(of_text("a\nb\nc\n", "a\nB\nc\n", 30, mask), ["-b", "+B"]);
        assert_eq!(of_text("", "a\nb\nc\nd", 3, mask), ["+a", "+b", "  … 2 more lines"]);
        assert!(of_text("same\n", "same\n", 30, mask).is_empty());
    }

    #[test]
    fn a_long_line_is_shown_where_it_differs() {
        let (old, new) = (
            format!("{}x{}", "a ".repeat(450), "b ".repeat(450)),
            format!("{}y{}", "a ".repeat(450), "b ".repeat(450)),
        );
        let lines = of_text(&old, &new, 30, mask);
        assert!(lines.iter().all(|line| line.chars().count() <= MAX_WIDTH + 3), "{lines:?}");
        assert!(lines[0].contains('x'), "{lines:?}");
        assert!(lines[1].contains('y'), "{lines:?}");
    }

    #[test]
    fn the_lines_of_a_key_are_not_shown() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
        assert_eq!(of_text("", body, 30, mask), ["+MIIE…Kj"]);
    }

    #[test]
    fn secrets_are_masked() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let lines = of_text("", &format!("const t = \"{token}\""), 30, mask);
        assert!(!lines.concat().contains(&token), "{lines:?}");
    }
}
