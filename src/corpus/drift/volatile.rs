//! Volatile: whether two texts differ in nothing but dates, versions and counts.
//!
//! Addresses, hosts, numbers of the network and long runs as accounts and wallets have them are never masked. Whoever
//! changes one of those changes where things go.

/// True where two texts that differ say the same but for dates, versions and counts, and however they are spaced.
pub(super) fn is_volatile(before: &str, after: &str) -> bool {
    masked(before) == masked(after)
}

/// The words of a text with what changes by itself masked.
fn masked(text: &str) -> Vec<String> {
    text.split_whitespace().map(mask).collect()
}

const NAMES: [&str; 31] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

fn mask(word: &str) -> String {
    let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
    if NAMES.contains(&bare.to_lowercase().as_str()) {
        return word.replacen(bare, "#", 1);
    }
    if is_fixed(bare) {
        return word.to_owned();
    }
    let mut masked = String::with_capacity(word.len());
    for letter in word.chars() {
        // Separators between digits belong to the number: 2026-11-20, 1.2.3, 10:30, 1,024.
        let joins = matches!(letter, '.' | '-' | ':' | ',' | '/') && masked.ends_with('#');
        let goes_on = letter.is_ascii_digit() && masked.ends_with('#');
        if !goes_on && !joins {
            masked.push(if letter.is_ascii_digit() { '#' } else { letter });
        }
    }
    masked
}

/// True where a word is an address or an account: all of it counts.
fn is_fixed(word: &str) -> bool {
    let is_address = word.contains("://") || word.contains('@') || word.contains("\\");
    let parts: Vec<&str> = word.split(['/', ':']).next().unwrap_or_default().split('.').collect();
    let all_digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = parts.len() == 4 && parts.iter().all(all_digits);
    let is_host = parts.len() > 1
        && parts.last().is_some_and(|last| last.len() > 1 && last.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let longest = word.split(|letter: char| !letter.is_ascii_alphanumeric()).map(str::len).max().unwrap_or(0);
    is_address || is_number || is_host || longest >= 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_versions_and_counts_change_by_themselves() {
        for (before, after) in [
            ("Data as of 2026-05-10.", "Data as of 2026-06-14."),
            ("Updated May 3, 2026 with 1,204 models", "Updated June 14, 2026 with 99 models"),
            ("Server v1.2.3 (build 77)", "Server v1.10.0 (build 78)"),
            ("Runs at 10:30  daily", "Runs at 11:45 daily"),
        ] {
            assert!(is_volatile(before, after), "{before}");
        }
    }

    #[test]
    fn where_things_go_is_never_volatile() {
        for (before, after) in [
            ("see https://a.test/v1", "see https://a.test/v2"),
            ("host api1.acme.test", "host api2.acme.test"),
            ("from 10.0.0.1", "from 10.0.0.2"),
            ("pay 0x52908400098527886E0F7030069857D2", "pay 0x52908400098527886E0F7030069857D3"),
            ("mail a1@acme.test", "mail a2@acme.test"),
            ("Reads one file", "Reads two files"),
        ] {
            assert!(!is_volatile(before, after), "{before}");
        }
    }
}
