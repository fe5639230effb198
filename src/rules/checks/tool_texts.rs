//! Tool texts: who speaks in a server's metadata, with places for findings, and the words of names.
//!
//! The rules that read them judge them.

use std::cell::OnceCell;

use capdex_evidence::schema::SchemaField;
use capdex_evidence::sentences::{Sentence, Words};
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{Surface, SurfaceKind, SurfacePart, SurfaceText};
pub(super) use capdex_evidence::surfaces::{folded_name, name_words};
use capdex_evidence::words;
use capdex_model::capability::Kind;
use capdex_model::fact::Place;

use super::tool_siblings::Siblings;

/// Texts of servers in this capability's files that a model reads: tools, prompts, resources, servers.
pub(super) fn surfaces<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Surface> + use<'a> {
    let files = &subject.capability.files;
    let all: &'a [Surface] = subject.evidence.surfaces();
    all.iter().filter(move |surface| files.binary_search(&surface.place.file).is_ok())
}

/// Those of [`surfaces`] that are tools.
pub(super) fn tool_surfaces<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Surface> + use<'a> {
    surfaces(subject).filter(|surface| surface.kind == SurfaceKind::Tool)
}

/// The tools of a capability; for a plugin those of every server in its folder, which it installs together.
pub(super) fn surfaces_in<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Surface> + use<'a> {
    let capability = subject.capability;
    let below = move |file: &str| {
        let rest = file.strip_prefix(capability.path.as_str());
        capability.kind == Kind::Plugin
            // Up to a stroke: `plugins/mail-extra` does not lie in `plugins/mail`.
            && (capability.path.is_empty() || rest.is_some_and(|rest| rest.starts_with('/')))
    };
    let owns = move |file: &String| capability.files.binary_search(file).is_ok() || below(file);
    subject
        .evidence
        .surfaces()
        .iter()
        .filter(move |surface| surface.kind == SurfaceKind::Tool && owns(&surface.place.file))
}

/// The prose of a surface outside its schemas.
pub(super) fn prose(surface: &Surface) -> impl Iterator<Item = &SurfaceText> {
    surface.texts.iter().filter(|text| text.part == SurfacePart::Prose)
}

/// Every text of a surface that a reader takes as words: prose, and all strings of schemas but names and patterns.
pub(super) fn all_prose(surface: &Surface) -> impl Iterator<Item = &SurfaceText> {
    surface.texts.iter().filter(|text| match text.part {
        SurfacePart::Prose | SurfacePart::Meta => true,
        SurfacePart::Schema(field) => !matches!(field, SchemaField::Name | SchemaField::Pattern),
        SurfacePart::Name => false,
    })
}

/// Has every text of every surface heard that a reader takes as words, with who speaks on it.
pub(super) fn each_prose<'a>(
    subject: &Subject<'a>,
    mut hear: impl FnMut(&'a Surface, &'a SurfaceText, &SurfaceSpeaker<'_>),
) {
    let names = Siblings::of(subject);
    for surface in surfaces(subject) {
        let speaker = SurfaceSpeaker::of(surface, &names);
        all_prose(surface).for_each(|text| hear(surface, text, &speaker));
    }
}

/// The place of a text: exact in a tools list, that of the definition in source.
pub(super) fn place_of(surface: &Surface, text: &SurfaceText) -> Place {
    below(surface, &surface.pointer_to(text))
}

/// The place of a part of a surface.
pub(super) fn below(surface: &Surface, pointer: &str) -> Place {
    Place { pointer: format!("{}{pointer}", surface.place.pointer), ..surface.place.clone() }
}

/// The quotation in a finding: the name of the speaker and the sentence.
pub(super) fn quoted(surface: &Surface, sentence: &str) -> String {
    format!("{}: {}", surface.name, sentence.trim())
}

/// The names and the subject of who speaks, to tell what is its own from what is another's. Few sentences make anybody
/// ask.
pub(super) struct SurfaceSpeaker<'a> {
    surface: &'a Surface,
    /// The words of its name and of the first sentence of its description, once asked for.
    own: OnceCell<Vec<&'a str>>,
    siblings: &'a Siblings<'a>,
}

/// The words of a surface's name and of the first sentence of its description.
pub(super) fn own_words(surface: &Surface) -> Vec<&str> {
    let mut own: Vec<&str> = surface.name_words().collect();
    if let Some(first) = prose(surface).next().and_then(|text| text.text.sentences().next()) {
        let words = (0..first.words.len().min(12)).map(|index| first.word(index));
        // Shorter ones are articles and prepositions, which every tool has in common.
        own.extend(words.filter(|word| word.len() > 3));
    }
    own
}

/// True where a word is about what a surface with such words of its own does.
pub(super) fn is_about(own: &[&str], word: &str) -> bool {
    let stem = word.trim_end_matches('s');
    own.iter().any(|own| {
        let own = own.trim_end_matches('s');
        let alike = own.bytes().zip(stem.bytes()).take_while(|(a, b)| a == b).count();
        // "Database" and "databases", "deploy" and "deployment" share their beginning.
        own == stem || (alike > 3 && (alike == own.len().min(stem.len()) || alike > 4))
    })
}

impl<'a> SurfaceSpeaker<'a> {
    /// The speaker on a surface.
    pub(super) const fn of(surface: &'a Surface, siblings: &'a Siblings<'a>) -> Self {
        Self { surface, own: OnceCell::new(), siblings }
    }

    /// True where a word is about what the tool itself does.
    pub(super) fn is_about(&self, word: &str) -> bool {
        is_about(self.own.get_or_init(|| own_words(self.surface)), word)
    }

    /// True where another tool of the same server has the word in its name.
    pub(super) fn has_sibling_for(&self, word: &str) -> bool {
        self.siblings.names().words.contains(word.trim_end_matches('s'))
    }

    /// True where its server has no other tool, as far as is known.
    pub(super) fn stands_alone(&self) -> bool {
        self.siblings.names().folded.len() < 2
    }

    /// True where another tool of the same server has the name.
    pub(super) fn is_sibling(&self, name: &str) -> bool {
        let folded = folded_name(name);
        folded != self.surface.folded && self.siblings.names().folded.contains(folded.as_str())
    }

    /// True where it is the name of one of its arguments, or a value that one of them may have.
    pub(super) fn is_argument(&self, name: &str) -> bool {
        let is_own = |text: &&SurfaceText| {
            matches!(
                text.part,
                SurfacePart::Schema(SchemaField::Name | SchemaField::Enum | SchemaField::Const | SchemaField::Default)
            )
        };
        self.surface.texts.iter().filter(is_own).any(|text| text.raw() == name)
    }

    /// True where the quotation around a word is the title of one of the server's tools.
    fn is_title(&self, sentence: &Sentence<'_>, index: usize) -> bool {
        let quoted = |at: usize| sentence.words.get(at).is_some_and(|word| word.quoted);
        let first = (0..index).rev().take_while(|at| quoted(*at)).last().unwrap_or(index);
        let words = (first..sentence.words.len()).take_while(|at| quoted(*at)).take(12);
        let title: String = words.map(|at| folded_name(sentence.raw(at))).collect();
        !title.is_empty() && self.siblings.names().titles.contains(&title)
    }

    /// True for a name whose every word but the verb stands in names of the server's tools: one that was renamed.
    fn is_of_family(&self, name: &str) -> bool {
        let words = name_words(name);
        let names = self.siblings.names();
        words.len() > 2 && words.iter().skip(1).all(|word| names.words.contains(word.trim_end_matches('s')))
    }

    /// "The checkout tool", where this tool is about something else.
    fn is_plain_tool(&self, sentence: &Sentence<'_>, index: usize) -> bool {
        sentence.fits(index, &PLAIN)
            && sentence.fits(index + 1, words!["tool", "function"])
            && sentence.fits(index.wrapping_sub(1), words!["the", "any", "every", "each"])
            && !self.is_about(sentence.word(index))
            && !self.has_sibling_for(sentence.word(index))
    }

    /// The other tool that a word names, if any, and whether it is one of the same server.
    pub(super) fn other_tool(&self, sentence: &Sentence<'_>, index: usize) -> Option<bool> {
        let raw = sentence.raw(index).trim_end_matches(['(', ')']);
        let quoted = sentence.words.get(index).is_some_and(|word| word.quoted);
        // "query.topK" is a field of an argument.
        if raw.contains('.') && !is_beside_tool(sentence, index) {
            return None;
        }
        // Names of built-in tools have a capital or an underscore, as identifiers do.
        let is_marked = raw.bytes().any(|byte| byte == b'_' || byte.is_ascii_uppercase());
        let built_in = is_marked && BUILT_IN.contains(&raw);
        let plain = self.is_plain_tool(sentence, index);
        // Of several words in one quotation none is a name by itself.
        let alone = |at: usize| !sentence.words.get(at).is_some_and(|word| word.quoted);
        let hyphenated = is_hyphenated(raw)
            && alone(index.wrapping_sub(1))
            && alone(index + 1)
            && (quoted || is_operated(sentence, index));
        let identifier = (is_marked && is_identifier(raw)) || hyphenated;
        // Nearly no word is a name: the rest is asked of those that may be.
        if !(built_in || quoted || plain || identifier) {
            return None;
        }
        let beside = is_beside_tool(sentence, index);
        // Commands and modes stand in quotation marks too: a plain word must be called a tool.
        let named = if built_in { beside } else { identifier || (quoted && beside) || plain };
        // "output_path: where it is saved" tells of an argument.
        if !named || sentence.explains(index) || sentence.fits(index + 1, &PROPERTIES) {
            return None;
        }
        let folded = folded_name(raw);
        // A tool's own name and arguments are written as identifiers in its own description.
        if folded.is_empty() || folded == self.surface.folded || self.is_argument(raw) {
            return None;
        }
        // Asked late, since it gathers the names of all tools of the server.
        let names = self.siblings.names();
        let sibling =
            names.folded.contains(folded.as_str()) || self.is_title(sentence, index) || self.is_of_family(raw);
        // An identifier is a tool only where something is done with it: variables and fields look the same.
        let is_used = sentence.fits(index + 2, words!["used", "using", "loaded", "present"])
            && sentence.fits(index + 1, words!["is", "gets", "are"]);
        let called = is_used
            || (index.saturating_sub(4)..index + 4).any(|at| sentence.fits(at, &CALLED))
            || (quoted && (index.saturating_sub(2)..index).any(|at| sentence.fits(at, &ASKED)))
            || (sentence.has(words!["must", "first", "always", "instead"])
                && (index.saturating_sub(2)..index)
                    .any(|at| sentence.fits(at, words!["use", "using", "via", "through"])))
            || is_used_next(sentence, index)
            || is_operated(sentence, index)
            || (sentence.fits(
                index.wrapping_sub(1),
                words!["through", "via", "by", "before", "after", "when", "whenever", "to"],
            ) && sentence.classes.any(capdex_evidence::lexicon::SEND))
            || (sentence.fits(index.wrapping_sub(2), words!["instead", "rather"])
                && sentence.fits(index.wrapping_sub(1), words!["of", "than"]));
        (sibling || beside || plain || called || begins_with_verb(raw)).then_some(sibling)
    }
}

/// Verbs that have a tool as their object.
const CALLED: Words = Words::of(&[
    "call",
    "calling",
    "called",
    "calls",
    "invoke",
    "invoking",
    "invoked",
    "execute",
    "executing",
    "executed",
    "run",
    "running",
    "trigger",
    "triggered",
]);
/// Verbs that may have a tool as their object, where its name stands in quotation marks.
const ASKED: Words = Words::of(&["perform", "request", "fetch", "scan", "query", "consult"]);
/// Nouns behind a name that is none of a tool.
const PROPERTIES: Words = Words::of(&[
    "property",
    "properties",
    "parameter",
    "parameters",
    "param",
    "params",
    "argument",
    "arguments",
    "field",
    "fields",
    "flag",
    "flags",
    "option",
    "options",
    "variable",
    "variables",
    "key",
    "keys",
    "header",
    "column",
    "attribute",
    "value",
    "values",
    "object",
    "array",
    "type",
    "table",
]);
/// Nouns behind the name of a tool.
const CALLS: Words = Words::of(&[
    "tool",
    "tools",
    "function",
    "functions",
    "call",
    "calls",
    "request",
    "requests",
    "command",
    "commands",
    "endpoint",
    "operation",
    "operations",
]);

/// Actions by which tools are called: "the checkout tool".
const PLAIN: Words = Words::of(&[
    "search",
    "checkout",
    "fetch",
    "email",
    "mail",
    "payment",
    "file",
    "browser",
    "shell",
    "terminal",
    "transfer",
    "booking",
    "calendar",
    "messaging",
    "write",
    "read",
    "delete",
    "database",
    "git",
    "web",
    "filesystem",
    "admin",
    "banking",
    "upload",
]);

/// Tools that the common clients bring along.
const BUILT_IN: [&str; 14] = [
    "Read",
    "Write",
    "Edit",
    "Bash",
    "Glob",
    "Grep",
    "WebFetch",
    "WebSearch",
    "MultiEdit",
    "TodoWrite",
    "Task",
    "NotebookEdit",
    "LS",
    "run_terminal_cmd",
];

/// True where a noun for calls stands beside a name.
pub(super) fn is_beside_call(sentence: &Sentence<'_>, index: usize) -> bool {
    sentence.fits(index + 1, &CALLS) || sentence.fits(index.wrapping_sub(1), &CALLS)
}

/// True where a noun for calls stands behind a quoted name, or something is passed to it.
fn is_used_next(sentence: &Sentence<'_>, index: usize) -> bool {
    let given = sentence.fits(index.wrapping_sub(1), words!["to"])
        && sentence.fits(index.wrapping_sub(2), words!["passed", "submitted", "sent", "given"]);
    sentence.words.get(index).is_some_and(|word| word.quoted) && (given || sentence.fits(index + 1, &CALLS))
}

/// "When using NAME", "before calling NAME".
fn is_operated(sentence: &Sentence<'_>, index: usize) -> bool {
    let verb = index.wrapping_sub(if sentence.fits(index.wrapping_sub(1), words!["the"]) { 2 } else { 1 });
    sentence.fits(verb, words!["using", "calling", "invoking", "running", "executing", "use", "call", "run"])
        && (verb.saturating_sub(2)..verb)
            .any(|at| sentence.fits(at, words!["when", "whenever", "before", "after", "prior", "while"]))
}

/// True where a quoted word is made of small letters with hyphens inside, as some servers name their tools.
fn is_hyphenated(raw: &str) -> bool {
    let parts = raw.split('-').count();
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    parts > 1 && raw.split('-').all(plain) && raw.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic())
}

/// True where the word "tool" or "function" stands beside a word.
pub(super) fn is_beside_tool(sentence: &Sentence<'_>, index: usize) -> bool {
    let near = |at: usize| matches!(sentence.word(at), "tool" | "tools" | "function" | "functions");
    near(index + 1) || index.checked_sub(1).is_some_and(near)
}

/// True where an identifier begins with a verb, as names of tools do.
fn begins_with_verb(raw: &str) -> bool {
    const VERBS: [&str; 69] = [
        "add",
        "analyze",
        "book",
        "browse",
        "buy",
        "calculate",
        "call",
        "cancel",
        "check",
        "close",
        "commit",
        "compute",
        "convert",
        "copy",
        "create",
        "delete",
        "deploy",
        "download",
        "edit",
        "execute",
        "export",
        "fetch",
        "find",
        "forward",
        "generate",
        "get",
        "import",
        "install",
        "invite",
        "list",
        "load",
        "log",
        "make",
        "mark",
        "merge",
        "move",
        "open",
        "order",
        "pay",
        "place",
        "play",
        "post",
        "print",
        "process",
        "publish",
        "push",
        "put",
        "query",
        "read",
        "remove",
        "rename",
        "reply",
        "restart",
        "run",
        "save",
        "schedule",
        "search",
        "sell",
        "send",
        "set",
        "share",
        "start",
        "submit",
        "summarize",
        "transfer",
        "translate",
        "update",
        "upload",
        "write",
    ];
    name_words(raw).first().is_some_and(|first| VERBS.contains(&first.as_str()))
}

/// True where a word is written as an identifier: with an underscore inside or a hump.
pub(super) fn is_identifier(raw: &str) -> bool {
    // Ordinary words have neither.
    if !raw.bytes().skip(1).any(|byte| byte == b'_' || byte.is_ascii_uppercase()) {
        return false;
    }
    let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
    let plain = raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let hump = raw
        .as_bytes()
        .windows(2)
        .any(|pair| matches!(pair, [low, high] if low.is_ascii_lowercase() && high.is_ascii_uppercase()));
    // Names of brands have humps too, but begin with a capital; hyphens join ordinary words.
    let begins_low = raw.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    plain && raw.bytes().any(|byte| byte.is_ascii_lowercase()) && (inner.contains('_') || (hump && begins_low))
}
