//! The tables `judgements`, `judge_findings` and `judged_scores`: what a language model said of servers. Empty without a judge.
//!
//! No other table reads them, and no word of the model stands in them.

use capdex_db::{CurrentCapability, Reader};
use capdex_model::capability::Kind;
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
    /// one part of a server that a language model was asked about, or should have been
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
        /// tools in it
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
    /// one thing that a language model says of one tool; the quote is the server's own text
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
        /// name of the tool; untrusted
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

/// Hands on what the judge says of every server that stands.
fn each(
    reader: &Reader,
    mut visit: impl FnMut(CurrentCapability, JudgeWord) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // Without a judge no capability is read for it.
    let Some(judge) = reader.judge_use()? else { return Ok(()) };
    reader.each_current(|current| {
        if current.capability.kind != Kind::McpServer {
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
        let score = word.score(&ranked_capability::facts(reader, &current)?);
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
