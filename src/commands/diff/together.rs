//! `capdex diff A B --with FILE`: the change beside everything else that a configuration loads.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Context as _;
use capdex_dataset::escape;
use capdex_db::Scanned;
use capdex_model::approved::ApprovedNames;
use capdex_model::ids::CapabilityId;
use capdex_model::release_line;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::time::AsOf;

use crate::check::dataset::DatasetAnswers;
use crate::check::published::Refresh;
use crate::check::stored::StoredAnswers;
use crate::check::target::{CheckSubject, CheckTarget};
use crate::check::{CheckedTarget, Checker, named_file};
use crate::cli::DiffArgs;
use crate::config::Resolved;
use crate::diff::Difference;
use crate::diff::together::{self, Companion, FlowPart, NewFlow, Together};
use crate::exit::usage;
use crate::options::Global;
use crate::output::{self, Out};

/// Columns of the longest word of a way.
const WORD_WIDTH: usize = 7;

/// The reason where hosts were not listed yet when a package was scanned.
const HOSTS_NOT_LISTED: &str = "whether it sends anything was not listed when it was scanned";

/// The means of looking at what a configuration loads.
pub(super) struct Asked<'a> {
    pub(super) global: &'a Global,
    pub(super) options: &'a DiffArgs,
    pub(super) resolved: Resolved,
    pub(super) at: AsOf,
    pub(super) pool: &'a rayon::ThreadPool,
}

impl Asked<'_> {
    /// Looks at everything that the files load but another version of `after` itself, and tells what B opens beside it.
    pub(super) fn together(
        self,
        difference: &Difference,
        after: Option<&CheckTarget>,
        name: &str,
    ) -> anyhow::Result<Together> {
        let own = after.and_then(package);
        let targets = self.options.with.iter().map(|file| targets(file)).collect::<anyhow::Result<Vec<_>>>()?.concat();
        let targets: Vec<CheckTarget> =
            targets.into_iter().filter(|target| own.is_none() || package(target) != own).collect();
        let checker = Checker {
            // One that cannot be read takes nothing from the registries.
            store: StoredAnswers::open(&self.global.db, self.at, self.options.offline).ok().flatten(),
            dataset: self.dataset()?,
            resolved: self.resolved,
            is_offline: self.options.offline,
            pool: self.pool,
            at: self.at,
            is_quiet: self.global.quiet,
            named: OperatorPolicy::default(),
            approved: ApprovedNames::default(),
            honours_appeals: false,
        };
        let mut companions: BTreeMap<String, Companion> = BTreeMap::new();
        let mut not_known = BTreeMap::new();
        for checked in checker.check(targets, Path::new("."))? {
            let shown = checked.target.name.clone();
            if let Some(refusal) = checked.refusal {
                not_known.insert(shown, refusal.reason);
                continue;
            }
            let (parts, is_whole) = parts(&checker, checked, self.options)?;
            if !is_whole {
                not_known.insert(shown.clone(), HOSTS_NOT_LISTED.to_owned());
            }
            companions.insert(shown.clone(), Companion { name: shown, parts });
        }
        let companions: Vec<Companion> = companions.into_values().collect();
        let flows = together::flows(difference, name, &companions);
        Ok(Together { with: companions.into_iter().map(|one| one.name).collect(), not_known, flows })
    }

    /// The dataset that is named; none where none is.
    fn dataset(&self) -> anyhow::Result<Option<DatasetAnswers>> {
        let Some(place) = &self.options.dataset else { return Ok(None) };
        let refresh = if self.options.offline { Refresh::Never } else { Refresh::Always };
        let folder = place.folder(&self.resolved.http, refresh, self.at, self.options.key.as_ref())?;
        DatasetAnswers::open(&folder, self.at, self.options.offline).map(Some)
    }
}

/// The parts that a thing has, and whether all of them are known. Store and dataset answer by facts, and keep hosts beside them.
fn parts(
    checker: &Checker<'_>,
    checked: CheckedTarget,
    files: &DiffArgs,
) -> anyhow::Result<(BTreeSet<FlowPart>, bool)> {
    let scanned: Vec<Scanned> = checked.judged.into_iter().map(|judged| judged.scanned).collect();
    let mut parts = together::parts(&scanned);
    // Scanned just now, a capability has its hosts with it.
    let open: Vec<CapabilityId> =
        scanned.iter().filter(|one| one.pins.reach.is_none()).map(|one| one.capability.id).collect();
    let mut sends = Some(false);
    match (checked.record.answered_by, &checker.store, &checker.dataset) {
        (Some("store"), Some(store), _) => {
            for id in &open {
                sends = match (sends, store.is_sender(id)?) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                };
            }
        }
        (Some("dataset"), _, Some(dataset)) => {
            let senders = dataset.senders(&open.iter().map(|id| id.0.hex()).collect())?;
            let shown = files.dataset.as_ref().map(ToString::to_string).unwrap_or_default();
            let senders = senders.with_context(|| {
                format!(
                    "the dataset {shown} has no table `hosts`, which tells what sends something away; export it anew"
                )
            })?;
            sends = Some(!senders.is_empty());
        }
        _ => {}
    }
    if sends == Some(true) {
        parts.insert(FlowPart::Outward);
    }
    Ok((parts, sends.is_some()))
}

/// The package, repository or address that a target is, whatever its version.
fn package(target: &CheckTarget) -> Option<String> {
    match &target.subject {
        CheckSubject::Package { key, .. } => Some(format!("{}:{}", key.source, release_line::package_of(&key.name))),
        CheckSubject::Repository { name, .. } => Some(format!("github:{name}")),
        CheckSubject::Endpoint { url, .. } => Some(url.clone()),
        CheckSubject::Unjudgeable(_) | CheckSubject::Loaded => None,
    }
}

fn targets(file: &Path) -> anyhow::Result<Vec<CheckTarget>> {
    let shown = file.display().to_string();
    let read = named_file::read(file, &shown).map_err(|why| usage(format!("{shown}: {why}")))?;
    read.ok_or_else(|| usage(format!("{shown} is neither a client's configuration nor a lock file")))
}

pub(super) fn print(together: &Together, out: &mut Out) -> anyhow::Result<()> {
    let Together { with, not_known, flows } = together;
    let beside = escape::count(with.len() as u64, "thing");
    if flows.is_empty() {
        out.line(format_args!("Beside {beside} more that the configuration loads, no new way opens."))?;
    } else {
        out.line(format_args!("Together with {beside} more that the configuration loads:"))?;
    }
    for NewFlow { flow, is_first, parts, newly } in flows {
        let holds = flow.parts().iter().map(|part| {
            let names = parts.get(part).map(|names| names.join(", ")).unwrap_or_default();
            let newly = if newly.contains(part) { "newly " } else { "" };
            format!("{newly}{} ({names})", FlowPart::words(*part))
        });
        let end =
            if *is_first { "no such way was open before" } else { "such a way was open before; this is one more" };
        let text = format!("{}: {end}", holds.collect::<Vec<_>>().join(" + "));
        out.line(output::hanging(&format!("  {:WORD_WIDTH$}  ", flow.as_str()), &escape::escape(&text)))?;
    }
    for (name, why) in not_known {
        out.line(format_args!("  not known: {} ({})", escape::escape(name), escape::escape(why)))?;
    }
    Ok(())
}
