//! `capdex alerts list`, and the lines about new alerts at the end of a night.

use std::collections::BTreeMap;

use capdex_dataset::escape;
use capdex_db::Reader;
use capdex_model::alert::{Raised, by_rank};
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;
use comfy_table::{Cell, Color, ColumnConstraint, Table};

use super::AlertExclusions;
use crate::cli::AlertsListArgs;
use crate::commands::{drift, list_output, summary};
use crate::exit::{Exit, usage};
use crate::jobs::alerts::AlertsReport;
use crate::options::Global;
use crate::output::Out;
use capdex_dataset::views::alerts::{AlertView, SCHEMA};

/// New alerts that the end of a night shows.
const SHOWN: usize = 5;
/// Columns of a title in a table.
const COLUMNS: usize = 90;
/// Letters of a day at the beginning of an instant.
const DAY: usize = 10;

pub(super) fn run(global: &Global, options: &AlertsListArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = crate::commands::reader(global)?;
    let known = AlertExclusions::read(&reader, super::now(global))?;
    let rows = chosen(global, &reader, options, &known)?;
    let kept_back = kept_back(&reader, &known)?;
    let views: Vec<AlertView<'_>> =
        rows.iter().map(|(Raised { alert, at }, state)| AlertView::of(alert, *at).in_state(state)).collect();
    list_output::print(options.format, SCHEMA, &views, out, |out| table(&views, options, &kept_back, out))?;
    Ok(Exit::Done)
}

/// How many alerts are kept back by each of the operator's words, in one line; empty where none is.
fn kept_back(reader: &Reader, known: &AlertExclusions) -> anyhow::Result<String> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for raised in reader.raised()? {
        *counts.entry(super::state(&raised, known)).or_default() += 1;
    }
    counts.remove("open");
    Ok(counts.iter().map(|(state, count)| format!("{count} {state}")).collect::<Vec<_>>().join(", "))
}

/// The alerts that are asked for, worst first, each with its state.
fn chosen(
    global: &Global,
    reader: &Reader,
    options: &AlertsListArgs,
    known: &AlertExclusions,
) -> anyhow::Result<Vec<(Raised, &'static str)>> {
    let since = options.since.as_deref().map(|text| drift::since(global, reader, text)).transpose()?;
    let of_message = match &options.message {
        None => None,
        Some(id) => {
            let keys = reader.alerts_in_message(id)?;
            Some(keys.ok_or_else(|| usage(format!("no message {id:?} in the store")))?)
        }
    };
    // Asked for by message, the alerts are shown in whatever state they are.
    let is_all = options.all || of_message.is_some();
    let rows = super::ranked(reader)?.into_iter().map(|raised| {
        let state = super::state(&raised, known);
        (raised, state)
    });
    let is_chosen = |(raised, state): &(Raised, &'static str)| {
        let Raised { alert, at } = raised;
        (is_all || *state == "open")
            && since.is_none_or(|since| *at >= since)
            && options.severity.is_none_or(|severity| alert.severity >= severity)
            && of_message.as_ref().is_none_or(|keys| keys.contains(&alert.key))
    };
    Ok(rows.filter(is_chosen).collect())
}

fn table(alerts: &[AlertView<'_>], options: &AlertsListArgs, kept_back: &str, out: &mut Out) -> anyhow::Result<()> {
    if alerts.is_empty() {
        match (options.all, kept_back) {
            (true, _) => out.line("No alerts.")?,
            (false, "") => out.line("No open alerts. `--all` also shows what is acknowledged.")?,
            (false, kept_back) => out.line(format_args!("No open alerts; {kept_back}. `--all` shows these too."))?,
        }
        return Ok(());
    }
    out.line(listing(alerts.iter().map(|alert| AlertRow {
        id: &alert.id,
        severity: alert.severity,
        state: alert.state.unwrap_or("-"),
        raised: alert.raised,
        title: alert.title,
    })))?;
    let beside = match (options.all, kept_back) {
        (true, _) | (_, "") => String::new(),
        (false, kept_back) => format!("; {kept_back}"),
    };
    // The first is the worst, and a command that can be pasted is worth more than one that has to be filled in.
    let first = alerts.first().map_or("ALERT", |alert| alert.id.as_str());
    out.line(format_args!(
        "{}{beside}. Next: capdex alerts show {first} · capdex alerts ack {first}",
        escape::count(alerts.len() as u64, "alert")
    ))?;
    Ok(())
}

/// What a line of the table tells of an alert. Its rule and the time of day stand in `alerts show`.
struct AlertRow<'a> {
    id: &'a str,
    severity: Severity,
    state: &'a str,
    raised: AsOf,
    title: &'a str,
}

/// The table. Only the last column breaks in a narrow terminal.
fn listing<'a>(rows: impl Iterator<Item = AlertRow<'a>>) -> Table {
    let mut table = summary::table();
    table.set_header(["alert", "severity", "state", "raised", "what"]);
    for AlertRow { id, severity, state, raised, title } in rows {
        let day: String = raised.to_string().chars().take(DAY).collect();
        table.add_row([
            Cell::new(id),
            // Painted by the table, which knows that a colour has no width.
            Cell::new(severity.as_str()).fg(colour(severity)),
            Cell::new(state),
            Cell::new(day),
            Cell::new(escape::shorten(&escape::escape(title), COLUMNS)),
        ]);
    }
    for column in table.column_iter_mut().take(4) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    table
}

const fn colour(severity: Severity) -> Color {
    match severity {
        Severity::Critical | Severity::High => Color::Red,
        Severity::Medium => Color::DarkYellow,
        Severity::Low => Color::Yellow,
        Severity::Info => Color::Grey,
    }
}

/// The lines of a night about alerts: the number of new ones, the messages to notifiers, and the worst of the new ones.
pub(crate) fn print_new(reader: &Reader, report: &AlertsReport, as_of: AsOf, out: &mut Out) -> anyhow::Result<()> {
    let failed = match report.failed() {
        0 => String::new(),
        failed => format!(", {} failed", escape::count(failed, "try")),
    };
    let told = match report.sinks.len() {
        0 => "no sink is configured".to_owned(),
        sinks => format!(
            "{} new for {}, {} sent, {} waiting{failed}",
            escape::count(report.sinks.iter().map(|sink| sink.new).sum(), "message"),
            escape::count(sinks as u64, "sink"),
            report.sent(),
            report.waiting()
        ),
    };
    let seconds = report.wall_ms as f64 / 1000.0;
    out.line(format_args!(" alerts  {} raised; {told}  ({seconds:.1} s)", escape::count(report.raised, "alert")))?;
    // Notifiers that took everything need no line.
    for sink in report.sinks.iter().filter(|sink| sink.waiting > 0) {
        let error = sink.error.as_deref().unwrap_or("no time left in this run");
        out.line(format_args!(
            "         {}: {} waiting — {}",
            sink.sink,
            escape::count(sink.waiting, "message"),
            escape::escape(error)
        ))?;
    }
    // A quiet night ends here, so that its output stays short.
    if report.raised == 0 {
        return Ok(());
    }
    // Raised at the instant of this run: an alert that came again is not new.
    let mut new: Vec<Raised> = reader.raised()?.into_iter().filter(|raised| raised.at == as_of).collect();
    new.sort_by(by_rank);
    for Raised { alert, .. } in new.iter().take(SHOWN) {
        out.line(format_args!(
            "  {}  {:<8}  {}",
            alert.handle(),
            alert.severity.as_str(),
            escape::shorten(&escape::escape(&alert.title), COLUMNS)
        ))?;
    }
    if new.len() > SHOWN {
        out.line(format_args!("  … and {} more", new.len() - SHOWN))?;
    }
    if let Some(Raised { alert, .. }) = new.first() {
        out.line(format_args!("Next: capdex alerts list · capdex alerts show {}", alert.handle()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighty_columns_break_no_colour_and_no_word() {
        let title = "folder-invoices-skill: now sends what it reads to collect.invoice-sync.example.net";
        let raised: AsOf = "2026-11-21T01:00:00Z".parse().expect("an instant");
        let row = AlertRow { id: "1a2b3c4d", severity: Severity::Critical, state: "acknowledged", raised, title };
        let mut table = listing(std::iter::once(row));
        table.set_width(80).enforce_styling();
        let painted = table.to_string();
        assert!(painted.contains("\u{1b}["), "a terminal has colour: {painted:?}");
        for line in painted.lines() {
            let (mut plain, mut rest) = (String::new(), line);
            while let Some((before, behind)) = rest.split_once('\u{1b}') {
                plain.push_str(before);
                let end = behind.find('m').unwrap_or_else(|| panic!("a colour is cut: {line:?}"));
                assert!(behind[1..end].bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{line:?}");
                rest = &behind[end + 1..];
            }
            plain.push_str(rest);
            assert!(plain.chars().count() <= 80, "{plain:?}");
            let whole = |word: &str| {
                ["alert", "severity", "state", "raised", "what", "1a2b3c4d", "critical", "acknowledged", "2026-11-21"]
                    .contains(&word)
                    || title.split(' ').any(|known| known == word)
            };
            assert!(plain.split_whitespace().all(whole), "a word is broken: {plain:?}");
        }
    }
}
