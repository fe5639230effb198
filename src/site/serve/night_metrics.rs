//! What operators are woken for: the last night, listings, open alerts and gaps, as gauges.
//!
//! Read with each load of the store, which follows every commit.

use std::collections::BTreeMap;

use capdex_dataset::views::ledger::StageTime;
use capdex_dataset::views::status;
use capdex_db::Reader;
use capdex_model::alert::ack;
use capdex_model::fact::Severity;

use crate::report::site::Site;

/// A line of a metric: its labels and its value.
pub(super) type Line = (String, String);

/// The figures of a store.
#[derive(Default)]
pub(super) struct NightMetrics {
    /// When a night ended well last, in seconds of Unix time; 0 where none ever did, so that it counts as long ago.
    last_success: i64,
    /// The stages of the last night that ended.
    stages: Vec<StageTime>,
    /// Listings by source and state.
    listings: Vec<(String, &'static str, u64)>,
    /// Alerts that nobody acknowledged.
    open_alerts: BTreeMap<Severity, u64>,
    /// Open gaps by reason.
    gaps: BTreeMap<&'static str, u64>,
}

impl NightMetrics {
    /// Reads them.
    ///
    /// # Errors
    /// Errors of the store.
    pub(super) fn read(reader: &Reader, site: &Site) -> anyhow::Result<Self> {
        let mut metrics = Self {
            last_success: reader.last_success()?.map_or(0, |at| at.unix_seconds()),
            stages: status::last_stages(reader)?,
            // Severities without any stay in sight as zero: a series that comes and goes cannot be alerted on.
            open_alerts: Severity::ALL.into_iter().map(|severity| (severity, 0)).collect(),
            ..Self::default()
        };
        for counts in reader.source_counts()? {
            for (state, count) in [("active", counts.active), ("gone", counts.gone), ("failed", counts.failed)] {
                metrics.listings.push((counts.source.clone(), state, count));
            }
        }
        let acks = reader.acks()?;
        for raised in reader.raised()? {
            if ack::holding(&acks, &raised.alert, site.as_of).is_none() {
                *metrics.open_alerts.entry(raised.alert.severity).or_default() += 1;
            }
        }
        for gap in &site.gaps {
            *metrics.gaps.entry(gap.reason).or_default() += gap.count;
        }
        Ok(metrics)
    }

    /// Name, help and lines of each gauge.
    pub(super) fn gauges(&self) -> [(&'static str, &'static str, Vec<Line>); 5] {
        let stages = self.stages.iter().map(|time| (labels(&[("stage", &time.stage)]), time.seconds.to_string()));
        let listings = self.listings.iter();
        let listings =
            listings.map(|(source, state, count)| (labels(&[("source", source), ("state", state)]), count.to_string()));
        let alerts = self.open_alerts.iter();
        let alerts = alerts.map(|(severity, count)| (labels(&[("severity", severity.as_str())]), count.to_string()));
        let gaps = self.gaps.iter().map(|(kind, count)| (labels(&[("kind", kind)]), count.to_string()));
        [
            (
                "capdex_run_last_success_timestamp_seconds",
                "When a night ended well last; 0 where none did.",
                vec![(String::new(), self.last_success.to_string())],
            ),
            ("capdex_run_duration_seconds", "How long each stage of the last night took.", stages.collect()),
            ("capdex_listings", "Listings by source and state.", listings.collect()),
            ("capdex_alerts_open", "Alerts that nobody acknowledged.", alerts.collect()),
            ("capdex_gaps", "Open gaps by their reason.", gaps.collect()),
        ]
    }
}

/// Labels in their brackets. Names of sources are the operator's, and may hold any sign.
fn labels(labels: &[(&str, &str)]) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_source_ends_its_label() {
        assert_eq!(labels(&[("source", "a\"b\\c\nd"), ("state", "gone")]), r#"{source="a\"b\\c\nd",state="gone"}"#);
    }
}
