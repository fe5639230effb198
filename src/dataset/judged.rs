//! What the judge says of a capability: put together from its parts and the answers that count, beside what the rules found.
//!
//! Nothing of it changes a finding, a score or a verdict of capdex. No answer is a reason and never clearance.

use capdex_db::{JudgeAnswer, JudgeUse, Reader};
use capdex_judge::answer::{Reading, both};
use capdex_judge::prompt::PromptVersion;
use capdex_judge::shown::shown;
use capdex_judge::unit::JudgeUnit;
use capdex_judge::{JudgeFinding, Unanswered};
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::{Place, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::ids::CapabilityId;
use capdex_model::score::Score;
use capdex_model::time::AsOf;
use capdex_rubrics::mcpbundles::judged::{self, JudgeSaid, severity};
use serde::Serialize;

/// One thing that the judge says, in words of the server's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgeWordFinding {
    /// Its name, such as `judge:instruction-control`.
    pub finding: &'static str,
    /// The code of MCPBundles' catalogue.
    pub code: &'static str,
    /// That of the code.
    pub severity: Severity,
    /// The name of the tool. Untrusted.
    pub tool: String,
    /// The JSON Pointer to the text from the tool.
    pub field: String,
    /// The first byte of the quote in that text.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
    /// The words, masked where they are a secret. Untrusted.
    pub quote: String,
    /// The file in which the tool stands.
    pub file: String,
    /// The line of the tool there; 0 where none is known.
    pub line: u32,
}

/// What the judge says of a capability, with the score that it gives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgeRecord {
    /// What it says.
    pub word: JudgeWord,
    /// The score of `mcpbundles/judged`; none for a kind that it does not rate.
    pub score: Option<Score>,
}

/// One part of a server, and what came of asking about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedPart {
    /// The digest of the unit; none for a tool that is too long for any.
    pub unit: Option<Digest>,
    /// Tools in it.
    pub tools: usize,
    /// What it adds, or why its answers do not count.
    pub outcome: Result<Vec<JudgeWordFinding>, Unanswered>,
    /// When it was asked about.
    pub asked: Option<AsOf>,
    /// The model that answered, as it names itself. Untrusted.
    pub answered_by: String,
}

/// What the judge says of one capability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgeWord {
    /// True where every tool was asked about and every answer counts.
    pub llm_judge_used: bool,
    /// Why it does not count; empty where it does.
    pub reason: String,
    /// The model that was asked.
    pub model: String,
    /// The version of the prompt.
    pub prompt: u32,
    /// When the newest answer was asked for; none where there is none.
    pub asked: Option<AsOf>,
    /// What it says of all parts that count. Only with `llm_judge_used` does it count in `mcpbundles/judged`.
    pub findings: Vec<JudgeWordFinding>,
    /// The parts.
    #[serde(skip)]
    pub parts: Vec<JudgedPart>,
}

/// What the judge says of a capability; none where no judge was ever asked, or not about its kind.
///
/// # Errors
/// Errors of the store.
pub fn of(reader: &Reader, capability: &CapabilityId) -> anyhow::Result<Option<JudgeWord>> {
    let Some(judge) = reader.judge_use()? else { return Ok(None) };
    of_use(reader, capability, &judge)
}

/// The same with the answers of one judge.
///
/// # Errors
/// Errors of the store.
pub fn of_use(reader: &Reader, capability: &CapabilityId, judge: &JudgeUse) -> anyhow::Result<Option<JudgeWord>> {
    let mut parts = Vec::new();
    for part in reader.judge_parts(capability)? {
        let unit = part.unit.map(|(_, unit)| unit);
        // Of a kind that it was asked about once, and is not any more.
        if unit.as_ref().is_some_and(|unit| !judge.kinds.contains(&unit.kind)) {
            continue;
        }
        let answers = unit.as_ref().map(|unit| reader.judgements_of(unit, judge)).transpose()?.unwrap_or_default();
        let answers = answers.into_iter().map(|of| of.map(|of| PartAnswer { asked: of.call.at, answer: of.answer }));
        parts.push(AnsweredPart { unit, places: part.places, answers: answers.collect() });
    }
    Ok(put_together(judge, parts, |line| reader.rules().mask_line(line).into_owned()))
}

/// A part of a server, with what came of each question about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnsweredPart {
    /// The unit; none for a tool that is too long for any, and for a server without tools.
    pub unit: Option<JudgeUnit>,
    /// The places of its tools.
    pub places: Vec<Place>,
    /// One for each ballot; none where it was not asked.
    pub answers: Vec<Option<PartAnswer>>,
}

/// What came of one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartAnswer {
    /// When it was asked.
    pub asked: AsOf,
    /// The answer; none where the program ended before it came.
    pub answer: Option<JudgeAnswer>,
}

/// What the answers about the parts of a server come to; none where nothing was there to ask about. `mask` covers secrets in a line.
pub fn put_together(judge: &JudgeUse, answered: Vec<AnsweredPart>, mask: impl Fn(&str) -> String) -> Option<JudgeWord> {
    let mut parts = Vec::new();
    for AnsweredPart { unit, places, answers } in answered {
        let Some(unit) = unit else {
            // Neither a unit nor a tool: the server was looked at and has none.
            if !places.is_empty() {
                let outcome = Err(Unanswered::TooLong);
                parts.push(JudgedPart { unit: None, tools: 1, outcome, asked: None, answered_by: String::new() });
            }
            continue;
        };
        let asked = answers.iter().flatten().map(|of| of.asked).max();
        let mut by =
            answers.iter().flatten().filter_map(|of| of.answer.as_ref()).map(|answer| answer.answered_by.clone());
        let (tools, digest) = (unit.tools.len(), unit.digest());
        let outcome = counted(&answers)
            .map(|found| found.iter().filter_map(|finding| word(&mask, &unit, finding, &places)).collect());
        parts.push(JudgedPart {
            unit: Some(digest),
            tools,
            outcome,
            asked,
            answered_by: by.next_back().unwrap_or_default(),
        });
    }
    if parts.is_empty() {
        return None;
    }
    let reason = parts.iter().find_map(|part| part.outcome.as_ref().err());
    let mut findings: Vec<JudgeWordFinding> =
        parts.iter().filter_map(|part| part.outcome.as_ref().ok()).flatten().cloned().collect();
    // The gravest first, and of those equally grave in the order of the tools.
    findings.sort_by(|one, other| other.severity.cmp(&one.severity).then_with(|| one.tool.cmp(&other.tool)));
    Some(JudgeWord {
        llm_judge_used: reason.is_none(),
        reason: reason.map(ToString::to_string).unwrap_or_default(),
        model: judge.model.name.clone(),
        prompt: PromptVersion::CURRENT.number(),
        asked: parts.iter().filter_map(|part| part.asked).max(),
        findings,
        parts,
    })
}

/// What the answers to one unit come to: all of them must count.
fn counted(answers: &[Option<PartAnswer>]) -> Result<Vec<JudgeFinding>, Unanswered> {
    let mut readings = Vec::new();
    for answer in answers {
        let asked = answer.as_ref().ok_or(Unanswered::NotAsked)?;
        let answer = asked.answer.as_ref().ok_or(Unanswered::Interrupted)?;
        readings.push(answer.outcome.as_ref().map_err(|why| *why)?);
    }
    let readings: &[&Reading] = &readings;
    Ok(match readings {
        [] => Vec::new(),
        [one] => one.findings.clone(),
        [one, other, ..] => both(one, other),
    })
}

fn word(
    mask: &impl Fn(&str) -> String,
    unit: &JudgeUnit,
    finding: &JudgeFinding,
    places: &[Place],
) -> Option<JudgeWordFinding> {
    let said = shown(unit, finding)?;
    let place = places.get(finding.tool).cloned().unwrap_or_default();
    Some(JudgeWordFinding {
        finding: said.check.finding(),
        code: said.check.code(),
        severity: severity(said.check.code()),
        tool: said.tool.to_owned(),
        field: said.field.to_owned(),
        start: finding.start,
        end: finding.end,
        quote: mask(said.quote),
        file: place.file,
        line: place.line,
    })
}

impl JudgeWord {
    /// One phrase that says which model counts, or why none does.
    pub fn note(&self) -> String {
        if self.llm_judge_used {
            format!("model {}, prompt {}", self.model, self.prompt)
        } else {
            format!("{}, model {}, prompt {}", self.reason, self.model, self.prompt)
        }
    }

    /// The score of `mcpbundles/judged`; none for a kind that it does not rate.
    pub fn score(&self, kind: Kind, facts: &SparseFacts) -> Option<Score> {
        if !judged::meta().kinds.contains(&kind) {
            return None;
        }
        let findings: Vec<(&str, &str)> = self.findings.iter().map(|finding| (finding.code, finding.finding)).collect();
        Some(judged::score(facts, &JudgeSaid { is_used: self.llm_judge_used, note: &self.note(), findings: &findings }))
    }
}
