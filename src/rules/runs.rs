//! Runs: letters in a row that are a word of no language, as the lines of a key are.
//!
//! A text that no pattern knows as a secret may still be one: a key over several lines has no mark in its middle.

use std::borrow::Cow;

/// Letters and digits in a row that are a word of no language.
const WORD: usize = 36;
/// The same with the marks of base64 among them, which paths have too.
const ENCODED: usize = 40;

/// The text with the middle of every such run left out. Paths and words have marks between them and stay.
pub(super) fn mask_runs(text: &str) -> Cow<'_, str> {
    if text.len() < WORD {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut run) = (String::with_capacity(text.len()), String::new());
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() || matches!(letter, '+' | '/' | '=' | '_' | '-') {
            run.push(letter);
        } else {
            end_run(&mut run, &mut shown);
            shown.push(letter);
        }
    }
    end_run(&mut run, &mut shown);
    Cow::Owned(shown)
}

/// Puts a run down, all of whose letters are ASCII.
fn end_run(run: &mut String, shown: &mut String) {
    // A few letters at both ends let a reader find the place without giving the secret away.
    if is_word_of_none(run) || is_encoded(run) {
        shown.push_str(run.get(..4).unwrap_or_default());
        shown.push('…');
        shown.push_str(run.get(run.len() - 2..).unwrap_or_default());
    } else {
        shown.push_str(run);
    }
    run.clear();
}

fn is_word_of_none(run: &str) -> bool {
    // No word of a language is so long; each piece between marks is asked alone, as paths are made of words.
    run.split(['/', '_', '-']).any(|piece| piece.len() >= WORD)
}

/// Half of base64 is capitals and digits; of a path hardly any letter is.
fn is_encoded(run: &str) -> bool {
    let (mut digits, mut capitals, mut small) = (0, 0, 0);
    for byte in run.bytes() {
        digits += usize::from(byte.is_ascii_digit());
        capitals += usize::from(byte.is_ascii_uppercase());
        small += usize::from(byte.is_ascii_lowercase());
    }
    run.len() >= ENCODED && digits.min(capitals).min(small) > 0 && (digits + capitals) * 10 >= run.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_key_is_never_shown_and_a_path_is() {
        let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
        assert_eq!(mask_runs(key), "MIIE…Kj");
        assert_eq!(mask_runs(&format!("token = \"{key}\"")), "token = \"MIIE…Kj\"");
        let parted = "MIIEvQIBADANBgkqhkiG9w0BAQEFA/SCBKcwggSjAgEA+oIBAQC7VJTUt9Us8cKj";
        assert_eq!(mask_runs(parted), "MIIE…Kj");
        for text in
            ["src/components/settings/notifications/email-templates/Index2.test.ts", "kurz", "ä".repeat(80).as_str()]
        {
            assert_eq!(mask_runs(text), text);
        }
    }
}
