//! The keys of the scheduled sources: there, and of a form that a header can carry. No value is ever shown.

use std::collections::BTreeMap;

use super::{DoctorContext, Health, HealthFinding};
use crate::config::{source_of, variable};

pub(super) fn check(patient: &DoctorContext<'_>) -> Vec<HealthFinding> {
    let mut by_variable: BTreeMap<&str, (Vec<&str>, bool)> = BTreeMap::new();
    for (_, schedule) in patient.schedules {
        for (id, section) in &schedule.sources {
            // A kind of source that does not exist is told by the check of schedules.
            let Ok(source) = source_of(section.kind.as_deref().unwrap_or(id)) else { continue };
            for key in source.meta().keys.iter().filter(|_| section.enabled != Some(false)) {
                let (sources, is_required) = by_variable.entry(key.variable).or_default();
                if !sources.contains(&id.as_str()) {
                    sources.push(id);
                }
                // Required by one source is required.
                *is_required |= key.is_required;
            }
        }
    }
    let found = by_variable.into_iter();
    found.map(|(name, (sources, is_required))| judge(name, &sources.join(", "), is_required, variable(name))).collect()
}

fn judge(variable: &str, sources: &str, is_required: bool, value: Option<String>) -> HealthFinding {
    let say = |health, found: String, advice: String| HealthFinding::new("key", variable, (health, found), advice);
    let value = value.unwrap_or_default();
    if value.trim().is_empty() {
        let (found, advice) = if is_required {
            (
                format!("not set: {sources} is skipped"),
                format!("set {variable} for the service, or turn the source off"),
            )
        } else {
            (format!("not set: {sources} is asked as a stranger"), format!("set {variable} to be let in more often"))
        };
        return say(Health::Warn, found, advice);
    }
    // Several keys of one source stand with commas between them.
    let keys: Vec<&str> = value.split(',').map(str::trim).collect();
    // A line feed in a value would end the header.
    let is_odd = |key: &&&str| key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic());
    let is_quoted = |key: &&&str| key.starts_with(['"', '\'']);
    // Told without the value, which may be a key that only has a stray blank.
    if keys.iter().any(|key| is_odd(&key)) {
        let found = "set, but holds blanks or letters that no header can carry".to_owned();
        return say(
            Health::Fail,
            found,
            "set it again: one key, or several with single commas between them".to_owned(),
        );
    }
    if keys.iter().any(|key| is_quoted(&key)) {
        return say(Health::Fail, "set, with quotation marks around it".to_owned(), "leave the marks out".to_owned());
    }
    let count = if keys.len() == 1 { "one key".to_owned() } else { format!("{} keys, used in turn", keys.len()) };
    say(Health::Ok, format!("set for {sources}: {count}"), String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_judged_and_never_shown() {
        let health = |value: Option<&str>, is_required| {
            let found = judge("KEY", "github", is_required, value.map(str::to_owned));
            assert!(!format!("{found:?}").contains("canary"), "{found:?}");
            found.health
        };
        assert_eq!(health(None, true), Health::Warn);
        assert_eq!(health(Some("  "), false), Health::Warn);
        assert_eq!(health(Some("canary"), true), Health::Ok);
        assert_eq!(health(Some("canary1,canary2"), true), Health::Ok);
        for odd in ["canary one", "canary\n", "\"canary\"", "canary,,canary", "can\u{e4}ry canary"] {
            let expected = if odd.ends_with('\n') { Health::Ok } else { Health::Fail };
            assert_eq!(health(Some(odd), true), expected, "{odd:?}");
        }
    }
}
