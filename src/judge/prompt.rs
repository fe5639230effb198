//! `Prompt`: the request of one unit, whoever carries it. A pure function of unit, version and ballot.
//!
//! The system text holds the questions and is ours alone; the user's text holds one data part and nothing else. The tag is a digest
//! over the unit, so that no text can hold its own tag.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use serde_json::{Map, Value, json};

use crate::check::Check;
use crate::controls::{Controls, Expected};
use crate::text::{FoldedText, Mark};
use crate::unit::{JudgeUnit, UnitTool};

/// A version of questions and planted tools. Versions are only ever added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PromptVersion(u32);

struct PromptTexts {
    questions: &'static str,
    inverted: &'static str,
    controls: LazyLock<Controls>,
}

/// What a version asks about tools of servers, and about texts that an agent loads.
struct PromptSet {
    tools: PromptTexts,
    texts: PromptTexts,
}

static VERSIONS: [PromptSet; 1] = [PromptSet {
    tools: PromptTexts {
        questions: include_str!("prompts/1/questions.md"),
        inverted: include_str!("prompts/1/inverted.md"),
        controls: LazyLock::new(|| Controls::read(include_str!("prompts/1/controls.toml"))),
    },
    texts: PromptTexts {
        questions: include_str!("prompts/1/text_questions.md"),
        inverted: include_str!("prompts/1/text_inverted.md"),
        controls: LazyLock::new(|| Controls::read(include_str!("prompts/1/text_controls.toml"))),
    },
}];

impl PromptVersion {
    /// The newest.
    pub const CURRENT: Self = Self(1);

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=Self::CURRENT.0).map(Self)
    }

    /// The version of a number; none for one that this program does not know.
    pub fn of(number: u32) -> Option<Self> {
        Self::all().find(|version| version.0 == number)
    }

    /// Its number.
    pub const fn number(self) -> u32 {
        self.0
    }

    fn texts(self, kind: Kind) -> &'static PromptTexts {
        let set = VERSIONS.get(self.0 as usize - 1).expect("every version has its texts, as tested");
        if kind == Kind::McpServer { &set.tools } else { &set.texts }
    }

    pub(crate) fn controls(self, kind: Kind) -> &'static Controls {
        &self.texts(kind).controls
    }

    /// The digest over its texts about a kind.
    pub fn digest(self, kind: Kind) -> Digest {
        let texts = self.texts(kind);
        Digest::of_fields([texts.questions.as_bytes(), texts.inverted.as_bytes()])
    }
}

/// Which of two requests about a unit it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ballot {
    /// The questions as they stand, tools in their order.
    Questions,
    /// The same as statements that hold where nothing is wrong, tools the other way round.
    Inverted,
}

impl Ballot {
    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Questions => "questions",
            Self::Inverted => "inverted",
        }
    }
}

impl fmt::Display for Ballot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Ballot {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = [Self::Questions, Self::Inverted].into_iter().find(|ballot| ballot.as_str() == text);
        found.ok_or_else(|| format!("there is no ballot {text:?}"))
    }
}

/// One tool as it stands in a request.
#[derive(Clone, Debug)]
pub(crate) struct PromptRow {
    /// Its number in the unit; none for a planted one.
    pub(crate) tool: Option<usize>,
    /// What a planted one must be answered.
    pub(crate) expected: Option<Expected>,
    /// Its texts by pointer, as quotes are looked for.
    pub(crate) texts: Vec<(String, FoldedText)>,
}

/// The request of one unit.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Which of two.
    pub ballot: Ballot,
    /// The questions and the rules. Ours alone.
    pub system: String,
    /// The data part, and nothing else.
    pub user: String,
    /// What the answer must repeat, 32 hex digits.
    pub tag: String,
    pub(crate) mark: Mark,
    pub(crate) rows: Vec<PromptRow>,
}

impl Prompt {
    /// The request of a unit.
    pub fn of(unit: &JudgeUnit, version: PromptVersion, ballot: Ballot) -> Self {
        let unit_digest = unit.digest();
        let number = version.number().to_le_bytes();
        let fields = [b"capdex-judge/1".as_slice(), &number, ballot.as_str().as_bytes(), unit_digest.as_bytes()];
        let digest = Digest::of_fields(fields);
        let tag: String = digest.hex().chars().take(32).collect();
        let mark = Mark::of(&digest);
        let mut tools: Vec<(Option<usize>, UnitTool, Option<Expected>)> =
            unit.tools.iter().cloned().enumerate().map(|(at, tool)| (Some(at), tool, None)).collect();
        if ballot == Ballot::Inverted {
            tools.reverse();
        }
        // Drawn by bytes of the digest that neither tag nor mark shows, so that no reader of a request knows which they are.
        let drawn = |at: usize| digest.as_bytes().get(at).copied().unwrap_or_default();
        let controls = version.controls(unit.kind);
        let planted = [controls.bad(drawn(24)), controls.good(drawn(25))];
        for (planted, at) in planted.into_iter().zip([26, 27]) {
            let Some((tool, expected)) = planted else { continue };
            let place = usize::from(drawn(at)) % (tools.len() + 1);
            tools.insert(place, (None, tool, Some(expected)));
        }
        let rows: Vec<PromptRow> = tools.iter().map(|(at, tool, expected)| row(*at, tool, *expected)).collect();
        let shown: Vec<Value> = (1..).zip(&rows).map(|(number, row)| row.shown(number, &mark)).collect();
        let word = |text: &str| FoldedText::of(text).shown(&mark);
        let data = json!({ "server": word(&unit.server), "host": word(&unit.host), "tools": shown });
        let texts = version.texts(unit.kind);
        let system = match ballot {
            Ballot::Questions => texts.questions,
            Ballot::Inverted => texts.inverted,
        };
        Self {
            ballot,
            system: system.replace("{tag}", &tag).replace("{mark}", mark.as_str()),
            user: format!("<data {tag}>\n{data}\n</data {tag}>"),
            tag,
            mark,
            rows,
        }
    }

    /// The form of the answer, as a closed JSON Schema.
    pub fn schema() -> Value {
        let checks: Vec<&str> = Check::ALL.iter().map(|check| check.as_str()).collect();
        let quote = closed(json!({
            "check": { "type": "string", "enum": checks },
            "field": { "type": "string" },
            "quote": { "type": "string" },
        }));
        let row = closed(json!({
            "tool": { "type": "string" },
            "marks": { "type": "string" },
            "quotes": { "type": "array", "items": quote },
        }));
        closed(json!({ "tag": { "type": "string" }, "verdicts": { "type": "array", "items": row } }))
    }

    /// The tools that it asks about, without the planted ones.
    pub fn tools(&self) -> usize {
        self.rows.iter().filter(|row| row.tool.is_some()).count()
    }
}

/// An object of which every member is required and no other allowed.
fn closed(properties: Value) -> Value {
    let required: Vec<&String> = properties.as_object().map(|of| of.keys().collect()).unwrap_or_default();
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": properties })
}

fn row(tool: Option<usize>, of: &UnitTool, expected: Option<Expected>) -> PromptRow {
    let name = ("/name".to_owned(), FoldedText::of(&of.name));
    let texts = of.fields.iter().map(|field| (field.pointer.clone(), FoldedText::of(&field.text)));
    PromptRow { tool, expected, texts: std::iter::once(name).chain(texts).collect() }
}

impl PromptRow {
    fn shown(&self, number: usize, mark: &Mark) -> Value {
        let mut shown = Map::from_iter([("tool".to_owned(), json!(format!("t{number}")))]);
        let texts: Map<String, Value> =
            self.texts.iter().map(|(pointer, text)| (shown_pointer(pointer, mark), text.shown(mark).into())).collect();
        shown.insert("texts".to_owned(), texts.into());
        shown.into()
    }

    /// The text that an answer names; its pointer may be written as it was shown.
    pub(crate) fn text(&self, field: &str, mark: &Mark) -> Option<(&str, &FoldedText)> {
        let named = self.texts.iter().find(|(pointer, _)| pointer == field || shown_pointer(pointer, mark) == field);
        named.map(|(pointer, text)| (pointer.as_str(), text))
    }
}

/// A pointer as it is shown: names of properties are texts of strangers too.
fn shown_pointer(pointer: &str, mark: &Mark) -> String {
    FoldedText::of(pointer).shown(mark)
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
