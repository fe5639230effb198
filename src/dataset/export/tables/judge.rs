//! The tables `judgements`, `judge_findings`, `judged_scores` and `judge_transcripts`: what a language model said. Empty without a judge.
//!
//! No other table reads them. Words of the model stand in the transcripts alone, which are there only where they are asked for.

use std::collections::BTreeMap;

use capdex_db::{CurrentCapability, Reader, StoredJudgement};
use capdex_judge::Unanswered;
use capdex_judge::prompt::Prompt;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::points::Points;
use capdex_model::time::AsOf;

use crate::export::ranked_capability;
use crate::export::table::Emit;
use crate::export::table_row::table_row;
use crate::judged::{self, JudgeWord};

table_row! {
    /// one part of a server, skill or file of rules that a language model was asked about, or should have been
    table judgements: stored(judgement_rows);
    pub struct JudgementRow {
        /// the capability
        public slug: String,
        /// its id
        key capability: CapabilityId,
        /// its content (hex)
        public content_sha256: Digest,
        /// number of the part, from 1
        key part: u32,
        /// what the model was shown, without the planted tools (hex); null for a tool that is too long
        public unit_sha256: Option<Digest>,
        /// tools in it, or texts
        public tools: usize,
        /// version of questions and planted tools
        public prompt: u32,
        /// the model that was asked
        public model: String,
        /// the model that answered, as it names itself; untrusted
        public answered_by: String,
        /// instant of the run that asked; null where nobody did
        public asked: Option<AsOf>,
        /// whether its answers count
        public llm_judge_used: bool,
        /// why they do not; empty where they do
        public reason: &'static str,
        /// findings; 0 is no clearance
        public findings: usize,
    }
}

table_row! {
    /// one thing that a language model says of one tool or text; the quote is its own words
    table judge_findings: stored(finding_rows);
    pub struct JudgeFindingRow read as ReadJudgeFindingRow {
        /// the capability
        public slug: String,
        /// its id
        key capability: CapabilityId,
        /// judge:instruction-control and its kin
        key finding: &'static str,
        /// the code of MCPBundles' catalogue
        public code: &'static str,
        /// that of the code
        public severity: Severity,
        /// name of the tool, or path of the text; untrusted
        key tool: String,
        /// JSON Pointer to the text from the tool
        key field: String,
        /// first byte of the quote in that text
        key start: usize,
        /// byte after its last
        key end: usize,
        /// the quote, masked where secret; untrusted
        public quote: String,
        /// path inside the package; untrusted
        key file: String,
        /// line of the tool, from 1; 0 where none is known
        key line: u32,
    }
}

table_row! {
    /// the value of mcpbundles/judged for one server: mcpbundles/seed with what a language model added
    table judged_scores: stored(score_rows);
    pub struct JudgedScoreRow read as ReadJudgedScoreRow {
        /// the capability
        public slug: String,
        /// its id
        key capability: CapabilityId,
        /// the facts that it is over (hex)
        public facts_sha256: Digest,
        /// version of the rubric
        public version: String,
        /// whether every tool was asked about and every answer counts
        public llm_judge_used: bool,
        /// which model, or why none counts
        public note: String,
        /// 0 to 100; null where there is none
        public value: Option<Points>,
        /// worst severity, or clean
        public grade: String,
    }
}

table_row! {
    /// one request to a language model and the answer as it came; only where transcripts are asked for, since they show the planted tools
    table judge_transcripts: transcripts(transcript_rows);
    pub struct JudgeTranscriptRow {
        /// what answers are kept by: prompt, model and unit (hex)
        key key_sha256: Digest,
        /// number of the request under that key, from 1: some questions are asked again
        key number: u32,
        /// what the model was shown, without the planted tools (hex)
        public unit_sha256: Digest,
        /// version of questions and planted tools
        public prompt: u32,
        /// questions or inverted
        public ballot: &'static str,
        /// the model that was asked
        public model: String,
        /// instant of the run that asked
        public asked: AsOf,
        /// digest of the request (hex)
        public request_sha256: Digest,
        /// the body of the request; untrusted
        public request: String,
        /// used where the answer counts; else why it does not
        public outcome: &'static str,
        /// the body of the answer as it came; null where none came or it is no text; untrusted
        public answer: Option<String>,
        /// the model that answered, as it names itself; untrusted
        public answered_by: String,
        /// tokens of the request, at most
        public tokens_in: u64,
        /// tokens of the answer, at most
        public tokens_out: u64,
    }
}

/// Hands on what the judge says of everything that stands of the kinds that it is asked about.
fn each(
    reader: &Reader,
    mut visit: impl FnMut(CurrentCapability, JudgeWord) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // Without a judge no capability is read for it.
    let Some(judge) = reader.judge_use()? else { return Ok(()) };
    reader.each_current(|current| {
        if !judge.kinds.contains(&current.capability.kind) {
            return Ok(());
        }
        match judged::of_use(reader, &current.capability.id, &judge)? {
            Some(word) => visit(current, word),
            None => Ok(()),
        }
    })
}

fn judgement_rows(reader: &Reader, emit: Emit<'_, JudgementRow>) -> anyhow::Result<()> {
    each(reader, |current, word| {
        for (number, part) in (1..).zip(word.parts) {
            emit(JudgementRow {
                slug: current.capability.slug.clone(),
                capability: current.capability.id,
                content_sha256: current.capability.content,
                part: number,
                unit_sha256: part.unit,
                tools: part.tools,
                prompt: word.prompt,
                model: word.model.clone(),
                answered_by: part.answered_by,
                asked: part.asked,
                llm_judge_used: part.outcome.is_ok(),
                reason: part.outcome.as_ref().err().map_or("", |why| why.as_str()),
                findings: part.outcome.as_ref().map_or(0, Vec::len),
            })?;
        }
        Ok(())
    })
}

fn finding_rows(reader: &Reader, emit: Emit<'_, JudgeFindingRow>) -> anyhow::Result<()> {
    each(reader, |current, word| {
        for finding in word.findings {
            emit(JudgeFindingRow {
                slug: current.capability.slug.clone(),
                capability: current.capability.id,
                finding: finding.finding,
                code: finding.code,
                severity: finding.severity,
                tool: finding.tool,
                field: finding.field,
                start: finding.start,
                end: finding.end,
                quote: finding.quote,
                file: finding.file,
                line: finding.line,
            })?;
        }
        Ok(())
    })
}

fn score_rows(reader: &Reader, emit: Emit<'_, JudgedScoreRow>) -> anyhow::Result<()> {
    each(reader, |current, word| {
        let facts = ranked_capability::facts(reader, &current)?;
        let Some(score) = word.score(current.capability.kind, &facts) else { return Ok(()) };
        emit(JudgedScoreRow {
            slug: current.capability.slug.clone(),
            capability: current.capability.id,
            facts_sha256: current.facts,
            version: score.rubric.version.to_string(),
            llm_judge_used: word.llm_judge_used,
            note: word.note(),
            value: score.value,
            grade: score.grade.to_string(),
        })
    })
}

fn transcript_rows(reader: &Reader, emit: Emit<'_, JudgeTranscriptRow>) -> anyhow::Result<()> {
    let mut numbers: BTreeMap<Digest, u32> = BTreeMap::new();
    reader.each_judgement(|StoredJudgement { call, unit, answer, .. }| {
        let number = numbers.entry(call.key).or_default();
        *number += 1;
        let outcome = match answer.as_ref().map(|answer| &answer.outcome) {
            None => Unanswered::Interrupted.as_str(),
            Some(Ok(_)) => "used",
            Some(Err(why)) => why.as_str(),
        };
        let (tokens_in, tokens_out) = match &answer {
            None => (call.reserved_in, call.reserved_out),
            Some(answer) => (answer.tokens_in, answer.tokens_out),
        };
        let (answer, answered_by) = answer.map(|answer| (answer.body, answer.answered_by)).unwrap_or_default();
        emit(JudgeTranscriptRow {
            key_sha256: call.key,
            number: *number,
            unit_sha256: unit.digest(),
            prompt: call.prompt.number(),
            ballot: call.ballot.as_str(),
            request: call.model.request(&Prompt::of(&unit, call.prompt, call.ballot)),
            model: call.model.name,
            asked: call.at,
            request_sha256: call.request,
            outcome,
            answer,
            answered_by,
            tokens_in,
            tokens_out,
        })
    })
}
