//! `capdex agent-scan screen`: what AgentScore asks of an agent, from one request in which it describes itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use capdex_dataset::{bulk, escape};
use capdex_model::facts::SparseFacts;
use capdex_model::score::ScorePart;
use capdex_model::time::AsOf;
use capdex_rubrics::agentscore::screen::{REQUEST_SCHEMA, ScreenRequest, Screening, screen};
use serde_json::{Value, json};

use crate::advice;
use crate::agent_runs::run::WithProgram;
use crate::check::stored::StoredAnswers;
use crate::check::target::{self, CheckSubject, CheckTarget};
use crate::check::{self, CheckedTarget, Checker};
use crate::cli::{AgentScreenArgs, ScreenFormat};
use crate::clock;
use crate::exit::{Exit, usage};
use crate::operator;
use crate::options::Global;
use crate::output::{self, Out};

/// A larger file is no request.
const MAX_BYTES: u64 = 1 << 20;

pub(super) fn run(global: &Global, options: &AgentScreenArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let request = read(&options.request)?;
    let code = request.code.as_deref().map(|text| code_of(text, &options.request)).transpose()?;
    let checked = code.map(|target| look(global, options, target)).transpose()?;
    // What could not be looked at has facts about nothing.
    let looked = checked.as_ref().filter(|checked| checked.refusal.is_none());
    let facts: Vec<&SparseFacts> =
        looked.iter().flat_map(|checked| &checked.judged).map(|judged| &judged.scanned.facts).collect();
    let tools: Option<BTreeSet<&str>> = request.tools.as_ref().map(|tools| tools.iter().map(String::as_str).collect());
    let purpose = request.purpose.as_deref().unwrap_or_default();
    let permitted = tools.map(|tools| capdex_rules::permissions_of_agent(&tools, &request.agent, purpose));
    let screening = screen(&request, &facts, permitted.as_ref());
    let notes = notes(checked.as_ref());
    match options.format {
        ScreenFormat::Json => out.json_pretty(&WithProgram::of(&document(&request, &screening, &notes)))?,
        ScreenFormat::Table => table(&request, &screening, &notes, out)?,
    }
    let is_met = options.fail_on.is_some_and(|threshold| screening.decision >= threshold.lowest());
    // Part of the code that nobody saw may hold what would block.
    let is_open = screening.is_open() || !notes.is_empty();
    Ok(Exit::of(is_met, is_open))
}

fn read(path: &Path) -> anyhow::Result<ScreenRequest> {
    let shown = path.display();
    let told = |error| usage(format!("cannot read {shown}: {}", advice::told(&error)));
    let size = fs::metadata(path).map_err(told)?.len();
    if size > MAX_BYTES {
        return Err(usage(format!("{shown} has {size} bytes; a request has at most {MAX_BYTES}")));
    }
    let text = fs::read_to_string(path).map_err(told)?;
    ScreenRequest::parse(&text)
        .map_err(|why| usage(format!("{shown} is no request: {why}; docs/agent-scan.md shows one of {REQUEST_SCHEMA}")))
}

/// The target that a request names as its code. An address is no code: what answers there may answer otherwise tomorrow.
fn code_of(text: &str, file: &Path) -> anyhow::Result<CheckTarget> {
    let refused = |why: &str| {
        let (file, text) = (file.display(), escape::escape(text));
        usage(format!("{file}: code: {text} {why}; write npm:NAME, pypi:NAME or github:OWNER/NAME"))
    };
    let target = target::read(text).map_err(|why| refused(&why))?.ok_or_else(|| refused("names no package"))?;
    match &target.subject {
        CheckSubject::Package { .. } | CheckSubject::Repository { .. } => Ok(target),
        CheckSubject::Endpoint { .. } => Err(refused("is an address and no code")),
        CheckSubject::Unjudgeable(why) => Err(refused(why)),
        CheckSubject::Loaded => Err(refused("is a file of this machine and no published code")),
    }
}

/// What `check` makes of the code.
fn look(global: &Global, options: &AgentScreenArgs, target: CheckTarget) -> anyhow::Result<CheckedTarget> {
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let schedule = check::schedule(options.config.as_deref())?;
    let pool = bulk::pool(global.threads)?;
    let checker = Checker {
        resolved: schedule.resolve(u64::try_from(at.0.unix_seconds()).unwrap_or(0))?,
        store: StoredAnswers::open(&global.db, at, options.offline)?,
        dataset: None,
        is_offline: options.offline,
        pool: &pool,
        at,
        is_quiet: global.quiet,
        named: schedule.verdict.policy()?.and(operator::named(&[], &[])?),
        approved: schedule.approved.list(),
        honours_appeals: false,
    };
    let mut checked = checker.check(vec![target], &std::env::current_dir()?)?;
    checked.pop().ok_or_else(|| anyhow::anyhow!("the code was not looked at, and nothing says why"))
}

/// What of the code could not be looked at.
fn notes(checked: Option<&CheckedTarget>) -> Vec<String> {
    let Some(checked) = checked else { return Vec::new() };
    let name = escape::escape(&checked.target.name);
    match &checked.refusal {
        Some(refusal) => vec![format!("{name} could not be looked at: {}", escape::escape(&refusal.reason))],
        None if !checked.is_complete() => vec![format!("not all of {name} could be looked at")],
        None => Vec::new(),
    }
}

fn document(request: &ScreenRequest, screening: &Screening, notes: &[String]) -> Value {
    json!({
        "schema": "capdex.agent-screening/1",
        "agent": request.agent,
        "code": request.code,
        "decision": screening.decision,
        "score": screening.score,
        "notes": notes,
    })
}

fn table(request: &ScreenRequest, screening: &Screening, notes: &[String], out: &mut Out) -> anyhow::Result<()> {
    let score = &screening.score;
    let value = score.value.map_or_else(|| "n/a".to_owned(), |value| value.to_string());
    let (agent, percent) = (escape::escape(&request.agent), (score.coverage.as_thousandths() + 5) / 10);
    out.line(format_args!("{agent}: {}, score {value}, coverage {percent} %", screening.decision.as_str()))?;
    for why in score.caps.iter().chain((score.value.is_none()).then_some(&score.reason)) {
        out.line(format_args!("  {}", escape::escape(why)))?;
    }
    for ScorePart { name, value, note, .. } in &score.parts {
        let value = value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        out.line(format_args!("{name:12} {value:>6}  {}", escape::escape(note)))?;
    }
    notes.iter().for_each(|note| output::say(format_args!("capdex: incomplete: {note}")));
    out.line("What an agent says of itself proves nothing: this is context for a decision.")?;
    Ok(())
}
