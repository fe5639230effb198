//! `capdex alerts ack`: a person has looked at an alert.

use capdex_dataset::escape;
use capdex_model::alert::ack::{Ack, holding};
use capdex_model::time::{AsOf, Timestamp};

use crate::cli::AlertsAckArgs;
use crate::exit::{Exit, usage};
use crate::instant;
use crate::options::Global;
use crate::output::Out;

pub(super) fn run(global: &Global, options: &AlertsAckArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = crate::commands::reader(global)?;
    let raised = super::find(&reader, &options.key)?;
    let now = super::now(global);
    let expires = match (&options.expires, options.withdraw) {
        // An acknowledgement that has ended is how one is taken back: the ledger keeps both.
        (_, true) => Some(now.0),
        (None, false) => None,
        (Some(text), false) => Some(expiry(text, now)?),
    };
    if options.withdraw && holding(&reader.acks()?, &raised.alert, now).is_none() {
        out.line(format_args!("{} is not acknowledged; nothing changed.", raised.alert.handle()))?;
        return Ok(Exit::Done);
    }
    drop(reader);
    let ack = Ack::of(&raised.alert, now, expires, options.reason.clone());
    crate::commands::decide(global, &options.waiting, move |decisions| decisions.acknowledge(&ack))?;
    let (handle, title) = (raised.alert.handle(), escape::escape(&raised.alert.title));
    match (options.withdraw, expires) {
        (true, _) => out.line(format_args!("{handle} is open again: {title}"))?,
        (false, None) => out.line(format_args!("{handle} acknowledged while its content and rule stay: {title}"))?,
        (false, Some(expires)) => out.line(format_args!("{handle} acknowledged until {expires}: {title}"))?,
    }
    Ok(Exit::Done)
}

/// A number of days from now, a date, or an instant; in the future.
fn expiry(text: &str, now: AsOf) -> anyhow::Result<Timestamp> {
    let expires = instant::end(text, now)
        .ok_or_else(|| usage(format!("{text:?} is neither a number of days nor a date such as 2026-12-31")))?;
    // An end in the past would be a withdrawal by mistake.
    if expires <= now.0 {
        return Err(usage(format!("{text:?} has passed; `--withdraw` takes an acknowledgement back")));
    }
    Ok(expires)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_a_day_an_instant_or_a_number_of_days_ahead() {
        let now: AsOf = "2026-11-21T12:00:00Z".parse().expect("an instant");
        let end = |text| expiry(text, now).ok().map(|end| end.to_string());
        assert_eq!(end("2026-12-31").as_deref(), Some("2026-12-31T00:00:00Z"));
        assert_eq!(end("2").as_deref(), Some("2026-11-23T12:00:00Z"));
        assert_eq!(end("2d"), end("2"));
        assert_eq!(end("2026-11-21T12:00:01Z").as_deref(), Some("2026-11-21T12:00:01Z"));
        for text in ["0", "2026-11-21", "-3", "soon", ""] {
            assert_eq!(end(text), None, "{text}");
        }
    }
}
