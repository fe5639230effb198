//! `read`: the text of an answer against the request that it answers. Any doubt gives a reason and no finding.

use serde::{Deserialize, Serialize};

use crate::check::Check;
use crate::controls::Expected;
use crate::finding::JudgeFinding;
use crate::prompt::{Ballot, Prompt, PromptRow};
use crate::unanswered::Unanswered;

/// The most bytes of an answer, as it comes over the wire and as a text.
pub const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// The deepest nesting of an answer.
const MAX_DEPTH: usize = 8;
/// The longest quote in letters.
const MAX_QUOTE: usize = 300;
/// From so many tools on, an answer that says yes more often than it may is believed nothing.
const ALARM_TOOLS: usize = 10;

/// An answer that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// What it adds, sorted.
    pub findings: Vec<JudgeFinding>,
    /// For each tool of the unit the marks as counted: y where something is wrong and its quote stands, n, or ?.
    pub marks: Vec<String>,
    /// Yeses without a quote that stands in the text; each was dropped.
    pub unquoted: u32,
    /// Marks of which the model could not tell.
    pub unsure: u32,
    /// True where the object stood in a fenced block.
    pub fenced: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer<'a> {
    #[serde(borrow)]
    tag: std::borrow::Cow<'a, str>,
    verdicts: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    tool: String,
    marks: String,
    quotes: Vec<Quote>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Quote {
    check: String,
    field: String,
    quote: String,
}

/// One mark of one tool, whichever way the question was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Wrong,
    Fine,
    Unsure,
}

/// Reads the text of an answer.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn read(prompt: &Prompt, text: &str) -> Result<Reading, Unanswered> {
    check_bytes(text.as_bytes())?;
    let (text, fenced) = unfenced(text.trim());
    if text.is_empty() {
        return Err(Unanswered::Empty);
    }
    let answer: Answer<'_> = serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => Unanswered::Schema,
        _ => Unanswered::Json,
    })?;
    let rows = in_order(prompt, &answer.verdicts)?;
    let said = rows.iter().map(|row| said(prompt.ballot, row)).collect::<Option<Vec<_>>>().ok_or(Unanswered::Schema)?;
    if answer.tag != prompt.tag {
        return Err(Unanswered::Tag);
    }
    let answered = || prompt.rows.iter().zip(&said);
    if !answered().all(|(row, said)| row.expected.is_none_or(|expected| is_as_expected(expected, said))) {
        return Err(Unanswered::Controls);
    }
    let mut reading = Reading { fenced, marks: vec![String::new(); prompt.tools()], ..Reading::default() };
    let (mut wrong, mut marks) = (0_usize, 0_usize);
    for ((asked, said), row) in answered().zip(&rows) {
        let Some(tool) = asked.tool else { continue };
        for (check, said) in Check::ALL.into_iter().zip(said) {
            marks += 1;
            let letter = match said {
                Said::Fine => 'n',
                Said::Unsure => {
                    reading.unsure += 1;
                    '?'
                }
                Said::Wrong => {
                    wrong += 1;
                    match quoted(prompt, asked, row, check) {
                        Some((field, start, end)) => {
                            reading.findings.push(JudgeFinding { tool, check, field, start, end });
                            'y'
                        }
                        None => {
                            reading.unquoted += 1;
                            '?'
                        }
                    }
                }
            };
            if let Some(marks) = reading.marks.get_mut(tool) {
                marks.push(letter);
            }
        }
    }
    // Over a fifth without words of ours: what is left was not read off the texts either.
    let is_invented = reading.unquoted as usize * 5 > wrong;
    let is_alarm = prompt.tools() >= ALARM_TOOLS && wrong * 5 > marks * 3;
    if is_invented || is_alarm {
        return Err(Unanswered::Unreliable);
    }
    reading.findings.sort();
    Ok(reading)
}

/// Both readings of one unit as one: a finding counts where both say it of the same text with words in common.
pub fn both(one: &Reading, other: &Reading) -> Vec<JudgeFinding> {
    let agrees = |finding: &&JudgeFinding| {
        other.findings.iter().any(|second| {
            let is_same = (second.tool, second.check, &second.field) == (finding.tool, finding.check, &finding.field);
            is_same && second.start < finding.end && finding.start < second.end
        })
    };
    one.findings.iter().filter(agrees).cloned().collect()
}

/// Bytes that may be read at all: not too many, no NUL, not nested too deeply.
///
/// # Errors
/// Which of these they are not.
pub fn check_bytes(bytes: &[u8]) -> Result<&str, Unanswered> {
    if bytes.len() > MAX_ANSWER_BYTES {
        return Err(Unanswered::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Unanswered::Encoding)?;
    if text.contains('\0') {
        return Err(Unanswered::Encoding);
    }
    let (mut depth, mut deepest, mut in_text, mut is_escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if deepest > MAX_DEPTH { Err(Unanswered::Depth) } else { Ok(text) }
}

/// A text without the fence around it, and whether there was one.
fn unfenced(text: &str) -> (&str, bool) {
    let inside = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inside =
        inside.map(|inside| inside.strip_prefix("json").unwrap_or(inside)).filter(|inside| !inside.contains("```"));
    inside.map_or((text, false), |inside| (inside.trim(), true))
}

/// The rows in the order of the request: each tool once, and nothing else.
fn in_order<'a>(prompt: &Prompt, rows: &'a [Row]) -> Result<Vec<&'a Row>, Unanswered> {
    if rows.len() != prompt.rows.len() {
        return Err(Unanswered::Rows);
    }
    let mut ordered: Vec<Option<&Row>> = vec![None; prompt.rows.len()];
    for row in rows {
        let number = row.tool.strip_prefix('t').filter(|number| !number.starts_with(['0', '+']));
        let place = number.and_then(|number| number.parse::<usize>().ok()).and_then(|number| number.checked_sub(1));
        match place.and_then(|place| ordered.get_mut(place)) {
            Some(free @ None) => *free = Some(row),
            _ => return Err(Unanswered::Rows),
        }
    }
    ordered.into_iter().collect::<Option<Vec<_>>>().ok_or(Unanswered::Rows)
}

/// The marks of a row; none where they are no marks.
fn said(ballot: Ballot, row: &Row) -> Option<Vec<Said>> {
    let (wrong, fine) = match ballot {
        Ballot::Questions => ('y', 'n'),
        Ballot::Inverted => ('n', 'y'),
    };
    let said = row.marks.chars().map(|letter| match letter {
        '?' => Some(Said::Unsure),
        _ if letter == wrong => Some(Said::Wrong),
        _ if letter == fine => Some(Said::Fine),
        _ => None,
    });
    said.collect::<Option<Vec<_>>>().filter(|said| said.len() == Check::ALL.len())
}

fn is_as_expected(expected: Expected, said: &[Said]) -> bool {
    match expected {
        Expected::No => said.iter().all(|said| *said == Said::Fine),
        Expected::Yes(check) => {
            let told = Check::ALL.iter().zip(said).find(|(of, _)| **of == check);
            told.is_some_and(|(_, said)| *said == Said::Wrong)
        }
    }
}

/// Where the words that a row gives for a check stand; none where they stand nowhere.
fn quoted(prompt: &Prompt, asked: &PromptRow, row: &Row, check: Check) -> Option<(String, usize, usize)> {
    let given = row.quotes.iter().filter(|quote| quote.check == check.as_str());
    given.filter(|quote| quote.quote.chars().count() <= MAX_QUOTE).find_map(|quote| {
        let (pointer, text) = asked.text(&quote.field, &prompt.mark)?;
        // A text of a schema is asked about by one question alone, and that one by no other text.
        let is_schema = pointer.starts_with("/inputSchema") || pointer.starts_with("/outputSchema");
        if check == Check::SchemaImperative && !is_schema {
            return None;
        }
        let (start, end) = text.find(&quote.quote, &prompt.mark)?;
        Some((pointer.to_owned(), start, end))
    })
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
