//! The `[spread]` table of a schedule: where a night hands its scans out to workers, and in which pieces.

use std::time::Duration;

use capdex_spread::plan::AUDITED_OF;
use serde::Deserialize;

use super::keys::{NONE, keys};
use crate::jobs::spread::settings::SpreadSettings;

/// The most keys of one job: larger ones lose more with a worker that ends.
const MAX_JOB_SIZE: usize = 10_000;
/// The most MiB of one job.
const MAX_JOB_MB: u64 = 1024;

keys! {
    /// Workers on other machines (`capdex work`) that scan for a night. A night without it scans on its own machine, and one
    /// machine is enough for millions of capabilities: [the guide](guides/scale-out.md) says when it is not.
    #[derive(Clone, Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct SpreadSection {
        /// The store of work, which workers share: a folder, or `s3://BUCKET/PREFIX` with the keys in AWS's variables. Nothing
        /// is handed out without it. Each store of capdex has its own.
        #[key(default = NONE, example = r#""/mnt/work""#)]
        pub store: Option<String>,
        /// The NATS server that tells workers what to do next; without it they read the plan and take the jobs of their number.
        #[key(default = NONE, example = r#""nats://queue:4222""#)]
        pub nats: Option<String>,
        /// Snapshots of one job at most.
        #[key(default = usual().size.keys, example = "500")]
        pub job_size: Option<usize>,
        /// MiB of files of one job at most; a snapshot of more goes by itself.
        #[key(default = usual().size.bytes >> 20, example = "32")]
        pub job_mb: Option<u64>,
        /// The share of jobs that two workers do, to be compared: 0 for none, 1 for all. A difference ends the night.
        #[key(default = f64::from(usual().audited) / f64::from(AUDITED_OF), example = "0.05")]
        pub audit: Option<f64>,
        /// MiB of memory that the process of a job may use.
        #[key(default = usual().limits.memory_mb, example = "4096")]
        pub memory_mb: Option<u64>,
        /// Seconds of the processor that it may use.
        #[key(default = usual().limits.cpu_s, example = "300")]
        pub cpu_s: Option<u64>,
        /// Seconds that it may take.
        #[key(default = usual().limits.wall_s, example = "600")]
        pub wall_s: Option<u64>,
        /// Seconds that the night waits for its next job before it does that job itself; 0 to wait for ever.
        #[key(default = usual().patience.map_or(0, |patience| patience.as_secs()), example = "60")]
        pub patience_s: Option<u64>,
        /// Keeps jobs, packs and results in the store of work after they were taken in, for whoever looks into them.
        #[key(default = false, example = "true")]
        pub keep: bool,
        /// A command, such as a sandbox, by which the night starts the processes of jobs that it does itself.
        #[key(default = NONE, example = r#""bwrap --unshare-all --ro-bind / /""#)]
        pub under: Option<String>,
    }
}

fn usual() -> SpreadSettings {
    SpreadSettings::new(String::new())
}

impl SpreadSection {
    /// The same, checked; none where no store of work is named.
    ///
    /// # Errors
    /// The key and what is wrong with it.
    pub fn settings(&self) -> Result<Option<SpreadSettings>, String> {
        let Some(store) = &self.store else {
            let is_named = self.nats.is_some() || self.job_size.is_some() || self.audit.is_some();
            return match is_named {
                true => Err("spread.store: nothing is handed out without a store of work".to_owned()),
                false => Ok(None),
            };
        };
        let mut settings = SpreadSettings::new(store.clone());
        if store.is_empty() {
            return Err("spread.store: write a folder, or s3://BUCKET/PREFIX".to_owned());
        }
        settings.nats.clone_from(&self.nats);
        let within = |key: &str, value: Option<u64>, usual: u64, most: u64| match value.unwrap_or(usual) {
            value if (1..=most).contains(&value) => Ok(value),
            _ => Err(format!("spread.{key}: from 1 to {most}")),
        };
        let keys =
            within("job_size", self.job_size.map(|size| size as u64), settings.size.keys as u64, MAX_JOB_SIZE as u64)?;
        settings.size.keys = usize::try_from(keys).unwrap_or(MAX_JOB_SIZE);
        settings.size.bytes = within("job_mb", self.job_mb, settings.size.bytes >> 20, MAX_JOB_MB)? << 20;
        settings.limits.memory_mb = within("memory_mb", self.memory_mb, settings.limits.memory_mb, 1 << 20)?;
        settings.limits.cpu_s = within("cpu_s", self.cpu_s, settings.limits.cpu_s, 86_400)?;
        settings.limits.wall_s = within("wall_s", self.wall_s, settings.limits.wall_s, 86_400)?;
        if let Some(audit) = self.audit {
            if !(0.0..=1.0).contains(&audit) {
                return Err("spread.audit: a share, from 0 to 1".to_owned());
            }
            // Between 0 and 10,000 by now.
            settings.audited = (audit * f64::from(AUDITED_OF)).round() as u32;
        }
        if let Some(seconds) = self.patience_s {
            settings.patience = (seconds > 0).then(|| Duration::from_secs(seconds));
        }
        settings.keeps = self.keep;
        settings.under = self.under.iter().flat_map(|under| under.split_whitespace()).map(ToOwned::to_owned).collect();
        Ok(Some(settings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Option<SpreadSettings>, String> {
        toml::from_str::<SpreadSection>(text).expect("a section").settings()
    }

    #[test]
    fn a_night_hands_nothing_out_unless_it_names_a_store_of_work() {
        assert_eq!(of(""), Ok(None));
        assert_eq!(of("store = \"/mnt/work\""), Ok(Some(SpreadSettings::new("/mnt/work".into()))));
        let settings =
            of("store = \"w\"\njob_size = 50\njob_mb = 8\naudit = 1.0\npatience_s = 0\nunder = \"nice -n 5\"");
        let settings = settings.expect("right").expect("a store");
        assert_eq!((settings.size.keys, settings.size.bytes, settings.audited), (50, 8 << 20, AUDITED_OF));
        assert_eq!((settings.patience, settings.under), (None, vec!["nice".to_owned(), "-n".into(), "5".into()]));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_key() {
        for (text, key) in [
            ("nats = \"nats://q:4222\"", "spread.store"),
            ("store = \"\"", "spread.store"),
            ("store = \"w\"\njob_size = 0", "spread.job_size"),
            ("store = \"w\"\njob_mb = 5000", "spread.job_mb"),
            ("store = \"w\"\naudit = 1.5", "spread.audit"),
            ("store = \"w\"\nmemory_mb = 0", "spread.memory_mb"),
        ] {
            let error = of(text).expect_err(text);
            assert!(error.starts_with(&format!("{key}: ")), "{error}");
        }
    }
}
