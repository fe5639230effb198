//! tool-argument-payload: a tool's text gives an argument a value that a shell would run.
//!
//! A separator and a command behind it, or a command in `$(…)`, have no place in a ticker or a search: they are there for
//! whatever builds a command line out of the argument.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::schema::SchemaField;
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{Surface, SurfacePart, SurfaceText};

use super::tool_frames::{frame, tell_first};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    tell_first(subject, facts, |sentence, surface, text, _| {
        let lower = sentence.lower();
        // Every frame has marks in it.
        !sentence.is_bare()
            && (PROGRAM.is_match(lower)
                || (!runs_commands(surface)
                    && (SUBSTITUTED.is_match(lower)
                        || if is_value(text) { CHAINED.is_match(lower) } else { QUOTED.is_match(lower) })))
    });
}

/// True for what an argument may be, where a command needs no quotation marks.
fn is_value(text: &SurfaceText) -> bool {
    matches!(
        text.part,
        SurfacePart::Schema(SchemaField::Default | SchemaField::Enum | SchemaField::Const | SchemaField::Example)
    )
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
