//! The means of the tools: targets as an agent names them, the store, and registries where they may be asked.

use std::path::Path;

use capdex_dataset::bulk;
use capdex_dataset::export::lookup::DatasetLookup;
use capdex_db::Reader;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::time::AsOf;

use super::McpServer;
use crate::check::dataset::DatasetAnswers;
use crate::check::published::Refresh;
use crate::check::stored::StoredAnswers;
use crate::check::target::{self, CheckSubject, CheckTarget};
use crate::check::{self, CheckedTarget, Checker};
use crate::config::Resolved;

/// A target that an agent names. Unlike one that a person writes it never leads to this machine or its network. A text that is no
/// target is one that cannot be judged.
pub(super) fn target_of(text: &str) -> CheckTarget {
    let text = text.trim();
    if text.contains("://") && !text.starts_with("pkg:") {
        let why = "this is no address that can be asked";
        return target::address(text, false).unwrap_or_else(|| target::unjudgeable("an address", why));
    }
    match target::read(text) {
        Ok(Some(target)) => target,
        Ok(None) => target::unjudgeable(text, "this names no registry: write npm:NAME, pypi:NAME or github:OWNER/NAME"),
        Err(why) => target::unjudgeable(text, why),
    }
}

impl McpServer {
    /// Reads the schedule once, so that a wrong one is told before anybody asks.
    ///
    /// # Errors
    /// A file that is no schedule, and a folder that is no dataset.
    pub fn check_options(&self) -> anyhow::Result<()> {
        self.dataset(self.now())?;
        self.resolved(self.now()).map(drop)
    }

    /// The registries of the schedule.
    pub(super) fn resolved(&self, at: AsOf) -> anyhow::Result<Resolved> {
        let schedule = check::schedule(self.config.as_deref())?;
        schedule.resolve(u64::try_from(at.0.unix_seconds()).unwrap_or(0))
    }

    /// The store; none where there is none yet.
    pub(super) fn reader(&self) -> anyhow::Result<Option<Reader>> {
        let there = self.db.as_ref().filter(|db| db.exists());
        Ok(there.map(|db| Reader::open(db, &capdex_rules::INDEX)).transpose()?)
    }

    /// The store's answers; none where there is no store yet.
    pub(super) fn stored(&self, at: AsOf) -> anyhow::Result<Option<StoredAnswers>> {
        // Without a network too an old answer does not stand for the latest version, which is what would be installed.
        Ok(self.db.as_ref().map(|db| StoredAnswers::open(db, at, false)).transpose()?.flatten())
    }

    /// The dataset for questions about names and changes; none where no dataset was named.
    pub(super) fn lookup(&self, at: AsOf) -> anyhow::Result<Option<DatasetLookup>> {
        let Some(place) = &self.dataset else { return Ok(None) };
        let folder = place.folder(&self.resolved(at)?.http, Refresh::Seldom, at, self.key.as_ref())?;
        DatasetLookup::open(&folder, &capdex_rules::INDEX).map(Some)
    }

    /// The operator's word, which is the store's.
    pub(super) fn policy(&self) -> anyhow::Result<OperatorPolicy> {
        Ok(self.reader()?.map(|reader| reader.operator_policy()).transpose()?.unwrap_or_default())
    }

    /// The dataset's answers; none where no dataset was named.
    fn dataset(&self, at: AsOf) -> anyhow::Result<Option<DatasetAnswers>> {
        let Some(place) = &self.dataset else { return Ok(None) };
        let folder = place.folder(&self.resolved(at)?.http, Refresh::Seldom, at, self.key.as_ref())?;
        DatasetAnswers::open(&folder, at, false).map(Some)
    }

    /// Checks targets as `capdex check` does.
    pub(super) fn check(&self, targets: Vec<CheckTarget>) -> anyhow::Result<Vec<CheckedTarget>> {
        let at = self.now();
        let pool = bulk::pool(self.threads)?;
        let schedule = check::schedule(self.config.as_deref())?;
        let approved = self.approved.or(&schedule.approved);
        let checker = Checker {
            resolved: schedule.resolve(u64::try_from(at.0.unix_seconds()).unwrap_or(0))?,
            store: self.stored(at)?,
            dataset: self.dataset(at)?,
            is_offline: !self.may_ask,
            pool: &pool,
            at,
            is_quiet: true,
            honours_appeals: false,
            named: OperatorPolicy::default(),
            approved,
        };
        checker.check(targets, Path::new("."))
    }
}

/// Why a target cannot be looked at by its own words; none where it may be.
pub(super) fn refusal(target: &CheckTarget) -> Option<&str> {
    match &target.subject {
        CheckSubject::Unjudgeable(why) => Some(why),
        _ => None,
    }
}
