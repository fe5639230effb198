//! The join stage: the claims of all listings of one entity are joined before anything is scanned.
//!
//! Must not send a request. Who is one entity and who lends whom what, corpus decides; only differences are written, and
//! they make those packages unscanned whom they concern.

use capdex_corpus::identity::{self, Given, Proofs};
use capdex_corpus::signals::{self, Walked};
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::Reader;
use capdex_model::digest::Digest;

use super::list::is_directory;
use super::{JobContext, StageReport};

/// The stage's name among the passes of the store.
const PASS: &str = "signals";
/// Version of this judgement: with another one it runs again over what it has looked at.
const VERSION: u32 = 1;

/// Joins the signals of every entity.
///
/// # Errors
/// Errors of the store.
pub fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let watch = Stopwatch::start();
    let mut report = StageReport::default();
    let said = format!("{}.{}", context.overrides.digest(), Digest::of_json(&context.approved));
    let state = format!("{VERSION}.{}.{said}", context.store.reader()?.signals_state()?);
    // Nothing was listed, answered or fetched since: everybody says what he said.
    if context.store.reader()?.pass_input(PASS)?.as_ref() != Some(&state) {
        // Manifests of repositories prove the links of packages with them.
        read_repositories(context)?;
        let reader = context.store.reader()?;
        let (statements, stated): (Vec<_>, Vec<_>) =
            reader.stated_signals(&capdex_crawlers::roles())?.into_iter().unzip();
        report.items = u64::try_from(statements.len())?;
        // Skills are left out: a directory's word for a folder proves nothing, and so lends nothing.
        let proofs = Proofs { manifests: reader.manifests()?, ..Proofs::default() };
        let given = Given { proofs, overrides: context.overrides.clone(), ..Given::default() };
        let identified = identity::identify(&statements, &given);
        let joined = signals::join(&statements, &identified, &stated, walked(&reader, &statements)?, &context.approved);
        let at = context.as_of;
        report.done = context.store.write(move |writer| {
            let changed = writer.replace_entity_signals(&joined)?;
            writer.pass_ran(PASS, &state, at)?;
            Ok(changed)
        })?;
    }
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// Reads the manifests of repositories that packages name, each snapshot once.
///
/// # Errors
/// Errors of the store.
pub(super) fn read_repositories(context: &JobContext) -> anyhow::Result<()> {
    let reader = context.store.reader()?;
    for snapshot in reader.unread_repositories()? {
        // One transaction for each: a store may hold thousands of repositories, and each is read only once.
        let manifests = reader.read_manifests(snapshot)?;
        context.store.write(move |writer| writer.keep_manifests(snapshot, &manifests))?;
    }
    Ok(())
}

/// Which directories were walked to their end, so that what they do not list is known.
fn walked(reader: &Reader, statements: &[identity::Statement]) -> anyhow::Result<Walked> {
    let mut walked = Walked::default();
    let kinds = reader.source_kinds()?;
    let mut sources: Vec<(&str, bool)> =
        statements.iter().map(|said| (said.member.key.source.as_str(), said.is_official())).collect();
    // The official rows of a source come last, and tell that it is the official registry.
    sources.sort_unstable();
    sources.dedup();
    for (source, is_official) in sources {
        let is_whole = reader.source_state(source)?.is_some_and(|state| state.last_whole.is_some());
        let kind = kinds.get(source).map_or(source, String::as_str);
        walked.directories |= is_whole && is_directory(kind);
        walked.official |= is_whole && is_official;
    }
    Ok(walked)
}
