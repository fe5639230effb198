//! JSON5 as JSON: comments, bare and single-quoted keys, trailing commas and the wider numbers, rewritten in one walk.
//!
//! Lenient: text that is no JSON5 either comes out as something that the JSON parser then refuses. Linear in the text;
//! nothing recurses. Source: the JSON5 specification 1.0.0.
//!
//! Two libraries were tried on what JSON5 and the tests hold (2026-11). `jsonc-parser` 0.34 refuses a comment right
//! behind a bare key, which clients read: a hostile configuration would go unread. It takes 34 MB a second (here 37).
//! `json-five` 0.3 reads `-0x10` as 16, refuses the pair `\ud83d\ude00` that JSON allows, and takes 23 MB a second.

use serde_json::Value;

use super::json::{self, JsonDialect};

/// Parses a text as JSON5. The error is a message for a person.
pub fn read(text: &str) -> Result<Value, String> {
    json::parse(&rewritten(text), JsonDialect::Strict).map(|parsed| parsed.value)
}

/// The text with every form that only JSON5 has turned into JSON.
fn rewritten(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut comma = false;
    while let Some(letter) = rest.chars().next() {
        let token = token_length(rest, letter);
        let (now, later) = rest.split_at_checked(token).unwrap_or((rest, ""));
        rest = later;
        if letter.is_whitespace() || now.starts_with("//") || now.starts_with("/*") {
            continue;
        }
        // A comma is held back until it is known that something follows it.
        if comma && !matches!(letter, '}' | ']') {
            out.push(',');
        }
        comma = letter == ',';
        match letter {
            ',' => {}
            '"' | '\'' => push_text(now, &mut out),
            '{' | '}' | '[' | ']' | ':' => out.push(letter),
            _ => push_bare(now, &mut out),
        }
    }
    out
}

/// The length in bytes of the token that a text begins with.
fn token_length(text: &str, first: char) -> usize {
    let all = text.len();
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(all);
    }
    if text.starts_with("/*") {
        return text.get(2..).and_then(|body| body.find("*/")).map_or(all, |length| length + 4);
    }
    match first {
        '"' | '\'' => {
            let mut escaped = false;
            let closing = text.char_indices().skip(1).find(|(_, letter)| {
                let closes = *letter == first && !escaped;
                escaped = *letter == '\\' && !escaped;
                closes
            });
            closing.map_or(all, |(at, _)| at + 1)
        }
        '{' | '}' | '[' | ']' | ':' | ',' => 1,
        _ if first.is_whitespace() => first.len_utf8(),
        _ => {
            let ends = |letter: char| letter.is_whitespace() || "{}[]:,\"'/".contains(letter);
            text.char_indices().skip(1).find(|(_, letter)| ends(*letter)).map_or(all, |(at, _)| at)
        }
    }
}

/// A quoted text as JSON quotes it; one without its end has none here either, so that the parser refuses it.
fn push_text(token: &str, out: &mut String) {
    let mut letters = token.chars();
    let quotation = letters.next();
    let inner = letters.as_str();
    let closed = quotation.and_then(|sign| inner.strip_suffix(sign));
    push_quoted(closed.unwrap_or(inner), closed.is_some(), out);
}

fn push_quoted(inner: &str, closed: bool, out: &mut String) {
    out.push('"');
    let mut escaped = false;
    for letter in inner.chars() {
        match (escaped, letter) {
            (false, '\\') => {
                escaped = true;
                continue;
            }
            (false, '"') => out.push_str("\\\""),
            // A backslash at the end of a line joins the next to it.
            (true, '\n' | '\r') => {}
            (true, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u') => out.extend(['\\', letter]),
            // JSON has no `\x41`; two digits follow in either form.
            (true, 'x') => out.push_str("\\u00"),
            (_, letter) if letter.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            (_, letter) => out.push(letter),
        }
        escaped = false;
    }
    // Left open where it was open, so that the parser refuses it.
    if closed && !escaped {
        out.push('"');
    }
}

/// A bare word: a literal, a number, or a key without quotation marks.
fn push_bare(token: &str, out: &mut String) {
    if matches!(token, "true" | "false" | "null") {
        out.push_str(token);
    } else if matches!(token.trim_start_matches(['+', '-']), "Infinity" | "NaN") {
        // JSON has no such numbers; a value must stand there all the same.
        out.push_str("null");
    } else if let Some(number) = number(token) {
        out.push_str(&number);
    } else {
        push_quoted(token, true, out);
    }
}

/// A number in JSON's form; none where the token is none.
fn number(token: &str) -> Option<String> {
    let unsigned = token.trim_start_matches('+');
    let (sign, digits) = unsigned.strip_prefix('-').map_or(("", unsigned), |digits| ("-", digits));
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok().map(|value| format!("{sign}{value}"));
    }
    if !digits.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') {
        return None;
    }
    // `.5` and `2.` want a digit on either side.
    let before = if digits.starts_with('.') { "0" } else { "" };
    let after = if digits.ends_with('.') { "0" } else { "" };
    let number = format!("{sign}{before}{digits}{after}");
    serde_json::from_str::<serde_json::Number>(&number).ok().map(|_| number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_json5_adds_is_read() {
        let text = "// settings\n{ gateway: { bind: 'lan', port: 0x10, 'quoted-key': \"a\\'b\" }, /* c */ list: [1, .5, 2., +3,],\n last: null, }";
        let expected = json!({
            "gateway": { "bind": "lan", "port": 16, "quoted-key": "a'b" },
            "list": [1, 0.5, 2.0, 3],
            "last": null,
        });
        assert_eq!(read(text), Ok(expected));
    }

    #[test]
    fn json_is_read_as_it_is() {
        let text = r#"{"a": "x, // no comment \" \\ \u0041", "b": [true, -1e3, {}]}"#;
        assert_eq!(read(text), serde_json::from_str(text).map_err(|error| error.to_string()));
    }

    #[test]
    fn what_is_neither_is_refused_and_nothing_hangs() {
        for text in ["", "{", "{a:}", "'", "\"", "{a b}", "[1 2", "/*", "//", "{'a': 'b", "\\", "é: 1"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn texts_may_be_broken_over_lines_and_hold_odd_letters() {
        assert_eq!(read("{a: 'one \\\ntwo \"three\"\t\\x41 é'}"), Ok(json!({"a": "one two \"three\"\tA é"})));
    }
}
