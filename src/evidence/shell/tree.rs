//! The tree of a shell text: pipelines, commands, words and their parts.
//!
//! The parser builds it, the tracer walks it, and the plain spelling is written from it.

/// Commands whose output goes from one to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub(super) commands: Vec<Command>,
    /// The first byte.
    pub(super) start: usize,
    /// One past the last byte.
    pub(super) end: usize,
}

/// One command with what stands before and after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// `name=value` before the command, or alone.
    pub(super) assigns: Vec<Assign>,
    /// The command's name and arguments.
    pub(super) words: Vec<ShellWord>,
    pub(super) redirects: Vec<Redirect>,
    /// The content of braces or parentheses, where that is the command.
    pub(super) group: Option<Vec<Pipeline>>,
    /// The name of the function whose body that is.
    pub(super) function: Option<String>,
}

/// A variable that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assign {
    pub(super) name: String,
    pub(super) value: ShellWord,
    /// True for `+=`.
    pub(super) appends: bool,
}

/// One word: its parts in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ShellWord {
    pub(super) parts: Vec<WordPart>,
    /// True where quotation marks or backslashes stand inside the word rather than around it.
    pub(super) broken: bool,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WordPart {
    /// Text, its quotation marks removed.
    Text(String),
    /// A variable, whether it stands in double quotation marks, what stands for it where it is not set, and what is done
    /// with it: the rest of `${name…}`.
    Variable { name: String, quoted: bool, default: String, change: String },
    /// The output of commands: `$(…)` and back quotes.
    Output(Vec<Pipeline>),
    /// A file that commands write or read: `<(…)` and `>(…)`.
    Process(Vec<Pipeline>),
}

/// The source or target that a command reads from or writes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Redirect {
    /// `< file`
    In(ShellWord),
    /// `> file`, and whether it appends.
    Out(ShellWord, bool),
    /// `<<< word`
    HereString(ShellWord),
    /// The text of a here-document.
    HereDocument(String),
    /// `<>`, `>&` and the like between descriptors.
    Other(ShellWord),
}
