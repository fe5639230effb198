//! Conditions of data rules: what must, or must not, stand near a find, and which context makes it milder.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;
use serde::Deserialize;

use capdex_evidence::context::{Context, SENTENCE_REACH, sentence_around};
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;
use capdex_evidence::zones::ZoneKind;
use capdex_model::capability::Kind;
use capdex_model::fact::Severity;

use super::expression::{Expression, compile};
use super::literals::{LiteralPlan, Sight};
use super::look::ScannedText;
use super::prefilter::RequiredLiterals;

/// The distance around a find at which a condition looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConditionScope {
    /// The find itself.
    Match,
    /// Its sentence, list item or table row.
    Sentence,
    /// Its line, 400 bytes to each side at most.
    Line,
    /// The text between blank lines, 1,000 bytes to each side at most.
    Paragraph,
    /// 80 bytes to each side.
    Close,
    /// 250 bytes to each side.
    Window,
    /// The whole text.
    File,
    /// The path of the file.
    Path,
}

/// On which side of the find a condition looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConditionSide {
    /// Anywhere in the scope.
    #[default]
    Either,
    /// Only before the find.
    Before,
    /// Only after the find.
    After,
}

/// Something that stands near a find: any of the expressions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Condition {
    any: Vec<Expression>,
    scope: ConditionScope,
    #[serde(default)]
    side: ConditionSide,
}

impl Condition {
    /// True where it holds around a find in a text.
    pub(super) fn holds(&self, look: &ScannedText<'_>, found: &Range<usize>) -> bool {
        let occurs = |part: &[u8]| self.any.iter().any(|expression| expression.occurs_in(part));
        // The same for every find: asked once for each text.
        if self.is_the_same_everywhere() {
            let all = if self.scope == ConditionScope::Path { look.document.path.as_bytes() } else { look.text };
            return look.once(self, || occurs(all));
        }
        let around = self.scope.range(look.text, found);
        // A find may reach beyond its own scope; then the part before or behind it is empty.
        let range = match self.side {
            ConditionSide::Either => around,
            ConditionSide::Before => around.start..found.start,
            ConditionSide::After => found.end..around.end,
        };
        occurs(look.text.get(range).unwrap_or(&[]))
    }

    fn is_the_same_everywhere(&self) -> bool {
        self.scope == ConditionScope::Path || (self.scope == ConditionScope::File && self.side == ConditionSide::Either)
    }

    /// The needs of a pattern, with those that a text must hold for the condition to hold, as far as that can be told.
    pub(super) fn added_to(&self, need: RequiredLiterals) -> RequiredLiterals {
        // What is asked of the whole text sees it whole; what is asked of a part may see half a word at its ends.
        let sight = if self.is_the_same_everywhere() { Sight::Whole } else { Sight::Part };
        // A condition that almost anything meets holds no text back.
        let Some(plan) = LiteralPlan::of_any(self.any.iter().map(Expression::text), sight) else { return need };
        match self.scope {
            // The prefilter sees texts alone.
            ConditionScope::Path => need,
            ConditionScope::File => need.beside(plan),
            local => need.near(plan, local.bytes()),
        }
    }

    /// Its expressions.
    #[cfg(test)]
    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.any.iter()
    }

    /// True where it would look at all of a text anew for every find.
    #[cfg(test)]
    pub(super) fn is_slow(&self) -> bool {
        self.scope == ConditionScope::File && self.side != ConditionSide::Either
    }
}

impl ConditionScope {
    /// The most bytes to each side.
    const fn bytes(self) -> usize {
        match self {
            Self::Match | Self::Path => 0,
            Self::Sentence => SENTENCE_REACH,
            Self::Line => 400,
            Self::Paragraph => 1000,
            Self::Close => 80,
            Self::Window => 250,
            Self::File => usize::MAX,
        }
    }

    fn range(self, text: &[u8], found: &Range<usize>) -> Range<usize> {
        match self {
            Self::Sentence => sentence_around(text, found.clone()),
            Self::Line => between(text, found, b"\n", self.bytes()),
            Self::Paragraph => between(text, found, b"\n\n", self.bytes()),
            _ => found.start.saturating_sub(self.bytes())..found.end.saturating_add(self.bytes()).min(text.len()),
        }
    }
}

/// The text around a find up to a mark on each side, or as far as allowed.
fn between(text: &[u8], found: &Range<usize>, mark: &[u8], reach: usize) -> Range<usize> {
    let low = found.start.saturating_sub(reach);
    let high = found.end.saturating_add(reach).min(text.len());
    // Bounded by `reach` as well: a file of one line must not be read anew for every find.
    let left = text.get(low..found.start).unwrap_or(&[]);
    let right = text.get(found.end..high).unwrap_or(&[]);
    let start = left.windows(mark.len()).rposition(|window| window == mark).map_or(low, |at| low + at + mark.len());
    let end = right.windows(mark.len()).position(|window| window == mark).map_or(high, |at| found.end + at);
    start..end
}

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
    fn holds(self, around: &Around<'_>) -> bool {
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
fn names_own_host(around: &Around<'_>) -> bool {
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
    pub(super) fn severity(&self, around: &Around<'_>) -> Option<Severity> {
        let holds = |mildness: &Mildness| mildness.holds(around);
        // The cheap questions first: conditions run expressions.
        let applies = (self.any.is_empty() || self.any.iter().any(holds))
            && self.all.iter().all(holds)
            && self.near.iter().all(|condition| condition.holds(around.look, around.found));
        applies.then_some(self.to)
    }

    /// The conditions near the find.
    #[cfg(test)]
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.near.iter()
    }
}

/// The surroundings of a find, from which its milder severity follows.
pub(super) struct Around<'a> {
    pub(super) context: &'a Context,
    pub(super) look: &'a ScannedText<'a>,
    pub(super) found: &'a Range<usize>,
}
