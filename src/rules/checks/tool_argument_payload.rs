//! tool-argument-payload: a tool's text gives an argument a value that a shell would run.
//!
//! A separator and a command behind it, or a command in `$(…)`, have no place in a ticker or a search: they are there for
//! whatever builds a command line out of the argument.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::schema::SchemaField;
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{Surface, SurfacePart};

use super::tool_frames::frame;
use super::tool_texts::{each_prose, place_of, quoted};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    each_prose(subject, |surface, text, _| {
        let is_value = matches!(
            text.part,
            SurfacePart::Schema(SchemaField::Default | SchemaField::Enum | SchemaField::Const | SchemaField::Example)
        );
        let shows_commands = runs_commands(surface);
        let found = text.text.sentences().find(|sentence| {
            !sentence.is_bare() && {
                let lower = sentence.lower();
                PROGRAM.is_match(lower)
                    || (!shows_commands
                        && (SUBSTITUTED.is_match(lower)
                            || if is_value { CHAINED.is_match(lower) } else { QUOTED.is_match(lower) }))
            }
        });
        if let Some(sentence) = found {
            facts.found(place_of(surface, text), &quoted(surface, sentence.as_str()));
        }
    });
}

/// Commands that do something to the machine or reach out of it.
macro_rules! commands {
    () => {
        r"(?:curl|wget|nc|ncat|bash|sh|zsh|rm|chmod|chown|crontab|powershell|iwr|iex|python3?|perl|nohup|nslookup|tee|dd|mkfifo|socat|scp|env|printenv|id|whoami|cat /|cat ~|base64 -)"
    };
}

static SUBSTITUTED: LazyLock<Regex> = LazyLock::new(|| frame(concat!(r"\$\((?:", commands!(), r")[\s)]")));
/// A command behind a separator, in a value.
static CHAINED: LazyLock<Regex> = LazyLock::new(|| frame(concat!(r"(?:;|&&|\|\||\|)\s*", commands!(), r"(?:\s|$)")));
/// The same in quotation marks or code, behind something that is no command: `AAPL; wget …`.
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| frame(concat!(r#"[`'"][^`'"\n]{0,40}?(?:;|&&|\|\||\|) ?"#, commands!(), r"\s")));

/// Program text that runs a command or what was fetched, or a shell that is given a line with an end of its own.
static PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    frame(
        r"os\.system\(['\x22(]|\bexec\((?:base64|u\.|urllib|requests|urlopen)|\b(?:sh|bash) -c ['\x22][^'\x22]{0,80}?(?:useradd|/var/run/secrets|crontab|curl|wget|nc )",
    )
});

/// A tool that runs commands shows some.
fn runs_commands(surface: &Surface) -> bool {
    surface.name_words().any(|word| {
        matches!(
            word,
            "shell"
                | "command"
                | "commands"
                | "cmd"
                | "exec"
                | "execute"
                | "run"
                | "terminal"
                | "bash"
                | "sh"
                | "ssh"
                | "script"
                | "cli"
                | "process"
                | "docker"
                | "container"
                | "kubectl"
                | "job"
                | "cron"
                | "sandbox"
                | "code"
                | "install"
                | "setup"
        )
    })
}
