//! `capdex typosquats`: names that are almost others, from the store or over two plain lists.

use capdex_corpus::typosquat::TyposquatCandidate;
use capdex_corpus::typosquat::list::{NameListLine, PopularNames};
use capdex_dataset::escape;
use capdex_model::time::AsOf;
use tracing::warn;

use super::{list_output, summary};
use crate::cli::TyposquatsArgs;
use crate::exit::Exit;
use crate::jobs::watch::typosquats::read_list;
use crate::options::Global;
use crate::output::Out;
use capdex_dataset::bulk;
use capdex_dataset::views::typosquats::{SCHEMA, TyposquatView};

/// Candidates shown in the table; the other formats show all.
const SHOWN: usize = 200;
/// Lines handed to the pool at once.
const BATCH: usize = 16_384;
/// Letters of a name shown in the table.
const COLUMNS: usize = 48;

pub(super) fn run(global: &Global, options: &TyposquatsArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let (candidates, unread) = match &options.names {
        None => {
            (super::reader(global)?.typosquats()?.into_iter().map(|(candidate, at)| (candidate, Some(at))).collect(), 0)
        }
        Some(names) => {
            let names = read_list(names)?;
            // Without a second list the names are compared with each other.
            let popular = options.popular.as_deref().map(read_list).transpose()?.unwrap_or_else(|| names.clone());
            // A list compared with itself needs each pair only once.
            let is_within = options.popular.is_none();
            compared(global, &names, PopularNames::new(popular, is_within))?
        }
    };
    let candidates: Vec<(TyposquatCandidate, Option<AsOf>)> = candidates;
    let views: Vec<TyposquatView<'_>> =
        candidates.iter().map(|(candidate, at)| TyposquatView::of(candidate, *at)).collect();
    list_output::print(options.format, SCHEMA, &views, out, |out| table(&views, out))?;
    if unread > 0 {
        warn!(names = unread, "some names are empty or too long to be compared");
    }
    Ok(Exit::of(false, unread > 0))
}

/// The candidates, worst first, and the number of names that could not be compared.
type ComparedNames = (Vec<(TyposquatCandidate, Option<AsOf>)>, usize);

fn compared(global: &Global, names: &[NameListLine], popular: PopularNames) -> anyhow::Result<ComparedNames> {
    let mut unread = popular.unread();
    let mut candidates: Vec<TyposquatCandidate> = Vec::new();
    let pool = bulk::pool(global.threads)?;
    bulk::ordered(
        &pool,
        names,
        BATCH,
        |line| popular.candidates(line),
        |_, found| {
            // Counted rather than dropped, because a name that was not compared is not known to be harmless.
            unread += found.iter().filter(|found| found.is_none()).count();
            candidates.extend(found.into_iter().flatten().flatten());
            Ok(())
        },
    )?;
    candidates.sort_by(TyposquatCandidate::order);
    // Two equal lines in a list give the same candidate twice.
    candidates.dedup();
    Ok((candidates.into_iter().map(|candidate| (candidate, None)).collect(), unread))
}

fn table(candidates: &[TyposquatView<'_>], out: &mut Out) -> anyhow::Result<()> {
    if candidates.is_empty() {
        out.line("No look-alikes.")?;
        return Ok(());
    }
    let mut table = summary::table();
    table.set_header(["severity", "name", "target", "kind", "edits", "why"]);
    // Shortened before it is escaped, so that no escape sequence is cut in half.
    let cell = |text: &str| escape::escape(&escape::shorten(text, COLUMNS)).into_owned();
    for candidate in candidates.iter().take(SHOWN) {
        let named = |listing: &str| cell(&format!("{} ({listing})", candidate.name));
        let shown = candidate.listing.map_or_else(|| cell(candidate.name), named);
        let reasons = escape::escape(&candidate.reasons.join("; ")).into_owned();
        let (severity, kind) = (candidate.severity.as_str().to_owned(), candidate.kind.as_str().to_owned());
        table.add_row([severity, shown, cell(candidate.target), kind, candidate.distance.to_string(), reasons]);
    }
    out.line(table)?;
    let more = candidates.len().saturating_sub(SHOWN);
    if more > 0 {
        out.line(format_args!("… and {more} more (--format jsonl shows all)"))?;
    }
    Ok(())
}
