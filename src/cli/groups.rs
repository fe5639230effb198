//! `capdex --help`: the commands by what a person is about to do, and not in one list of forty.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _, FromArgMatches as _};

use super::Cli;
use crate::output::hanging_within;

/// Every command stands in one group, in the order in which a newcomer meets them.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Look at something now", &["scan", "check", "diff", "init", "hook", "mcp"]),
    ("Crawl and compare nights", &["nightly", "daemon", "backfill", "work", "score", "status", "sources"]),
    (
        "Read what was found",
        &["explain", "alerts", "drift", "typosquats", "clones", "campaigns", "collisions", "dependents", "rules"],
    ),
    ("Decide, and hear the other side", &["rulings", "appeal", "abuse"]),
    ("Publish, and check what was published", &["export", "report", "serve", "verify", "keys"]),
    ("Ask a model, or test an agent", &["judge", "agent-scan"]),
    (
        "Keep it running, and work on it",
        &["doctor", "backup", "restore", "prune", "bench", "docs", "completions", "man", "help"],
    ),
];

/// Columns of the list: a terminal of eighty shows it without breaking it again.
const COLUMNS: usize = 80;

/// Reads the command line, or ends the process with help or with what is wrong in it.
pub fn parse() -> Cli {
    Cli::from_arg_matches(&takes_minus(command()).get_matches()).unwrap_or_else(|error| error.exit())
}

/// Lets `-3` be the value of an option, which then says what it takes, instead of an option that nobody knows.
fn takes_minus(command: Command) -> Command {
    command
        .mut_args(|option| match option.get_long().is_some() && option.get_action().takes_values() {
            true => option.allow_negative_numbers(true),
            false => option,
        })
        .mut_subcommands(takes_minus)
}

/// The command line with its commands in groups.
pub fn command() -> Command {
    let command = Cli::command();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\
                            {{options}}{{after-help}}",
        groups(&command)
    );
    command.help_template(template)
}

fn groups(command: &Command) -> String {
    let style = command.get_styles().get_header();
    let width = command.get_subcommands().map(|sub| sub.get_name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{style}{title}:{style:#}");
        for name in names {
            let about = match command.find_subcommand(name) {
                Some(sub) => sub.get_about().map(ToString::to_string).unwrap_or_default(),
                // Clap adds it itself, once it builds the whole.
                None => "Print this message or the help of a command".to_owned(),
            };
            let literal = command.get_styles().get_literal();
            let line = hanging_within(Some(COLUMNS), &format!("  {name:<width$}  "), &about);
            // Marked only now: what marks it takes no columns.
            text.push_str(&line.replacen(name, &format!("{literal}{name}{literal:#}"), 1));
            text.push('\n');
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{style}Options:{style:#}");
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let command = Cli::command();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let once: BTreeSet<&str> = grouped.iter().copied().collect();
        assert_eq!(once.len(), grouped.len());
        let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        let mut known: BTreeSet<&str> = shown.map(clap::Command::get_name).collect();
        known.insert("help");
        assert_eq!(once, known);
    }

    #[test]
    fn no_line_of_the_list_is_wider_than_a_terminal() {
        let help = command().term_width(COLUMNS).render_help().to_string();
        assert!(help.contains("\nLook at something now:\n  scan "), "{help}");
        let list: Vec<&str> = help.lines().take_while(|line| *line != "Options:").collect();
        assert!(list.iter().all(|line| line.chars().count() <= COLUMNS), "{help}");
    }
}
