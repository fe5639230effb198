//! Undoing what small programs do to a text that is known: base64, hex, reversal, rotation, escapes.
//!
//! Filters in a pipeline are decoders where their options say so.

use base64::Engine as _;

use capdex_model::digest::bytes_of_hex;

/// The output of a decoding command for known text; none where it fails.
pub(super) fn undo(decoder: &str, text: &str) -> Option<String> {
    // The programs skip line ends, which `base64` puts after 76 letters.
    let packed: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    match decoder {
        "base64 -d" => {
            let bytes = base64::engine::general_purpose::STANDARD.decode(packed).ok()?;
            String::from_utf8(bytes).ok()
        }
        "xxd -r -p" => String::from_utf8(bytes_of_hex(&packed)?).ok(),
        "rev" => Some(text.lines().map(|line| line.chars().rev().collect::<String>()).collect::<Vec<_>>().join("\n")),
        "tr" => Some(text.chars().map(rotate).collect()),
        _ => None,
    }
}

/// A letter thirteen places on; anything else as it is.
pub fn rotate(letter: char) -> char {
    let turn = |base: u8, letter: char| {
        let place = u8::try_from(letter).map_or(0, |byte| byte - base);
        char::from((place + 13) % 26 + base)
    };
    match letter {
        'a'..='z' => turn(b'a', letter),
        'A'..='Z' => turn(b'A', letter),
        other => other,
    }
}

/// The name of the decoder that a command is, by its name and words.
pub(super) fn decoder_of(name: &str, words: &[&str]) -> Option<&'static str> {
    let has = |options: &[&str]| words.iter().any(|word| options.contains(word));
    let cluster = |letter: char| {
        // Short options may stand together: `-di`.
        words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    match name {
        "base64" | "base32" | "gbase64" if cluster('d') || cluster('D') || has(&["--decode"]) => Some("base64 -d"),
        "xxd" if cluster('r') => Some("xxd -r -p"),
        "openssl" if has(&["-d"]) => Some("openssl enc -d"),
        "gunzip" | "zcat" | "bunzip2" | "unxz" => Some("gunzip -c"),
        "gzip" | "bzip2" | "xz" | "zstd" if cluster('d') || has(&["--decompress"]) => Some("gunzip -c"),
        "rev" | "tac" => Some("rev"),
        "uudecode" => Some("uudecode"),
        "gpg" if has(&["-d", "--decrypt"]) => Some("gpg -d"),
        "unzip" if cluster('p') => Some("unzip -p"),
        "awk" | "gawk" if words.iter().any(|word| word.contains("printf") && word.contains("%c")) => Some("printf"),
        "tr" if is_rotation(words) => Some("tr"),
        _ => None,
    }
}

/// True where `tr`'s sets turn the alphabet.
fn is_rotation(words: &[&str]) -> bool {
    let sets: Vec<String> =
        words.iter().filter(|word| !word.starts_with("-d")).map(|w| w.to_ascii_lowercase()).collect();
    matches!(sets.as_slice(), [from, to] if from.contains("a-z") && (to.contains("n-za-m") || to.contains("n-z")))
}
