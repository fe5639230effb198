//! The lines that a run prints at its end: the result of each stage, the counts of verdicts, the worst, and what changed.

use capdex_dataset::escape;
use capdex_model::score::Band;
use capdex_rubrics::RUBRICS;
use comfy_table::presets;
use comfy_table::{Cell, CellAlignment, Color, ContentArrangement, Table};

use crate::jobs::StageReport;
use crate::jobs::run::RunReport;
use crate::output::Out;
use capdex_dataset::export::band_changes::BandChanges;
use capdex_dataset::export::rank_summary::RankSummary;
use capdex_dataset::export::top_rows::{TopRow, TopRows};

/// Letters of the sentence behind a verdict in a table.
const BECAUSE: usize = 90;

/// What a run left behind that its last lines are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SummaryOf {
    /// A dataset, compared with the one of the night before.
    Dataset,
    /// The store, compared with what the run before left in it.
    Store,
}

/// Prints the counts by verdict worst first, then the worst, then what changed.
pub(super) fn print_ranks(of: SummaryOf, summary: &RankSummary, out: &mut Out) -> anyhow::Result<()> {
    print_bands(of, summary, out)?;
    print_worst(of, &summary.top_rows, out)?;
    print_changes(of, &summary.band_changes, out)
}

/// Prints how many capabilities have each verdict, worst first, with what became of the counts.
fn print_bands(of: SummaryOf, summary: &RankSummary, out: &mut Out) -> anyhow::Result<()> {
    let before = match of {
        SummaryOf::Dataset => "last night",
        SummaryOf::Store => "the run before",
    };
    let since = match summary.bands_before.map(|before| summary.bands.since(&before)) {
        None => String::new(),
        Some(None) => format!("; since {before} no other counts"),
        Some(Some(differences)) => format!("; since {before} {differences}"),
    };
    out.line(format_args!("{}{since}", summary.bands))?;
    Ok(())
}

/// Prints what is new or has another verdict than before, worst first.
fn print_changes(of: SummaryOf, changes: &BandChanges, out: &mut Out) -> anyhow::Result<()> {
    for change in &changes.lines {
        let before = change.before.as_deref().unwrap_or("new");
        let slug = escape::shorten(&escape::escape(&change.slug), 72);
        out.line(format_args!("changed  {slug}: {} → {}", escape::escape(before), change.now.as_str()))?;
    }
    if changes.beyond > 0 || changes.gone > 0 {
        let (more, gone) = (changes.beyond, escape::count(changes.gone, "capability"));
        let place = match of {
            SummaryOf::Dataset => ": the table `changes` has them all.",
            SummaryOf::Store => ".",
        };
        out.line(format_args!("{more} more with another verdict, {gone} gone{place}"))?;
    }
    Ok(())
}

/// Prints the worst, worst first.
fn print_worst(of: SummaryOf, top_rows: &TopRows, out: &mut Out) -> anyhow::Result<()> {
    if top_rows.lines.is_empty() {
        return Ok(());
    }
    let mut table = table();
    let seeds = RUBRICS.iter().map(|rubric| &rubric.meta().rubric).filter(|rubric| rubric.is_seed());
    // A column that says nothing of nearly all rows would take the room of the sentence.
    let answering = seeds.enumerate().filter(|(place, _)| top_rows.is_answering(*place));
    let (places, rubrics): (Vec<usize>, Vec<&str>) = answering.map(|(place, rubric)| (place, &*rubric.id)).unzip();
    let heads: Vec<String> = ["#", "capability", "kind", "band"]
        .into_iter()
        .map(ToOwned::to_owned)
        // The first word of the id, which is the name of the method; the column has no room for more.
        .chain(rubrics.iter().map(|id| id.split('/').next().unwrap_or(id).to_owned()))
        .chain(["because".to_owned()])
        .collect();
    table.set_header(heads);
    // Numbers are aligned on the right; the other columns are words.
    for index in std::iter::once(0).chain((4..).take(rubrics.len())) {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for line in &top_rows.lines {
        table.add_row(cells(line, &places));
    }
    out.line(table)?;
    if top_rows.beyond > 0 {
        let place = match of {
            SummaryOf::Dataset => "dataset",
            SummaryOf::Store => "store",
        };
        let (shown, beyond) = (top_rows.lines.len(), top_rows.beyond);
        out.line(format_args!("The {shown} that rank last; {beyond} others are in the {place}."))?;
    }
    Ok(())
}

/// The name of the first row as `explain` takes it, where a shell takes it as it stands: people copy what is shown to them.
pub(super) fn first_name(top_rows: &TopRows) -> Option<String> {
    let line = top_rows.lines.first()?;
    let name = format!("{}#{}:{}", line.package, line.kind, line.path);
    // No quotation mark and no dollar sign: a stranger's name must not run as a command when it is pasted.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@:/._-#".contains(&byte);
    (name.bytes().all(is_plain) && !name.starts_with(['-', '#'])).then_some(name)
}

/// The cells of a line, with the scores of the methods at these places.
fn cells(line: &TopRow, places: &[usize]) -> Vec<Cell> {
    let name = format!("{}#{}", line.package, line.path);
    let name = escape::shorten(&escape::escape(name.trim_end_matches('#')), 52);
    let band = Cell::new(line.band.as_str()).fg(colour(line.band));
    let mut cells = vec![
        Cell::new(line.rank.map_or_else(|| "-".to_owned(), |rank| rank.to_string())),
        Cell::new(name),
        Cell::new(line.kind),
        band,
    ];
    for score in places.iter().filter_map(|place| line.scores.get(*place)) {
        cells.push(Cell::new(match score {
            Some((value, grade)) => format!("{value} {}", escape::shorten(grade, 17)),
            None => "n/a".to_owned(),
        }));
    }
    cells.push(Cell::new(escape::shorten(&escape::escape(&line.reason), BECAUSE)));
    cells
}

const fn colour(band: Band) -> Color {
    match band {
        Band::Ok => Color::Green,
        Band::Watch => Color::Yellow,
        Band::Caution => Color::DarkYellow,
        Band::Block => Color::Red,
        Band::Unknown => Color::Grey,
    }
}

/// A table that fits the terminal.
pub(super) fn table() -> Table {
    let mut table = Table::new();
    // Dynamic, so that a narrow terminal breaks cells instead of lines.
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table
}

/// Prints what each stage did, and says plainly when there was nothing to do.
pub(super) fn print_report(report: &RunReport, out: &mut Out) -> anyhow::Result<()> {
    let line = |name: &str, stage: &StageReport, what: String| {
        let failed = if stage.failed > 0 { format!(", {} failed", stage.failed) } else { String::new() };
        format!("{name:>7}  {what}{failed}  ({:.1} s)", stage.wall_ms as f64 / 1000.0)
    };
    let list = format!(
        "{} asked for with {}, {} new or changed",
        escape::count(report.list.items, "listing"),
        escape::count(report.list.requests, "request"),
        report.list.done
    );
    out.line(line("list", &report.list, list))?;
    let fetch = if report.fetch.items == 0 {
        "nothing fetched, nothing unpacked: every artifact is as it was".to_owned()
    } else {
        format!(
            "{} fetched and unpacked, {}",
            escape::count(report.fetch.done, "artifact"),
            escape::bytes(report.fetch.bytes)
        )
    };
    out.line(line("fetch", &report.fetch, fetch))?;
    if report.signals.items > 0 {
        let signals = format!(
            "{} asked for more with {}, {} answered",
            escape::count(report.signals.items, "listing"),
            escape::count(report.signals.requests, "request"),
            report.signals.done
        );
        out.line(line("signals", &report.signals, signals))?;
    }
    let scan = if report.scan.items == 0 {
        "nothing scanned: every snapshot was seen under this rule set".to_owned()
    } else {
        format!("{} scanned, {}", escape::count(report.scan.done, "snapshot"), escape::bytes(report.scan.bytes))
    };
    out.line(line("scan", &report.scan, scan))?;
    let score = if report.score.done == 0 {
        "nothing scored: the scores are up to date".to_owned()
    } else {
        format!("{} computed", escape::count(report.score.done, "score"))
    };
    out.line(line("score", &report.score, score))?;
    let watch = format!(
        "{} compared over nights and directories, {} new",
        escape::count(report.watch.items, "thing"),
        escape::count(report.watch.done, "observation")
    );
    out.line(line("watch", &report.watch, watch))?;
    if report.prune.done > 0 {
        let rows = escape::count(report.prune.done, "row");
        let prune = format!("{rows} deleted that were old and not needed, {}", escape::bytes(report.prune.bytes));
        out.line(line("prune", &report.prune, prune))?;
    }
    if report.open_gaps > 0 {
        out.line(format_args!(
            "{} open: `capdex status` lists what could not be looked at, and why.",
            escape::count(report.open_gaps, "gap")
        ))?;
    }
    Ok(())
}
