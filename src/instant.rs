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

/// A beginning: `today`, `yesterday`, a number of days before `now` (`7d`), a date, or an instant. Days are those of UTC.
pub fn since(text: &str, now: AsOf) -> Option<Timestamp> {
    let text = text.trim();
    let seconds = now.0.unix_seconds();
    let today = seconds - seconds.rem_euclid(DAY_S);
    let days = match text {
        "today" => 0,
        "yesterday" => 1,
        _ => match text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok()) {
            Some(days) => i64::from(days),
            None => return parse(text),
        },
    };
    Some(Timestamp::from_unix_seconds(today - days * DAY_S))
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
    fn a_beginning_is_a_day_in_words_or_in_numbers() {
        let now = AsOf(parse("2026-11-21T13:00:00Z").unwrap());
        let text = |given| since(given, now).map(|instant| instant.to_string());
        assert_eq!(text("today"), Some("2026-11-21T00:00:00Z".to_owned()));
        assert_eq!(text("yesterday"), Some("2026-11-20T00:00:00Z".to_owned()));
        assert_eq!(text("7d"), Some("2026-11-14T00:00:00Z".to_owned()));
        assert_eq!(text("2026-11-02"), Some("2026-11-02T00:00:00Z".to_owned()));
        for given in ["d", "-1d", "tomorrow", "7 d", ""] {
            assert_eq!(text(given), None, "{given}");
        }
    }

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
