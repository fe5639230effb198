//! An alert or a message as plain text, as one reads an incident note: what, why, what to do, evidence, how to see it again.
//!
//! The escaping is that of terminals, line by line. No character acts on anything, and no text of a stranger's makes a
//! line of its own.

use capdex_model::alert::Alert;
use capdex_model::alert::message::{AlertGroup, Body, Message, Roundup};
use capdex_model::time::AsOf;

use crate::escape::{self, escape, shorten};

/// The room for an alert: longer texts are cut.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Lines of each kind of evidence.
    pub lines: usize,
    /// Columns of a line.
    pub columns: usize,
}

impl Room {
    /// Everything.
    pub const ALL: Self = Self { lines: usize::MAX, columns: usize::MAX };
    /// The room of an email or of an entry of a feed.
    pub const EMAIL: Self = Self { lines: 40, columns: 300 };
}

/// A message, line by line.
pub fn of_message(message: &Message, room: Room) -> Vec<String> {
    let mut lines = vec![one(&message.headline(), room), String::new()];
    // First, because room may end before the rest does.
    section(&mut lines, "In this run", &groups(&message.others), room);
    match &message.body {
        Body::Alert(told) => lines.extend(of_alert(&told.alert, told.raised, room)),
        Body::Digest(roundup) => lines.extend(of_digest(roundup, room)),
    }
    lines.push(String::new());
    lines.push(format!("As of {}, message {}", message.at, message.id));
    lines
}

/// An alert below its title, line by line.
pub fn of_alert(alert: &Alert, raised: AsOf, room: Room) -> Vec<String> {
    let mut lines = Vec::new();
    let mut say = |name: &str, text: &str| {
        // A heading without a text would read as something that is missing.
        if !text.is_empty() {
            lines.push(format!("{name:<12}{}", one(text, room)));
        }
    };
    say("Why", &alert.why);
    say("What to do", &alert.fix);
    say("Subject", &alert.subject);
    say("Rule", &alert.rule());
    say("Raised", &format!("{raised} as {}", alert.handle()));
    say("Content", &alert.content.map(|content| content.to_string()).unwrap_or_default());
    say("Reach", &format!("{} of 1000", alert.reach));
    section(&mut lines, "Evidence", &alert.details, room);
    section(&mut lines, "Diff", &alert.diff, room);
    let scores: Vec<String> = alert
        .scores
        .iter()
        .map(|change| {
            let said = |score: &Option<String>| score.clone().unwrap_or_else(|| "none".to_owned());
            format!("{}: {} -> {}", change.rubric, said(&change.before), said(&change.after))
        })
        .collect();
    section(&mut lines, "Scores", &scores, room);
    section(&mut lines, "Together with", &alert.members, room);
    // Never cut: half a command is worse than none.
    section(&mut lines, "See it again", &[alert.command()], Room { columns: usize::MAX, ..room });
    section(&mut lines, "Looked at", &[format!("capdex alerts ack {}", alert.handle())], room);
    lines
}

fn of_digest(roundup: &Roundup, room: Room) -> Vec<String> {
    let counts = |counts: Vec<(String, u64)>| {
        counts.into_iter().map(|(word, count)| format!("{count:>6}  {word}")).collect::<Vec<_>>()
    };
    let mut lines = Vec::new();
    let severities = roundup.severities.iter().map(|(severity, count)| (severity.as_str().to_owned(), *count));
    section(&mut lines, "By severity", &counts(severities.collect()), room);
    section(&mut lines, "By pass", &counts(roundup.passes.clone().into_iter().collect()), room);
    section(&mut lines, "By rule", &counts(roundup.rules.clone().into_iter().collect()), room);
    section(&mut lines, "By publisher", &groups(&roundup.groups), room);
    let first: Vec<String> = roundup
        .first
        .iter()
        .map(|line| format!("{}  {}  {}", line.handle, line.severity.as_str(), line.title))
        .collect();
    section(&mut lines, "The first", &first, room);
    if roundup.joined > 0 {
        lines.push(String::new());
        let joined = escape::count(roundup.joined, "alert");
        lines.push(format!("{joined} of them joined an earlier one about the same subject and rule."));
    }
    section(&mut lines, "All of them", std::slice::from_ref(&roundup.command), room);
    lines
}

/// One line for each publisher and rule.
fn groups(groups: &[AlertGroup]) -> Vec<String> {
    let line = |group: &AlertGroup| {
        let more = if group.alerts > group.subjects.len() as u64 { ", …" } else { "" };
        let subjects = group.subjects.join(", ");
        format!(
            "{:>6}  {}  {}  {}: {subjects}{more}",
            group.alerts,
            group.severity.as_str(),
            group.rule,
            group.publisher
        )
    };
    groups.iter().map(line).collect()
}

/// A heading and its lines, where there are any.
fn section(lines: &mut Vec<String>, name: &str, items: &[String], room: Room) {
    if items.is_empty() {
        return;
    }
    lines.extend([String::new(), name.to_owned()]);
    // Bounded, since a stranger decides how many files a release has.
    lines.extend(items.iter().take(room.lines).map(|item| format!("  {}", one(item, room))));
    let more = items.len().saturating_sub(room.lines);
    if more > 0 {
        lines.push(format!("  … and {more} more"));
    }
}

fn one(text: &str, room: Room) -> String {
    shorten(&escape(text), room.columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::alert::hostile::{hostile_alert, hostile_digest, hostile_message, night};
    use escape::is_dangerous;

    #[test]
    fn no_line_is_a_strangers_and_no_letter_acts() {
        for message in [hostile_message(), hostile_digest()] {
            let lines = of_message(&message, Room::EMAIL);
            assert!(lines.iter().all(|line| !line.chars().any(is_dangerous)), "{lines:?}");
            assert!(lines.iter().all(|line| !line.starts_with("Bcc")), "{lines:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let lines = of_alert(&hostile_alert(), night(), Room { lines: 2, columns: 20 });
        assert!(lines.contains(&"  … and 1 more".to_owned()), "{lines:?}");
        assert!(lines.contains(&"  capdex drift --since 2026-11-21T01:00:00Z".to_owned()), "commands are whole");
    }
}
