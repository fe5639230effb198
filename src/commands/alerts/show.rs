//! `capdex alerts show`: one alert as an incident note.

use capdex_dataset::escape;
use capdex_db::{DeliveryHistoryRow, Reader};

use super::AlertExclusions;
use crate::alerts::payload;
use crate::cli::ListFormat;
use crate::exit::Exit;
use crate::options::Global;
use crate::output::{self, Out};
use capdex_dataset::note::{self, Room};
use capdex_dataset::views::ListView;
use capdex_dataset::views::alerts::{AlertView, SCHEMA};

pub(super) fn run(global: &Global, key: &str, format: ListFormat, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = crate::commands::reader(global)?;
    let raised = super::find(&reader, key)?;
    let known = AlertExclusions::read(&reader, super::now(global))?;
    let state = super::state(&raised, &known);
    let view = AlertView::of(&raised.alert, raised.at).in_state(state);
    match format {
        ListFormat::Json => out.json_pretty(&ListView { items: &[view], schema: SCHEMA })?,
        // Escaped for a line of JSON too: a log viewer acts on control characters.
        ListFormat::Jsonl => out.line(payload::safe(&serde_json::to_string(&view)?))?,
        ListFormat::Table => {
            let alert = &raised.alert;
            let severity = output::styled(output::severity_style(alert.severity), alert.severity.as_str());
            out.line(format_args!("{severity} {}", escape::escape(&alert.title)))?;
            out.line("")?;
            for line in note::of_alert(alert, raised.at, Room::ALL) {
                out.line(line)?;
            }
            tellings(&reader, &alert.key, state, &known, out)?;
        }
    }
    Ok(Exit::Done)
}

/// Its state, the acknowledgements of it, and who was told.
fn tellings(reader: &Reader, key: &str, state: &str, known: &AlertExclusions, out: &mut Out) -> anyhow::Result<()> {
    out.line(format_args!("\nState       {state}"))?;
    for ack in known.acks.iter().filter(|ack| ack.alert == key) {
        let until = match ack.expires {
            None => "while content and rule stay".to_owned(),
            // A withdrawal is stored as an acknowledgement that ended when it began.
            Some(expires) if expires <= ack.at.0 => "taken back".to_owned(),
            Some(expires) => format!("until {expires}"),
        };
        let reason = if ack.reason.is_empty() { "no reason given" } else { &ack.reason };
        out.line(format_args!("  acknowledged {}, {until}: {}", ack.at, escape::escape(reason)))?;
    }
    for DeliveryHistoryRow { notifier: sink, kind, at, message, sent, error } in reader.delivery_history(key)? {
        let how = match (kind, sent) {
            (kind, _) if kind.is_kept_back() => "not told".to_owned(),
            (_, Some(sent)) => format!("sent {sent}"),
            (_, None) => "waiting".to_owned(),
        };
        let message = message.map(|id| format!(" in {id}")).unwrap_or_default();
        let error = error.map(|error| format!(" — {}", escape::escape(&error))).unwrap_or_default();
        out.line(format_args!("  {}: {} as of {at}{message}, {how}{error}", escape::escape(&sink), kind.as_str()))?;
    }
    Ok(())
}
