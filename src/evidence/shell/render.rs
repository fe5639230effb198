//! The plain spelling of commands: quotation marks removed, variables that the text sets filled in.
//!
//! Rules match this spelling too, so that neither quotation marks nor variables hide a command.

use std::collections::BTreeMap;

use super::functions::changed;
use super::syntax::{Command, Pipeline, Redirect, ShellWord, WordPart};
use super::tainted_value::TaintedValue;

/// The longest plain spelling that is made of one pipeline.
const LONGEST: usize = 4000;

type Variables = BTreeMap<String, TaintedValue>;

/// Several pipelines in plain spelling.
pub(super) fn list(pipelines: &[Pipeline], variables: &Variables) -> String {
    let mut text = String::new();
    for one in pipelines {
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(&pipeline(one, variables));
        // Variables that hold each other would otherwise grow the spelling at each step.
        if text.len() > LONGEST {
            break;
        }
    }
    text
}

/// One pipeline in plain spelling.
pub(super) fn pipeline(pipeline: &Pipeline, variables: &Variables) -> String {
    let mut text = String::new();
    for one in &pipeline.commands {
        if !text.is_empty() {
            text.push_str(" | ");
        }
        command(one, variables, &mut text);
        if text.len() > LONGEST {
            break;
        }
    }
    text
}

fn command(command: &Command, variables: &Variables, text: &mut String) {
    let start = text.len();
    let space = |text: &mut String| {
        if text.len() > start {
            text.push(' ');
        }
    };
    for assign in &command.assigns {
        space(text);
        text.push_str(&assign.name);
        text.push_str(if assign.appends { "+=" } else { "=" });
        word(&assign.value, variables, text);
    }
    if let Some(group) = &command.group {
        space(text);
        text.push_str("( ");
        text.push_str(&list(group, variables));
        text.push_str(" )");
    }
    for one in &command.words {
        space(text);
        word(one, variables, text);
        if text.len() > LONGEST {
            return;
        }
    }
    for redirect in &command.redirects {
        let (mark, target) = match redirect {
            Redirect::In(target) => ("< ", target),
            Redirect::Out(target, true) => (">> ", target),
            Redirect::Out(target, false) => ("> ", target),
            Redirect::HereString(target) => ("<<< ", target),
            Redirect::Other(target) => (">& ", target),
            // Its lines stand in the text as they are.
            Redirect::HereDocument(_) => continue,
        };
        space(text);
        text.push_str(mark);
        word(target, variables, text);
    }
}

fn word(word: &ShellWord, variables: &Variables, text: &mut String) {
    for part in &word.parts {
        match part {
            WordPart::Text(part) => text.push_str(part),
            WordPart::Variable { name, default, change, .. } => match variables.get(name) {
                // Only what the text itself set is filled in; a guess would be shown as evidence.
                Some(held) if !held.unknown => {
                    text.push_str(&changed(&held.text, change).unwrap_or_else(|| held.text.clone()));
                }
                None if !default.is_empty() => text.push_str(default),
                _ => {
                    text.push('$');
                    text.push_str(name);
                }
            },
            WordPart::Output(inner) => {
                text.push_str("$(");
                text.push_str(&list(inner, variables));
                text.push(')');
            }
            WordPart::Process(inner) => {
                text.push_str("<(");
                text.push_str(&list(inner, variables));
                text.push(')');
            }
        }
        if text.len() > LONGEST {
            return;
        }
    }
}

/// True where a pipeline is written otherwise than in plain spelling: words broken by quotation marks, or variables
/// that the text itself sets.
pub(super) fn is_odd(pipeline: &Pipeline, variables: &Variables) -> bool {
    pipeline.commands.iter().any(|command| {
        let words = command.words.iter().chain(command.assigns.iter().map(|assign| &assign.value));
        words.into_iter().any(|word| word_is_odd(word, variables))
            || command.group.iter().flatten().any(|inner| is_odd(inner, variables))
    })
}

fn word_is_odd(word: &ShellWord, variables: &Variables) -> bool {
    word.broken
        || word.parts.iter().any(|part| match part {
            WordPart::Text(_) => false,
            WordPart::Variable { name, default, .. } => {
                !default.is_empty() || variables.get(name).is_some_and(|held| !held.unknown)
            }
            WordPart::Output(inner) | WordPart::Process(inner) => inner.iter().any(|inner| is_odd(inner, variables)),
        })
}
