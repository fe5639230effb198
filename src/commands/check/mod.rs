//! `capdex check`: the question before an install.

mod lines;

use std::path::{Path, PathBuf};

use capdex_dataset::{bulk, escape};
use capdex_model::time::AsOf;
use capdex_rubrics::rank::place;

use crate::check::dataset::DatasetAnswers;
use crate::check::loaded_here::{self, LoadedHere};
use crate::check::published::Refresh;
use crate::check::stored::StoredAnswers;
use crate::check::target::{self, CheckTarget};
use crate::check::{self, CheckedTarget, Checker, found_here, named_file, report_page};
use crate::cli::CheckArgs;
use crate::clock;
use crate::exit::{Exit, usage};
use crate::formats::{FORMATS, ScanFormat};
use crate::judging;
use crate::operator;
use crate::options::Global;
use crate::output::{self, Out};

pub(super) fn run(global: &Global, options: &CheckArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let format = FORMATS.iter().find(|format| format.id() == options.format);
    let format = format.ok_or_else(|| usage(format!("there is no format {:?}", options.format)))?;
    // Before anybody is asked: a file of the user's is in the way of nothing else.
    options.report.as_deref().map(report_page::expect_room).transpose()?;
    let working = std::env::current_dir()?;
    let mut loaded = LoadedHere::default();
    let targets = match options.targets.as_slice() {
        [] => {
            let home: Option<PathBuf> = std::env::home_dir().filter(|home| home.is_absolute());
            loaded = loaded_here::find(home.as_deref(), &working);
            found(global, home.as_deref(), &working, &loaded)
        }
        named => {
            let read = named.iter().map(|text| of_text(text)).collect::<anyhow::Result<Vec<_>>>()?;
            // Silence would read as a clean answer.
            for (text, _) in named.iter().zip(&read).filter(|(_, targets)| targets.is_empty()) {
                let shown = escape::escape(text);
                output::say(format_args!("{shown} names no server and no package: there is nothing in it to judge"));
            }
            read.concat()
        }
    };
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let schedule = check::schedule(options.config.as_deref())?;
    let pool = bulk::pool(global.threads)?;
    let resolved = schedule.resolve(u64::try_from(at.0.unix_seconds()).unwrap_or(0))?;
    let refresh = if options.offline { Refresh::Never } else { Refresh::Always };
    let dataset = options.dataset.as_ref().map(|place| {
        DatasetAnswers::open(&place.folder(&resolved.http, refresh, at, options.key.as_ref())?, at, options.offline)
    });
    let checker = Checker {
        resolved,
        store: store(global, options, at)?,
        dataset: dataset.transpose()?,
        is_offline: options.offline,
        pool: &pool,
        at,
        is_quiet: global.quiet,
        honours_appeals: options.honour_annotations.is_some(),
        named: schedule.verdict.policy()?.and(operator::named(&options.rulings, &[])?),
        approved: options.approved.or(&schedule.approved),
    };
    let mut checked = checker.check(targets, &working)?;
    checked.extend(checker.judge_loaded(loaded, &working)?);
    // A stable sort: equals stay in the order in which they were named.
    checked.sort_by_key(|one| std::cmp::Reverse(place(one.band())));
    print(&checked, *format, at, out)?;
    options.report.as_deref().map(|path| report_page::write(path, &checked, at)).transpose()?;
    let unjudged: Vec<&CheckedTarget> = checked.iter().filter(|one| one.refusal.is_some()).collect();
    // Nobody could be reached and nothing is known: that is a failure, and no result.
    if let [first, ..] = unjudged.as_slice()
        && unjudged.len() == checked.len()
        && unjudged.iter().all(|one| one.refusal.as_ref().is_some_and(|refusal| refusal.is_unreachable))
    {
        let reason = first.refusal.as_ref().map(|refusal| refusal.reason.clone()).unwrap_or_default();
        anyhow::bail!("nothing could be judged: {reason}");
    }
    let met = options.fail_on.is_some_and(|threshold| {
        checked.iter().flat_map(|one| &one.judged).any(|judged| judging::meets(judged, threshold))
    });
    Ok(Exit::of(met, !checked.iter().all(CheckedTarget::is_complete)))
}

fn print(checked: &[CheckedTarget], format: &dyn ScanFormat, at: AsOf, out: &mut Out) -> anyhow::Result<()> {
    // People ask about targets; programs read every capability.
    if format.id() == "table" {
        return lines::print(checked, at, out);
    }
    let mut printer = format.printer();
    for judged in checked.iter().flat_map(|one| &one.judged) {
        printer.add(judged, out)?;
    }
    printer.finish(out)
}

/// The store's answers; none where there is no store. One that cannot be read takes nothing from the registries.
fn store(global: &Global, options: &CheckArgs, at: AsOf) -> anyhow::Result<Option<StoredAnswers>> {
    match StoredAnswers::open(&global.db, at, options.offline) {
        Ok(store) => Ok(store),
        Err(error) if options.offline => {
            Err(anyhow::Error::new(error).context(format!("failed to open the store {}", global.db.display())))
        }
        Err(error) => {
            output::say(format_args!("capdex: the store {} is not asked: {error}", global.db.display()));
            Ok(None)
        }
    }
}

/// The targets that one argument names.
fn of_text(text: &str) -> anyhow::Result<Vec<CheckTarget>> {
    if let Some(target) = target::read(text).map_err(usage)? {
        return Ok(vec![target]);
    }
    let path = Path::new(text);
    if path.is_dir() {
        return Err(usage(format!(
            "{text} is a folder: `capdex scan {text}` reads files; name a configuration or a lock file in it"
        )));
    }
    if !path.is_file() {
        return Err(usage(nothing_called(text)));
    }
    let targets = named_file::read(path, text).map_err(|why| usage(format!("{text}: {why}")))?;
    targets.ok_or_else(|| {
        usage(format!(
            "{text} is neither a client's configuration nor a lock file, or does not parse; `capdex scan {text}` reads files, and \
             says where one is broken"
        ))
    })
}

/// The error for a text that is neither a target nor a path.
fn nothing_called(text: &str) -> String {
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.@".contains(&byte))
    };
    match text.split_once('/') {
        None if is_word(text) => {
            format!(
                "{text:?} may be a package of any registry: write npm:{text} or pypi:{text}; there is no file of that name"
            )
        }
        Some((owner, name)) if text.starts_with('@') && is_word(owner) && is_word(name) => {
            format!("{text:?} may be a package of npm: write npm:{text}; there is no file of that name")
        }
        // Owners of repositories have no dot, and hosts have.
        Some((host, _)) if host.contains('.') && !host.starts_with('.') && is_word(host) => {
            format!("{text:?} may be an address: write https://{text}; there is no file of that name")
        }
        Some((owner, name)) if is_word(owner) && is_word(name) && !owner.starts_with('.') => {
            format!("{text:?} may be a repository: write github:{text}; there is no file of that name")
        }
        _ => format!(
            "there is nothing at {text}; a target is npm:NAME, pypi:NAME, github:OWNER/NAME, pkg:…, an https:// address, or the path \
             of a lock file or a configuration"
        ),
    }
}

/// The targets of every configuration of this machine, with lines about what was read of it.
fn found(global: &Global, home: Option<&Path>, working: &Path, loaded: &LoadedHere) -> Vec<CheckTarget> {
    let here = found_here::find(home, working);
    let (mut targets, mut read) = (Vec::new(), Vec::new());
    for file in &here.files {
        match named_file::read(&file.path, &file.shown) {
            Ok(found) => targets.extend(found.unwrap_or_default()),
            Err(why) => targets.push(target::unjudgeable(&file.shown, why)),
        }
        read.push(escape::escape(&file.shown).into_owned());
    }
    targets.extend(loaded.refused.iter().map(|(shown, why)| target::unjudgeable(shown, why.clone())));
    if !global.quiet {
        let files = escape::count(read.len() as u64, "configuration");
        match read.as_slice() {
            [] if loaded.folders.is_empty() && loaded.loose.is_empty() => {
                output::say("no agent configuration below your home folder or in the working folder");
            }
            [] => {}
            _ => output::say(format_args!("read {files}: {}", read.join(", "))),
        }
        say_what_is_loaded(loaded);
        for folder in &here.cut {
            output::say(format_args!(
                "not all of {} was looked through: it has too many files",
                escape::escape(folder)
            ));
        }
    }
    targets
}

/// Names the skills and plugins, and counts the files that stand alone.
fn say_what_is_loaded(loaded: &LoadedHere) {
    /// Folders that are named; the rest is counted, since each has its line in the answer.
    const SHOWN: usize = 5;
    if !loaded.folders.is_empty() {
        let named: Vec<_> = loaded.folders.iter().take(SHOWN).map(|(_, shown)| escape::escape(shown)).collect();
        let more = loaded.folders.len() - named.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        output::say(format_args!("looked at installed skills and plugins: {}{more}", named.join(", ")));
    }
    if !loaded.loose.is_empty() {
        let files: usize = loaded.loose.iter().map(|one| one.files.len()).sum();
        let files = escape::count(files as u64, "file");
        let folders: Vec<_> = loaded.loose.iter().map(|one| escape::escape(&one.shown)).collect();
        output::say(format_args!("looked at {files} of settings, hooks, commands and rules in {}", folders.join(", ")));
    }
}
