//! Shell text: what the commands of scripts, hooks, Markdown blocks and configuration do with data.
//!
//! A lexer and a tracer, both tolerant and linear. They read words without quotation marks, variables and files that
//! the text itself sets, pipes, substitutions and here-documents. Data is followed to the commands that run it, send it
//! or set it to start. Nothing is executed. They cannot see values from outside the text, nor languages other than
//! POSIX-like shells and PowerShell; those are read as text by the rules.

use super::document::Document;
use super::unicode::Folded;

mod action;
mod ambient_credentials;
mod archives;
mod command_line;
mod commands;
mod decoders;
mod effects;
mod functions;
mod options;
mod powershell;
mod printed;
mod regions;
mod remote_runs;
mod render;
mod runner;
mod syntax;
mod tainted_value;
#[cfg(test)]
mod tests;
mod trace;
mod transfers;
mod tree;
mod words;

pub use action::{Event, Shell, ShellAction};
pub use command_line::CommandLine;
pub use decoders::rotate;
pub use runner::Runner;

/// The actions of the shell text in a document; read at the first question.
pub fn of(document: &Document) -> &Shell {
    document.shell.get_or_init(|| read(document))
}

fn read(document: &Document) -> Shell {
    let mut tracer = trace::Tracer::default();
    let mut replaced: Vec<trace::Traced> = Vec::new();
    for region in regions::of(document) {
        replaced.extend(regions::read(&region, document, &mut tracer));
    }
    let is_cut = tracer.is_cut;
    let mut events = tracer.events;
    // Here-documents and arguments of JSON are read out of the order of the text.
    events.sort_by_key(|event| event.start);
    Shell { events, plain: restated(&document.text, &replaced), is_cut }
}

/// A shell text that stands nowhere, such as a decoded one, in plain spelling; none where it says it plainly already.
pub fn plain_of(text: &str) -> Option<String> {
    // One search spares most decoded texts the parser.
    if !regions::may_matter(text) {
        return None;
    }
    let mut tracer = trace::Tracer::default();
    restated(text, &tracer.read(text, 0, None)).map(|plain| plain.text)
}

/// What a shell text does that stands nowhere of its own, such as one in a call of a program.
pub fn events_of(text: &str) -> Vec<Event> {
    // One search spares most commands the parser.
    if !regions::may_matter(text) {
        return Vec::new();
    }
    let mut tracer = trace::Tracer::default();
    tracer.read(text, 0, None);
    tracer.events
}

/// A text with stretches of it replaced by their plain spelling.
fn restated(text: &str, replaced: &[trace::Traced]) -> Option<Folded> {
    if replaced.is_empty() {
        return None;
    }
    let mut sorted: Vec<&trace::Traced> = replaced.iter().collect();
    sorted.sort_by_key(|traced| (traced.start, traced.end));
    let mut folded = Folded::default();
    let mut at = 0;
    for traced in sorted {
        // Stretches may overlap: the first one stands for what they share.
        let Some(between) = text.get(at..traced.start) else { continue };
        folded.mark(at);
        folded.text.push_str(between);
        for letter in traced.plain.chars() {
            // Each letter of the plain spelling comes from the command's beginning, so that a find in it has a place.
            folded.mark(traced.start);
            folded.text.push(letter);
        }
        at = traced.end;
    }
    folded.mark(at);
    folded.text.push_str(text.get(at..).unwrap_or(""));
    Some(folded)
}
