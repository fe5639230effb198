//! `capdex hook`: answers one question of a client before its agent runs a tool.

use std::io::Read as _;
use std::path::Path;

use capdex_dataset::bulk;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::time::AsOf;

use crate::check::dataset::DatasetAnswers;
use crate::check::published::Refresh;
use crate::check::stored::StoredAnswers;
use crate::check::target::CheckTarget;
use crate::check::{self, CheckedTarget, Checker};
use crate::cli::HookArgs;
use crate::clock;
use crate::exit::Exit;
use crate::hook::{self, MAX_EVENT};
use crate::options::Global;
use crate::output::Out;

pub(super) fn run(global: &Global, options: &HookArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let mut input = Vec::new();
    // What was read before an error is no whole event, and is answered as such.
    if std::io::stdin().take(MAX_EVENT + 1).read_to_end(&mut input).is_err() {
        input.clear();
    }
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let mut judge = |targets: Vec<CheckTarget>| judged(global, options, targets, at);
    if let Some(answer) = hook::answer(&input, options.client, &options.policy.policy(), at, &mut judge) {
        out.json(&answer)?;
    }
    // Always: a client takes any other code for a fault of the hook, and goes on.
    Ok(Exit::Done)
}

/// Judges targets from the store and the dataset alone. Called for the few calls that bring something, so that all others open nothing.
fn judged(
    global: &Global,
    options: &HookArgs,
    targets: Vec<CheckTarget>,
    at: AsOf,
) -> anyhow::Result<Vec<CheckedTarget>> {
    let pool = bulk::pool(global.threads)?;
    let resolved = check::schedule(None)?.resolve(u64::try_from(at.0.unix_seconds()).unwrap_or(0))?;
    // An old answer does not stand for the latest version, which is what would be fetched.
    let (dataset, key) = (options.asked.dataset.as_ref(), options.asked.key.as_ref());
    let dataset = dataset
        .map(|place| DatasetAnswers::open(&place.folder(&resolved.http, Refresh::Seldom, at, key)?, at, false))
        .transpose()?;
    let checker = Checker {
        resolved,
        dataset,
        store: global.named_db().map(|db| StoredAnswers::open(db, at, false)).transpose()?.flatten(),
        is_offline: true,
        pool: &pool,
        at,
        is_quiet: true,
        honours_appeals: false,
        named: OperatorPolicy::default(),
        approved: options.approved.list(),
    };
    checker.check(targets, Path::new("."))
}
