//! `Cron`: a cron expression in UTC, and the due times that it names.
//!
//! The expressions are those of the `cron` crate, read so that nobody is surprised. There are five fields as everywhere,
//! and seconds in front where there are six. Days of the week stand by name only, because numbers mean other days to the
//! crate than to Unix.

use std::str::FromStr as _;

use capdex_model::time::Timestamp;
use chrono::{DateTime, Utc};

/// A checked expression.
#[derive(Clone, Debug)]
pub struct Cron {
    text: String,
    schedule: cron::Schedule,
}

impl Cron {
    /// Reads an expression.
    ///
    /// # Errors
    /// The fault of the expression, and the right form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let whole = match fields.as_slice() {
            // Seconds are a field of the crate's own; five fields mean the full minute.
            [_, _, _, _, _] => format!("0 {}", fields.join(" ")),
            [_, _, _, _, _, _] => fields.join(" "),
            _ => {
                let count = fields.len();
                return Err(format!(
                    "{text:?} has {count} fields; there are five (minute, hour, day of month, month, day of week, \
                     such as \"30 2 * * *\"), or six with seconds in front"
                ));
            }
        };
        let days = fields.last().copied().unwrap_or_default();
        // A step such as `*/2` counts from the first day of a week, which is as unclear.
        if days.contains(|letter: char| letter.is_ascii_digit()) {
            return Err(format!(
                "{days:?} names days by number, which programs count differently; write MON or MON-FRI"
            ));
        }
        // Third from the end in both forms.
        let of_month = fields.iter().rev().nth(2).copied().unwrap_or_default();
        // Some programs take either, others both: a schedule must not depend on which.
        if ![of_month, days].iter().any(|field| matches!(*field, "*" | "?")) {
            return Err(format!(
                "{text:?} names days of the month and days of the week, which programs join differently; leave one of them `*`"
            ));
        }
        let schedule = cron::Schedule::from_str(&whole).map_err(|error| {
            format!("{text:?} is no cron expression such as \"30 2 * * *\": {}", one_line(&error.to_string()))
        })?;
        let cron = Self { text: fields.join(" "), schedule };
        // A date such as 30 February parses and never comes.
        if cron.after(Timestamp::from_unix_seconds(0)).is_none() {
            return Err(format!("{text:?} names no time that ever comes"));
        }
        Ok(cron)
    }

    /// The expression, with single spaces.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The first due time after an instant; none where there is none to come.
    pub fn after(&self, instant: Timestamp) -> Option<Timestamp> {
        self.schedule.after(&calendar(instant)?).next().map(|due| Timestamp::from_unix_seconds(due.timestamp()))
    }

    /// The due times up to an instant, that one included, latest first.
    pub fn until(&self, instant: Timestamp) -> impl Iterator<Item = Timestamp> + '_ {
        // The iterator begins before its start, so a second later includes the instant itself.
        let next = Timestamp::from_unix_seconds(instant.unix_seconds().saturating_add(1));
        let before = calendar(next).map(|next| self.schedule.after(&next).rev());
        before.into_iter().flatten().map(|due| Timestamp::from_unix_seconds(due.timestamp()))
    }
}

fn calendar(instant: Timestamp) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(instant.unix_seconds(), 0)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("an instant")
    }

    fn next(expression: &str, after: &str) -> String {
        Cron::parse(expression).expect("an expression").after(at(after)).expect("a time").to_string()
    }

    #[test]
    fn five_fields_mean_what_they_mean_everywhere() {
        assert_eq!(next("30 2 * * *", "2026-11-22T02:30:00Z"), "2026-11-23T02:30:00Z");
        assert_eq!(next("*/15 * * * *", "2026-11-22T02:31:07Z"), "2026-11-22T02:45:00Z");
        // 2026-11-22 is a Sunday.
        assert_eq!(next("0 4 * * MON-FRI", "2026-11-22T00:00:00Z"), "2026-11-23T04:00:00Z");
        assert_eq!(next("0 4 * * Sun", "2026-11-22T05:00:00Z"), "2026-11-29T04:00:00Z");
        assert_eq!(next("0 0 29 2 *", "2026-11-22T00:00:00Z"), "2028-02-29T00:00:00Z");
        assert_eq!(next("*/20 * * * * *", "2026-11-22T00:00:20Z"), "2026-11-22T00:00:40Z");
    }

    #[test]
    fn looking_back_includes_the_instant_itself() {
        let cron = Cron::parse("0 * * * *").expect("an expression");
        let back: Vec<String> = cron.until(at("2026-11-22T02:00:00Z")).take(2).map(|due| due.to_string()).collect();
        assert_eq!(back, ["2026-11-22T02:00:00Z", "2026-11-22T01:00:00Z"]);
        assert_eq!(cron.until(at("2026-11-22T01:59:59Z")).next(), Some(at("2026-11-22T01:00:00Z")));
    }

    #[test]
    fn a_mistake_is_told() {
        for (text, why) in [
            ("", "0 fields"),
            ("* * * *", "4 fields"),
            ("0 0 * * * * 2027", "7 fields"),
            ("61 * * * *", "no cron expression"),
            ("* * * * 1-5", "write MON"),
            ("* * * * */2", "write MON"),
            ("* * * * MOO", "no cron expression"),
            ("0 0 30 2 *", "names no time"),
        ] {
            let error = Cron::parse(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
