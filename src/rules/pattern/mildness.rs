//! Which context makes a find of a data rule milder, and how mild.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;
use serde::Deserialize;

use capdex_evidence::context::Context;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;
use capdex_evidence::zones::ZoneKind;
use capdex_model::capability::Kind;
use capdex_model::fact::Severity;

use super::condition::{Condition, ConditionScope};
use super::expression::compile;
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
    /// The address beside it belongs to what the document is about: the host's own name stands in its head.
    OwnHost,
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
            // What lies in a skill's or rules file's own folder is within the agent's reach, whatever it is called; so is
            // a shell script in a folder of tests.
            Self::Documentation => {
                let within_reach = matches!(around.look.kind, Kind::Skill | Kind::Rules | Kind::Hook);
                let is_script = document.language == Language::Shell;
                context.documentation && !(within_reach && (document.role != FileRole::Test || is_script))
            }
            Self::InstallSection => context.install_section,
            Self::SecurityTopic => context.security_topic,
            Self::OwnHost => names_own_host(around),
        }
    }
}

static HOST: LazyLock<Regex> =
    LazyLock::new(|| compile(r"(?i)\bhttps?://([a-z0-9-]+(?:\.[a-z0-9-]+)+)").expect("the pattern is valid"));

/// Words that stand in any document's head and in many hosts.
const COMMON_WORDS: [&str; 14] = [
    "install", "setup", "skill", "agent", "tool", "tools", "code", "https", "http", "name", "with", "data", "download",
    "test",
];

/// True where every host on the find's line shares a word of four letters or more with the first 700 bytes of the
/// document. There it states its subject. An attacker can arrange that, so it only makes a find milder.
fn names_own_host(around: &FindContext<'_>) -> bool {
    let text = around.look.document.text.as_bytes();
    let head = text.get(..text.len().min(700)).unwrap_or(&[]).to_ascii_lowercase();
    // The address itself proves nothing: only what stands before the first one counts.
    let head =
        head.windows(4).position(|window| window == b"http").map_or(&head[..], |at| head.get(..at).unwrap_or(&[]));
    let words: Vec<&[u8]> = head
        .split(|byte| !byte.is_ascii_alphanumeric())
        .filter(|word| word.len() >= 4 && !COMMON_WORDS.iter().any(|common| common.as_bytes() == *word))
        .collect();
    let text = around.look.text;
    let line = text.get(ConditionScope::Line.range(text, around.found)).unwrap_or(&[]);
    let mut hosts = HOST.captures_iter(line).filter_map(|found| found.get(1)).peekable();
    hosts.peek().is_some() && hosts.all(|host| shares_a_word(host.as_bytes(), &words))
}

fn shares_a_word(host: &[u8], words: &[&[u8]]) -> bool {
    let host = host.to_ascii_lowercase();
    let mut labels = host.rsplit(|byte| *byte == b'.').skip(1).filter(|label| label.len() >= 4);
    let within = |long: &[u8], short: &[u8]| long.windows(short.len()).any(|window| window == short);
    // A short label such as `diag` stands in many an ordinary word.
    labels.any(|label| words.iter().any(|word| within(label, word) || (label.len() >= 6 && within(word, label))))
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
    pub(super) context: &'a Context,
    pub(super) look: &'a ScannedText<'a>,
    pub(super) found: &'a Range<usize>,
}
