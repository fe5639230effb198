//! `capdex diff A B --with FILE`: the change beside everything else that a configuration loads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capdex_dataset::escape;
use capdex_model::approved::ApprovedNames;
use capdex_model::release_line;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::time::AsOf;

use crate::check::stored::StoredAnswers;
use crate::check::target::{CheckSubject, CheckTarget};
use crate::check::{Checker, named_file};
use crate::config::Schedule;
use crate::diff::Difference;
use crate::diff::together::{self, Companion, FlowPart, NewFlow, Together};
use crate::exit::usage;
use crate::options::Global;
use crate::output::{self, Out};

/// Columns of the longest word of a way.
const WORD_WIDTH: usize = 7;

/// The means of looking at what a configuration loads.
pub(super) struct Asked<'a> {
    pub(super) global: &'a Global,
    pub(super) schedule: Schedule,
    pub(super) at: AsOf,
    pub(super) pool: &'a rayon::ThreadPool,
}

impl Asked<'_> {
    /// Looks at everything that the files load but another version of `after` itself, and tells what B opens beside it.
    pub(super) fn together(
        self,
        files: &[PathBuf],
        difference: &Difference,
        after: Option<&CheckTarget>,
        name: &str,
    ) -> anyhow::Result<Together> {
        let own = after.and_then(package);
        let targets = files.iter().map(|file| targets(file)).collect::<anyhow::Result<Vec<_>>>()?.concat();
        let targets: Vec<CheckTarget> =
            targets.into_iter().filter(|target| own.is_none() || package(target) != own).collect();
        let checker = Checker {
            resolved: self.schedule.resolve(u64::try_from(self.at.0.unix_seconds()).unwrap_or(0))?,
            // One that cannot be read takes nothing from the registries.
            store: StoredAnswers::open(&self.global.db, self.at, false).ok().flatten(),
            dataset: None,
            is_offline: false,
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
            match checked.refusal {
                Some(refusal) => drop(not_known.insert(shown, refusal.reason)),
                None => {
                    let scanned: Vec<_> = checked.judged.into_iter().map(|judged| judged.scanned).collect();
                    let parts = together::parts(&scanned);
                    companions.insert(shown.clone(), Companion { name: shown, parts });
                }
            }
        }
        let companions: Vec<Companion> = companions.into_values().collect();
        let flows = together::flows(difference, name, &companions);
        Ok(Together { with: companions.into_iter().map(|one| one.name).collect(), not_known, flows })
    }
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
