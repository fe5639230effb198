//! The escaping gate: nothing that strangers wrote reaches a terminal, a page, a CSV cell or a log line unescaped.
//!
//! Texts for people stand here too: they are cut and counted the same way wherever they are shown.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The beginning of a command to a runner of CI jobs, wherever it stands in a log. `##[x]` is the older form of GitHub's,
/// `##vso[x]` is Azure's, `##teamcity[x]` is TeamCity's.
const COMMAND: &str = "##";

/// Replaces letters that a terminal would act on or that would hide: control characters, bidirectional controls, zero-width
/// and tag characters become `\u{…}`. So does the bracket of a runner's command (`##[`, `##vso[`). Everything else stays.
pub fn escape(text: &str) -> Cow<'_, str> {
    escaped(text, |safe, letter| write!(safe, "\\u{{{:x}}}", u32::from(letter)))
}

/// The same in JSON as serde writes it, where these letters stand in strings only. They become JSON's own escapes, so that
/// a reader gets the text unchanged.
pub fn escape_json(document: &str) -> Cow<'_, str> {
    escaped(document, |safe, letter| match letter {
        // Between values; in strings serde has escaped it.
        '\n' => safe.write_char(letter),
        _ => letter.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(safe, "\\u{unit:04x}")),
    })
}

fn escaped(text: &str, write: impl Fn(&mut String, char) -> std::fmt::Result) -> Cow<'_, str> {
    // Nearly all text is harmless, and is handed back without a copy.
    if !text.chars().any(is_dangerous) && !text.contains(COMMAND) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        // Decided by what was written so far, since a command may be spread over several letters.
        if is_dangerous(letter) || (letter == '[' && is_command(&safe)) {
            write(&mut safe, letter).expect("writing to a string cannot fail");
        } else {
            safe.push(letter);
        }
    }
    Cow::Owned(safe)
}

/// True where a bracket behind this text begins a runner's command.
fn is_command(before: &str) -> bool {
    before.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '.').ends_with(COMMAND)
}

/// True for a letter that a terminal would act on, or that would hide.
pub fn is_dangerous(letter: char) -> bool {
    letter.is_control()
        || matches!(u32::from(letter),
            0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x2028..=0x202E
            | 0x2060..=0x206F | 0x2800 | 0x3164 | 0xFE00..=0xFE0E | 0xFEFF | 0xFFA0 | 0xFFF9..=0xFFFB | 0xE0000..=0xE0FFF)
}

/// One line of text as it may stand in an element or a quoted attribute of XML 1.0: escaped, line ends too.
pub fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in escape(text).chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // The two letters beside the controls that XML 1.0 does not hold.
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

/// Cuts text to so many columns (counted in code points), with an ellipsis where something is missing.
pub fn shorten(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text.to_owned();
    }
    // One less than allowed, for the ellipsis.
    let mut short: String = text.chars().take(columns.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Makes a text cell safe for spreadsheets. One that begins with `=`, `+`, `-`, `@`, a tab, a carriage return or an
/// apostrophe gets an apostrophe in front. [`csv_original`] undoes it.
pub fn csv_safe(cell: &str) -> Cow<'_, str> {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\'']) {
        Cow::Owned(format!("'{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}

/// The text that [`csv_safe`] was given.
pub fn csv_original(cell: &str) -> &str {
    cell.strip_prefix('\'').unwrap_or(cell)
}

/// Bytes for people: `812 B`, `4.2 MB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    UNITS
        .iter()
        .find(|(size, _)| count >= *size)
        // Decimal units, as disks and networks are sold by.
        .map_or_else(|| format!("{count} B"), |(size, unit)| format!("{:.1} {unit}", count as f64 / *size as f64))
}

/// `1 package`, `2 packages`.
pub fn count(number: u64, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if number == 1 => format!("1 {noun}"),
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        assert_eq!(escape("plain ü 中"), "plain ü 中");
        assert_eq!(escape("a\u{1b}[31mb\u{202e}c\u{e0041}\r\n"), "a\\u{1b}[31mb\\u{202e}c\\u{e0041}\\u{d}\\u{a}");
    }

    #[test]
    fn what_a_runner_would_act_on_is_escaped() {
        assert_eq!(escape("a ##[add-path]/x"), "a ##\\u{5b}add-path]/x");
        assert_eq!(escape("##vso[task.x]y ##teamcity[z]"), "##vso\\u{5b}task.x]y ##teamcity\\u{5b}z]");
        assert_eq!(escape("## [x] #[y] ## a[z]"), "## [x] #[y] ## a[z]");
    }

    #[test]
    fn json_keeps_its_texts() {
        let value = serde_json::json!({ "a": ["ü 中 \u{9b}31m \u{202e} \u{e0041} \u{7f} \n ##[x] ##vso[y]", []] });
        for document in [serde_json::to_string(&value), serde_json::to_string_pretty(&value)] {
            let document = document.expect("JSON");
            let safe = escape_json(&document);
            assert!(!safe.chars().any(|letter| letter != '\n' && is_dangerous(letter)), "{safe}");
            assert!(!safe.contains("##["), "{safe}");
            assert!(!safe.contains("##vso["), "{safe}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).expect("JSON"), value);
        }
    }

    #[test]
    fn csv_cells_round_trip() {
        for cell in ["", "a", "=1+1", "'=1", "-x", "@a", "\tb", "+", "'"] {
            assert_eq!(csv_original(&csv_safe(cell)), cell);
            assert!(!csv_safe(cell).starts_with(['=', '+', '-', '@', '\t', '\r']));
        }
    }

    #[test]
    fn counts_and_sizes_read_well() {
        assert_eq!(count(1, "capability"), "1 capability");
        assert_eq!(count(2, "capability"), "2 capabilities");
        assert_eq!(count(0, "request"), "0 requests");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(4_250_000), "4.2 MB");
    }
}
