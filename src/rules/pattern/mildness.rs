//! Which context makes a find of a data rule milder, and how mild.

use std::cell::OnceCell;
use std::ops::Range;

use serde::Deserialize;

use capdex_evidence::context::Context;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::site::site_of;
use capdex_evidence::zones::ZoneKind;
use capdex_model::fact::Severity;

use super::addresses::{self, Address};
use super::condition::Condition;
use super::look::ScannedText;

/// A context that makes a find milder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mildness {
    /// A negation governs it.
    Negated,
    /// It is quoted.
    Quoted,
    /// It is a Markdown code span.
    CodeSpan,
    /// It is in a Markdown code block.
    CodeBlock,
    /// It is in a Markdown table that lists things, not steps.
    Table,
    /// It is in a comment.
    Comment,
    /// It is program text or a string literal in it.
    Source,
    /// The text around it speaks of detecting, preventing or explaining.
    Defensive,
    /// The file is for people or for tests, and no agent loads it.
    Documentation,
    /// A heading above it speaks of installing.
    InstallSection,
    /// The document is about security.
    SecurityTopic,
    /// Every address of its command belongs to the package by its manifests, or to what the document is about: the name
    /// of the site stands in its head.
    OwnHost,
    /// Every address of its command is one of an installer that is widely used.
    KnownInstaller,
    /// Every address of its command is kept for examples.
    ReservedHost,
    /// Every address of its command names its host by a word that the reader is to replace.
    PlaceholderHost,
}

impl Mildness {
    fn holds(self, around: &FindContext<'_>) -> bool {
        let (context, document) = (around.context, around.look.document);
        match self {
            Self::Negated => context.negated,
            Self::Quoted => context.quoted,
            Self::CodeSpan => context.code_span,
            Self::CodeBlock => context.zone == ZoneKind::CodeBlock,
            Self::Table => context.tabulated,
            Self::Comment => context.zone == ZoneKind::Comment,
            Self::Source => document.role == FileRole::Source,
            Self::Defensive => context.defensive,
            Self::Documentation => context.documentation,
            Self::InstallSection => context.install_section,
            Self::SecurityTopic => context.security_topic,
            Self::OwnHost => names_own_host(around),
            Self::KnownInstaller => every_address(around, Address::is_installer),
            Self::ReservedHost => every_address(around, Address::is_reserved),
            Self::PlaceholderHost => every_address(around, |address| address.is_placeholder),
        }
    }
}

/// True where the command of a find has addresses and all of them are such.
fn every_address(around: &FindContext<'_>, is_such: impl Fn(&Address) -> bool) -> bool {
    let addresses = around.addresses();
    !addresses.is_empty() && addresses.iter().all(is_such)
}

/// True where every address of a find's command is on a site that the manifests name, or on one whose name shares a word
/// of four letters or more with the first 700 bytes of the document. There it states its subject. An attacker can
/// arrange that, so it only makes a find milder.
fn names_own_host(around: &FindContext<'_>) -> bool {
    let look = around.look;
    every_address(around, |address| {
        look.own.contains(&address.host) || shares_a_word(&address.host, look.subject_words())
    })
}

fn shares_a_word(host: &str, words: &[Vec<u8>]) -> bool {
    // What its owner registered: anybody can put a well-known name below a site of their own.
    let site = site_of(host);
    let label = site.split('.').next().unwrap_or_default().as_bytes();
    let within = |long: &[u8], short: &[u8]| long.windows(short.len()).any(|window| window == short);
    // A short label such as `diag` stands in many an ordinary word.
    label.len() >= 4 && words.iter().any(|word| within(label, word) || (label.len() >= 6 && within(word, label)))
}

/// Makes a find milder where the context says so.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lower {
    /// Any of these; empty asks nothing.
    #[serde(default)]
    any: Vec<Mildness>,
    /// And all of these.
    #[serde(default)]
    all: Vec<Mildness>,
    /// And all of these near the find.
    #[serde(default)]
    near: Vec<Condition>,
    /// To at most this severity.
    to: Severity,
}

impl Lower {
    /// The severity to which the context lowers, where it does.
    pub(super) fn severity(&self, around: &FindContext<'_>) -> Option<Severity> {
        let holds = |mildness: &Mildness| mildness.holds(around);
        // The cheap questions first: conditions run expressions.
        let applies = (self.any.is_empty() || self.any.iter().any(holds))
            && self.all.iter().all(holds)
            && self.near.iter().all(|condition| around.look.meets(condition, around.found));
        applies.then_some(self.to)
    }

    /// The conditions near the find.
    #[cfg(test)]
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.near.iter()
    }
}

/// The surroundings of a find, from which its milder severity follows.
pub(super) struct FindContext<'a> {
    context: &'a Context,
    look: &'a ScannedText<'a>,
    found: &'a Range<usize>,
    addresses: OnceCell<Vec<Address>>,
}

impl<'a> FindContext<'a> {
    pub(super) fn new(context: &'a Context, look: &'a ScannedText<'a>, found: &'a Range<usize>) -> Self {
        Self { context, look, found, addresses: OnceCell::new() }
    }

    /// The addresses of its command, which several contexts ask for.
    fn addresses(&self) -> &[Address] {
        self.addresses.get_or_init(|| addresses::around(self.look.text, self.found))
    }
}
