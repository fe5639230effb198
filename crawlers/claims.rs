//! Values of a document as claims: what is stated, what is stated to be absent, and what cannot be told.
//!
//! Every registry's document goes through these readers, so that one rule decides what is stated and what is unknown.

use capdex_model::listing::Claim;
use capdex_model::time::Timestamp;
use serde_json::Value;

/// The longest text that a claim takes. Longer ones (whole licences pasted twice, generated descriptions) are
/// `Unknown`: half a text would be a claim that nobody made.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// The most items that a list of texts has; more are `Unknown`.
const MAX_ITEMS: usize = 10_000;

/// A text. `missing` says what no value means here; null and blank are `Absent`, another type is `Unknown`.
pub(crate) fn text(value: Option<&Value>, missing: &Claim<String>) -> Claim<String> {
    match value {
        None => missing.clone(),
        Some(Value::Null) => Claim::Absent,
        Some(Value::String(text)) => of_text(text),
        Some(_) => Claim::Unknown,
    }
}

/// A text that is there: `Absent` where blank, `Unknown` where too long.
pub(crate) fn of_text(text: &str) -> Claim<String> {
    if text.trim().is_empty() {
        Claim::Absent
    } else if text.len() > MAX_TEXT_BYTES {
        Claim::Unknown
    } else {
        Claim::Known(text.to_owned())
    }
}

/// A list: `Absent` where empty, `Unknown` where too long.
pub(crate) fn list<T>(items: Vec<T>) -> Claim<Vec<T>> {
    match items.len() {
        0 => Claim::Absent,
        1..=MAX_ITEMS => Claim::Known(items),
        _ => Claim::Unknown,
    }
}

/// An instant in RFC 3339; anything else is `Unknown`.
pub(crate) fn instant(value: Option<&Value>) -> Claim<Timestamp> {
    value.and_then(Value::as_str).and_then(|text| text.parse().ok()).map_or(Claim::Unknown, Claim::Known)
}

/// An instant as milliseconds since 1970; anything else is `Unknown`.
pub(crate) fn milliseconds(value: Option<&Value>) -> Claim<Timestamp> {
    // Zero and less are placeholders: no entry of a directory is from 1970.
    let read = value.and_then(Value::as_i64).filter(|milliseconds| *milliseconds > 0);
    read.map_or(Claim::Unknown, |milliseconds| Claim::Known(Timestamp::from_unix_seconds(milliseconds / 1_000)))
}

/// The texts of a list; what is no list is `Unknown`.
pub(crate) fn texts(value: Option<&Value>) -> Claim<Vec<String>> {
    match value {
        // Items that are no text are dropped and the rest stays: one odd tag must not cost the whole claim.
        Some(Value::Array(items)) => list(items.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => Claim::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn absent_and_unknown_are_told_apart() {
        assert_eq!(text(Some(&json!("x")), &Claim::Unknown), Claim::Known("x".into()));
        assert_eq!(text(Some(&json!(" ")), &Claim::Unknown), Claim::Absent);
        assert_eq!(text(Some(&json!(null)), &Claim::Unknown), Claim::Absent);
        assert_eq!(text(Some(&json!(1)), &Claim::Absent), Claim::Unknown);
        assert_eq!(text(None, &Claim::Unknown), Claim::Unknown);
        assert_eq!(text(None, &Claim::Absent), Claim::Absent);
    }

    #[test]
    fn lists_and_milliseconds_are_taken_where_they_are() {
        assert_eq!(
            milliseconds(Some(&json!(1_769_567_577_229_i64))).known().map(ToString::to_string).as_deref(),
            Some("2026-01-28T02:32:57Z")
        );
        assert_eq!(milliseconds(Some(&json!(0))), Claim::Unknown);
        assert_eq!(milliseconds(Some(&json!("x"))), Claim::Unknown);
        assert_eq!(texts(Some(&json!(["a", 1]))), Claim::Known(vec!["a".into()]));
        assert_eq!(texts(Some(&json!([]))), Claim::Absent);
        assert_eq!(texts(Some(&json!({}))), Claim::Unknown);
    }

    #[test]
    fn long_texts_are_unknown_and_never_cut() {
        assert!(of_text(&"x".repeat(MAX_TEXT_BYTES)).known().is_some());
        assert_eq!(of_text(&"x".repeat(MAX_TEXT_BYTES + 1)), Claim::Unknown);
        assert_eq!(list(vec![0; MAX_ITEMS + 1]), Claim::Unknown);
        assert_eq!(list(Vec::<u8>::new()), Claim::Absent);
    }
}
