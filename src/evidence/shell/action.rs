//! `ShellAction`: one thing that a shell text does; `Shell`, all of them with their places.

use super::super::unicode::Folded;
use super::runner::Runner;

/// Something that a shell text does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShellAction {
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
    /// Runs or installs what an address names.
    RunsRemote,
    /// Sends a secret file.
    SendsSecret,
    /// Sends a variable whose name says that it is secret, otherwise than as the name of who asks.
    SendsToken,
    /// Sends a variable from outside the text in an encoding, as the whole of a body or a part of it.
    SendsEncoded,
    /// Sends all environment variables.
    SendsEnvironment,
    /// Sends the user's work: source, documents, a file that the script is given.
    SendsWork,
    /// Pushes a repository to an address that is written out.
    PushesRepository,
    /// Writes what came over the network, or out of a decoder, where it starts by itself or opens the machine.
    StartsDownload,
    /// Writes a command that reaches out, or an order to hide something, to where it runs or is obeyed later.
    Plants,
    /// Lets a key log in that came with the text or over the network.
    InstallsKey,
    /// Deletes or switches off the shell's record of commands.
    WipesHistory,
    /// Deletes the machine's record of who did what.
    WipesRecord,
}

/// An action with its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// The action.
    pub action: ShellAction,
    /// The byte offset of the pipeline in the document.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// The action in plain spelling; empty where the text as written says it.
    pub plain: String,
    /// The addresses that data comes from or goes to.
    pub addresses: Vec<String>,
    /// The secret path or the variable that is sent; else empty.
    pub secret: String,
}

/// The actions of the shell text of one document.
#[derive(Debug, Default)]
pub struct Shell {
    /// The actions in the order of their places.
    pub events: Vec<Event>,
    /// The document's text with every oddly written command in plain spelling; none where nothing is.
    pub plain: Option<Folded>,
    /// True where a bound was reached, so that not all of it was followed.
    pub is_cut: bool,
}
