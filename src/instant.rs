//! Instants as people write them: a date, or RFC 3339.
//!
//! The present instant is an argument, so that the same text always means the same.

use capdex_model::time::{AsOf, Timestamp};

const DAY_S: i64 = 86_400;

/// A date such as `2026-11-21` (its beginning, UTC) or an RFC 3339 instant.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.contains('T') { text.parse().ok() } else { format!("{text}T00:00:00Z").parse().ok() }
}

/// An end: a number of days from `now`, a date, or an instant. It may have passed.
pub fn end(text: &str, now: AsOf) -> Option<Timestamp> {
    // A trailing `d` is how people write days elsewhere.
    match text.trim().trim_end_matches('d').parse::<u32>() {
        Ok(days) => Some(Timestamp::from_unix_seconds(now.0.unix_seconds() + i64::from(days) * DAY_S)),
        Err(_) => parse(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_instants_are_read_and_nothing_else() {
        let text = |given| parse(given).map(|instant| instant.to_string());
        assert_eq!(text("2026-11-21"), Some("2026-11-21T00:00:00Z".to_owned()));
        assert_eq!(text("2026-11-21T01:00:00+01:00"), text("2026-11-21"));
        assert_eq!(text("soon"), None);
        assert_eq!(text(""), None);
        assert_eq!(text("2026-13-01"), None);
    }
}
