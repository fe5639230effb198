//! `hook`: the question that a client of agents asks before its agent runs a tool.
//!
//! A client starts `capdex hook` with the call as JSON on standard input and reads the decision from standard output. Most
//! calls bring nothing of strangers: for those nothing is opened and nothing is printed. The rest is judged by the engine of
//! `check` from the store alone. That is installs and starts of what strangers publish, and writes into files that agents obey. Nobody is asked over a network, and nothing of the call is run.

pub mod brings;
pub mod client;
pub mod entry;
pub mod event;
pub mod guarded;
pub mod installs;
pub mod policy;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use capdex_dataset::escape;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::score::Band;
use capdex_model::time::AsOf;
use serde_json::Value;

use crate::agent_verdict::{AgentVerdict, FindingWords};
use crate::check::CheckedTarget;
use crate::check::target::CheckTarget;
use crate::formats::place::InputPlace;
use crate::judging::{self, JudgedInput};
use crate::quotation::{NAME, quoted};
use brings::{Brings, Brought};
use client::HookClient;
use event::HookEvent;
use policy::{HookDecision, HookPolicy};

/// The most bytes of an event. A call that writes a file carries all of it.
pub const MAX_EVENT: u64 = 16 << 20;
/// Reasons that are told of one call.
const REASONS: usize = 3;

/// The judge of targets, as `check` is.
pub type Judge<'a> = dyn FnMut(Vec<CheckTarget>) -> anyhow::Result<Vec<CheckedTarget>> + 'a;

/// One reason for a decision.
struct Reason {
    decision: HookDecision,
    text: String,
}

/// The answer to an event, in the words of its client; none where the client reads silence as "go on". `asked` is the client that
/// was named; none to tell it by its event.
pub fn answer(
    input: &[u8],
    asked: Option<HookClient>,
    policy: &HookPolicy,
    at: AsOf,
    judge: &mut Judge<'_>,
) -> Option<Value> {
    let value: Option<Value> = serde_json::from_slice(input).ok().filter(|_| input.len() as u64 <= MAX_EVENT);
    let client = asked.unwrap_or_else(|| value.as_ref().map_or(HookClient::Claude, client::of_event));
    let event = match value.as_ref().map(HookEvent::read) {
        Some(Ok(event)) => event,
        unread => {
            let why = unread.and_then(Result::err).unwrap_or("it is no JSON, or too long");
            let text = format!("capdex could not read what the client asks: {why}.");
            return client.answer(client.question(), policy.on_failure, &text);
        }
    };
    if !client.is_question(&event.name) {
        return None;
    }
    let mut reasons = reasons(&brings::of(&event), policy, at, judge);
    // The gravest first; of equals the one that stands first in the command.
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.decision));
    let decision = reasons.first().map_or(HookDecision::Pass, |reason| reason.decision);
    let told: Vec<&str> = reasons
        .iter()
        .filter(|reason| reason.decision > HookDecision::Pass)
        .take(REASONS)
        .map(|reason| reason.text.as_str())
        .collect();
    let text =
        format!("capdex looked before this runs. {} Text between « and » is quoted from packages.", told.join(" "));
    client.answer(&event.name, decision, &text)
}

fn reasons(brought: &[Brought], policy: &HookPolicy, at: AsOf, judge: &mut Judge<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for Brought { what, brings } in brought {
        match brings {
            Brings::Targets(targets) => match judge(targets.clone()) {
                Ok(checked) => reasons.extend(checked.iter().map(|one| {
                    let verdict = AgentVerdict::of(one);
                    let text = format!("{what} would bring this, {}", verdict.line());
                    Reason { decision: policy.decide_on(verdict.band(), &one.approved), text }
                })),
                Err(error) => {
                    tracing::warn!("the store did not answer: {}", escape::escape(&format!("{error:#}")));
                    let text = format!("{what} would bring something, and the store could not be read.");
                    reasons.push(Reason { decision: policy.on_failure, text });
                }
            },
            Brings::File { path, content, names_targets } => {
                let (band, text) = of_file(what, path, content, at);
                // What its servers do is told by their own verdicts.
                let is_told = *names_targets && band == Band::Unknown;
                let decision = if is_told { HookDecision::Pass } else { policy.decide(band) };
                reasons.push(Reason { decision, text });
            }
            Brings::Unknown(why) => {
                let text = format!("{what}: {why}.");
                reasons.push(Reason { decision: policy.decide(Band::Unknown), text });
            }
        }
    }
    reasons
}

/// A file that is written, judged as `scan` judges one that lies there: its band, and why.
fn of_file(what: &str, path: &str, content: &str, at: AsOf) -> (Band, String) {
    // By its last components, which say what it is to a client.
    let kept: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty() && !part.starts_with('~')).collect();
    let kept = kept.get(kept.len().saturating_sub(4)..).unwrap_or_default().join("/");
    let files = BTreeMap::from([(kept, BundleFile::new(content.as_bytes()))]);
    let input = JudgedInput {
        name: path.to_owned(),
        place: InputPlace::of(Path::new(path), Path::new("."), true),
        aliases: Vec::new(),
        left_out: Vec::new(),
        contents: Arc::default(),
        target: None,
        // A file that is being written is nobody's yet.
        policy: Arc::default(),
        appeals: Arc::default(),
    };
    let judged = judging::judge(&Bundle::local("folder:written", files), &input, at);
    let band = judged.last().map_or(Band::Unknown, |package| package.verdict.band);
    let mut found: Vec<_> = judged.iter().flat_map(|one| one.findings()).collect();
    found.sort_by_key(|finding| std::cmp::Reverse((finding.severity, finding.confidence)));
    let why = match found.first() {
        Some(finding) => FindingWords::of(finding).line(),
        None => "not all of it can be judged from this file alone".to_owned(),
    };
    let text = format!("{what}, {}: {}: {why}.", quoted(path, NAME), band.as_str());
    (band, text)
}

#[cfg(test)]
mod tests;
