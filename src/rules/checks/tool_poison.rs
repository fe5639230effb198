//! Tool poison: the cues of one text together, and how bad they are.
//!
//! Shared by the rules about descriptions and schemas, so that a clause counts the same wherever it stands.

use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::bytes;
use capdex_evidence::decode;
use capdex_evidence::lexicon::{CALL, NEGATION, ORDER, READ, SEND, SET, TRIGGER};
use capdex_evidence::sentences::{Marks, SegmentedText, Sentence};
use capdex_evidence::surfaces::{Surface, SurfaceText};
use capdex_model::fact::{Confidence, Severity};

use super::tool_commands::harmful_command;
use super::tool_concealment::{acts_in_secret, conceals};
use super::tool_cues::{authority_label, is_common_tag, overrides, pseudo_tag, template_token, unguards, waits};
use super::tool_directives::{commands, obliges};
use super::tool_languages::{self, foreign_clause};
use super::tool_secrets::{Taking, taking};
use super::tool_texts::{is_about, own_words};

/// The cues of one text, by kind.
#[derive(Default)]
pub(super) struct PoisonCues {
    template: bool,
    tag: bool,
    /// True where the tag is one that honest servers use, too.
    common: bool,
    label: bool,
    overrides: bool,
    unguards: bool,
    conceals: bool,
    sly: bool,
    waits: bool,
    foreign: bool,
    secret: Option<Taking>,
    command: bool,
    /// The part in another writing that holds cues itself.
    encoded: Option<Severity>,
    /// The first sentence that is worth quoting.
    pub(super) quote: String,
}

impl PoisonCues {
    /// The cues of a text.
    pub(super) fn of(text: &SurfaceText, surface: &Surface) -> Self {
        let mut cues = Self::default();
        let marks = text.marks();
        cues.mark(text.raw(), marks);
        cues.say(&text.text);
        if let Some(at) = harmful_command(text.text.lower(), marks) {
            cues.command = true;
            cues.quote_or(text.text.as_str().get(at..).unwrap_or_default());
        }
        let marked = MARKS.is_match(text.text.lower());
        // ASCII without any of the words can hold no order in another language.
        let may_be_foreign = marked || marks.any(Marks::STRANGE);
        if let Some((start, _)) = may_be_foreign.then(|| foreign_clause(text.raw(), marked)).flatten() {
            cues.foreign = true;
            cues.quote_or(text.raw().get(start..).unwrap_or_default());
        }
        cues.decode(text, marked);
        // Only the mildest form is excused: a tool for keys reads keys, and still has no reason to send them.
        if cues.secret == Some(Taking::Read) {
            let own = own_words(surface);
            if KEEPERS.iter().any(|word| is_about(&own, word)) {
                cues.secret = None;
            }
        }
        cues
    }

    /// Looks for marks of rank in a text that holds such marks of ASCII.
    fn mark(&mut self, text: &str, marks: Marks) {
        let (template, tag, label) =
            (template_token(text, marks), pseudo_tag(text, marks), authority_label(text, marks));
        (self.template, self.tag, self.label) = (template.is_some(), tag.is_some(), label.is_some());
        self.common = tag.is_some_and(|found| is_common_tag(text, found));
        if let Some((start, _)) = template.or(label).or(tag) {
            text.get(start..).unwrap_or_default().clone_into(&mut self.quote);
        }
    }

    fn say(&mut self, text: &SegmentedText) {
        let mut quote = None;
        for sentence in text.sentences() {
            let before = self.clauses();
            self.hear(&sentence);
            if quote.is_none() && self.clauses() > before {
                quote = Some(sentence.as_str().to_owned());
            }
        }
        if let Some(quote) = quote {
            self.quote = quote;
        }
    }

    fn hear(&mut self, sentence: &Sentence<'_>) {
        self.conceals |= conceals(sentence).is_some();
        self.overrides |= overrides(sentence).is_some();
        self.unguards |= unguards(sentence).is_some();
        self.sly |= acts_in_secret(sentence).is_some();
        self.waits |= waits(sentence);
        self.secret = self.secret.max(taking(sentence));
    }

    fn clauses(&self) -> usize {
        let said = [self.conceals, self.overrides, self.unguards, self.sly, self.waits, self.secret.is_some()];
        said.into_iter().filter(|cue| *cue).count()
    }

    fn quote_or(&mut self, text: &str) {
        if self.quote.is_empty() {
            text.clone_into(&mut self.quote);
        }
    }

    /// Looks at what a text says in another writing.
    fn decode(&mut self, text: &SurfaceText, marked: bool) {
        const ESCAPING: Marks = Marks::of(&['\\', '%']);
        let raw = text.raw();
        let mut hidden = Vec::new();
        if bytes::has_run(raw.as_bytes(), LONG_WORD, |byte| !byte.is_ascii_whitespace())
            || (text.marks().any(ESCAPING) && (raw.contains("\\x") || raw.contains("%2")))
        {
            let runs = decode::runs(raw);
            hidden.extend(decode::payloads(raw, &runs).into_iter().map(|payload| payload.text));
        }
        // The same one search tells of turned letters.
        hidden.extend(marked.then(|| turned(raw)).flatten());
        for text in hidden {
            let parts = SegmentedText::of(&text);
            let mut cues = Self::default();
            cues.mark(&text, parts.marks());
            cues.say(&parts);
            // Decoded text needs no cue: whoever hides an order means it.
            let order = || is_order(&parts).then_some(Severity::High);
            if let Some(severity) = cues.judgement().map(|(severity, _)| severity).or_else(order) {
                self.encoded = self.encoded.max(Some(severity));
                self.quote = text;
                return;
            }
        }
    }

    /// True where nothing but a lifted protection stands in a text: of an argument it tells what the argument does.
    pub(super) fn only_unguards(&self) -> bool {
        let more = [
            self.template,
            self.tag,
            self.label,
            self.overrides,
            self.conceals,
            self.sly,
            self.waits,
            self.foreign,
            self.command,
        ];
        self.unguards && !more.contains(&true) && self.secret.is_none() && self.encoded.is_none()
    }

    /// The severity of the cues together: silence with a secret, or an order under a mark of rank, is an attack; one
    /// clause alone may be clumsy.
    pub(super) fn judgement(&self) -> Option<(Severity, Confidence)> {
        let marked = self.template || self.tag || self.label;
        let strong = self.overrides || self.conceals || self.foreign || self.secret.is_some();
        // Each of these pairs has no honest reading; the parts alone do.
        let critical = (marked && (strong || self.unguards || self.sly))
            || (self.conceals && (self.secret.is_some() || self.overrides))
            || (self.overrides && self.secret.is_some())
            || self.encoded >= Some(Severity::High);
        if critical {
            return Some((Severity::Critical, Confidence::High));
        }
        // `<instructions>` around its own text is a habit of honest servers.
        let tagged = self.tag && !self.common;
        let waiting = self.waits && (strong || self.sly || self.unguards);
        if strong
            || self.template
            || self.label
            || tagged
            || self.sly
            || self.unguards
            || self.command
            || waiting
            || self.encoded.is_some()
        {
            return Some((Severity::High, Confidence::Medium));
        }
        (self.tag || self.waits).then_some((Severity::Medium, Confidence::Low))
    }
}

/// True where a text that was hidden in another writing tells somebody to do something: what is meant for readers is
/// written for them.
fn is_order(text: &SegmentedText) -> bool {
    let acts = SEND.with(SET).with(CALL).with(READ);
    let tied = ORDER.with(NEGATION).with(TRIGGER);
    text.sentences().any(|sentence| {
        // Short decoded text is a label, an address or chance.
        sentence.words.len() > 5
            && sentence.classes.any(acts)
            && text.classes().any(tied)
            && (obliges(&sentence) || commands(&sentence))
    })
}

/// A word so long may be one in another writing.
const LONG_WORD: usize = 24;

/// Subjects of tools that read secret files by their nature.
const KEEPERS: [&str; 24] = [
    "ssh",
    "key",
    "keys",
    "credential",
    "secret",
    "env",
    "dotenv",
    "environment",
    "config",
    "configuration",
    "password",
    "vault",
    "auth",
    "login",
    "kube",
    "kubernetes",
    "docker",
    "authenticate",
    "setup",
    "sftp",
    "deploy",
    "profile",
    "keychain",
    "account",
];

/// Words of an order whose letters are turned by thirteen places.
const TURNED: [&str; 10] =
    ["vafgehpgvba", "vtaber", "cnffjbeq", "frperg", "perqragvny", "cerivbhf", "zragvba", "qvfertneq", " gur ", " naq "];

/// Words of which a lower-case text holds one if it is an order in another language or with turned letters. Most texts
/// are neither, and one search for plain words tells so.
static MARKS: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<&str> = TURNED.iter().chain(&tool_languages::MARKS).copied().collect();
    capdex_evidence::expression::of(&words.join("|"))
});

/// A text whose letters are turned by thirteen places, where it holds the words of an order so.
fn turned(raw: &str) -> Option<String> {
    static WORDS: LazyLock<Regex> =
        LazyLock::new(|| capdex_evidence::expression::of(&format!("(?i-u){}", TURNED.join("|"))));
    let turn = |letter: char| match letter {
        'a'..='m' | 'A'..='M' => char::from_u32(u32::from(letter) + 13).unwrap_or(letter),
        'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(letter) - 13).unwrap_or(letter),
        _ => letter,
    };
    WORDS.is_match(raw).then(|| raw.chars().map(turn).collect())
}

/// True where anything in a text is kept from the user: what else it orders is then no clumsiness.
pub(super) fn keeps_silence(text: &SegmentedText) -> bool {
    text.sentences().any(|sentence| conceals(&sentence).is_some() || acts_in_secret(&sentence).is_some())
}
