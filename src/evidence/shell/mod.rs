//! Shell text: what the commands of scripts, hooks, Markdown blocks and configuration do with data.
//!
//! A lexer and a tracer, both tolerant and linear. They read words without quotation marks, variables and files that
//! the text itself sets, pipes, substitutions and here-documents. Data is followed to the commands that run it, send it
//! or set it to start. Nothing is executed. They cannot see values from outside the text, nor languages other than
//! POSIX-like shells; those are read as text by the rules.

use super::document::{Document, Language};
use super::unicode::Folded;

mod ambient_credentials;
mod commands;
mod decoders;
mod effects;
mod options;
mod printed;
mod regions;
mod render;
mod syntax;
mod tainted_value;
#[cfg(test)]
mod tests;
mod trace;
mod tree;
mod words;

pub use decoders::rotate;

/// The runner of a file or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Runner {
    /// A shell, `source` included.
    Shell,
    /// Python.
    Python,
    /// Node, Deno, Bun.
    JavaScript,
    /// The file itself, by its path.
    Direct,
    /// Another interpreter, or the program that the system opens it with.
    Other,
}

impl Runner {
    /// The runner by the name of its program.
    fn of(name: &str) -> Self {
        match name {
            "./" => Self::Direct,
            "source" | "." => Self::Shell,
            "open" => Self::Other,
            "node" | "nodejs" | "deno" | "bun" => Self::JavaScript,
            _ if name.starts_with("python") || name.starts_with("pypy") => Self::Python,
            // `bash`, `zsh` and `dash` take the same text; PowerShell does not.
            _ if name.ends_with("sh") && name != "pwsh" => Self::Shell,
            _ => Self::Other,
        }
    }

    /// The language in which it reads a file whose name promises none.
    pub const fn language(self) -> Language {
        match self {
            Self::Python => Language::Python,
            Self::JavaScript => Language::JavaScript,
            Self::Shell | Self::Direct => Language::Shell,
            Self::Other => Language::Plain,
        }
    }
}

/// Something that a shell text does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// Runs what came over the network.
    RunsDownload,
    /// Runs what a decoder printed.
    RunsDecoded,
    /// Runs text that stands in the text itself as data.
    RunsText,
    /// Runs a file of the bundle or the machine.
    RunsFile {
        /// Its path as written.
        path: String,
        /// Its runner.
        runner: Runner,
        /// True where it is named as a program is, and not handed over as data (`cat x | sh`).
        whole: bool,
    },
    /// Sends a secret file.
    SendsSecret,
    /// Sends all environment variables.
    SendsEnvironment,
    /// Writes what came over the network, or out of a decoder, where it starts by itself or opens the machine.
    StartsDownload,
    /// Writes a command that reaches out, or an order to hide something, to where it runs or is obeyed later.
    Plants,
    /// Lets a key log in that came with the text or over the network.
    InstallsKey,
    /// Deletes or switches off the shell's record of commands.
    WipesHistory,
}

/// A deed with its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// The deed.
    pub deed: Deed,
    /// The byte offset of the pipeline in the document.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// The deed in plain spelling; empty where the text as written says it.
    pub plain: String,
    /// The addresses that data comes from or goes to.
    pub addresses: Vec<String>,
    /// The secret path that is sent; else empty.
    pub secret: String,
}

/// The deeds of the shell text of one document.
#[derive(Debug, Default)]
pub struct Shell {
    /// The deeds in the order of their places.
    pub events: Vec<Event>,
    /// The document's text with every oddly written command in plain spelling; none where nothing is.
    pub plain: Option<Folded>,
}

/// Reads the shell text of a document.
pub fn read(document: &Document) -> Shell {
    let mut tracer = trace::Tracer::default();
    let mut replaced: Vec<trace::Traced> = Vec::new();
    for region in regions::of(document) {
        replaced.extend(regions::read(&region, document, &mut tracer));
    }
    let mut events = tracer.events;
    // Here-documents and arguments of JSON are read out of the order of the text.
    events.sort_by_key(|event| event.start);
    Shell { events, plain: restated(&document.text, &replaced) }
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
