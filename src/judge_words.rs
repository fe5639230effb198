//! What a language model says beside the findings, for people: whose word it is stands before every line of it.

use capdex_dataset::escape;
use capdex_dataset::judged::JudgeWord;

use crate::output::Out;

/// Letters shown of a tool's name.
const NAME: usize = 100;
/// Letters shown of a quote.
const QUOTE: usize = 300;

/// Prints it, each line behind `indent`.
///
/// # Errors
/// Errors of the output.
pub fn print(word: &JudgeWord, indent: &str, out: &mut Out) -> anyhow::Result<()> {
    out.line(format_args!("{indent}llm_judge_used: {}; {}", word.llm_judge_used, escape::escape(&word.note())))?;
    let asked = word.asked.map_or_else(String::new, |asked| format!(" on {asked}"));
    for finding in &word.findings {
        out.line(format_args!(
            "{indent}  judge says{asked}: {} ({}, {})  {}:{}",
            finding.finding,
            finding.code,
            finding.severity.as_str(),
            escape::escape(&finding.file),
            finding.line
        ))?;
        out.line(format_args!(
            "{indent}    tool {}, {}: «{}»",
            escape::shorten(&escape::escape(&finding.tool), NAME),
            escape::escape(&finding.field),
            escape::shorten(&escape::escape(&finding.quote), QUOTE)
        ))?;
    }
    Ok(())
}
