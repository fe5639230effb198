//! Commands: shells that are started with a command line.

use capdex_model::fact::Place;

use super::super::taint::TaintedArguments;
use super::super::{Argument, Call, excerpt};
use super::UnparsedLanguage;
use super::tokens::{HeuristicToken, Placed, closing, is_path, literal, mark, word};

/// A shell that is started with a command line: `exec.Command("sh", "-c", …)`, `Command::new("sh").arg("-c").arg(…)`,
/// `Runtime.getRuntime().exec(…)`, `shell_exec(…)`, `Process.Start("cmd", …)`. Kept under the name of the Python or
/// JavaScript call that does the same.
pub(super) fn command_at<'a>(
    tokens: &[Placed<'a>],
    at: usize,
    language: UnparsedLanguage,
    text: &str,
) -> Option<(usize, Call)> {
    let name = word(tokens, at)?;
    let starts = match (language, name) {
        (UnparsedLanguage::Go, "Command" | "CommandContext") => word(tokens, at.checked_sub(2)?) == Some("exec"),
        (UnparsedLanguage::Rust, "new") => is_path(tokens, at, "Command"),
        (UnparsedLanguage::Php, "shell_exec" | "passthru" | "system" | "popen" | "proc_open") => true,
        (UnparsedLanguage::Ruby, "system") => true,
        (UnparsedLanguage::Java | UnparsedLanguage::Kotlin, "exec") => {
            word(tokens, at.checked_sub(4)?) == Some("getRuntime")
        }
        _ => return None,
    };
    if !starts || !mark(tokens, at + 1, b'(') {
        return None;
    }
    let end = closing(tokens, at + 1);
    // Go and Rust start programs without a shell: only `-c` makes the next argument a command line.
    let by_list = matches!(language, UnparsedLanguage::Go | UnparsedLanguage::Rust);
    // Rust adds arguments by further calls, behind the parenthesis.
    let reach = if language == UnparsedLanguage::Rust { at + 24 } else { end };
    let flag = (at..reach).find(|at| matches!(literal(tokens, *at), Some("-c" | "/c" | "/C" | "-lc")));
    let argument = if by_list { flag? + 1 } else { at + 2 };
    let argument = (argument..argument + 8).find(|at| {
        !matches!(tokens.get(*at), Some((_, HeuristicToken::Mark(_)))) && word(tokens, *at) != Some("arg")
    })?;
    let shape = match (literal(tokens, argument), word(tokens, argument)) {
        (Some(text), _)
            if mark(tokens, argument + 1, b'+')
                || (language == UnparsedLanguage::Php && text.contains('$'))
                || text.contains("#{") =>
        {
            Argument::Composed(format!("{text}{{}}"))
        }
        (Some(text), _) => Argument::Literal(text.to_owned()),
        (None, Some("fmt" | "format" | "String")) => Argument::Composed("{}".to_owned()),
        (None, Some(name)) => Argument::Name(name.to_owned()),
        _ => Argument::Other,
    };
    let start = tokens.get(at)?.0;
    let stop = tokens.get(end).map_or(text.len(), |(offset, _)| offset + 1);
    let call = Call {
        callee: "os.system".to_owned(),
        arguments: vec![shape],
        taint: TaintedArguments::default(),
        place: Place::default(),
        text: excerpt(text, start, stop.max(start)),
        is_aside: false,
        is_unused: false,
    };
    Some((start, call))
}
